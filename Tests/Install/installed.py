# SPDX-License-Identifier: Apache-2.0
"""A Debian in QEMU on which the package was installed before it booted; systemd, udev and all else are as shipped."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import system
from harness import Panel, PanelFailure, kernel
from harness.cpio import Archive
from harness.machine import boot

INIT = Path(__file__).parent / "guest" / "init"
# What mounts the Debian and the host's files, and what is built into the kernels of boards. The display comes later, as
# udev would load it: with them.
MODULES = (
    "virtio_pci", "virtio_console", "virtio_blk", "crc32c_generic", "ext4", "9pnet_virtio", "9p", "evdev", "uinput",
    "bochs")
BOOT_SECONDS = 300  # dpkg and systemd; with ten busy processes for two cores
PATIENCE_SECONDS = 240  # for a start, there; a quiet machine needs two
SERVICE = "inkpanel.service"
SOCKET = "inkpanel.socket"
PROGRAM = "/usr/bin/inkpanel"


@dataclass(frozen=True)
class BootFiles:
    """What Machine needs of a kernel."""

    image: Path
    initramfs: Path


class InstalledPanel(Panel):
    def __init__(self, deb: Path, size=(800, 480), say=lambda message: None):
        self.display, self.size, self.screens = "bochs", size, range(1, 2)
        self.started = []
        self.kernel = kernel.prepare(say)
        disk = system.prepare(deb, say)
        self.folder = tempfile.TemporaryDirectory(prefix="inkpanel-install-")
        initramfs = Path(self.folder.name) / "initramfs.cpio"
        self.write_initramfs(initramfs)
        devices = [
            "-device", f"bochs-display,id=screen1,xres={size[0]},yres={size[1]}",
            # What the guest writes is gone with QEMU.
            "-drive", f"file={disk},format=raw,if=none,id=disk,snapshot=on", "-device", "virtio-blk-pci,drive=disk"]
        self.machine = boot(
            BootFiles(self.kernel.image, initramfs), devices, [f"panel.deb={deb.resolve()}"], 1024, BOOT_SECONDS)

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
        """The service's properties as soon as the condition holds for them."""
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
        """The service's properties once it is ready, and another process than `but`."""
        return self.service_when(
            lambda now: now["ActiveState"] == "active" and now["MainPID"] not in (but, "0"), within)

    def journal(self, *arguments: str) -> str:
        return self.run("/usr/bin/journalctl", "--no-pager", "--quiet", "--unit=inkpanel", *arguments)

    @property
    def now(self) -> float:
        """Seconds of the guest's CLOCK_MONOTONIC, in which systemd says when things were."""
        return self.machine.call("monotonic")
