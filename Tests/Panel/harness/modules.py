# SPDX-License-Identifier: Apache-2.0
"""Which kernel modules must be loaded before which, read from the modules themselves.

Debian's package holds no modules.dep (depmod makes it at installation), but each module names what it needs in its
`.modinfo` section as `depends=a,b`, written by the build that made it; those built later are no special case.
"""

import re
from pathlib import Path

from .failure import PanelFailure

BUILTIN = "modules.builtin"  # the kernel's list of what is in it and needs no loading; what that is differs by release


def normal(name: str) -> str:
    """Module names are compared with '-' and '_' equal, as modprobe does."""
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
        """The files of `names` and of all they need, each after what it depends on, else in the order given."""
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
