# SPDX-License-Identifier: Apache-2.0
"""The first file system of the guest: busybox, the modules that reach the host's root over 9p, and one script."""

from pathlib import Path

from .cpio import Archive
from .modules import ModuleTree

# Modules for mounting the host's root and for the channel to the host. The agent loads all others later over 9p, in the
# order that a test chooses.
BOOT_MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay")

SCRIPT = Path(__file__).parent / "guest" / "init"


def write(path: Path, busybox: Path, modules: ModuleTree) -> None:
    archive = Archive()
    for folder in ("bin", "dev", "proc", "sys", "modules", "host", "upper", "system"):
        archive.folder(folder)
    archive.console()
    archive.file("bin/busybox", busybox.read_bytes(), executable=True)
    archive.file("init", SCRIPT.read_bytes(), executable=True)
    order = modules.in_order(*BOOT_MODULES)
    for module in order:
        archive.file(f"modules/{module.name}", module.read_bytes())
    archive.file("modules/order", "".join(f"{module.name}\n" for module in order).encode())
    path.write_bytes(archive.bytes())
