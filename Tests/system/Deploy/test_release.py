# SPDX-License-Identifier: Apache-2.0
"""`tools/release`: the files of a release, from packages that exist; what it refuses."""

import json
import os
import re
import shutil
import subprocess

import pytest
from signed import MAIL, TOP, run, small_deb
from spdx_tools.spdx.model import RelationshipType
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

VERSION = re.search(r"\((.+)\)", (TOP / "debian/changelog").read_text())[1]
# As Swift writes them into Package.resolved.
PINS = [
    {"identity": "flyingfox", "location": "https://github.com/swhitty/FlyingFox", "state": {"version": "0.27.1"}},
    {"identity": "swift-argument-parser", "location": "https://github.com/apple/swift-argument-parser",
     "state": {"version": "1.8.2"}}]


def update_keys(folder) -> dict[str, str]:
    """An authority, and a key that it has signed, for updates of cards."""
    folder.mkdir()
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Updates"]
    run(*new, "-keyout", folder / "authority.key", "-out", folder / "authority.pem")
    run(*new, "-CA", folder / "authority.pem", "-CAkey", folder / "authority.key", "-keyout", folder / "key.pem",
        "-out", folder / "certificate.pem", "-addext", "basicConstraints=critical,CA:FALSE", "-addext",
        "extendedKeyUsage=emailProtection")
    return {f"UPDATE_{name.upper()}": str(folder / f"{name}.pem") for name in ("key", "certificate", "authority")}


@pytest.fixture
def release(administrator, tmp_path):
    """Runs steps in a checkout of its own, whose changelog has the version."""
    top = tmp_path / "top"
    top.mkdir()
    for name in ("tools", "clients", "debian", "LICENSE", "image/check-keys", "Sources/Gateway/Web",
                 "docs/examples"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, top / name, symlinks=True)
        else:
            shutil.copy(TOP / name, top / name)
    (top / "Package.resolved").write_text(json.dumps({"pins": PINS}))
    (top / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## [Unreleased]\n\nLater.\n\n## [{VERSION}] - 2026-12-01\n\nThe first.\n\n## [0.0.1]\n\n"
        f"Earlier.\n\n[{VERSION}]: https://example.org\n")
    environment = administrator.environment | {
        "KEY": MAIL, "URL": "https://packages.example.org", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": MAIL, "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": MAIL,
        "GIT_COMMITTER_DATE": "2026-12-01T12:00:00Z"}

    environment |= update_keys(tmp_path / "update")

    def git(*words):
        return run("git", *words, cwd=top, env=environment)

    def release(*steps, **more):
        return subprocess.run(
            [top / "tools/release", tmp_path / "release", *steps], capture_output=True, text=True,
            env=environment | more)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "release")
    release.git, release.top, release.folder, release.environment = git, top, tmp_path / "release", environment
    return release


def packages(release):
    for suite in ("bookworm", "trixie"):
        (release.folder / suite).mkdir(parents=True)
        for name in ("inkpanel", "inkpanel-gateway"):
            small_deb(release.folder / suite, name, VERSION, file=f"of {suite}")
        (release.folder / suite / "swift-version").write_text({"bookworm": "6.3.1\n", "trixie": "6.0.3\n"}[suite])
    (release.folder / "inkpanel-pc.packages").write_text(f"inkpanel\t{VERSION}\nlibc6:amd64\t2.41-12+deb13u1\n")


def test_a_release_is_of_a_clean_commit_with_tag_and_notes_and_keys(release, tmp_path):
    def refused(*words, **more):
        done = release("check", **more)
        assert done.returncode != 0 and all(word in done.stderr for word in words), done

    refused(f"no tag v{VERSION}", f"git tag --sign v{VERSION}")
    release.git("tag", f"v{VERSION}")
    assert release("check").returncode == 0
    refused("no secret key", KEY="nobody@example.org")
    refused("KEY= is missing", KEY="")
    for name in ("UPDATE_KEY", "UPDATE_CERTIFICATE", "UPDATE_AUTHORITY"):
        refused(f"{name}= is missing", **{name: ""})
        refused(f"{tmp_path}/none cannot be read", **{name: f"{tmp_path}/none"})
    other = update_keys(tmp_path / "other")
    refused("is not the certificate of", UPDATE_KEY=other["UPDATE_KEY"])
    refused("does not count for cards", UPDATE_AUTHORITY=other["UPDATE_AUTHORITY"])
    both = tmp_path / "both.pem"
    both.write_text("".join((tmp_path / "update" / name).read_text() for name in ("authority.key", "authority.pem")))
    refused("has a private key, which would be on every card", UPDATE_AUTHORITY=str(both))
    (release.top / "LICENSE").write_text("another")
    refused("files differ from the commit")
    release.git("checkout", "-q", "LICENSE")
    changes = release.top / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace(f"## [{VERSION}]", "## [9.9.9]"))
    release.git("commit", "-qam", "other notes")
    refused(f"no tag v{VERSION}")
    release.git("tag", "--force", f"v{VERSION}")
    refused(f"CHANGELOG.md has no section [{VERSION}]", "rename [Unreleased]")
    assert not (release.folder / "SHA256SUMS").exists()


