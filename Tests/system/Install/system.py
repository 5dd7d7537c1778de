# SPDX-License-Identifier: Apache-2.0
"""A minimal Debian of this machine's release, or of INSTALL_SUITE, as a disk image in the cache.

Its name is a hash of its ingredients, so that it is remade only if these change. mmdebstrap needs no privileges where
users may create namespaces.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from harness import PanelFailure, apt
from harness.kernel import cache_folder

# The packages of a small board's system with updates, python3 for the agent, and what the package only suggests.
PACKAGES = ("systemd", "systemd-sysv", "udev", "kmod", "python3", "debconf", "unattended-upgrades", "rclone",
    # For the guide: a broker, and what the administrator uses.
    "mosquitto", "age", "openssl", "prometheus-node-exporter")
# Units that could start during the tests.
MASKED = (
    "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "e2scrub_reap.service",
    "fstrim.timer", "systemd-pstore.service", "serial-getty@ttyS0.service",
    "mosquitto.service", "prometheus-node-exporter.service",
    "getty-static.service", "unattended-upgrades.service")
HOOKS = (
    'echo inkpanel-test > "$1/etc/hostname"',
    # Otherwise systemd treats the boot as the first one and applies presets.
    'chroot "$1" systemd-machine-id-setup',
    # The package must be installed with all of its files.
    'rm -f "$1/etc/dpkg/dpkg.cfg.d/99mmdebstrap"',
    f'chroot "$1" systemctl mask {" ".join(MASKED)}')
SIZE = "1500M"  # sparse; three times the content


def prepare(debs: list[Path], say=lambda message: None) -> Path:
    """The image with the dependencies of `debs`, but without these packages."""
    own = {apt.run("dpkg-deb", "--field", str(deb), "Package").strip() for deb in debs}
    packages = sorted({*PACKAGES, *(name for deb in debs for name in dependencies(deb))} - own)
    suite, mirror = release(), archive()
    name = hashlib.sha256(json.dumps([suite, mirror, packages, HOOKS, SIZE]).encode()).hexdigest()[:16]
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    image = cache / f"system-{suite}-{name}.ext2"
    # Checkouts share the cache; a second one waits.
    with open(cache / "system-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not image.exists():
            say(f"making a Debian {suite} of {', '.join(packages)}")
            work = Path(tempfile.mkdtemp(prefix="preparing-", dir=cache))
            try:
                make(suite, mirror, packages, work / "system.ext2")
                (work / "system.ext2").rename(image)
            finally:
                shutil.rmtree(work, ignore_errors=True)
    return image


def make(suite: str, mirror: str, packages: list[str], image: Path) -> None:
    hooks = [f"--customize-hook={hook}" for hook in HOOKS]
    apt.run(
        "mmdebstrap", "--quiet", "--variant=minbase", "--format=ext2", f"--include={','.join(packages)}", *hooks,
        # Man pages, translations and documents are not needed.
        "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
        "--dpkgopt=path-exclude=/usr/share/doc/*", suite, str(image), mirror)
    apt.run("truncate", f"--size={SIZE}", str(image))
    # resize2fs requires e2fsck; 1 is "errors corrected".
    apt.run("sh", "-c", f"e2fsck -f -p '{image}' || [ $? = 1 ]")
    apt.run("resize2fs", str(image))


def dependencies(deb: Path) -> list[str]:
    """The dependencies of `deb`, with the first of alternatives."""
    fields = (apt.run("dpkg-deb", "--field", str(deb), field) for field in ("Pre-Depends", "Depends"))
    relations = [relation for field in fields for relation in field.split(",")]
    return [re.match(r"[a-z0-9][a-z0-9.+-]*", relation.strip())[0] for relation in relations if relation.strip()]


def release() -> str:
    if suite := os.environ.get("INSTALL_SUITE"):
        return suite
    fields = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return fields["VERSION_CODENAME"].strip('"')


def archive() -> str:
    """The Debian mirror of this machine's apt."""
    said = apt.run("apt-get", "--quiet", "--print-uris", "--reinstall", "install", "base-files")
    found = re.search(r"'(\S+?)/pool/", said)
    if not found:
        raise PanelFailure("apt names no mirror for base-files: run `apt-get update` as root, then try again")
    return found[1]
