# SPDX-License-Identifier: Apache-2.0
"""A machine in QEMU that boots a card, with a USB touch screen and a root shell on a second serial port; a PC with UEFI
(OVMF). pi.py has a Raspberry Pi.

The card is not changed for it: systemd takes the shell's unit from the machine's firmware tables (SMBIOS), as it does
in any virtual machine (systemd.system-credentials(7), systemd.extra-unit).
"""

import base64
import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from harness.image import Image, read_ppm
from touchscreen import TouchScreen

FIRMWARE = Path("/usr/share/OVMF")
SHELL = """[Unit]
DefaultDependencies=no
[Service]
ExecStart=/bin/sh -c "echo the-shell-is-up; exec /bin/sh"
StandardInput=tty-force
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS1
Restart=always
"""

# Units whose starts are limited to what any machine can do that is not emulated beside others.
SLOW = (
    "inkpanel-identity.service", "inkpanel-web-renew.service", "inkpanel.service", "systemd-networkd.service",
    "systemd-logind.service", "systemd-timesyncd.service", "systemd-resolved.service", "dbus.service")


def credentials() -> dict[str, str]:
    """What systemd is to take from the machine: names, and values in Base64."""
    texts = {
        "systemd.extra-unit.test-shell.service": SHELL,
        "systemd.unit-dropin.sysinit.target~test": "[Unit]\nWants=test-shell.service\n"}
    texts |= {f"systemd.unit-dropin.{unit}~test": "[Service]\nTimeoutStartSec=infinity\n" for unit in SLOW}
    return {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}


