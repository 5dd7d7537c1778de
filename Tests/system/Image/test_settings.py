# SPDX-License-Identifier: Apache-2.0
"""What a person writes into inkpanel.toml on the card's FAT partition, and its answer."""

import subprocess

import pytest
from harness.page import BACKGROUND
from card import copied, mtools, write
from machine import Machine
from test_image import settled, started

pytestmark = pytest.mark.long

SETTINGS = """[machine]
name = "till-3"
time-zone = "Europe/Zurich"
address = "192.168.1.20"
wifi-name = "Café"
wifi-password = "behind the counter"
pairing = "till-3"
[pad]
language = "de"
"""


def test_without_settings_the_pad_shows_its_address_until_a_program_has_a_token(image, tmp_path):
    card = copied(image, tmp_path)
    with Machine(tmp_path / "machine", card) as machine:
        started(machine)
        address = machine.wait_for("cat /run/inkpanel-image/notice", "https://", 300)
        picture = tmp_path / "address.png"

        def code(machine_picture) -> str:
            machine_picture.save(picture)
            return subprocess.run(
                ["zbarimg", "-q", "--raw", str(picture)], capture_output=True, text=True).stdout.strip()

        machine.wait_for_screen(lambda shown: code(shown) == address, 120)
        assert address.startswith("https://") and address.endswith(":8443")
        machine.output("inkpanel-gateway token add --name till")
        machine.wait_for_screen(lambda shown: code(shown) == "", 120)
        assert machine.output("wc -c < /run/inkpanel-image/notice") == "0"
        machine.power_off()


def test_settings_are_applied_and_a_fault_is_named(image, tmp_path):
    card = copied(image, tmp_path, SETTINGS)
    write(card, "inkpanel-report.txt", "")
    reports = set()
    for boot in range(2):
        with Machine(tmp_path / "machine", card) as machine:
            started(machine)
            machine.wait_for_screen(lambda picture: picture.pixel(3, 3) == BACKGROUND, 120)
            settled(machine).save(tmp_path / f"notice-{boot}.png")
            assert machine.output("hostname") == "till-3"
            assert machine.output("readlink /etc/localtime") == "/usr/share/zoneinfo/Europe/Zurich"
            assert 'psk="behind the counter"' in machine.output("cat /etc/wpa_supplicant/inkpanel.conf")
            assert 'language = "de"' in machine.output("inkpanel config show")
            assert "line 4: address in [machine]" in machine.output("cat /run/inkpanel-image/notice")
            machine.wait_for("journalctl -u inkpanel-pairing -o cat", "pairing is open for till-3", 120)
            # Two minutes after the first start, the empty file is filled; after the second it stays.
            tried = "test $(systemctl show -P ConditionTimestampMonotonic inkpanel-report.service) -gt 0 && echo tried"
            machine.wait_for(tried, "tried", 300)
            reports.add(machine.wait_for("cat /boot/inkpanel-report.txt", "Report of inkpanel", 300))
            assert "ro" in machine.output("findmnt -no OPTIONS /boot").split(",")
            machine.power_off()
        answer = mtools(card, "mtype", "::/inkpanel-result.txt")
        assert "line 4: address in [machine]" in answer and "line 3" not in answer
        left = mtools(card, "mtype", "::/inkpanel.toml")
        assert left == SETTINGS.replace('"behind the counter"', '"taken"             ')
    assert len(reports) == 1 and "== machine" in reports.pop()
