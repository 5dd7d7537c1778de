# SPDX-License-Identifier: Apache-2.0
"""The guest's system: the host's own, or a Debian for another processor, unpacked in a folder."""

import os
import platform
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .architecture import ARCHITECTURES, Architecture
from .failure import PanelFailure

CHECKOUT = Path(__file__).resolve().parents[4]


@dataclass(frozen=True)
class System:
    architecture: Architecture
    root: Path  # of the guest
    folders: tuple[Path, ...]  # of the host, which the guest sees at the same paths

    @property
    def is_host(self) -> bool:
        return self.root == Path("/")


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "inkpanel"


def guest_system() -> System:
    """The host, unless PANEL_ROOT in the environment names another root (`tools/debian-13 arm64` makes one)."""
    root = Path(os.environ.get("PANEL_ROOT") or "/")
    if root == Path("/"):
        machine, folders = platform.machine(), ()
    else:
        found = [machine for machine in ARCHITECTURES if (root / "usr/lib" / f"{machine}-linux-gnu").is_dir()]
        if len(found) != 1:
            raise PanelFailure(f"PANEL_ROOT={root} has no libraries of one of {', '.join(ARCHITECTURES)}")
        machine, folders = found[0], (CHECKOUT, cache_folder(), Path(tempfile.gettempdir()))
    if machine not in ARCHITECTURES:
        raise PanelFailure(
            f"no guest for a {machine} host: add its QEMU machine to Tests/system/Panel/harness/architecture.py")
    return System(ARCHITECTURES[machine], root, folders)
