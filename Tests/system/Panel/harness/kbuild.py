# SPDX-License-Identifier: Apache-2.0
"""Builds modules that Debian lacks, for Debian's kernel.

Uses the kernel's header packages, so that the version magic matches. The archive may have rebuilt one of them, such as
linux-kbuild, without the others: each is taken in the version that the archive has.
"""

from pathlib import Path

from . import apt
from .failure import PanelFailure


def unpack_headers(release: str, version: str, work: Path) -> Path:
    """The kernel's build folder, unpacked beside the packages that it refers to."""
    root = work / "headers"
    package = f"linux-headers-{release}"
    apt.unpack(apt.download(package, apt.version(package, like=version), work), root)
    for needed in apt.depends(package):
        if needed.startswith(("linux-headers-", "linux-kbuild-")):
            apt.unpack(apt.download(needed, apt.version(needed, like=version), work), root)
    folder = root / "usr/src" / package
    # Its Makefile includes the common one by the path it would be installed at.
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{root}/usr/src/"))
    return folder


def build(name: str, source: Path, headers: Path, release: str, modules: Path, *settings: str) -> None:
    """Builds the module of that name in the folder `source`, and moves it to the others."""
    apt.run(
        "make", "-C", str(headers), f"M={source}", *settings,
        # No BTF, which tracing programs use: Debian 13 would need pahole for it.
        "CONFIG_DEBUG_INFO_BTF_MODULES=",
        # The package names a versioned compiler (gcc-12, x86_64-linux-gnu-gcc-14); Debian's default is the same.
        "CC=gcc", "modules")
    built = source / f"{name}.ko"
    if b"vermagic=" + release.encode() + b" " not in built.read_bytes():
        raise PanelFailure(f"{built} was not built for kernel {release}: is another kernel's header in the way?")
    built.rename(modules / built.name)
