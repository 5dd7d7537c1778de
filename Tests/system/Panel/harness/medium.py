# SPDX-License-Identifier: Apache-2.0
"""A medium for a store: a file system in an image, whose bytes a test can read."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

from .panel import SHARE, Panel

# ext4 takes its checksums by the name crc32c, which no field of its module tells.
MODULES = ("crc32c_generic", "ext4", "loop")
MEGABYTES = 32


class Medium:
    """ext4 on a loop device, with its image in the guest's memory."""

    count = 0

    def __init__(self, panel: Panel):
        self.panel = panel
        Medium.count += 1
        self.name = f"medium-{Medium.count}"
        self.folder, self.image = Path("/run") / self.name, f"/run/{self.name}.img"
        panel.load(*MODULES)
        made = panel.machine.share / self.name
        made.touch()
        # Without lazy initialization no kernel thread writes to it later.
        subprocess.run(
            ["/sbin/mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", made, f"{MEGABYTES}M"],
            check=True)
        panel.run("/bin/cp", "--sparse=always", SHARE / self.name, self.image)
        made.unlink()
        panel.make_folder(str(self.folder))
        panel.run("/bin/mount", "-o", "loop", self.image, self.folder)
        self.is_mounted = True

    @contextmanager
    def frozen(self):
        """Within the block, whoever writes to it waits."""
        self.panel.run("/sbin/fsfreeze", "--freeze", self.folder)
        try:
            yield
        finally:
            self.panel.run("/sbin/fsfreeze", "--unfreeze", self.folder)

    def take_out(self) -> bytes:
        """Unmounts it; all its bytes, those of removed files and of the file system's journal included."""
        self.panel.run("/bin/umount", self.folder)
        self.is_mounted = False
        self.panel.run("/bin/cp", "--sparse=always", self.image, SHARE / self.name)
        copy = self.panel.machine.share / self.name
        content = copy.read_bytes()
        copy.unlink()
        return content

    def close(self) -> None:
        # Lazily, because the programs of a failed test still run.
        if self.is_mounted:
            self.panel.run("/bin/umount", "--lazy", self.folder)
        self.panel.run("/bin/rm", "-f", self.image)
