# SPDX-License-Identifier: Apache-2.0
"""Counts page flips with the kernel's trace, independently of the program's log.

`drm_vblank_event_delivered` is recorded for every flip event handed to a file, by every driver; events of the kernel's
own commits have no file. ioctls that returned EBUSY are recorded, too.
"""

import os
import re

TRACING = "/sys/kernel/tracing"
FLIP = "events/drm/drm_vblank_event_delivered"
VBLANK = "events/drm/drm_vblank_event"
IOCTL = "events/syscalls/sys_exit_ioctl"


class Flips:
    def __init__(self):
        self.delivered: list[tuple[float, int]] = []  # when, in which vblank
        self.busy: list[float] = []
        self.vblanks: dict[int, int] = {}  # by number, in nanoseconds of CLOCK_MONOTONIC
        self.pipe = -1

    def start(self) -> None:
        """Needs the drm module: its trace events exist only while it is loaded."""
        if self.pipe >= 0:
            return
        write("trace_clock", "mono")  # CLOCK_MONOTONIC, the clock of evdev and of flip events
        write(f"{FLIP}/filter", "file != 0")
        write(f"{IOCTL}/filter", "ret == -16")
        write(f"{FLIP}/enable", "1")
        write(f"{VBLANK}/enable", "1")
        write(f"{IOCTL}/enable", "1")
        self.pipe = os.open(f"{TRACING}/trace_pipe", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)

    def forget(self) -> None:
        self.drain()
        self.delivered.clear()
        self.busy.clear()
        self.vblanks.clear()

    def drain(self) -> None:
        content = b""
        while self.pipe >= 0:
            try:
                content += os.read(self.pipe, 1 << 16)
            except BlockingIOError:
                break
        for line in content.decode(errors="replace").splitlines():
            vblank = re.search(r": drm_vblank_event: .*seq=(\d+), time=(\d+)", line)
            if vblank:
                self.vblanks[int(vblank[1])] = int(vblank[2])
                continue
            event = re.search(r" (\d+\.\d+): (\w+).*?(?:seq=(\d+))?$", line)
            if event and event[3]:
                self.delivered.append((float(event[1]), int(event[3])))
            elif event and event[2].startswith("sys_"):
                self.busy.append(float(event[1]))


def write(name: str, value: str) -> None:
    with open(f"{TRACING}/{name}", "w") as file:
        file.write(value)
