# SPDX-License-Identifier: Apache-2.0
"""Paths that documents mention exist, and the delay that one states."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
DOCUMENTS = [TOP / "docs" / name for name in ("architecture.md", "screen.md")]


def is_there(path: Path) -> bool:
    """Whether a file or folder exists; the name may omit what follows its first dot or plus sign."""
    return path.exists() or any(path.parent.glob(path.name + "[.+]*"))


def places(document: Path) -> set[str]:
    """Paths in back quotes, such as `Touch/Noise`."""
    return set(re.findall(r"`([A-Za-z][\w+.-]*(?:/[\w+.-]+)+)/?`", document.read_text()))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.stem)
def test_places_in_the_sources_exist(document):
    # A path may omit the folder that the text is about.
    rooms = [TOP, TOP / "Tests", TOP / "Sources", *(path for path in (TOP / "Sources").iterdir() if path.is_dir())]
    missing = [place for place in places(document) if not any(is_there(room / place) for room in rooms)]
    assert places(document) and missing == []


def test_the_documented_restart_delay_is_that_of_the_unit():
    unit = (TOP / "systemd/inkpanel.service.in").read_text()
    delay = re.search(r"^RestartSec=(\d+)ms$", unit, re.M)[1]
    service = " ".join((TOP / "docs/install.md").read_text().split())
    assert f"started again {delay} ms later (`RestartSec=`)" in service