def test_the_files_are_complete_and_signed(release, tmp_path):
    packages(release)
    done = release("repository", "clients", "files")
    assert done.returncode == 0, done.stderr
    folder = release.folder
    assert (folder / "notes.md").read_text().strip() == "The first."
    assert (folder / "repository/dists/stable/InRelease").exists()
    assert (folder / "repository/dists/trixie/InRelease").exists()
    # Other programs check sums and signature.
    run("gpg", "--verify", "SHA256SUMS.asc", "SHA256SUMS", cwd=folder, env=release.environment)
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
    named = {line.split("  ", 1)[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert named == {name for name in there if not name.startswith(("repository/", "SHA256SUMS"))}
    assert any(name.endswith(".whl") for name in named) and "inkpanel.spdx.json" in named
    # Again, the same bytes.
    before = {name: (folder / name).read_bytes() for name in named}
    done = release("repository", "clients", "files")
    assert done.returncode == 0, done.stderr
    assert {name: (folder / name).read_bytes() for name in named} == before
    (folder / "notes.md").write_text("another")
    done = subprocess.run(["sha256sum", "--check", "--status", "SHA256SUMS"], cwd=folder)
    assert done.returncode == 1


def test_the_bill_of_materials_is_valid(release):
    packages(release)
    done = release("files")
    assert done.returncode == 0, done.stderr
    path = release.folder / "inkpanel.spdx.json"
    document = parse_file(str(path))
    assert validate_full_spdx_document(document) == []
    assert document.creation_info.created.isoformat() == "2026-12-01T12:00:00"
    names = {package.spdx_id: package.name for package in document.packages}
    related = {
        (names.get(each.spdx_element_id), each.relationship_type, names.get(each.related_spdx_element_id))
        for each in document.relationships}
    assert ("inkpanel-gateway", RelationshipType.STATIC_LINK, "flyingfox") in related
    assert ("inkpanel", RelationshipType.STATIC_LINK, "flyingfox") not in related
    assert ("inkpanel", RelationshipType.STATIC_LINK, "swift-runtime") in related
    assert ("inkpanel-pc", RelationshipType.CONTAINS, "libc6") in related
    described = [other for one, kind, other in related if kind == RelationshipType.DESCRIBES]
    assert sorted(set(described)) == ["inkpanel", "inkpanel-gateway", "inkpanel-pc"]
    # A package for each Debian, with the digest of its file.
    files = {package["packageFileName"]: package for package in json.loads(path.read_text())["packages"]
             if "packageFileName" in package}
    assert len(files) == 4
    for name, package in files.items():
        assert run("sha256sum", name, cwd=release.folder).split()[0] == package["checksums"][0]["checksumValue"]
    # Each Debian's packages are of its Swift.
    runtimes = {package.spdx_id: package.version for package in document.packages if package.name == "swift-runtime"}
    linked = {
        (each.spdx_element_id, runtimes[each.related_spdx_element_id]) for each in document.relationships
        if each.related_spdx_element_id in runtimes}
    assert {(name.split("-")[-2], version) for name, version in linked} == {("bookworm", "6.3.1"), ("trixie", "6.0.3")}
    versions = {package.name: package.version for package in document.packages}
    assert {pin["identity"]: pin["state"]["version"] for pin in PINS}.items() <= versions.items()


def test_the_bill_of_materials_knows_each_dependency(release):
    """Whoever adds one to Package.swift says in tools/sbom which programs have it, and its licence."""
    used = re.findall(r'\.package\(url: "([^"]+)"', (TOP / "Package.swift").read_text())
    assert sorted(used) == sorted(pin["location"] for pin in PINS)
    packages(release)
    pins = [*PINS, {"identity": "other", "location": "https://example.org/other", "state": {"version": "1.0.0"}}]
    (release.top / "Package.resolved").write_text(json.dumps({"pins": pins}))
    done = release("files")
    assert done.returncode == 1 and "say here who uses other, and its licence" in done.stderr
    assert not (release.folder / "SHA256SUMS").exists()


def test_packages_of_another_version_are_refused(release):
    packages(release)
    small_deb(release.folder / "trixie", "inkpanel-fleet", "0.0.1")
    done = release("files")
    assert done.returncode == 65 and "inkpanel-fleet_0.0.1_amd64.deb is of another version" in done.stderr
    assert not (release.folder / "SHA256SUMS").exists()


def test_an_unknown_step_begins_nothing(release):
    done = release("clients", "images")
    assert done.returncode == 65 and "no step images" in done.stderr and not (release.folder / "clients").exists()
    done = release("files")
    assert done.returncode == 65 and "no packages yet" in done.stderr
    assert os.listdir(release.folder) == ["notes.md"]
