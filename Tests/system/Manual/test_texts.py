# SPDX-License-Identifier: Apache-2.0
"""Paths that documents mention exist; source files have a licence, and import no more than they may."""

import os
import re
import subprocess
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


def test_source_files_begin_with_the_licence():
    files = subprocess.run(["git", "ls-files", "*.swift"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split()
    wrong = [name for name in files if not name.endswith("Package.swift")
             and not (TOP / name).read_text().startswith("// SPDX-License-Identifier: Apache-2.0\n")]
    assert files and wrong == []


def test_only_the_gateway_imports_all_of_foundation():
    """FoundationEssentials has JSON; the rest brings ICU, 40 MB of data.

    One file is enough. With Swift 6.0, String.contains(_:) is then Foundation's in the whole module. Whether the data
    are linked depends on the compiler: 6.3 leaves them out of the same program.
    """
    imports = re.compile(r"^[^/\n]*\bimport (?:\w+ )?Foundation(?!Essentials)\w*", re.M)
    found = {path.relative_to(TOP / "Sources").parts[0] for path in (TOP / "Sources").rglob("*.swift")
             if imports.search(path.read_text())}
    assert found == {"HTTP", "Gateway", "Compatibility", "Webhooks", "inkpanel-gateway"}


@pytest.mark.parametrize("program", ["INKPANEL", "FLEET", "DOCUMENT", "BENCH"])
def test_only_the_gateway_holds_icu_s_data(program):
    assert b"icudt" not in Path(os.environ[program]).read_bytes()
