# SPDX-License-Identifier: Apache-2.0
"""A card in an emulated Raspberry Pi: a person signs, the power goes, nothing is lost. Each boot takes minutes."""

import os

import pytest
from card import mtools, table, write
from harness.page import BACKGROUND
from pi import Pi
from test_image import check_signed, is_idle, record, records, sign, started, store

pytestmark = pytest.mark.long

MIB = 1 << 20
# What the firmware reads, on a board before the Raspberry Pi 5.
FIRMWARE = {"bootcode.bin", "start.elf", "fixup.dat", "start4.elf", "fixup4.dat", "config.txt"}
BOARDS = {
    "bcm2837-rpi-zero-2-w", "bcm2837-rpi-3-a-plus", "bcm2837-rpi-3-b", "bcm2837-rpi-3-b-plus", "bcm2711-rpi-4-b",
    "bcm2711-rpi-400"}


@pytest.fixture(scope="module")
def signed(card, tmp_path_factory) -> dict:
    """The first boot, ended by a power cut as soon as the program has its answer."""
    folder = tmp_path_factory.mktemp("pi")
    # QEMU wants a power of two.
    os.truncate(card, 4 << 30)
    with Pi(folder, card) as pi:
        started(pi)
        pi.wait_for_screen(is_idle, 300).save(folder / "idle.png")
        assert pi.touch.is_read.wait(60), "the touch screen is not read"
        id, shown = sign(pi, "4711")
        store(pi, folder / "store")
        state = {
            "signers": pi.output("inkpanel identity show --allowed-signers"), "folder": folder, "id": id,
            "shown": shown, "record": record(pi, id), "machine-id": pi.output("cat /etc/machine-id"),
            "mounts": pi.output("cat /proc/mounts"), "display": pi.output("inkpanel config show | grep output"),
            "times": pi.output(
                "systemctl show inkpanel -P ActiveEnterTimestampMonotonic; "
                "systemctl show init.scope -P ActiveEnterTimestampMonotonic; "
                "journalctl -b -u inkpanel -o short-monotonic --no-pager -q | grep -m 1 ready:"),
            # Without the hardware, and last, because the framebuffer goes: all that they need is there.
            "graphics": pi.run("modprobe -a vc4 v3d; lsmod | grep -c -E '^(vc4|v3d) '")[1],
        }
        pi.cut()
    (folder / "times").write_text(state["times"])
    return state


def test_the_fat_partition_has_what_the_firmware_reads(image):
    names = set(mtools(image, "mdir", "-b", "-/", "::").replace("::/", "").split())
    assert FIRMWARE <= names
    assert {f"a/{board}.dtb" for board in BOARDS} | {"a/linux", "a/initrd", "a/cmdline.txt"} <= names
    settings = mtools(image, "mtype", "::/config.txt").splitlines()
    assert {"os_prefix=a/", "kernel=linux", "initramfs initrd followkernel"} <= set(settings)
    # An MBR, with a FAT partition first.
    with open(image, "rb") as card:
        sector = card.read(512)
    assert sector[450] == 0x0C and sector[466] == 0x83 and sector[510:] == b"\x55\xAA"


def test_a_finger_signs_and_the_record_names_what_was_shown(signed):
    check_signed(signed)


def test_the_panel_finds_the_framebuffer(signed):
    assert 'output = "fb"' in signed["display"]


def test_the_drivers_of_screens_can_be_loaded(signed):
    assert signed["graphics"].splitlines()[-1] == "2", signed["graphics"]


def test_the_first_boot_makes_the_other_partitions(signed, card):
    sizes = [part["size"] * 512 for part in table(card)]
    assert sizes[:3] == [256 * MIB, 1024 * MIB, 1024 * MIB] and len(sizes) == 4
    assert sizes[3] > (4 << 30) - 2308 * MIB


def test_only_data_is_writable(signed):
    mounts = {line.split()[1]: line.split()[2:4] for line in signed["mounts"].splitlines()}
    assert mounts["/"][0] == "erofs" and mounts["/boot"][0] == "vfat" and mounts["/var"][0] == "ext4"
    assert all("ro" in mounts[path][1].split(",") for path in ("/", "/boot"))


def test_what_was_accepted_is_there_after_a_power_cut(signed, card):
    write(card, "inkpanel.toml", '[machine]\nname = "till-3"\nupdates = "https://a.example/b.raucb"\n')
    with Pi(signed["folder"], card) as pi:
        started(pi)
        # With what is wrong in the settings.
        pi.wait_for_screen(lambda picture: picture.pixel(3, 3) == BACKGROUND, 300)
        assert records(pi) == [signed["id"]]
        assert pi.output("cat /etc/machine-id") == signed["machine-id"]
        assert record(pi, signed["id"]) == signed["record"]
        assert pi.output("hostname") == "till-3"
        assert "line 3: updates in [machine]: this card cannot update itself" in pi.output(
            "cat /run/inkpanel-image/notice")
        pi.wait_for("systemctl is-active inkpanel-web inkpanel-gateway | sort -u", "active", 300)
        pi.wait_for(
            "curl -sk https://localhost:8443/v1/health -o /dev/null -w 'status %{http_code}'", "status 401", 300)
        assert pi.output("systemctl --failed --no-legend --no-pager") == ""
        id, _ = sign(pi, "4712")
        assert records(pi) == [id, signed["id"]]
        pi.output("sync")
