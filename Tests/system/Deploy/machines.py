# SPDX-License-Identifier: Apache-2.0
"""Machines without a kernel of their own: roots with Debian, which ansible enters with chroot, and a web server.

systemd does not run in them; enabling services works as in an image that is being prepared.
"""

import functools
import http.server
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from signed import TOP, run

sys.path[:0] = [str(TOP / "Tests/system" / name) for name in ("Install", "Panel")]

import system  # noqa: E402


CMDLINE = "console=tty1 root=PARTUUID=fac0d4b8-02 rootfstype=ext4 rootwait\n"


class Machines:
    """Names of machines with their roots, which share what they do not change. Needs root, and a mount namespace."""

    def __init__(self, names, debs: list[Path]):
        # Short, because a panel's socket is in it.
        self.folder = Path(tempfile.mkdtemp(prefix="machines-"))
        base = self.folder / "base"
        base.mkdir()
        run("mount", "--options", "ro,loop", system.prepare(debs), base)
        self.roots = {name: self.make(name, base) for name in names}

    def make(self, name: str, base: Path) -> Path:
        changes, work, root = (self.folder / name / folder for folder in ("changes", "work", "root"))
        for folder in (changes, work, root):
            folder.mkdir(parents=True)
        run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={base},upperdir={changes},workdir={work}", root)
        run("mount", "-t", "proc", "proc", root / "proc")
        run("mount", "-t", "tmpfs", "-o", "mode=755", "run", root / "run")
        run("mount", "--bind", "/dev", root / "dev")
        # Only the tests' repository can be reached.
        (root / "etc/apt/sources.list").unlink()
        # What `setup kiosk` looks for on a Raspberry Pi that ansible reaches by ssh.
        (root / "boot/firmware").mkdir(parents=True)
        (root / "boot/firmware/cmdline.txt").write_text(CMDLINE)
        for unit in ("ssh", "systemd-timesyncd"):
            wants = root / "etc/systemd/system/multi-user.target.wants"
            wants.mkdir(parents=True, exist_ok=True)
            (wants / f"{unit}.service").symlink_to(f"/usr/lib/systemd/system/{unit}.service")
        return root

    def run(self, name: str, *words) -> str:
        return run("chroot", self.roots[name], *words)

    def close(self):
        mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for mount in reversed([mount for mount in mounts if mount.startswith(f"{self.folder}/")]):
            subprocess.run(["umount", "--lazy", mount])
        subprocess.run(["rm", "-rf", "--one-file-system", self.folder])


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Site:
    """A web server of a folder."""

    def __init__(self, folder: Path):
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
