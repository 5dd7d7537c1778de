# SPDX-License-Identifier: Apache-2.0
"""Debian packages, downloaded and unpacked without installing, as any user."""

import os
import re
import subprocess
from pathlib import Path

from .failure import PanelFailure

TOOLS = Path(__file__).resolve().parents[4] / "tools"


class OldLists(PanelFailure):
    """The archive no longer has a package that apt's lists name."""


def run(*command, cwd=None) -> str:
    """The command's output; a failure includes command and output."""
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    except FileNotFoundError:
        raise PanelFailure(f"{command[0]}: not found; the tests on a real kernel need Debian 12 or 13 with {command[0]}")
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise PanelFailure(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{said}")
    return done.stdout


def depends(package: str) -> list[str]:
    """The dependencies of the newest version of a package that apt knows."""
    output = run("apt-cache", "depends", "--no-recommends", "--no-suggests", package)
    lines = (line.strip() for line in output.splitlines())
    return [line.removeprefix("Depends:").strip() for line in lines if line.startswith("Depends:")]


def version(package: str, like: str | None = None) -> str:
    """The version `like` if the archive has it, else the one that apt would install now."""
    # Each row: package | version | archive.
    if like and like in [row.split("|")[1].strip() for row in run("apt-cache", "madison", package).splitlines()]:
        return like
    for line in run("apt-cache", "policy", package).splitlines():
        if line.strip().startswith("Candidate:"):
            candidate = line.split(":", 1)[1].strip()
            if candidate != "(none)":
                return candidate
    raise PanelFailure(f"apt knows no package {package}: run `apt-get update` as root, then again")


def download(package: str, version: str, into: Path) -> Path:
    """The package's file, in the folder `into`."""
    before = set(into.glob("*.deb"))
    # Otherwise apt warns that its sandbox user `_apt` cannot write into a user's cache, and continues anyway.
    try:
        run("apt-get", "--quiet", "-o", "APT::Sandbox::User=", "download", f"{package}={version}", cwd=into)
    except PanelFailure as failure:
        if re.search(r"^E: (Failed to fetch|Unable to fetch)", str(failure), re.M):
            raise OldLists(f"{failure}\nIf the archive has a newer one, run `apt-get update` as root, then again.")
        raise
    new = set(into.glob("*.deb")) - before
    if len(new) != 1:
        raise PanelFailure(f"apt-get download {package}={version} left {len(new)} new files in {into}, expected one")
    return new.pop()


def unpack(deb: Path, into: Path) -> None:
    run("dpkg-deb", "--extract", str(deb), str(into))
    deb.unlink()


def with_new_lists(work):
    """The result of `work`. If the archive has moved on since the lists were made, root updates them, and works again."""
    try:
        return work()
    except OldLists:
        if os.geteuid() != 0:
            raise
    run(str(TOOLS / "apt"), "update")
    return work()
