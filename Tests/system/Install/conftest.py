# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the built packages, and one machine with it for all tests, which run in order from boot to purge."""

import os
import shutil
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
OUT = TOP / "out" / "install"
sys.path[:0] = [str(TOP / "Tests/system" / name) for name in ("Panel", "Deploy")]

from harness import PanelFailure  # noqa: E402
from installed import InstalledPanel  # noqa: E402


@pytest.fixture(scope="session")
def deb() -> Path:
    return Path(os.environ["INKPANEL_DEB"]).resolve()


@pytest.fixture(scope="session")
def gateway_deb() -> Path:
    return Path(os.environ["GATEWAY_DEB"]).resolve()


@pytest.fixture(scope="session")
def fleet_deb() -> Path:
    return Path(os.environ["FLEET_DEB"]).resolve()


@pytest.fixture(scope="session")
def document_deb() -> Path:
    return Path(os.environ["DOCUMENT_DEB"]).resolve()


@pytest.fixture(scope="session")
def panel(deb, gateway_deb):
    with InstalledPanel(deb, [gateway_deb], say=lambda message: print(message, file=sys.stderr, flush=True)) as panel:
        yield panel


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Keeps journal and screen of a failed test in out/install."""
    outcome = yield
    report = outcome.get_result()
    panel = item.funcargs.get("panel") if hasattr(item, "funcargs") else None
    if report.when != "call" or not report.failed or panel is None:
        return
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    try:
        journal = panel.run("/usr/bin/journalctl", "--no-pager", "--boot")
        (OUT / "journal.txt").write_text(journal)
        end = "\n".join(journal.splitlines()[-40:])
        report.sections.append((f"end of the journal, kept in {OUT}/journal.txt", end))
        panel.screendump().save(OUT / "screen.png")
    except PanelFailure as failure:
        report.sections.append(("the guest did not answer any more", str(failure)))
