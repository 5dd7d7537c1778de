# SPDX-License-Identifier: Apache-2.0
"""A client of a virtual panel (docs/virtual-panel.md): it keeps the picture, and touches it with a pen or a mouse."""

import socket
import struct
import time

MOUSE, TOUCH, PEN = 1, 2, 3
DOWN, MOVE, UP, CANCEL = 1, 2, 3, 4


class VirtualClient:
    def __init__(self, path: str):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(path)
        kind, _, version, self.width, self.height, self.density = struct.unpack("<6I", self.read(24))
        assert (kind, version) == (1, 1)
        self.pixels = bytearray(self.width * self.height * 4)

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError("the panel has ended the connection")
            data += piece
        return data

    @staticmethod
    def now() -> int:
        return time.monotonic_ns() // 1000

    def frame(self) -> None:
        """Reads a frame into the picture and acknowledges it."""
        kind, _, number, count = struct.unpack("<4I", self.read(16))
        assert kind == 2
        for _ in range(count):
            x, y, width, height = struct.unpack("<4H", self.read(8))
            rows = self.read(width * height * 4)
            for row in range(height):
                start = ((y + row) * self.width + x) * 4
                self.pixels[start:start + width * 4] = rows[row * width * 4:(row + 1) * width * 4]
        self.socket.sendall(struct.pack("<4Iq", 1, 16, number, 0, self.now()))

    def frames(self, seconds: float) -> None:
        """Reads frames for this time."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            self.socket.settimeout(rest)
            try:
                first = self.socket.recv(1, socket.MSG_PEEK)
            except TimeoutError:
                break
            finally:
                self.socket.settimeout(30)
            if not first:
                raise ConnectionError("the panel has ended the connection")
            self.frame()

    def sample(self, phase: int, x: float, y: float, kind: int = MOUSE, pressure: float | None = None) -> None:
        measured = 0 if pressure is None else round(pressure * 65535)
        sample = struct.pack(
            "<I4BqHHHH", 1, kind, phase, pressure is not None, 0, self.now(), int(x * 65536), int(y * 65536),
            measured, 0)
        self.socket.sendall(struct.pack("<2I", 2, len(sample)) + sample)

    def draw(self, places, kind: int = MOUSE, pressure: float | None = None) -> None:
        for number, (x, y) in enumerate(places):
            self.sample(MOVE if number else DOWN, x, y, kind, pressure)
            self.frames(0.008)
        self.sample(UP, *places[-1], kind, pressure)
