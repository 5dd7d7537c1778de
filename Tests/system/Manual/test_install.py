# SPDX-License-Identifier: Apache-2.0
"""`make install` into an empty directory, and `make uninstall`."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
PROGRAM = os.environ["INKPANEL"]
GATEWAY = os.environ["GATEWAY"]
FLEET = os.environ["FLEET"]
DOCUMENT = os.environ["DOCUMENT"]


def make(target, root):
    # Uses the existing programs, and does not strip them.
    words = [
        "make", "-s", target, f"DESTDIR={root}", "PREFIX=/usr", f"BINARY={PROGRAM}", f"GATEWAY={GATEWAY}",
        f"FLEET={FLEET}", f"DOCUMENT={DOCUMENT}", "STRIP=:"]
    return subprocess.run(words, cwd=TOP, check=True, capture_output=True, text=True).stdout


def files(root):
    return {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    make("install", root)
    return root


def test_documents_examples_and_interface_are_installed(root):
    share = root / "usr/share"
    interface = share / "varlink/interfaces/org.inkpanel.Panel.varlink"
    assert interface.read_text() == (TOP / "Sources/HostAPI/org.inkpanel.Panel.varlink").read_text()
    documents = share / "doc/inkpanel"
    for name in ("README.md", "host-api.md", "formats.md", "record.md", "LICENSE", "copyright"):
        assert (documents / name).read_text(), name
    examples = {path.name: path.read_text() for path in (TOP / "docs/examples").iterdir() if path.is_file()}
    assert {path.name: path.read_text() for path in (documents / "examples").iterdir()} == examples
    for path in documents.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path


def test_installed_documents_link_to_installed_files(root):
    documents = root / "usr/share/doc/inkpanel"
    links = [
        (path.name, link) for path in documents.glob("*.md")
        for link in re.findall(r"\]\(([^)#\s]+)", path.read_text()) if "://" not in link
    ]
    # Links to source folders are not installed.
    links = [(name, link) for name, link in links if not link.startswith(("Sources/", "Tests/"))]
    assert len(links) > 50
    assert [(name, link) for name, link in links if not (documents / link).exists()] == []


def test_uninstalling_keeps_the_configuration_and_files_of_others(tmp_path):
    make("install", tmp_path)
    assert len(files(tmp_path)) > 40
    others = {"var/lib/inkpanel/captures/a.jsonl", "usr/share/inkpanel/cy.messages", "usr/share/man/man1/ink.1"}
    for name in others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine\n")
    said = make("uninstall", tmp_path)
    assert files(tmp_path) == {"etc/inkpanel/inkpanel.toml"} | others
    assert "/etc/inkpanel" in said and "/var/lib/inkpanel" in said
    # A second time, and without remains, it succeeds, too.
    make("uninstall", tmp_path)
    for name in others:
        (tmp_path / name).unlink()
    make("uninstall", tmp_path)
    share = tmp_path / "usr/share"
    assert not any((share / name).exists() for name in ("inkpanel", "doc/inkpanel", "varlink"))


def test_the_fleet_is_uninstalled_separately(tmp_path):
    make("install", tmp_path)
    panel = files(tmp_path)
    make("install-fleet", tmp_path)
    fleet = files(tmp_path) - panel
    assert {"usr/bin/inkpanel-fleet", "usr/bin/inkpanel-fleet-certificate", "usr/lib/systemd/system/inkpanel-fleet.service",
            "usr/share/doc/inkpanel-fleet/inkpanel_fleet.py", "usr/share/doc/inkpanel-fleet/mosquitto.conf"} <= fleet
    assert "@PREFIX@" not in (tmp_path / "usr/lib/systemd/system/inkpanel-fleet.service").read_text()
    make("uninstall", tmp_path)
    assert files(tmp_path) == {"etc/inkpanel/inkpanel.toml"} | fleet
    said = make("uninstall-fleet", tmp_path)
    assert files(tmp_path) == {"etc/inkpanel/inkpanel.toml"} and "/var/lib/inkpanel-fleet" in said


def test_the_program_for_documents_is_uninstalled_separately(tmp_path):
    make("install", tmp_path)
    panel = files(tmp_path)
    make("install-document", tmp_path)
    document = files(tmp_path) - panel
    units = tmp_path / "usr/lib/systemd/system"
    assert document == {
        "usr/bin/inkpanel-document", "usr/share/man/man8/inkpanel-document.8",
        "usr/lib/systemd/system/inkpanel-document.socket", "usr/lib/systemd/system/inkpanel-document@.service"}
    assert "@PREFIX@" not in (units / "inkpanel-document@.service").read_text()
    make("uninstall", tmp_path)
    assert files(tmp_path) == {"etc/inkpanel/inkpanel.toml"} | document
    make("uninstall-document", tmp_path)
    assert files(tmp_path) == {"etc/inkpanel/inkpanel.toml"}


def test_panel_and_gateway_are_uninstalled_separately(tmp_path):
    make("install", tmp_path)
    panel = files(tmp_path)
    make("install-gateway", tmp_path)
    gateway = files(tmp_path) - panel
    assert {"usr/bin/inkpanel-gateway", "usr/lib/inkpanel/web-certificate", "usr/share/inkpanel/nginx.conf"} <= gateway
    units = [tmp_path / name for name in gateway if name.endswith((".service", ".timer"))]
    assert len(units) == 5 and not any("@PREFIX@" in path.read_text() for path in units)
    make("uninstall-gateway", tmp_path)
    assert files(tmp_path) == panel
    make("install-gateway", tmp_path)
    make("uninstall", tmp_path)
    assert files(tmp_path) == {"etc/inkpanel/inkpanel.toml"} | gateway
    said = make("uninstall-gateway", tmp_path)
    assert files(tmp_path) == {"etc/inkpanel/inkpanel.toml"} and "/var/lib/inkpanel-web" in said
    assert not (tmp_path / "usr/lib/inkpanel").exists()
    make("uninstall-gateway", tmp_path)
