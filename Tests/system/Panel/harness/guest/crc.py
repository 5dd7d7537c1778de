# SPDX-License-Identifier: Apache-2.0
"""The checksum of each frame that a CRTC scans out, from debugfs (Documentation/gpu/drm-uapi.rst, "CRC capture")."""

import os
import threading

FOLDER = "/sys/kernel/debug/dri/0/crtc-0/crc"


class Checksums:
    """Reads from its start to its end. The kernel keeps 128 checksums, two seconds, and a call of the agent may take
    longer: a thread reads them."""

    def __init__(self):
        with open(f"{FOLDER}/control", "w") as file:
            file.write("auto")
        self.frames: list[tuple[int, int]] = []  # number of the vblank and checksum
        # Opening switches the checksums on.
        self.file = os.open(f"{FOLDER}/data", os.O_RDONLY | os.O_CLOEXEC)
        self.last: int | None = None  # the vblank to end after
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self) -> None:
        while self.last is None or not self.frames or self.frames[-1][0] < self.last:
            line = os.read(self.file, 256).split()  # one frame; waits for it
            # XXXXXXXXXX: the driver does not know the number of the frame.
            if len(line) >= 2 and not line[0].startswith(b"X"):
                self.frames.append((int(line[0], 16), int(line[1], 16)))

    def close(self, last: int = 0) -> None:
        """Ends it when the frame of vblank `last` has been read."""
        self.last = last
        self.thread.join(10)  # the reader may be behind; a CRTC that is on ends its last read within a frame
        if self.file >= 0:
            os.close(self.file)
        self.file = -1
