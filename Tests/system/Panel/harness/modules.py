# SPDX-License-Identifier: Apache-2.0
"""The order in which kernel modules must be loaded, read from the modules.

Debian's package has no modules.dep, which depmod makes at installation. But each module names its dependencies in its
`.modinfo` section as `depends=a,b`, also those that are built here.
"""

import re
from pathlib import Path

from .failure import PanelFailure

BUILTIN = "modules.builtin"  # the kernel's list of built-in modules, which differs by release


def normal(name: str) -> str:
    """Treats '-' and '_' as equal, like modprobe."""
    return name.replace("-", "_")


class ModuleTree:
    def __init__(self, folder: Path):
        self.files = {normal(path.stem): path for path in folder.glob("*.ko")}
        self.builtin = {normal(Path(line).stem) for line in (folder / BUILTIN).read_text().splitlines()}

    def path(self, name: str) -> Path:
        try:
            return self.files[normal(name)]
        except KeyError:
            raise PanelFailure(f"this kernel has no module {name}") from None

    def depends(self, name: str) -> list[str]:
        found = re.search(rb"\0depends=([^\0]*)\0", self.path(name).read_bytes())
        return [dependency for dependency in found[1].decode().split(",") if dependency] if found else []

    def in_order(self, *names: str) -> list[Path]:
        """The files of `names` and their dependencies, dependencies first, otherwise in the given order."""
        order: list[Path] = []

        def add(name: str) -> None:
            if normal(name) in self.builtin or self.path(name) in order:
                return
            for dependency in self.depends(name):
                add(dependency)
            order.append(self.path(name))

        for name in names:
            add(name)
        return order
