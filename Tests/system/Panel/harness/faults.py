# SPDX-License-Identifier: Apache-2.0
"""Scripted faults of the display driver: guest/faults.c is preloaded into the program under test."""

import subprocess
from pathlib import Path

from .panel import SHARE, Panel

SOURCE = Path(__file__).parent / "guest" / "faults.c"
SCRIPT = "/run/faults"


class Faults:
    def __init__(self, panel: Panel):
        self.panel = panel
        self.number = 0
        library = panel.machine.share / "faults.so"
        if not library.exists():
            headers = subprocess.run(["pkg-config", "--cflags", "libdrm"], check=True, capture_output=True, text=True)
            subprocess.run(
                ["gcc", *headers.stdout.split(), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(SOURCE), "-ldl"], check=True)
        self.clear()
        self.environment = {"LD_PRELOAD": str(SHARE / library.name), "DRM_FAULTS": SCRIPT}

    def inject(self, what: str, error: int, count: int) -> None:
        """Makes the next `count` calls of a kind (a word of faults.c) fail with that errno."""
        self.number += 1
        self.panel.write_file(SCRIPT, f"{self.number} {what} {error} {count}\n")

    def clear(self) -> None:
        self.inject("none", 0, 0)
