# SPDX-License-Identifier: Apache-2.0
"""The virtual terminals: their mode, their text, and which one is shown."""

import fcntl
import os
import struct

KDGETMODE, KDSETMODE, KDGKBMODE, KDSKBMODE = 0x4B3B, 0x4B3A, 0x4B44, 0x4B45
VT_ACTIVATE, VT_WAITACTIVE, VT_GETSTATE = 0x5606, 0x5607, 0x5603
MODES = {0: "text", 1: "graphics"}
KEYBOARD = {0: "raw", 1: "xlate", 2: "mediumraw", 3: "unicode", 4: "off"}


def state(tty: str) -> dict:
    fd = os.open(tty, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        mode = struct.unpack("i", fcntl.ioctl(fd, KDGETMODE, bytes(4)))[0]
        keyboard = struct.unpack("i", fcntl.ioctl(fd, KDGKBMODE, bytes(4)))[0]
        return {"mode": MODES.get(mode, str(mode)), "keyboard": KEYBOARD.get(keyboard, str(keyboard))}
    finally:
        os.close(fd)


def restore(tty: str) -> None:
    """Restores the text console after a program was killed."""
    fd = os.open(tty, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    fcntl.ioctl(fd, KDSKBMODE, 3)
    fcntl.ioctl(fd, KDSETMODE, 0)
    os.write(fd, b"\033c")
    os.close(fd)


def write(tty: str, text: str) -> None:
    fd = os.open(tty, os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    os.write(fd, text.encode())
    os.close(fd)


def switch(number: int) -> None:
    fd = os.open("/dev/tty0", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    fcntl.ioctl(fd, VT_ACTIVATE, number)
    fcntl.ioctl(fd, VT_WAITACTIVE, number)
    os.close(fd)
