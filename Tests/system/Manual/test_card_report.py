# SPDX-License-Identifier: Apache-2.0
"""A report that a person at a card's pad asks for, with programs that answer as the test wants."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "image/root/usr/lib/inkpanel/image/report"


class Card:
    def __init__(self, folder: Path):
        self.folder, self.run = folder, folder / "run"
        for name in ("programs", "run/inkpanel-image", "run/inkpanel"):
            (folder / name).mkdir(parents=True)
        self.request, self.notice = self.run / "inkpanel/report", self.run / "inkpanel-image/report"
        self.request.touch()
        self.program("mount", f'echo "$*" >>{folder}/mounts')
        # The minute in which the page says what came of it.
        self.program("sleep", f"cat {self.notice} >>{folder}/minutes; exit 0")
        self.reports("exit 0")

    def program(self, name: str, text: str) -> None:
        path = self.folder / "programs" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def reports(self, text: str) -> None:
        """What `inkpanel report` does; the panel reads its notice again whenever it is asked to."""
        reload = f"cat {self.notice} >>{self.folder}/shown; echo / >>{self.folder}/shown; exit 0"
        self.program("inkpanel", f'if [ "$1" = config ]; then {reload}; fi\necho "$*" >>{self.folder}/calls\n{text}')

    def text(self, name: str) -> str:
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def start(self, *words: str) -> subprocess.Popen:
        environment = {"PATH": f"{self.folder}/programs:{os.environ['PATH']}", "INKPANEL_ROOT": str(self.folder)}
        return subprocess.Popen([TOOL, *words], env=environment, stderr=subprocess.PIPE, text=True)

    def __call__(self, *words: str) -> int:
        tool = self.start(*words)
        tool.communicate(timeout=60)
        return tool.returncode


@pytest.fixture
def card(tmp_path):
    return Card(tmp_path)


def test_the_page_says_that_it_is_saved_for_a_minute(card):
    assert card("shown") == 0
    assert not card.request.exists() and card.text("calls") == "report --save\n"
    shown = [text.strip() for text in card.text("shown").split("/\n")]
    assert shown[0] == "Report: please wait" and shown[1].startswith("Report saved\n") and shown[2:] == ["", ""]
    assert card.text("minutes").startswith("Report saved") and card.notice.read_text() == ""
    assert card.text("mounts") == "-o remount,ro /boot\n"


def test_a_panel_that_does_not_answer_has_a_report_without_its_part(card):
    card.reports('test "$*" != "report --save"')
    assert card("shown") == 0
    assert card.text("calls").splitlines()[1].startswith("report --save --socket")
    assert card.text("minutes").startswith("Report saved")


def test_a_report_that_cannot_be_saved_has_its_reason_on_the_page(card):
    card.reports('echo "inkpanel: the partition is full" >&2; exit 69')
    assert card("shown") == 1
    assert card.text("minutes").strip() == "No report\ninkpanel: the partition is full"
    assert card.notice.read_text() == "" and card.text("mounts") == "-o remount,ro /boot\n"


def test_at_the_start_nothing_is_shown(card):
    assert card() == 0 and card.text("calls") == "report --save\n" and card.text("shown") == ""
    card.reports("exit 69")
    assert card() == 69


def test_a_service_that_is_stopped_leaves_no_notice(card):
    card.program("sleep", "exec /bin/sleep 100")
    tool = card.start("shown")
    while not (card.notice.exists() and card.notice.read_text().startswith("Report saved")):
        time.sleep(0.05)
    time.sleep(0.5)
    # As systemd ends it: all of its processes.
    subprocess.run(["pkill", "-TERM", "-P", str(tool.pid)], check=False)
    tool.send_signal(signal.SIGTERM)
    tool.communicate(timeout=30)
    assert card.notice.read_text() == ""