class Guest:
    """`command` starts QEMU; sockets and files of it are in `folder`."""

    size = (1024, 600)
    # How often the touch screen sends each report.
    repeats = 1

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("qmp", "shell", "touch"):
            (folder / name).unlink(missing_ok=True)
        self.command = [
            "-chardev", f"socket,id=touch,path={folder}/touch,server=on,wait=off",
            "-qmp", f"unix:{folder}/qmp,server=on,wait=off", "-serial", f"file:{folder}/console",
            "-chardev", f"socket,id=shell,path={folder}/shell,server=on,wait=off", "-serial", "chardev:shell"]

    def __enter__(self) -> "Guest":
        self.started = time.monotonic()
        log = open(self.folder / "qemu.log", "wb")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.monitor = self.connect("qmp").makefile("rw")
        self.monitor.readline()
        self.qmp("qmp_capabilities")
        self.terminal, self.buffer, self.number = self.connect("shell"), b"", 0
        self.touch = TouchScreen(self.folder / "touch", self.size, self.repeats)
        return self

    def __exit__(self, *_) -> None:
        self.cut()

    def connect(self, name: str) -> socket.socket:
        for _ in range(200):
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(str(self.folder / name))
                return connection
            except OSError:
                connection.close()
                assert self.process.poll() is None, (self.folder / "qemu.log").read_text()
                time.sleep(0.05)
        raise AssertionError("QEMU does not listen")

    def qmp(self, command: str, **arguments):
        self.monitor.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.monitor.flush()
        while True:
            answer = json.loads(self.monitor.readline())
            if "return" in answer:
                return answer["return"]
            assert "error" not in answer, answer["error"]

    def cut(self) -> None:
        """The power goes. What the machine has written is in this machine's cache, and stays."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.touch.close()

    def power_off(self, within: float = 120) -> None:
        """By its button."""
        self.qmp("system_powerdown")
        self.process.wait(within)

    # The screen

    def screen(self) -> Image:
        path = self.folder / "screen.ppm"
        self.qmp("screendump", filename=str(path))
        return read_ppm(path.read_bytes())

    def wait_for_screen(self, condition, within: float) -> Image:
        """The first picture for which the condition holds, also half a second later."""
        end = time.monotonic() + within
        while True:
            picture = self.screen()
            if condition(picture):
                time.sleep(0.5)
                if self.screen() == picture:
                    return picture
            if time.monotonic() > end:
                picture.save(self.folder / "timeout.png")
                raise AssertionError(f"the screen does not show it; see {self.folder}/timeout.png")
            time.sleep(0.3)

    # The shell

    def read(self, seconds: float) -> None:
        self.terminal.settimeout(seconds)
        try:
            part = self.terminal.recv(65536)
        except TimeoutError:
            return
        assert part, "QEMU has ended"
        self.buffer += part

    def up(self, within: float = 400) -> float:
        """Waits for the shell; seconds since the start. Nothing is sent before: the firmware reads this port, too."""
        end = time.monotonic() + within
        while b"the-shell-is-up" not in self.buffer:
            assert self.process.poll() is None, "QEMU has ended"
            assert time.monotonic() < end, f"no shell: {self.buffer[-2000:]!r}"
            self.read(1)
        seconds = time.monotonic() - self.started
        self.run("stty -echo; PS1=; export TERM=dumb SYSTEMD_COLORS=0 SYSTEMD_URLIFY=0")
        return seconds

    def run(self, command: str, within: float = 120) -> tuple[int, str]:
        """Status and output."""
        self.number += 1
        join = " " if command.rstrip().endswith("&") else "; "
        self.terminal.sendall(f"{command}{join}echo \"@\"{self.number}\"@\"$?\"@\"\n".encode())
        pattern = re.compile(rb"@%d@(\d+)@" % self.number)
        end = time.monotonic() + within
        while not (found := pattern.search(self.buffer)):
            assert time.monotonic() < end, f"{command}: {self.buffer[-2000:]!r}"
            self.read(1)
        text, self.buffer = self.buffer[:found.start()], self.buffer[found.end():]
        lines = text.decode(errors="replace").replace("\r", "").splitlines()
        return int(found[1]), "\n".join(line for line in lines if '"@"$?"@"' not in line).strip()

    def output(self, command: str, within: float = 120) -> str:
        status, text = self.run(command, within)
        assert status == 0, f"{command}: {text}"
        return text

    def wait_for(self, command: str, contains: str, within: float = 120) -> str:
        end = time.monotonic() + within
        while contains not in (text := self.run(command)[1]):
            assert time.monotonic() < end, f"{command}: {text}"
            time.sleep(1)
        return text

    def file(self, path: str) -> bytes:
        return base64.b64decode(self.output(f"base64 {path}"))


class Machine(Guest):
    """A PC. `card` is a raw image, which the machine writes; what its firmware remembers is in `folder`."""

    def __init__(self, folder: Path, card: Path, secure: bool = False, disk: str = "ide-hd", memory: int = 1536):
        super().__init__(folder)
        self.variables = folder / ("variables-secure" if secure else "variables")
        if not self.variables.exists():
            shutil.copy(FIRMWARE / ("OVMF_VARS_4M.ms.fd" if secure else "OVMF_VARS_4M.fd"), self.variables)
        code = FIRMWARE / ("OVMF_CODE_4M.ms.fd" if secure else "OVMF_CODE_4M.fd")
        self.port, self.ssh = free_port(), free_port()
        self.command = [
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-machine", f"q35,smm={'on' if secure else 'off'}",
            # Not one of Intel's: without KVM, what the kernel does against Meltdown makes each system call slow.
            "-cpu", "qemu64", "-m", str(memory), "-display", "none", "-nodefaults",
            "-drive", f"if=pflash,unit=0,format=raw,readonly=on,file={code}",
            "-drive", f"if=pflash,unit=1,format=raw,file={self.variables}",
            "-drive", f"file={card},if=none,id=card,format=raw,cache=writeback",
            # usb-redir needs a touch screen with more abilities at xHCI.
            "-device", "ich9-usb-uhci1,id=usb",
            "-device", f"{disk},drive=card,bootindex=0",
            "-device", f"VGA,edid=on,xres={self.size[0]},yres={self.size[1]}",
            *self.command, "-device", "usb-redir,chardev=touch,bus=usb.0",
            "-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{self.port}-:8443"
            f",hostfwd=tcp:127.0.0.1:{self.ssh}-:22", "-device", "e1000e,netdev=net",
            "-object", "rng-random,id=rng,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=rng",
            *(word for name, value in credentials().items() for word in (
                "-smbios", f"type=11,value=io.systemd.credential.binary:{name}={value}"))]
        if secure:
            self.command += ["-global", "driver=cfi.pflash01,property=secure,value=on"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
