# SPDX-License-Identifier: Apache-2.0
"""Builds vkms, the kernel's virtual display, for Debian's kernel.

Debian does not build it, and it is the one driver in a virtual machine with a vblank: bochs and virtio-gpu complete a
flip at once, so only vkms shows whether flips are paced. The source comes from Debian's linux-source of the same
version, the rest of the build from the kernel's own header packages, so its version magic matches.
"""

import subprocess
from pathlib import Path

from . import apt
from .failure import PanelFailure


def build(release: str, version: str, work: Path, modules: Path, say) -> None:
    say(f"downloading the headers of {release}")
    headers = unpack_headers(release, version, work)
    say("downloading the kernel's source for vkms (140 MB)")
    source = unpack_source(release, version, work)
    say("building vkms")
    apt.run(
        "make", "-C", str(headers), f"M={source}", "CONFIG_DRM_VKMS=m",
        # Type information for tracing programs: Debian 13 would want pahole for it, and nobody here reads it.
        "CONFIG_DEBUG_INFO_BTF_MODULES=",
        # The package asks for its compiler by version (gcc-12, x86_64-linux-gnu-gcc-14); Debian's default is the same one.
        "CC=gcc", "modules")
    built = source / "vkms.ko"
    if b"vermagic=" + release.encode() + b" " not in built.read_bytes():
        raise PanelFailure(f"{built} was not built for kernel {release}: is another kernel's header in the way?")
    built.rename(modules / "vkms.ko")


def unpack_headers(release: str, version: str, work: Path) -> Path:
    """The kernel's build folder, unpacked side by side with what it refers to."""
    root = work / "headers"
    package = f"linux-headers-{release}"
    apt.unpack(apt.download(package, version, work), root)
    for needed in apt.depends(package):
        if needed.startswith(("linux-headers-", "linux-kbuild-")):
            apt.unpack(apt.download(needed, version, work), root)
    folder = root / "usr/src" / package
    # Its Makefile includes the common one by the path it would be installed at.
    makefile = folder / "Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{root}/usr/src/"))
    return folder


def unpack_source(release: str, version: str, work: Path) -> Path:
    """drivers/gpu/drm/vkms out of Debian's package of the kernel's whole source, read as a stream."""
    series = ".".join(release.replace("+", ".").replace("-", ".").split(".")[:2])
    deb = apt.download(f"linux-source-{series}", version, work)
    source = work / "source"
    source.mkdir()
    wanted = f"linux-source-{series}/drivers/gpu/drm/vkms"
    command = (
        f"dpkg-deb --fsys-tarfile '{deb}' | tar -xO ./usr/src/linux-source-{series}.tar.xz"
        f" | tar -xJ -C '{source}' '{wanted}'")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    if done.returncode != 0:
        raise PanelFailure(f"{deb.name} gave no {wanted}: {done.stderr.strip()[-1000:]}")
    deb.unlink()
    return source / wanted
