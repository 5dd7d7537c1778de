# SPDX-License-Identifier: Apache-2.0
"""`tools/build-repository`, and what apt does with its repository; a root for apt alone, no machine."""

import gzip
import os
import re
import subprocess

import pytest
from signed import MAIL, TOP, Administrator, run, small_deb


@pytest.fixture
def folder(administrator, tmp_path):
    """Two versions for two processors."""
    debs = tmp_path / "debs"
    debs.mkdir()
    built = administrator.builds(
        tmp_path / "repository",
        *(small_deb(debs, version=version, architecture=architecture)
          for version in ("0.0.9", "0.1.0") for architecture in ("amd64", "arm64")))
    assert built.returncode == 0, built.stderr
    return tmp_path / "repository"


class Apt:
    """A Debian's apt that knows only one repository."""

    def __init__(self, folder, root, architecture="amd64", sources="inkpanel.sources"):
        for name in ("etc/apt/apt.conf.d", "etc/apt/keyrings", "lists/partial", "cache/archives/partial", "dpkg"):
            (root / name).mkdir(parents=True)
        (root / "dpkg/status").touch()
        # Where the administrator puts them, but in this root.
        (root / "etc/apt/keyrings/inkpanel.asc").write_bytes((folder / "inkpanel.asc").read_bytes())
        self.sources = root / "etc/apt/sources.list.d/inkpanel.sources"
        self.sources.parent.mkdir()
        self.sources.write_text((folder / sources).read_text().replace("/etc/apt", str(root / "etc/apt")))
        self.root, self.keyring = root, root / "etc/apt/keyrings/inkpanel.asc"
        # It reads neither this machine's configuration nor its packages.
        configuration = root / "apt.conf"
        configuration.write_text("".join(f'{name} "{value}";\n' for name, value in {
            "Dir::Etc": root / "etc/apt", "Dir::Etc::Parts": root / "etc/apt/apt.conf.d",
            "Dir::Etc::SourceList": "/dev/null", "Dir::State": root, "Dir::State::Lists": root / "lists", "Dir::State::Status": root / "dpkg/status",
            "Dir::Cache": root / "cache", "APT::Architecture": architecture, "APT::Sandbox::User": "",
            "Acquire::Languages": "none", "Debug::NoLocking": "true"}.items())
            + f'APT::Architectures {{ "{architecture}"; }};\n')
        self.environment = {**os.environ, "APT_CONFIG": str(configuration), "LC_ALL": "C"}

    def __call__(self, program, *words):
        done = subprocess.run([program, *words], capture_output=True, text=True, env=self.environment, cwd=self.root)
        return done.returncode, done.stdout + done.stderr

    def update(self) -> str:
        status, said = self("apt-get", "-q", "--error-on=any", "update")
        return "" if status == 0 else said


def versions(said) -> list[str]:
    return re.findall(r"^ (?:\*\*\*|   ) (\S+) \d+$", said, re.M)


@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
def test_apt_offers_the_newest_version_and_the_older(folder, tmp_path, architecture):
    apt = Apt(folder, tmp_path / "root", architecture)
    assert apt.update() == ""
    said = apt("apt-cache", "policy", "inkpanel")[1]
    assert "Candidate: 0.1.0" in said and versions(said) == ["0.1.0", "0.0.9"]
    for version in ("0.0.9", "0.1.0"):
        assert apt("apt-get", "-q", "download", f"inkpanel={version}")[0] == 0
        assert (tmp_path / "root" / f"inkpanel_{version}_{architecture}.deb").exists()
    assert "o=Inkpanel,a=stable,n=stable,l=Inkpanel,c=main" in apt("apt-cache", "policy")[1]


def test_a_new_version_is_added_and_the_lists_before_it_stay(administrator, folder, tmp_path):
    apt = Apt(folder, tmp_path / "root")
    before = (folder / "dists/stable/InRelease").read_bytes()
    built = administrator.builds(folder, small_deb(tmp_path, version="0.2.0"))
    assert built.returncode == 0 and "inkpanel amd64 0.2.0" in built.stdout and built.stderr == ""
    after = (folder / "dists/stable/InRelease").read_bytes()
    # A mirror that has copied all but this file.
    (folder / "dists/stable/InRelease").write_bytes(before)
    assert apt.update() == "" and "Candidate: 0.1.0" in apt("apt-cache", "policy", "inkpanel")[1]
    (folder / "dists/stable/InRelease").write_bytes(after)
    assert apt.update() == "" and "Candidate: 0.2.0" in apt("apt-cache", "policy", "inkpanel")[1]


