# SPDX-License-Identifier: Apache-2.0
"""Lines of JSON over a Unix socket: how the host talks to QEMU's monitor and to the agent in the guest."""

import json
import socket
import time
from pathlib import Path

from .failure import PanelFailure


class Channel:
    def __init__(self, path: Path, alive, seconds: float):
        """Connects as soon as QEMU listens. `alive()` raises when QEMU is gone."""
        self.alive = alive
        self.name = path.name
        self.waiting = b""
        deadline = time.monotonic() + seconds
        while True:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                self.socket.connect(str(path))
                return
            except OSError as error:
                self.socket.close()
                alive()
                if time.monotonic() > deadline:
                    raise PanelFailure(f"QEMU does not listen on {path}: {error}") from None
                time.sleep(0.02)

    def send(self, value: dict) -> None:
        self.socket.sendall(json.dumps(value).encode() + b"\n")

    def receive(self, seconds: float) -> dict:
        deadline = time.monotonic() + seconds
        while b"\n" not in self.waiting:
            # Waits in short steps, to notice and report the end of QEMU at once.
            self.socket.settimeout(min(1.0, max(0.01, deadline - time.monotonic())))
            try:
                content = self.socket.recv(1 << 16)
            except TimeoutError:
                self.alive()
                if time.monotonic() > deadline:
                    raise PanelFailure(f"no answer on {self.name} within {seconds:.0f} s") from None
                continue
            if not content:
                self.alive()
                raise PanelFailure(f"{self.name} was closed")
            self.waiting += content
        line, self.waiting = self.waiting.split(b"\n", 1)
        return json.loads(line)

    def close(self) -> None:
        self.socket.close()
