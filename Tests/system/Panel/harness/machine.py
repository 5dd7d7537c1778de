# SPDX-License-Identifier: Apache-2.0
"""One QEMU: boots the kernel with a display device, and has a channel to the monitor and one to the agent.

TCG emulates the processor, so that neither KVM nor privileges are needed.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .channel import Channel
from .failure import PanelFailure
from .kernel import Kernel
from .system import guest_system

BOOT_SECONDS = 120  # 7 on a quiet machine; up to 76 with nine busy processes on two cores
# About one in a hundred emulated boots on a busy host hangs before any program of ours runs. Such a machine is replaced
# with a message.
BOOT_ATTEMPTS = 3
MONITOR_SECONDS = 30
ANSWER_SECONDS = 60  # in addition to the duration of the request
AGENT = Path(__file__).parent / "guest" / "agent.py"


class BootTimeout(PanelFailure):
    """The guest's agent did not answer in time; nothing under test has run yet."""


def boot(*arguments) -> "Machine":
    """Boots a machine and waits for its agent; arguments as for Machine."""
    for attempt in range(1, BOOT_ATTEMPTS + 1):
        try:
            return Machine(*arguments)
        except BootTimeout as failure:
            if attempt == BOOT_ATTEMPTS:
                raise
            print(f"boot {attempt} of {BOOT_ATTEMPTS} given up: {failure}", file=sys.stderr, flush=True)


class Machine:
    def __init__(
            self, kernel: Kernel, display_device: list[str], kernel_arguments: list[str], memory: int,
            boot_seconds: float = BOOT_SECONDS):
        system = guest_system()
        architecture = system.architecture
        self.folder = tempfile.TemporaryDirectory(prefix="inkpanel-panel-")
        self.path = Path(self.folder.name)
        self.share = self.path / "share"
        self.share.mkdir()
        self.kernel_log_path = self.path / "kernel.log"
        arguments = [
            f"console={architecture.console}", "quiet", "loglevel=4", "panic=-1", "mitigations=off",
            # The emulated clock is reliable, so skip the kernel's long calibration.
            "tsc=reliable", "no_timer_check", "random.trust_cpu=on", "cryptomgr.notests",
            f"panel.agent={AGENT.resolve()}", f"panel.folders={':'.join(map(str, system.folders))}",
            *kernel_arguments]
        command = [
            architecture.qemu, *architecture.machine, "-accel", "tcg,thread=multi", "-smp", "2", "-m", str(memory),
            "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-vga", "none",
            "-kernel", str(kernel.image), "-initrd", str(kernel.initramfs), "-append", " ".join(arguments),
            "-serial", f"file:{self.kernel_log_path}",
            "-qmp", f"unix:{self.path}/monitor,server=on,wait=off",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={self.path}/agent,server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=org.inkpanel.agent",
            # remap: the host's root may contain several file systems with equal inode numbers.
            "-fsdev", f"local,id=host,path={system.root},security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=host,mount_tag=host",
            "-fsdev", f"local,id=share,path={self.share},security_model=none",
            "-device", "virtio-9p-pci,fsdev=share,mount_tag=share",
            *display_device]
        for number, folder in enumerate(system.folders):
            command += [
                "-fsdev", f"local,id=folder{number},path={folder},security_model=none,readonly=on,multidevs=remap",
                "-device", f"virtio-9p-pci,fsdev=folder{number},mount_tag=folder{number}"]
        self.output_path = self.path / "qemu.log"
        self.closed = False
        started = time.monotonic()
        try:
            with open(self.output_path, "wb") as output:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        except FileNotFoundError:
            self.folder.cleanup()
            raise PanelFailure(
                f"{architecture.qemu}: not found; install Debian's {architecture.qemu_package}") from None
        try:
            self.agent = Channel(self.path / "agent", self.check_alive, MONITOR_SECONDS)
            self.monitor = Channel(self.path / "monitor", self.check_alive, MONITOR_SECONDS)
            self.monitor.receive(MONITOR_SECONDS)  # the greeting
            self.control("qmp_capabilities")
            self.await_hello(boot_seconds)
        except BaseException:
            self.close()
            raise
        self.boot_seconds = time.monotonic() - started

    def await_hello(self, seconds: float) -> None:
        try:
            self.agent.receive(seconds)
        except PanelFailure as failure:
            self.check_alive()  # reports a QEMU that has ended
            raise BootTimeout(f"{failure}\nkernel log: {self.kernel_log_tail()}") from None

    def check_alive(self) -> None:
        if self.process.poll() is not None:
            raise PanelFailure(
                f"QEMU ended with status {self.process.returncode}\n"
                f"QEMU: {tail(self.output_path)}\nkernel log: {tail(self.kernel_log_path)}")

    def call(self, name: str, **arguments):
        """Calls the agent for something that takes hardly any time."""
        return self.ask(name, 0, **arguments)

    def ask(self, name: str, within: float, **arguments):
        """Calls the agent for something that may take `within` seconds."""
        self.agent.send({"call": name, "arguments": arguments})
        try:
            reply = self.agent.receive(within + ANSWER_SECONDS)
        except PanelFailure as failure:
            raise PanelFailure(f"{name} in the guest: {failure}\nkernel log: {self.kernel_log_tail()}") from None
        if "error" in reply:
            raise PanelFailure(f"{name} in the guest: {reply['error']}")
        return reply["result"]

    def control(self, command: str, **arguments):
        """A command of QEMU's monitor (QMP)."""
        self.monitor.send({"execute": command, "arguments": arguments})
        while True:
            reply = self.monitor.receive(MONITOR_SECONDS)
            if "return" in reply:
                return reply["return"]
            if "error" in reply:
                raise PanelFailure(f"QEMU {command}: {reply['error']['desc']}")
            # otherwise an event, such as RESUME

    def kernel_log_tail(self) -> str:
        return tail(self.kernel_log_path)

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self.process.kill()
        self.process.wait()
        for channel in (getattr(self, "agent", None), getattr(self, "monitor", None)):
            if channel:
                channel.close()
        self.folder.cleanup()


def tail(path: Path, characters: int = 4000) -> str:
    return path.read_text(errors="replace")[-characters:].strip() if path.exists() else "(none)"