def test_a_version_never_changes(administrator, folder, tmp_path):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    built = administrator.builds(folder, small_deb(tmp_path, version="0.1.0", file="other"))
    assert built.returncode == 65 and "raise the version" in built.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_nothing_is_added_beside_a_version_that_differs(administrator, folder, tmp_path):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    new, other = tmp_path / "new", tmp_path / "other"
    new.mkdir(), other.mkdir()
    built = administrator.builds(folder, small_deb(new, version="0.2.0"), small_deb(other, file="other"))
    assert built.returncode == 65 and "SUITE=trixie" in built.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_each_debian_gets_its_own_packages_of_the_same_version(administrator, folder, tmp_path):
    (tmp_path / "trixie").mkdir()
    deb = small_deb(tmp_path / "trixie", version="0.1.0", file="for the libraries of Debian 13")
    built = administrator.builds(folder, deb, SUITE="trixie")
    assert built.returncode == 0, built.stderr
    got = {}
    for name, sources in (("stable", "inkpanel.sources"), ("trixie", "inkpanel-trixie.sources")):
        apt = Apt(folder, tmp_path / name / "root", sources=sources)
        assert apt.update() == ""
        assert f"a={name},n={name}" in apt("apt-cache", "policy")[1]
        assert apt("apt-get", "-q", "download", "inkpanel=0.1.0")[0] == 0
        got[name] = (apt.root / "inkpanel_0.1.0_amd64.deb").read_bytes()
    assert got["trixie"] == deb.read_bytes() != got["stable"]
    assert versions(apt("apt-cache", "policy", "inkpanel")[1]) == ["0.1.0"]
    built = administrator.builds(folder, SUITE="../trixie")
    assert built.returncode == 64 and "not a name" in built.stderr


# Kills the script before its command with the given number.
KILLS = r"""
set -o functrace
__count=0
trap '__count=$((__count + 1)); if [ $__count = "$KILL_AT" ]; then kill -9 $$; fi' DEBUG
"""


def test_a_run_that_was_interrupted_is_finished_by_the_next(administrator, tmp_path):
    """Killed between its commands, the first and each later time, the folder is none or one that apt can use."""
    kills = tmp_path / "kills"
    kills.write_text(KILLS)
    debs = tmp_path / "debs"
    debs.mkdir()
    old, new = small_deb(debs, version="0.1.0"), small_deb(debs, version="0.2.0")
    numbers, ended = iter(range(8, 400, 6)), False
    while not ended:
        number = next(numbers)
        folder = tmp_path / f"repository-{number}"
        for deb, version in ((old, "0.1.0"), (new, "0.2.0")):
            killed = administrator.builds(
                folder, deb, shell=["bash"], BASH_ENV=str(kills), KILL_AT=str(number))
            assert killed.returncode in (0, -9), killed.stderr
            if (folder / "dists/stable/InRelease").exists():
                assert Apt(folder, tmp_path / f"{number}-{version}-killed").update() == ""
            built = administrator.builds(folder, deb)
            assert built.returncode == 0 and built.stderr == "", (number, built.stderr)
            apt = Apt(folder, tmp_path / f"{number}-{version}")
            assert apt.update() == "" and f"Candidate: {version}" in apt("apt-cache", "policy", "inkpanel")[1]
            assert not list(folder.rglob("*.part"))
        ended = killed.returncode == 0
    assert number > 50


def test_a_withdrawn_version_is_gone(administrator, folder, tmp_path):
    (folder / "pool/inkpanel_0.1.0_amd64.deb").unlink()
    assert administrator.builds(folder).returncode == 0
    apt = Apt(folder, tmp_path / "root")
    assert apt.update() == ""
    assert versions(apt("apt-cache", "policy", "inkpanel")[1]) == ["0.0.9"]


def tamper_release(folder):
    path = folder / "dists/stable/InRelease"
    path.write_text(path.read_text().replace("Label: Inkpanel", "Label: Inkpanal"))


def tamper_list(folder):
    for path in (folder / "dists/stable/main/binary-amd64").rglob("*"):
        if path.is_file():
            text = path.read_bytes()
            packed = text.startswith(b"\x1f\x8b")
            text = (gzip.decompress(text) if packed else text).replace(b"Version: 0.1.0", b"Version: 9.1.0")
            path.write_bytes(gzip.compress(text) if packed else text)


