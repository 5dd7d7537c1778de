# SPDX-License-Identifier: Apache-2.0
"""`tools/setup` beside other programs that install packages, and after the archive has moved on. apt and dpkg are the
real ones, in a root of their own, so that the locks and lists are not those of this machine."""

import fcntl
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
sys.path.append(str(TOP / "Tests/system/Panel"))
from harness import PanelFailure, apt  # noqa: E402

# The shortest list of tools/setup that needs neither Swift nor PyPI.
KIND = "repository"
LOCKS = {
    "dpkg's front end": "var/lib/dpkg/lock-frontend", "the lists": "var/lib/apt/lists/lock",
    "the downloaded files": "var/cache/apt/archives/lock"}
WAITING = "tools/apt: waiting for another program that installs packages: process {} ("


def wanted() -> list[str]:
    return re.search(rf'^{KIND}="(.*)"$', (TOP / "tools/setup").read_text(), re.M)[1].split()


def publish(archive: Path, version: str) -> None:
    """Replaces the archive by one that has the packages in this version only."""
    for old in archive.glob("*.deb"):
        old.unlink()
    for name in wanted():
        control = archive / name / "DEBIAN/control"
        control.parent.mkdir(parents=True, exist_ok=True)
        control.write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: all\n"
            "Maintainer: Nobody <nobody@example.org>\nDescription: test\n")
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--build", archive / name, archive / f"{name}_{version}_all.deb"],
            check=True, capture_output=True)
    packages = subprocess.run(
        ["apt-ftparchive", "packages", "."], cwd=archive, check=True, capture_output=True, text=True).stdout
    (archive / "Packages").write_text(packages)


@pytest.fixture
def machine(tmp_path):
    """The environment of an apt and dpkg whose machine has none of the packages; an archive beside it has them."""
    archive, root, programs = tmp_path / "archive", tmp_path / "root", tmp_path / "programs"
    archive.mkdir()
    publish(archive, "1")
    for folder in ("etc/apt/apt.conf.d", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial",
                   "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log/apt"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    # copy: makes lists, while file: reads the archive itself.
    (root / "etc/apt/sources.list").write_text(f"deb [trusted=yes] copy:{archive} ./\n")
    configuration = root / "apt.conf"
    options = {
        "Dir": root, "Dir::State::status": root / "var/lib/dpkg/status", "Dir::Etc::Parts": root / "etc/apt/apt.conf.d",
        "Dir::Bin::dpkg": "/usr/bin/dpkg", "Dir::Log": root / "var/log/apt", "APT::Sandbox::User": ""}
    dpkg = [f"--root={root}", "--force-not-root", "--force-script-chrootless", f"--log={root}/dpkg.log"]
    configuration.write_text(
        "".join(f'{name} "{value}";\n' for name, value in options.items())
        + f'DPkg::Path "{os.environ["PATH"]}";\n' + "".join(f'DPkg::Options:: "{option}";\n' for option in dpkg))
    # Whoever is not root has a sudo that changes nothing.
    programs.mkdir()
    (programs / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    (programs / "sudo").chmod(0o755)
    environment = os.environ | {
        "APT_CONFIG": str(configuration), "DPKG_ADMINDIR": str(root / "var/lib/dpkg"),
        "PATH": f"{programs}:{os.environ['PATH']}:/usr/sbin:/sbin"}
    return root, environment


def start(environment, **more) -> subprocess.Popen:
    return subprocess.Popen(
        [TOP / "tools/setup", KIND], env=environment | more, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def held(path: Path):
    """As apt and dpkg hold it: a lock of fcntl(2), not of flock(2)."""
    path.touch()
    file = path.open("r+")
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def installed(environment) -> list[str]:
    said = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Status} ${Package}\n"], env=environment, capture_output=True, text=True).stdout
    return sorted(line.split()[-1] for line in said.splitlines() if line.startswith("install ok installed "))


def test_without_another_program_it_does_not_wait(machine):
    root, environment = machine
    said, errors = start(environment).communicate(timeout=60)
    assert installed(environment) == sorted(wanted()), said + errors
    assert "waiting" not in errors
    done = start(environment)
    assert done.communicate(timeout=60) == ("", "") and done.returncode == 0


@pytest.mark.parametrize("lock", LOCKS.values(), ids=LOCKS)
def test_it_waits_for_a_program_that_has_a_lock(machine, lock):
    root, environment = machine
    other = held(root / lock)
    process = start(environment)
    # The machine has no lists yet, so that all locks are needed.
    lines = []
    while not lines or not lines[-1].startswith("tools/apt: "):
        line = process.stderr.readline()
        assert line, f"ended: {lines}"
        lines.append(line)
    assert lines[-1].startswith(WAITING.format(os.getpid()))
    time.sleep(2.5)
    assert process.poll() is None and installed(environment) == []
    other.close()
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and "waiting" not in errors, said + errors
    assert installed(environment) == sorted(wanted())


def test_it_does_not_wait_for_ever(machine):
    root, environment = machine
    with held(root / LOCKS["dpkg's front end"]):
        process = start(environment, APT_WAIT="1")
        said, errors = process.communicate(timeout=60)
    assert process.returncode != 0 and f"It is held by process {os.getpid()} (" in errors
    assert installed(environment) == []


def test_another_failure_ends_it_at_once(machine):
    root, environment = machine
    (root / "etc/apt/sources.list").write_text("")
    process = start(environment)
    said, errors = process.communicate(timeout=60)
    assert process.returncode != 0 and "waiting" not in errors
    assert f"E: Unable to locate package {wanted()[0]}" in errors


def test_packages_that_the_archive_has_replaced_are_installed(machine, tmp_path):
    root, environment = machine
    subprocess.run(["apt-get", "-q", "update"], env=environment, check=True, capture_output=True)
    publish(tmp_path / "archive", "2")
    said, errors = start(environment).communicate(timeout=60)
    assert installed(environment) == sorted(wanted()), said + errors


def test_a_test_downloads_what_the_archive_has_replaced(machine, tmp_path, monkeypatch):
    root, environment = machine
    subprocess.run(["apt-get", "-q", "update"], env=environment, check=True, capture_output=True)
    publish(tmp_path / "archive", "2")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    name, works = wanted()[0], []

    def download():
        works.append(apt.version(name))
        return apt.download(name, works[-1], tmp_path)

    # Only root may update the lists.
    with monkeypatch.context() as changed, pytest.raises(PanelFailure, match="run `apt-get update` as root"):
        changed.setattr(os, "geteuid", lambda: 1000)
        apt.with_new_lists(download)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert apt.with_new_lists(download).name == f"{name}_2_all.deb" and works == ["1", "1", "2"]
    # Another failure is not one of the lists.
    with pytest.raises(PanelFailure, match="apt knows no package no-such-package: "):
        apt.with_new_lists(lambda: apt.version("no-such-package"))


def test_everything_else_installs_by_that_script():
    """Whatever runs on a developer's machine; what runs in guests and images has apt for itself."""
    own = {"tools/apt", "deploy/simulator/Containerfile"}
    names = subprocess.run(
        ["git", "ls-files", "tools", "make", "Makefile", "deploy", "debian", "Tests/programs", "Examples", "clients"],
        cwd=TOP, check=True, capture_output=True, text=True).stdout.split()
    calls = re.compile(r"apt-get( -\S+)* +(install|update)")
    found = [name for name in names if calls.search((TOP / name).read_text(errors="replace")) and name not in own]
    assert "tools/setup" in names and found == []
