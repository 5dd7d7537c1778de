# SPDX-License-Identifier: Apache-2.0
"""The workflows of GitHub call targets that exist, and every night each of the longer checks."""

import re
from pathlib import Path

TOP = Path(__file__).parents[3]
WORKFLOWS = TOP / ".github/workflows"


def targets(workflow: str) -> list[str]:
    return re.findall(r"^\s*(?:- )?target: (\w\S*)$", (WORKFLOWS / workflow).read_text(), re.M)


def rules() -> dict[str, list[str]]:
    """The targets of the Makefile with their prerequisites."""
    text = "\n".join(path.read_text() for path in (TOP / "Makefile", *sorted((TOP / "make").glob("*.mk"))))
    found = re.findall(r"^([a-z][\w.-]*):(?!=)([^#\n]*)", text.replace("\\\n", " "), re.M)
    return {name: needed.split() for name, needed in found}


def test_every_longer_check_runs_every_night():
    rule = rules()
    sanitizers = re.search(r"^SANITIZERS \?= (.*)$", (TOP / "make/checks.mk").read_text(), re.M)[1].split()
    wanted = {*rule["test-long"], *(f"{name}-test" for name in sanitizers), "check-swift-6.0", "fuzz", "fuzz-raster"}
    assert len(rule["test-long"]) > 3 and set(targets("nightly.yml")) == wanted
    assert wanted <= set(rule)
    # Both cards are booted.
    assert "- target: image-test\n            variables: TARGET=pi\n" in (WORKFLOWS / "nightly.yml").read_text()


def test_a_commit_is_tested():
    assert targets("test.yml") == ["test"] and "test" in rules()


def test_a_tag_makes_a_release():
    """tools/release is tested in test_release.py."""
    assert targets("release.yml") == ["release"] and "release" in rules()
    kept = re.search(r"keeps: (\S+)", (WORKFLOWS / "release.yml").read_text())[1]
    assert f"tools/release {kept} $(STEPS)" in (TOP / "make/install.mk").read_text()


def test_the_workflows_share_their_steps():
    for path in WORKFLOWS.glob("*.yml"):
        text = path.read_text()
        if path.name == "make.yml":
            assert "workflow_call:" in text
        else:
            assert "uses: ./.github/workflows/make.yml" in text and "steps:" not in text, path.name