def remove_signature(folder):
    path = folder / "dists/stable/InRelease"
    signed = path.read_text()
    path.unlink()
    (folder / "dists/stable/Release").write_text(signed.split("\n\n", 1)[1].split("-----BEGIN")[0])


@pytest.mark.parametrize("tamper", [tamper_release, tamper_list, remove_signature])
def test_apt_refuses_lists_that_are_not_the_signed_ones(folder, tmp_path, tamper):
    apt = Apt(folder, tmp_path / "root")
    tamper(folder)
    assert re.search("signature|not signed|expected hashes|unexpected size|Hash Sum mismatch|Clearsigned", apt.update())
    assert "Candidate" not in apt("apt-cache", "policy", "inkpanel")[1]


def test_apt_refuses_the_signature_of_another(folder, tmp_path):
    apt = Apt(folder, tmp_path / "root")
    other = Administrator()
    built = other.builds(folder)
    other.close()
    assert built.returncode == 0 and "panels need the new inkpanel.asc" in built.stderr
    assert "NO_PUBKEY" in (said := apt.update()) or "Missing key" in said
    apt.keyring.write_bytes((folder / "inkpanel.asc").read_bytes())
    assert apt.update() == ""


def test_apt_refuses_another_package(folder, tmp_path):
    apt = Apt(folder, tmp_path / "root")
    assert apt.update() == ""
    small_deb(folder / "pool", version="0.1.0", file="0.1.1")
    status, said = apt("apt-get", "-q", "download", "inkpanel")
    assert status != 0 and re.search("Hash Sum mismatch|unexpected size|expected hashes", said), said


def test_no_key_means_no_repository(administrator, tmp_path):
    said = administrator.builds(tmp_path / "new", key="")
    assert said.returncode == 64 and said.stderr.count("\n") == 1 and "gpg --quick-generate-key" in said.stderr
    said = administrator.builds(tmp_path / "new", key="nobody@example.org")
    assert said.returncode == 69 and "no secret key for KEY=nobody@example.org" in said.stderr
    assert not (tmp_path / "new").exists()


def test_the_check_before_the_builds_leaves_no_empty_repository(administrator, tmp_path):
    checked = administrator.builds(tmp_path / "new", "--check")
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "") and not (tmp_path / "new").exists()
    recipe = subprocess.run(
        ["make", "-sn", "repository", f"KEY={MAIL}", "URL=file:/", "DEBS=a.deb", f"REPOSITORY={tmp_path}/new"], cwd=TOP,
        capture_output=True, text=True, env={**administrator.environment, "MAKEFLAGS": ""}).stdout
    calls = [line.split("build-repository ")[1] for line in recipe.splitlines() if "build-repository " in line]
    assert calls == [f"{tmp_path}/new --check", f"{tmp_path}/new a.deb"]


def test_make_says_the_same_before_it_builds():
    said = subprocess.run(
        ["make", "-s", "repository", "KEY="], cwd=TOP, capture_output=True, text=True,
        env={**os.environ, "MAKEFLAGS": "", "KEY": "", "URL": ""})
    assert said.returncode != 0 and "KEY= is missing" in said.stderr and said.stdout == ""


def test_unattended_upgrades_would_install_from_it(folder, tmp_path):
    """What apt reads from the file names what the repository says of itself."""
    apt = Apt(folder, tmp_path / "root")
    rules = "52inkpanel-upgrades"
    (tmp_path / "root/etc/apt/apt.conf.d" / rules).write_bytes((folder / rules).read_bytes())
    said = apt("apt-config", "dump", "--format=%f=%v%n", "Unattended-Upgrade", "APT::Periodic")[1]
    assert "Unattended-Upgrade::Origins-Pattern::=origin=Inkpanel,label=Inkpanel" in said
    release = (folder / "dists/stable/InRelease").read_text()
    assert re.search(r"^Label: Inkpanel\nOrigin: Inkpanel\nSuite: stable$", release, re.M)


def test_the_key_beside_it_is_public_and_is_the_one_asked_for(administrator, folder):
    assert b"PRIVATE" not in b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    listed = run(
        "gpg", "--batch", "--with-colons", "--show-keys", folder / "inkpanel.asc", env=administrator.environment)
    assert MAIL in listed and listed.count("\npub:") + listed.startswith("pub:") == 1
