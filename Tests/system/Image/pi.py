# SPDX-License-Identifier: Apache-2.0
"""A Raspberry Pi 3 B that boots a card: QEMU's raspi3b, which has no firmware. Kernel, initramfs, device tree and kernel
words are those of the card's FAT partition, from which the firmware would load them.

QEMU's board has no graphics processor. Its screen is the framebuffer that the firmware would describe to the kernel, in
a node /chosen/framebuffer@... of the device tree (simple-framebuffer.yaml of the kernel's documentation).
"""

import subprocess
from pathlib import Path

from card import mtools
from machine import Guest, credentials

# Of a board with 1 GiB: behind the memory that is left to the kernel, and what QEMU's mailbox answers (vcram-base).
FRAMEBUFFER = 0x3C10_0000


class Pi(Guest):
    size = (800, 480)
    # QEMU 7.2's USB controller (dwc2) gives every second report of usb-redir to nobody.
    repeats = 2

    def __init__(self, folder: Path, card: Path):
        super().__init__(folder)
        for name in ("linux", "initrd", "bcm2837-rpi-3-b.dtb", "cmdline.txt"):
            mtools(card, "mcopy", "-o", f"::/a/{name}", str(folder / name))
        words = [
            (folder / "cmdline.txt").read_text().strip(), "console=ttyAMA0,115200",
            # It takes the framebuffer away, and QEMU has nothing for it to drive.
            "modprobe.blacklist=vc4",
            # QEMU restarts the board as soon as its watchdog is started.
            "systemd.watchdog_sec=0",
            *(f"systemd.set_credential_binary={name}:{value}" for name, value in credentials().items())]
        # The kernel takes no more (COMMAND_LINE_SIZE).
        assert len(" ".join(words)) < 2048
        width, height = self.size
        self.command = [
            "qemu-system-aarch64", "-machine", "raspi3b", "-display", "none", "-kernel", str(folder / "linux"),
            "-initrd", str(folder / "initrd"), "-dtb", str(device_tree(folder, self.size)), "-append", " ".join(words),
            "-drive", f"file={card},if=sd,format=raw,cache=writeback",
            # pixo=1 would exchange red and blue.
            *(word for setting in (f"xres={width}", f"yres={height}", "bpp=32", "pixo=0") for word in (
                "-global", f"bcm2835-fb.{setting}")),
            *self.command, "-device", "usb-redir,chardev=touch"]


def device_tree(folder: Path, size: tuple[int, int]) -> Path:
    """The card's, with the screen."""
    tree, node = folder / "tree.dtb", f"/chosen/framebuffer@{FRAMEBUFFER:x}"
    # With room for nodes.
    subprocess.run(
        ["dtc", "-q", "-I", "dtb", "-O", "dtb", "-p", "4096", "-o", str(tree), str(folder / "bcm2837-rpi-3-b.dtb")],
        check=True)

    def put(*words: str) -> None:
        subprocess.run(["fdtput", *words[:-1], *words[-1].split()], check=True)

    width, height = size
    for name, value in (("#address-cells", "1"), ("#size-cells", "1"), ("ranges", "")):
        put("-t", "x", str(tree), "/chosen", name, value)
    put("-c", str(tree), node)
    put("-t", "x", str(tree), node, "reg", f"{FRAMEBUFFER:x} {width * height * 4:x}")
    for name, value in (("width", width), ("height", height), ("stride", width * 4)):
        put("-t", "u", str(tree), node, name, str(value))
    for name, value in (("compatible", "simple-framebuffer"), ("format", "x8r8g8b8")):
        put("-t", "s", str(tree), node, name, value)
    return tree
