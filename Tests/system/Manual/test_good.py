# SPDX-License-Identifier: Apache-2.0
"""Whether a card's new system counts as good, with programs that answer as the test wants."""

import os
import subprocess
import time
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "image/root/usr/lib/inkpanel/image/good"


class Card:
    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("programs", "run/inkpanel-image", "data/update"):
            (folder / name).mkdir(parents=True)
        self.program("systemctl", f'echo "$*" >>{folder}/restarts')
        self.tries(True)
        self.answers(panel=True, gateway=True, router=True)

    def program(self, name: str, text: str) -> None:
        path = self.folder / "programs" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def tries(self, tried: bool) -> None:
        self.program("systemd-bless-boot", f"echo {'indeterminate' if tried else 'good'}")

    def answers(self, panel: bool, gateway: bool, router: bool) -> None:
        self.program("inkpanel", f"exit {0 if panel else 69}")
        self.program("curl", f"exit {0 if gateway else 7}")
        self.program("ip", 'test "$1" = -6 || echo default via 192.0.2.1' if router else "true")

    def __call__(self) -> tuple[int, str, bool]:
        """The status, what it says, and whether it restarts the card."""
        done = subprocess.run(
            [TOOL], capture_output=True, text=True, check=False, env={
                "PATH": f"{self.folder}/programs:{os.environ['PATH']}", "INKPANEL_ROOT": str(self.folder),
                "INKPANEL_SECONDS": "1"})
        restarts = self.folder / "restarts"
        return done.returncode, done.stderr, restarts.exists() and restarts.read_text() == "reboot\n"


@pytest.fixture
def card(tmp_path):
    return Card(tmp_path)


def test_a_system_that_answers_is_good(card):
    assert card() == (0, "", False)
    card.tries(False)
    assert card() == (0, "", False)


@pytest.mark.parametrize("missing", ["panel", "gateway"])
def test_a_new_system_that_does_not_answer_is_restarted_and_an_old_one_is_not(card, missing):
    card.answers(**{"panel": True, "gateway": True, "router": True, missing: False})
    status, said, restarts = card()
    assert status == 1 and f"the {missing} does not answer" in said and restarts
    (card.folder / "restarts").unlink()
    card.tries(False)
    assert card()[::2] == (1, False)


def test_a_panel_that_hangs_is_restarted_before_systemd_gives_up(card):
    card.program("inkpanel", "exec sleep 100")
    began = time.monotonic()
    status, said, restarts = card()
    assert status == 1 and "the panel does not answer" in said and restarts
    # After its time, a try lasts half of the minute for which systemd waits longer.
    assert time.monotonic() - began < 50


def test_a_new_system_must_find_a_router_if_the_old_one_had_one(card):
    card.answers(panel=True, gateway=True, router=False)
    assert card() == (0, "", False)
    (card.folder / "data/update/had-router").touch()
    status, said, restarts = card()
    assert status == 1 and "no router" in said and restarts
    (card.folder / "restarts").unlink()
    # A cable that is pulled out later is no fault of the system.
    card.tries(False)
    assert card() == (0, "", False)


def test_a_damaged_data_partition_restarts_nothing(card):
    (card.folder / "run/inkpanel-image/problem").write_text("the data partition is damaged")
    status, said, restarts = card()
    assert status == 1 and "damaged" in said and not restarts
