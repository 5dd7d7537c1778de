# SPDX-License-Identifier: Apache-2.0
"""The first file system of the guest: busybox, the modules that reach the host's root over 9p, and one script."""

from pathlib import Path

from .cpio import Archive
from .modules import ModuleTree

# What it takes to mount the host's root and to talk to the host. Everything else is loaded later by the agent, in the
# order a test chooses, from the cache seen over 9p.
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
