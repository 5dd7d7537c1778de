# SPDX-License-Identifier: Apache-2.0
"""tools/openapi makes openapi.json of the panel's interface and what HTTP adds, and says what is wrong with either."""

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TOOL = ROOT / "tools/openapi"
INTERFACE = ROOT / "Sources/HostAPI/org.inkpanel.Panel.varlink"
HTTP = ROOT / "clients/openapi-http.json"


def run(output: Path, interface: Path = INTERFACE, http: Path = HTTP) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["/usr/bin/python3", "-B", TOOL, "--interface", interface, "--http", http, "--output", output],
        capture_output=True, text=True, timeout=60)


def test_the_committed_description_is_what_the_tool_writes(tmp_path):
    done = run(tmp_path / "openapi.json")
    assert done.returncode == 0, done.stderr
    committed = ROOT / "Sources/Gateway/Web/openapi.json"
    assert (tmp_path / "openapi.json").read_bytes() == committed.read_bytes(), (
        f"{committed.relative_to(ROOT)} is not of {INTERFACE.relative_to(ROOT)} and {HTTP.relative_to(ROOT)}: "
        "run tools/openapi, and commit what it writes")


def refused(tmp_path, interface: str | None = None, http: dict | None = None) -> str:
    """What the tool says about a changed file. It then writes nothing."""
    files = {}
    if interface is not None:
        files["interface"] = tmp_path / "changed.varlink"
        files["interface"].write_text(interface)
    if http is not None:
        files["http"] = tmp_path / "changed.json"
        files["http"].write_text(json.dumps(http))
    done = run(tmp_path / "openapi.json", **files)
    assert done.returncode == 1 and "Traceback" not in done.stderr and not (tmp_path / "openapi.json").exists()
    return done.stderr


def replaced(old: str, new: str) -> str:
    text = INTERFACE.read_text()
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize("comment, member", [
    ("  # Waits while another capture runs, instead of failing (Busy).\n", "Capture.parameters.wait"),
    ("  # No paper behind the ink. Default: false\n", "Get.parameters.transparent"),
    ("# In pixels.\n", "Size.width")])
def test_a_member_needs_a_comment(tmp_path, comment, member):
    said = refused(tmp_path, replaced(comment, ""))
    assert said.endswith(f"changed.varlink: {member}: the member needs a comment\n")


def test_a_member_of_an_unknown_type_is_named(tmp_path):
    said = refused(tmp_path, replaced("  screen: Screen,\n", "  screen: Scren,\n"))
    assert said.endswith("changed.varlink: PanelStatus.screen: there is no type Scren\n")


@pytest.mark.parametrize("schema, member, over, place, words", [
    ("Capture", "storkes", {"minimum": 0}, "Capture.storkes", "has no such member"),
    ("Capture", "storke", None, "Capture.storke", "has no such member"),
    ("RecordPage", "previous", {"type": "string"}, "RecordPage.previous", "needs its type and a description"),
    ("Capture", "page", {"minimun": 1}, "Capture.page.minimun", "no place for it"),
    ("Capture", "page", {"maxLength": 1}, "Capture.page.maxLength", "no place for it"),
    ("Capture", "page", {"items": {"minimum": 1}}, "Capture.page.items", "no place for it"),
    ("Capture", "page", {"type": "integer"}, "Capture.page.type", "changes nothing"),
    ("Capture", "page", {"maximum": None}, "Capture.page.maximum", "changes nothing"),
    ("Capture", None, {"required": ["cratedAt"]}, "Capture.required", "there is no cratedAt"),
    ("Health", None, {"x-each": {"int": {"minimum": 0}}}, "Health.x-each.int", "not for a JSON type"),
    ("Summary", None, {"x-varlink": "Sumary"}, "Summary", "has no Sumary")])
def test_what_is_laid_over_a_type_fits_it(tmp_path, schema, member, over, place, words):
    document = json.loads(HTTP.read_text())
    changed = document["components"]["schemas"][schema]
    if member:
        changed["properties"][member] = over
    else:
        changed.update(over)
    said = refused(tmp_path, http=document)
    assert f"changed.json: components.schemas.{place}: " in said and words in said
