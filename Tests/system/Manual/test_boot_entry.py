# SPDX-License-Identifier: Apache-2.0
"""The card's two roots and their entries for systemd-boot, in a folder in place of the FAT partition."""

import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]
TOOL = TOP / "image/root/usr/lib/inkpanel/image/boot-entry"
ENTRY = "title Inkpanel\nversion 1\nlinux /@ROOT@/linux\noptions inkpanel.root=inkpanel-@ROOT@\n"


class Boot:
    def __init__(self, folder: Path):
        self.folder, self.entries = folder, folder / "loader/entries"
        self.entries.mkdir(parents=True)
        for root in "ab":
            (folder / root).mkdir()
            (folder / root / "linux").write_text("kernel")
            (folder / root / "entry").write_text(ENTRY)
        (self.entries / "inkpanel-a.conf").write_text(ENTRY.replace("@ROOT@", "a"))

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            [TOOL, *words], env={**os.environ, "INKPANEL_BOOT": str(self.folder)}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    @property
    def names(self) -> list[str]:
        return sorted(path.name for path in self.entries.iterdir())

    def rename(self, old: str, new: str) -> None:
        """As systemd-boot does at a try, and systemd-bless-boot after a good one."""
        (self.entries / old).rename(self.entries / new)


@pytest.fixture
def boot(tmp_path):
    return Boot(tmp_path)


def test_an_update_is_chosen_and_may_be_tried_three_times(boot):
    assert (boot("get-primary"), boot("get-state", "a"), boot("get-state", "b")) == ("a", "good", "bad")
    boot("set-state", "b", "bad")
    boot("set-primary", "b")
    assert boot.names == ["inkpanel-a.conf", "inkpanel-b+3.conf"]
    assert boot("get-primary") == "b"
    entry = (boot.entries / "inkpanel-b+3.conf").read_text()
    assert "version 2\nlinux /b/linux\noptions inkpanel.root=inkpanel-b\n" in entry
    boot.rename("inkpanel-b+3.conf", "inkpanel-b+2-1.conf")
    assert boot("get-primary") == "b"
    boot("set-state", "b", "good")
    assert boot.names == ["inkpanel-a.conf", "inkpanel-b.conf"] and boot("get-primary") == "b"


def test_a_root_that_has_failed_is_no_choice_until_it_is_installed_again(boot):
    boot("set-primary", "b")
    boot.rename("inkpanel-b+3.conf", "inkpanel-b+0-3.conf")
    assert (boot("get-primary"), boot("get-state", "b")) == ("a", "bad")
    boot("set-state", "b", "bad")
    assert boot.names == ["inkpanel-a.conf"]
    boot("set-primary", "b")
    assert boot.names == ["inkpanel-a.conf", "inkpanel-b+3.conf"] and boot("get-primary") == "b"


def test_updates_alternate_and_an_older_one_can_be_chosen(boot):
    for number, root in enumerate("bababa"):
        boot("set-state", root, "bad")
        boot("set-primary", root)
        boot("set-state", root, "good")
        assert boot("get-primary") == root
        assert f"version {number + 2}\n" in (boot.entries / f"inkpanel-{root}.conf").read_text()
    assert boot.names == ["inkpanel-a.conf", "inkpanel-b.conf"]


def test_a_root_without_a_kernel_is_not_chosen(boot):
    (boot.folder / "b/linux").write_text("")
    done = subprocess.run([TOOL, "set-primary", "b"], env={**os.environ, "INKPANEL_BOOT": str(boot.folder)})
    assert done.returncode == 1 and boot.names == ["inkpanel-a.conf"]
