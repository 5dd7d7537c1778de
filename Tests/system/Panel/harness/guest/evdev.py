# SPDX-License-Identifier: Apache-2.0
"""Reads what an input device delivers, to check that reports pass the kernel."""

import os
import struct

SIZE = 24


class Reader:
    def __init__(self, node: str):
        self.fd = os.open(node, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)

    def read(self) -> list:
        """All pending events, as [seconds, type, code, value]."""
        events = []
        while True:
            try:
                content = os.read(self.fd, SIZE * 64)
            except BlockingIOError:
                return events
            for second, microsecond, kind, code, value in struct.iter_unpack("<qqHHi", content):
                events.append([second + microsecond / 1e6, kind, code, value])

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
