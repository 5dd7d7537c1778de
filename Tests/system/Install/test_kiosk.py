# SPDX-License-Identifier: Apache-2.0
"""`inkpanel setup kiosk` on a Debian that boots with the words of its cmdline.txt, as a Raspberry Pi does."""

import shutil

import system
from installed import PROGRAM, InstalledPanel
from test_install import idle_page

BOOT = "/boot/firmware"
# Of Raspberry Pi OS.
CMDLINE = "console=serial0,115200 console=tty1 root=PARTUUID=fac0d4b8-02 rootfstype=ext4 fsck.repair=yes rootwait\n"
CONFIG = "dtparam=audio=on\ncamera_auto_detect=1\n[cm4]\notg_mode=1\n"
BLOCKED = 69


def set_up(panel, *words, status: int = 0) -> list[str]:
    """The lines of the command."""
    return panel.run(
        "/bin/sh", "-c", f"{PROGRAM} setup kiosk {' '.join(words)}; [ $? = {status} ]", within=120).splitlines()


def state(panel) -> str:
    """Digests and targets of all files that it may change."""
    return panel.run(
        "/bin/sh", "-c", f"find /etc {BOOT} -xdev -type f ! -name kiosk.json ! -name .updated ! -name machine-id "
        "-exec sha256sum {} + | sort -k 2; find /etc -xdev -type l -printf '%p %l\\n' | sort")


def test_a_machine_becomes_a_kiosk_and_is_one_after_a_boot(deb, gateway_deb, tmp_path):
    disk = tmp_path / "disk"
    shutil.copy(system.prepare([deb, gateway_deb]), disk)
    with InstalledPanel(deb, [gateway_deb], disk=disk) as panel:
        panel.working()
        panel.make_folder(BOOT)
        panel.write_file(f"{BOOT}/cmdline.txt", CMDLINE)
        panel.write_file(f"{BOOT}/config.txt", CONFIG)
        panel.write_file("/var/tmp/before", state(panel))
        # This Debian has neither ssh nor a time service.
        said = set_up(panel, "--dry-run", status=BLOCKED)
        assert state(panel) == panel.read_file("/var/tmp/before")
        assert sum(line.startswith("blocked ") for line in said) == 2 and said[-1].startswith("would change ")
        said = set_up(panel, "--keep-login", status=BLOCKED)
        assert said[-1].endswith("reboot to use them")
        assert set_up(panel, "--keep-login", status=BLOCKED)[-1] == "nothing to change"
        words = panel.read_file(f"{BOOT}/cmdline.txt").split()
        panel.run("/bin/sync")
    silent = [word for word in words if not word.startswith(("console=", "root", "fsck"))]
    with InstalledPanel(deb, [gateway_deb], disk=disk, words=silent) as panel:
        panel.working()
        idle_page(panel)
        assert "systemd.show_status=false" in panel.read_file("/proc/cmdline").split()
        assert panel.read_file("/proc/sys/kernel/sysrq").strip() == "0"
        manager = panel.run("/usr/bin/systemctl", "show", "--property=RuntimeWatchdogUSec,ShowStatus")
        assert set(manager.split()) == {"RuntimeWatchdogUSec=14s", "ShowStatus=no"}
        for unit in ("getty@tty1.service", "ctrl-alt-del.target"):
            assert panel.properties(unit, "LoadState") == {"LoadState": "masked"}
        assert set_up(panel, "--undo")[-1].endswith("reboot to use them")
        assert state(panel) == panel.read_file("/var/tmp/before")
