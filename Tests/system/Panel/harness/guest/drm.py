# SPDX-License-Identifier: Apache-2.0
"""DRM calls of the harness, with the kernel's structures (include/uapi/drm/drm_mode.h)."""

import ctypes
import fcntl
import mmap
import os
import struct

from ioctl import IO, IOW, IOWR

VERSION = IOWR("d", 0x00, 64)
DROP_MASTER = IO("d", 0x1F)
GEM_CLOSE = IOW("d", 0x09, 8)
GETRESOURCES = IOWR("d", 0xA0, 64)
GETCRTC = IOWR("d", 0xA1, 104)
SETCRTC = IOWR("d", 0xA2, 104)
GETCONNECTOR = IOWR("d", 0xA7, 80)
ADDFB = IOWR("d", 0xAE, 28)
PAGE_FLIP = IOWR("d", 0xB0, 24)
CREATE_DUMB = IOWR("d", 0xB2, 32)
MAP_DUMB = IOWR("d", 0xB3, 16)
GETFB2 = IOWR("d", 0xCE, 104)
MODE_SIZE = 68
CONNECTED = 1
FLIP_EVENT = 1

RESOURCES = "<4Q8I"
CRTC = "<Q7I68s"
CONNECTOR = "<4Q12I"
FRAMEBUFFER2 = "<17I4x4Q"


class Card:
    def __init__(self, node: str):
        self.fd = os.open(node, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)

    def call(self, request: int, form: str, *fields) -> tuple:
        return struct.unpack(form, fcntl.ioctl(self.fd, request, struct.pack(form, *fields)))

    def driver(self) -> str:
        name = bytearray(64)
        length = self.call(VERSION, "<3i4x6Q", 0, 0, 0, len(name), address(name), 0, 0, 0, 0)[3]
        return name[:length].decode()

    def resources(self) -> tuple[list, list]:
        """The ids of CRTCs and connectors. Fails with EOPNOTSUPP for a card that only renders."""
        counts = self.call(GETRESOURCES, RESOURCES, *[0] * 12)[4:8]
        arrays = [bytearray(4 * count) for count in counts]
        self.call(GETRESOURCES, RESOURCES, *map(address, arrays), *counts, 0, 0, 0, 0)
        _, crtcs, connectors, _ = (list(memoryview(array).cast("I")) for array in arrays)
        return crtcs, connectors

    def connector(self, id: int) -> dict:
        fields = self.call(GETCONNECTOR, CONNECTOR, *[0] * 8, id, *[0] * 7)
        modes, properties, encoders = fields[4], fields[5], fields[6]
        space = bytearray(MODE_SIZE * modes), bytearray(4 * encoders), bytearray(4 * properties), bytearray(8 * properties)
        fields = self.call(
            GETCONNECTOR, CONNECTOR, address(space[1]), address(space[0]), address(space[2]), address(space[3]),
            modes, properties, encoders, 0, id, *[0] * 7)
        found = [bytes(space[0][i * MODE_SIZE:(i + 1) * MODE_SIZE]) for i in range(modes)]
        return {"connected": fields[11] == CONNECTED, "modes": found}

    def crtc(self, id: int) -> dict:
        _, _, _, framebuffer, x, y, _, valid, mode = self.call(GETCRTC, CRTC, 0, 0, id, *[0] * 5, bytes(MODE_SIZE))
        return {"framebuffer": framebuffer, "x": x, "y": y, "valid": bool(valid), "mode": mode}

    def set_crtc(self, crtc: int, framebuffer: int, connector: int, mode: bytes) -> None:
        connectors = bytearray(struct.pack("<I", connector))
        self.call(SETCRTC, CRTC, address(connectors), 1, crtc, framebuffer, 0, 0, 0, 1, mode)

    def flip(self, crtc: int, framebuffer: int) -> None:
        self.call(PAGE_FLIP, "<4IQ", crtc, framebuffer, FLIP_EVENT, 0, 0)

    def dumb_framebuffer(self, width: int, height: int) -> tuple[int, mmap.mmap, int]:
        """A framebuffer's id, memory and bytes per row; XRGB8888."""
        *_, handle, pitch, size = self.call(CREATE_DUMB, "<6IQ", height, width, 32, 0, 0, 0, 0)
        framebuffer = self.call(ADDFB, "<7I", 0, width, height, pitch, 32, 24, handle)[0]
        return framebuffer, self.map(handle, size), pitch

    def framebuffer(self, id: int) -> dict:
        """Any client's framebuffer; root may read it, as screen grabbers do."""
        fields = self.call(GETFB2, FRAMEBUFFER2, id, *[0] * 20)
        return {
            "width": fields[1], "height": fields[2], "format": struct.pack("<I", fields[3]).decode(),
            "handle": fields[5], "pitch": fields[9], "offset": fields[13]}

    def map(self, handle: int, size: int) -> mmap.mmap:
        offset = self.call(MAP_DUMB, "<2IQ", handle, 0, 0)[2]
        return mmap.mmap(self.fd, size, offset=offset)

    def close_buffer(self, handle: int) -> None:
        self.call(GEM_CLOSE, "<2I", handle, 0)

    def drop_master(self) -> None:
        """Opens a card for reading only: the first to open it becomes its master and must drop that at once."""
        try:
            fcntl.ioctl(self.fd, DROP_MASTER)
        except OSError:
            pass  # another program is the master

    def close(self) -> None:
        os.close(self.fd)


def address(array: bytearray) -> int:
    return ctypes.addressof((ctypes.c_char * len(array)).from_buffer(array)) if array else 0
