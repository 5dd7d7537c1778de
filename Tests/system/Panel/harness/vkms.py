# SPDX-License-Identifier: Apache-2.0
"""vkms, the kernel's virtual display, for Debian's kernel.

Debian does not build it. It is the only driver with a vblank in a virtual machine: bochs and virtio-gpu complete a flip
at once, so that only vkms shows whether flips are paced. The source comes from Debian's linux-source of the same
version.
"""

import subprocess
from pathlib import Path

from . import apt, kbuild
from .failure import PanelFailure


def build(release: str, version: str, work: Path, headers: Path, modules: Path, say) -> None:
    say("downloading the kernel's source for vkms (140 MB)")
    source = unpack_source(release, version, work)
    say("building vkms")
    kbuild.build("vkms", source, headers, release, modules, "CONFIG_DRM_VKMS=m")


def unpack_source(release: str, version: str, work: Path) -> Path:
    """Extracts drivers/gpu/drm/vkms from Debian's package of the kernel source, read as a stream."""
    series = ".".join(release.replace("+", ".").replace("-", ".").split(".")[:2])
    package = f"linux-source-{series}"
    deb = apt.download(package, apt.version(package, like=version), work)
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
