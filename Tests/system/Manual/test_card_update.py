# SPDX-License-Identifier: Apache-2.0
"""`inkpanel-update` of a card, with a RAUC and a boot loader that answer as the test wants."""

import os
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[3] / "image/root/usr/bin/inkpanel-update"


class Card:
    """Runs version 1.0 from the root a."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("programs", "run", "data/update", "etc/rauc", "usr/lib/inkpanel/image"):
            (folder / name).mkdir(parents=True)
        (folder / "etc/rauc/system.conf").write_text("[system]\ncompatible=inkpanel-pc\n")
        (folder / "usr/lib/inkpanel/image/version").write_text("1.0\n")
        self.program("boot-entry", "echo a", self.folder / "usr/lib/inkpanel/image")
        self.program("systemctl", self.noted("$*"))
        self.program("inkpanel", "echo 'page   idle'")
        self.program("sleep", f"{self.noted('waited')}; exit 0")
        self.program("ip", "test \"$1\" = -6 || echo default via 192.0.2.1")
        self.tries(0)
        self.offers("2.0")

    def program(self, name: str, text: str, folder: Path | None = None) -> None:
        path = (folder or self.folder / "programs") / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def noted(self, words: str) -> str:
        return f'echo "{words}" >>{self.folder}/done'

    def offers(self, version: str, kind: str = "inkpanel-pc") -> None:
        answer = f"echo \"RAUC_MF_VERSION='{version}'\"; echo \"RAUC_MF_COMPATIBLE='{kind}'\""
        self.program("rauc", f'if [ "$1" = info ]; then {answer}; else {self.noted("rauc $1")}; fi')

    def tries(self, times: int) -> None:
        """The running system counts as good after it was asked this often."""
        count = self.folder / "asked"
        self.program(
            "systemd-bless-boot",
            f"echo x >>{count}; if [ $(wc -l <{count}) -gt {times} ]; then echo good; else echo indeterminate; fi")

    def __call__(self, *words: str) -> tuple[int, str, list[str]]:
        """The status, what it says, and what it has done."""
        environment = {"PATH": f"{self.folder}/programs:{os.environ['PATH']}", "INKPANEL_ROOT": str(self.folder)}
        done = subprocess.run([TOOL, *words, "bundle"], env=environment, capture_output=True, text=True, timeout=60)
        did = self.folder / "done"
        return done.returncode, done.stdout + done.stderr, did.read_text().splitlines() if did.exists() else []

    @property
    def state(self) -> list[str]:
        return sorted(os.listdir(self.folder / "data/update"))


@pytest.fixture
def card(tmp_path):
    return Card(tmp_path)


def test_an_update_is_installed_and_the_card_restarts(card):
    status, said, did = card()
    assert status == 0 and "installing 2.0" in said and did == ["rauc install", "reboot"]
    assert card.state == ["had-router", "offered"]


def test_a_system_that_is_being_tried_waits_until_it_is_good(card):
    card.tries(3)
    assert card()[::2] == (0, ["waited"] * 3 + ["rauc install", "reboot"])


def test_a_system_that_never_is_good_keeps_its_only_way_back(card):
    card.tries(1000)
    status, said, did = card()
    assert status == 1 and "try again later" in said and set(did) == {"waited"}
    # Five minutes.
    assert len(did) == 60 and card.state == []


def test_a_router_counts_at_a_restart_of_the_update_only(card):
    assert card("--no-restart")[2] == ["rauc install"] and card.state == ["offered"]
    card.program("ip", "true")
    (card.folder / "data/update/had-router").touch()
    assert card()[0] == 0 and card.state == ["offered"]


@pytest.mark.parametrize(("version", "kind", "words"), [
    ("0.9", "inkpanel-pc", "0.9 is older"), ("2.0", "inkpanel-pi", "is for inkpanel-pi")])
def test_a_bundle_that_is_older_or_of_another_card_is_refused(card, version, kind, words):
    card.offers(version, kind)
    status, said, did = card()
    assert status == 1 and words in said and did == [] and card.state == []
    if kind == "inkpanel-pc":
        assert card("--downgrade")[0] == 0
