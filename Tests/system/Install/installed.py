# SPDX-License-Identifier: Apache-2.0
"""A Debian in QEMU, with the package installed before boot; systemd, udev and everything else are unchanged."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import system
from harness import Panel, PanelFailure, kernel
from harness.cpio import Archive
from harness.machine import boot

INIT = Path(__file__).parent / "guest" / "init"
# Modules for mounting the Debian and the host's files, and those that kernels of boards contain. The display's is among
# them; udev would load it later.
MODULES = (
    "virtio_pci", "virtio_console", "virtio_blk", "crc32c_generic", "ext4", "9pnet_virtio", "9p", "evdev", "uinput",
    "bochs")
BOOT_SECONDS = 300  # for dpkg and systemd, with ten busy processes on two cores
PATIENCE_SECONDS = 240  # for a start, there; a quiet machine needs 2
SERVICE = "inkpanel.service"
SOCKET = "inkpanel.socket"
PROGRAM = "/usr/bin/inkpanel"


@dataclass(frozen=True)
class BootFiles:
    """The files of a kernel that Machine needs."""

    image: Path
    initramfs: Path


class InstalledPanel(Panel):
    def __init__(
            self, deb: Path, others: list[Path], size=(800, 480), say=lambda message: None, disk: Path = None,
            words=()):
        """With `deb` installed before boot, and the dependencies of `others`.

        `disk` is a copy of the Debian that keeps what the guest writes; `words` are for the kernel.
        """
        self.display, self.size, self.screens = "bochs", size, range(1, 2)
        self.started = []
        self.kernel = kernel.prepare(say)
        # snapshot=on discards the guest's writes at the end.
        drive = f"file={disk},snapshot=off" if disk else f"file={system.prepare([deb, *others], say)},snapshot=on"
        self.folder = tempfile.TemporaryDirectory(prefix="inkpanel-install-")
        initramfs = Path(self.folder.name) / "initramfs.cpio"
        self.write_initramfs(initramfs)
        devices = [
            "-device", f"bochs-display,id=screen1,xres={size[0]},yres={size[1]}",
            "-drive", f"{drive},format=raw,if=none,id=disk", "-device", "virtio-blk-pci,drive=disk"]
        self.machine = boot(
            BootFiles(self.kernel.image, initramfs), devices, [f"panel.deb={deb.resolve()}", *words], 1024,
            BOOT_SECONDS)

    def write_initramfs(self, path: Path) -> None:
        archive = Archive()
        for folder in ("bin", "dev", "proc", "sys", "modules", "system"):
            archive.folder(folder)
        archive.console()
        archive.file("bin/busybox", self.kernel.busybox.read_bytes(), executable=True)
        archive.file("init", INIT.read_bytes(), executable=True)
        order = self.kernel.modules.in_order(*MODULES)
        for module in order:
            archive.file(f"modules/{module.name}", module.read_bytes())
        archive.file("modules/order", "".join(f"{module.name}\n" for module in order).encode())
        path.write_bytes(archive.bytes())

    def close(self) -> None:
        super().close()
        self.folder.cleanup()

    # Services

    def properties(self, unit: str, *names: str) -> dict[str, str]:
        told = self.run("/usr/bin/systemctl", "show", unit, *(f"--property={name}" for name in names))
        return dict(line.split("=", 1) for line in told.splitlines())

    def service_when(self, condition, within: float = PATIENCE_SECONDS) -> dict[str, str]:
        """Waits for a condition on the service's properties, and returns these."""
        deadline = time.monotonic() + within
        while True:
            now = self.properties(
                SERVICE, "ActiveState", "SubState", "MainPID", "StatusText", "NRestarts", "Result",
                "ActiveEnterTimestampMonotonic", "ExecMainStartTimestampMonotonic")
            if condition(now):
                return now
            if time.monotonic() > deadline:
                raise PanelFailure(f"{SERVICE} is {now} after {within:.0f} s; its journal:\n{self.journal()}")

    def working(self, but: str = "", within: float = PATIENCE_SECONDS) -> dict[str, str]:
        """Waits until the service is ready, as another process than `but`; its properties."""
        return self.service_when(
            lambda now: now["ActiveState"] == "active" and now["MainPID"] not in (but, "0"), within)

    def journal(self, *arguments: str) -> str:
        return self.run("/usr/bin/journalctl", "--no-pager", "--quiet", "--unit=inkpanel", *arguments)

    @property
    def now(self) -> float:
        """The guest's CLOCK_MONOTONIC in seconds, which systemd's timestamps use."""
        return self.machine.call("monotonic")
