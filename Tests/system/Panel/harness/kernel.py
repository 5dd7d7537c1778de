# SPDX-License-Identifier: Apache-2.0
"""Debian's kernel in the cache, with two drivers that Debian does not build: vkms and a backlight.

The cache is `$XDG_CACHE_HOME/inkpanel/kernel-VERSION` and holds `kernel` (uncompressed where that can be booted),
`modules/` (every module, uncompressed, and those built for this kernel), a static `busybox` and `initramfs.cpio`. It is
made under another name and renamed when complete, so that an interrupted preparation is not taken for a finished one.
For a guest with another processor, the kernel comes from the guest's root, and nothing is built.
"""

import fcntl
import lzma
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import apt, initramfs, kbuild, vkms
from .failure import PanelFailure
from .modules import BUILTIN, ModuleTree
from .system import System, cache_folder, guest_system

# Increment this when the content of the cache changes, so that older caches are remade.
LAYOUT = 4

LIGHT = Path(__file__).resolve().parents[1] / "light"


@dataclass(frozen=True)
class Kernel:
    folder: Path

    @property
    def image(self) -> Path:
        return self.folder / "kernel"

    @property
    def initramfs(self) -> Path:
        return self.folder / "initramfs.cpio"

    @property
    def busybox(self) -> Path:
        return self.folder / "busybox"

    @property
    def modules(self) -> ModuleTree:
        return ModuleTree(self.folder / "modules")


def prepare(say=lambda message: None) -> Kernel:
    """The kernel to boot, from the cache or else downloaded and built. `say` reports each long step."""
    return apt.with_new_lists(lambda: prepared(say))


def prepared(say) -> Kernel:
    system = guest_system()
    architecture = system.architecture
    version = apt.version(f"linux-image-{architecture.debian}") if system.is_host else release_of(system)
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / f"kernel-{version}-{architecture.debian}-{LAYOUT}"
    # Checkouts share the cache; a second one waits.
    with open(cache / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            work = Path(tempfile.mkdtemp(prefix="preparing-", dir=cache))
            try:
                (work / "kernel").mkdir()
                make = make_of_packages if system.is_host else make_of_root
                make(system, version, work, say)
                say("packing the initramfs")
                made = Kernel(work / "kernel")
                initramfs.write(made.initramfs, made.busybox, made.modules)
                (work / "kernel").rename(folder)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return Kernel(folder)


def release_of(system: System) -> str:
    """The kernel's release, which names its folder of modules."""
    found = sorted((system.root / "boot").glob("vmlinuz-*"))
    if len(found) != 1:
        raise PanelFailure(f"{system.root}/boot has {len(found)} kernels, expected one")
    return found[0].name.removeprefix("vmlinuz-")


def make_of_root(system: System, release: str, work: Path, say) -> None:
    say(f"unpacking the kernel {release} and its modules")
    kernel = work / "kernel"
    (kernel / "kernel").write_bytes(unpacked_kernel((system.root / "boot" / f"vmlinuz-{release}").read_bytes()))
    take_modules(system.root, release, kernel / "modules")
    take_busybox(system.root, kernel)


def make_of_packages(system: System, version: str, work: Path, say) -> None:
    image_package = real_package(f"linux-image-{system.architecture.debian}")
    release = image_package.removeprefix("linux-image-")
    kernel = work / "kernel"

    say(f"downloading {image_package} {version}")
    image = work / "image"
    apt.unpack(apt.download(image_package, apt.version(image_package, like=version), work), image)
    packed = (image / "boot" / f"vmlinuz-{release}").read_bytes()
    (kernel / "kernel").write_bytes(unpacked_kernel(packed))
    say("unpacking its modules")
    take_modules(image, release, kernel / "modules")
    shutil.rmtree(image)

    say("downloading busybox-static")
    busybox = work / "busybox"
    apt.unpack(apt.download("busybox-static", apt.version("busybox-static"), work), busybox)
    take_busybox(busybox, kernel)

    say(f"downloading the headers of {release}")
    headers = kbuild.unpack_headers(release, version, work)
    vkms.build(release, version, work, headers, kernel / "modules", say)
    kbuild.build("panel-light", Path(shutil.copytree(LIGHT, work / "light")), headers, release, kernel / "modules")


def unpacked_kernel(packed: bytes) -> bytes:
    """The kernel, unpacked if it is a compressed x86 one; others are unchanged.

    Unpacking on the emulated processor would cost 6 seconds per boot.
    """
    start = packed.find(b"\xfd7zXZ\0")
    if start < 0:
        return packed
    try:
        kernel = lzma.LZMADecompressor().decompress(packed[start:])
    except lzma.LZMAError:
        return packed
    return kernel if kernel.startswith(b"\x7fELF") else packed


def real_package(metapackage: str) -> str:
    """The package that a metapackage such as linux-image-amd64 currently depends on."""
    prefix = metapackage.rsplit("-", 1)[0] + "-"
    real = [name for name in apt.depends(metapackage) if name.startswith(prefix)]
    if not real:
        raise PanelFailure(f"{metapackage} depends on no {prefix}*: run `apt-get update` as root, then again")
    return real[0]


def take_busybox(root: Path, into: Path) -> None:
    found = [path for path in (root / "bin/busybox", root / "usr/bin/busybox") if path.exists()]
    if not found:
        raise PanelFailure(f"{root} has no bin/busybox and no usr/bin/busybox: busybox-static is not unpacked there")
    shutil.copy(found[0], into / "busybox")


def take_modules(image: Path, release: str, into: Path) -> None:
    """Moves all modules into one folder; their names are unique."""
    trees = [image / "lib/modules" / release, image / "usr/lib/modules" / release]  # Debian 12, Debian 13
    tree = next((tree for tree in trees if tree.exists()), None)
    if tree is None:
        raise PanelFailure(f"the package of kernel {release} has no modules under lib/modules or usr/lib/modules")
    into.mkdir()
    shutil.copy(tree / BUILTIN, into)
    for path in (tree / "kernel").rglob("*.ko*"):
        if path.suffix == ".xz":  # Debian 13 compresses them; the initramfs and `insmod` need them uncompressed
            (into / path.stem).write_bytes(lzma.decompress(path.read_bytes()))
        else:
            shutil.copy(path, into)
