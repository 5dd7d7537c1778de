# SPDX-License-Identifier: Apache-2.0
"""Signed repositories for tests: keys of their own, small packages, other versions of real ones."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
MAIL = "panels@example.org"


def run(*words, **options) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


class Administrator:
    """Has a GPG key, and nothing of this machine's user."""

    def __init__(self):
        # Short, because gpg-agent has a socket in it.
        self.home = tempfile.mkdtemp(prefix="gpg-")
        self.environment = {**os.environ, "GNUPGHOME": self.home}
        run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", f"Panels <{MAIL}>", "ed25519", "sign",
            "never", env=self.environment)

    def builds(self, folder: Path, *debs: Path, key=MAIL, url="", shell=(), **more) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(word) for word in (*shell, TOP / "tools/build-repository", folder, *debs)], capture_output=True,
            text=True, env={**self.environment, "KEY": key, "URL": url or f"file:{folder}"} | more)

    def close(self):
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], env=self.environment)
        shutil.rmtree(self.home, ignore_errors=True)


def small_deb(folder: Path, package="inkpanel", version="0.1.0", architecture="amd64", file="") -> Path:
    """A package with one file."""
    with tempfile.TemporaryDirectory() as work:
        content = Path(work) / "usr/share/doc" / package / "file"
        content.parent.mkdir(parents=True)
        content.write_text(file or version)
        control = Path(work) / "DEBIAN/control"
        control.parent.mkdir()
        control.write_text(
            f"Package: {package}\nVersion: {version}\nArchitecture: {architecture}\nDescription: test\n"
            "Maintainer: Panels <panels@example.org>\n")
        path = folder / f"{package}_{version}_{architecture}.deb"
        run("dpkg-deb", "--root-owner-group", "-Znone", "--build", work, path)
    return path


def with_version(deb: Path, version: str, folder: Path) -> Path:
    """The same package as another version, which also depends on the others of this version."""
    work = folder / "unpacked"
    run("dpkg-deb", "--raw-extract", deb, work)
    control = work / "DEBIAN/control"
    text = control.read_text()
    before = re.search(r"^Version: (.+)$", text, re.M)[1]
    text = text.replace(f"\nVersion: {before}\n", f"\nVersion: {version}\n").replace(f"(= {before})", f"(= {version})")
    control.write_text(text)
    path = folder / deb.name.replace(f"_{before}_", f"_{version}_")
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", work, path)
    shutil.rmtree(work)
    return path
