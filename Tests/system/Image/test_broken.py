# SPDX-License-Identifier: Apache-2.0
"""A root that does not start, and a data partition that cannot be read."""

import subprocess

import pytest
from card import mtools, table
from machine import Machine
from harness.image import Image
from harness.page import Page
from test_image import BOOT, is_idle, started

pytestmark = pytest.mark.long

MIB = 1 << 20


def partition(card, name: str) -> tuple[int, int]:
    """Offset and length."""
    found = next(part for part in table(card) if part["name"] == name)
    return found["start"] * 512, found["size"] * 512


def has_fault(picture: Image) -> bool:
    """A page with the warning sign, "Out of order"."""
    return Page(picture).card is None and Page(picture).banner is not None


def test_a_root_that_does_not_start_is_left(image, tmp_path):
    card = tmp_path / "card"
    subprocess.run(["cp", "--sparse=always", str(image), str(card)], check=True)
    entry = mtools(card, "mtype", "::/loader/entries/inkpanel-a.conf")
    newer = entry.replace("inkpanel.root=inkpanel-a", "inkpanel.root=inkpanel-b").replace("version ", "version 9")
    assert newer.count("inkpanel-b") == 1
    (tmp_path / "newer").write_text(newer)
    mtools(card, "mcopy", str(tmp_path / "newer"), "::/loader/entries/inkpanel-b+1.conf")
    with Machine(tmp_path / "machine", card, disk="virtio-blk-pci") as machine:
        started(machine)
        machine.wait_for_screen(is_idle, 120)
        assert "inkpanel.root=inkpanel-a" in machine.output("cat /proc/cmdline")
    assert "inkpanel-b+0-1" in mtools(card, "mdir", "-b", "::/loader/entries")


def test_a_damaged_data_partition_is_not_formatted_and_the_pad_says_so(image, tmp_path):
    card = tmp_path / "card"
    subprocess.run(["cp", "--sparse=always", str(image), str(card)], check=True)
    with Machine(tmp_path / "first", card) as machine:
        machine.up(BOOT)
    offset, length = partition(card, "inkpanel-data")
    with open(card, "r+b") as disk:
        # The superblock and all of its copies that matter, the table of groups, the first inodes.
        disk.seek(offset)
        disk.write(b"\xa5" * 64 * MIB)
        disk.seek(offset)
        before = disk.read(length)
    with Machine(tmp_path / "second", card) as machine:
        started(machine)
        machine.wait_for_screen(has_fault, 120)
        assert "fault" in machine.output("inkpanel status")
        assert "inkpanel-data" not in machine.output("cat /proc/mounts")
        assert "damaged" in machine.output("cat /run/inkpanel-image/problem")
        status, said = machine.run("inkpanel capture --prompt 'Sign' 2>&1")
        assert status != 0 and said
    with open(card, "rb") as disk:
        disk.seek(offset)
        assert disk.read(length) == before
