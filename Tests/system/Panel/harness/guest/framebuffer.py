# SPDX-License-Identifier: Apache-2.0
"""Framebuffer devices: their description, their memory, and room for a second picture."""

import fcntl
import os
import struct

FBIOGET_VSCREENINFO, FBIOPUT_VSCREENINFO, FBIOGET_FSCREENINFO = 0x4600, 0x4601, 0x4602
VARIABLE = struct.Struct("40I")  # fb_var_screeninfo
FIXED = struct.Struct("16sLIIIIHHHILIIHHH")  # fb_fix_screeninfo, native alignment
Y_VIRTUAL, Y_OFFSET = 3, 5


def screen_info(fd: int) -> list[int]:
    return list(VARIABLE.unpack(fcntl.ioctl(fd, FBIOGET_VSCREENINFO, bytes(VARIABLE.size))))


def read(node: str, path: str) -> dict:
    """Writes the memory to `path`; returns its layout."""
    fd = os.open(node, os.O_RDWR | os.O_CLOEXEC)
    try:
        variable = screen_info(fd)
        room = FIXED.size + -FIXED.size % 8
        fixed = FIXED.unpack(fcntl.ioctl(fd, FBIOGET_FSCREENINFO, bytes(room))[:FIXED.size])
        with open(path, "wb") as file:
            while content := os.read(fd, 1 << 20):
                file.write(content)
        channels = {name: variable[at:at + 2] for name, at in (("red", 8), ("green", 11), ("blue", 14))}
        return {
            "name": fixed[0].rstrip(b"\0").decode(), "width": variable[0], "height": variable[1],
            "y": variable[Y_OFFSET], "bits": variable[6], "line": fixed[9], **channels}
    finally:
        os.close(fd)


def double(node: str) -> None:
    """Makes room for a second picture, to be shown by panning."""
    fd = os.open(node, os.O_RDWR | os.O_CLOEXEC)
    try:
        variable = screen_info(fd)
        variable[Y_VIRTUAL] = 2 * variable[1]
        fcntl.ioctl(fd, FBIOPUT_VSCREENINFO, VARIABLE.pack(*variable))
    finally:
        os.close(fd)
