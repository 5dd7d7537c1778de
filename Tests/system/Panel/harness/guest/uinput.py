# SPDX-License-Identifier: Apache-2.0
"""Input devices made with /dev/uinput, and reports written to them at their pace."""

import fcntl
import glob
import os
import struct
import time

from ioctl import IO, IOW
from pace import paced

EV_SYN, EV_KEY, EV_REL, EV_ABS, EV_MSC, EV_SW, EV_LED, EV_SND = 0, 1, 2, 3, 4, 5, 0x11, 0x12

UI_DEV_CREATE = IO("U", 1)
UI_DEV_DESTROY = IO("U", 2)
UI_DEV_SETUP = IOW("U", 3, 92)
UI_ABS_SETUP = IOW("U", 4, 28)
UI_SET_EVBIT = IOW("U", 100, 4)
UI_SET_PROPBIT = IOW("U", 110, 4)
UI_SET_CODE = {
    EV_KEY: IOW("U", 101, 4), EV_REL: IOW("U", 102, 4), EV_ABS: IOW("U", 103, 4), EV_MSC: IOW("U", 104, 4),
    EV_LED: IOW("U", 105, 4), EV_SND: IOW("U", 106, 4), EV_SW: IOW("U", 109, 4),
}


def UI_GET_SYSNAME(length: int) -> int:
    return 2 << 30 | length << 16 | IO("U", 44)


class Device:
    """`description`: name, id (bus, vendor, product, version), properties, codes {type: [code]},
    axes {code: [minimum, maximum, fuzz, flat, resolution]}."""

    def __init__(self, description: dict):
        self.fd = os.open("/dev/uinput", os.O_WRONLY | os.O_CLOEXEC)
        for kind, codes in description["codes"].items():
            fcntl.ioctl(self.fd, UI_SET_EVBIT, int(kind))
            for code in codes:
                fcntl.ioctl(self.fd, UI_SET_CODE[int(kind)], code)
        for property in description["properties"]:
            fcntl.ioctl(self.fd, UI_SET_PROPBIT, property)
        for code, (minimum, maximum, fuzz, flat, resolution) in description["axes"].items():
            setup = struct.pack("<H2xiiiiii", int(code), 0, minimum, maximum, fuzz, flat, resolution)
            fcntl.ioctl(self.fd, UI_ABS_SETUP, setup)
        setup = struct.pack("<4H80sI", *description["id"], description["name"].encode()[:79], 0)
        fcntl.ioctl(self.fd, UI_DEV_SETUP, setup)
        fcntl.ioctl(self.fd, UI_DEV_CREATE)
        self.node = self.find_node()

    def find_node(self) -> str:
        name = fcntl.ioctl(self.fd, UI_GET_SYSNAME(64), bytes(64)).rstrip(b"\0").decode()
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            found = glob.glob(f"/sys/devices/virtual/input/{name}/event*")
            if found and os.path.exists(f"/dev/input/{os.path.basename(found[0])}"):
                return f"/dev/input/{os.path.basename(found[0])}"
            time.sleep(0.005)
        raise OSError(f"{name} got no /dev/input/event node")

    def play(self, frames: list) -> list:
        """Writes the frames `[seconds, [[type, code, value], ...]]` at their pace.

        A frame is one write, as a driver's interrupt handler delivers it: no reader sees half of it. The kernel's time
        of a report lies between the returned times before and after its write, in nanoseconds of CLOCK_MONOTONIC.
        """
        times = []
        for events in paced(frames):
            content = b"".join(struct.pack("<qqHHi", 0, 0, *event) for event in events)
            before = time.monotonic_ns()
            os.write(self.fd, content)
            times.append([before, time.monotonic_ns()])
        return times

    def destroy(self) -> None:
        if self.fd >= 0:
            fcntl.ioctl(self.fd, UI_DEV_DESTROY)
            os.close(self.fd)
            self.fd = -1
