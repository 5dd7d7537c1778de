# SPDX-License-Identifier: Apache-2.0
"""Waiting for a state, and for programs that listen."""

import random
import socket
import time
from pathlib import Path


def wait_for(condition, seconds: float = 30, what: str = "it"):
    """Waits until the condition is true, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, f"{what} has not come within {seconds} s"
        time.sleep(0.02)
    return value


def listens(place: Path | str | int) -> bool:
    """Whether a program listens at a Unix socket or a port. A socket exists before: from bind(2), not from listen(2)."""
    family = socket.AF_INET if isinstance(place, int) else socket.AF_UNIX
    with socket.socket(family) as probe:
        return probe.connect_ex(("127.0.0.1", place) if isinstance(place, int) else str(place)) == 0


def free_port() -> int:
    """Below those of clients: a client of a port there that nobody listens on may connect to itself."""
    while True:
        # pytest may have seeded the other generator, the same for each worker.
        port = random.SystemRandom().randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
