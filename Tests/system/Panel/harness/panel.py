# SPDX-License-Identifier: Apache-2.0
"""A panel for tests: a booted kernel with a display. Tests plug in digitizers and start programs."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from . import evemu, hid, image, kernel, program, touch, wording
from .failure import PanelFailure
from .machine import Machine, boot

TTY = "/dev/tty1"
UDEV_DAEMONS = ("/usr/lib/systemd/systemd-udevd", "/lib/systemd/systemd-udevd")
SHARE = Path("/run/share")  # the folder shared with the host, in the guest


@dataclass(frozen=True)
class Display:
    module: str  # the driver
    device: str | None  # QEMU's device, None for a driver without one
    takes_size: bool = True  # otherwise its screen is 1024x768


DISPLAYS = {
    "bochs": Display("bochs", "bochs-display"),
    "virtio-gpu": Display("virtio_gpu", "virtio-gpu-pci"),
    "vkms": Display("vkms", None),
    "cirrus": Display("cirrus", "cirrus-vga", takes_size=False),
}


class Flip(NamedTuple):
    time: float  # seconds of CLOCK_MONOTONIC
    vblank: int  # the vblank's number; 0 if the driver has none


class Panel:
    """`with Panel(display="bochs") as panel:` boots one, until the end of the block.

    `more_sizes` adds screens of the same kind, each on its own card: Virtual-2, Virtual-3. `modules` are the drivers to
    load, in order, instead of the display's: `["vgem", "bochs"]`. `udev` runs the host's udev in the guest.
    `kernel_arguments`: for example `video=Virtual-1:panel_orientation=right_side_up`. `more_devices`: QEMU's arguments
    for others than the display.
    """

    def __init__(
            self, display: str, size=(1024, 768), more_sizes=(), modules=None, kernel_arguments=(), memory: int = 1024,
            udev: bool = False, more_devices=()):
        if display not in DISPLAYS:
            raise PanelFailure(f"no display {display}: there are {', '.join(DISPLAYS)}")
        self.display = display
        self.size = size
        self.kernel = kernel.prepare()
        device = DISPLAYS[display].device
        sizes = [size, *more_sizes]
        self.screens = range(1, len(sizes) + 1)  # numbers of their connectors
        devices = list(more_devices)
        for number, (width, height) in zip(self.screens, sizes if device else []):
            size_of_it = f",xres={width},yres={height}" if DISPLAYS[display].takes_size else ""
            devices += ["-device", f"{device},id=screen{number}{size_of_it}"]
        self.machine = boot(self.kernel, devices, list(kernel_arguments), memory)
        try:
            self.load("evdev", "uinput")
            if udev:
                self.start_udev()
            self.load(*(modules if modules is not None else [DISPLAYS[display].module]))
            self.machine.call("start_tracing")
        except BaseException:
            self.close()
            raise
        self.started: list[program.Program] = []

    def __enter__(self) -> "Panel":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self.machine.close()

    def reset(self) -> None:
        """Returns to the state after boot: no programs, no input devices, tty1 an empty text console."""
        self.machine.call("reset")
        self.started = []

    # Kernel

    def load(self, *modules: str, parameters=()) -> None:
        """Loads drivers in this order, with their dependencies. The parameters are for the last."""
        order = self.kernel.modules.in_order(*modules)
        for path in order:
            self.machine.call(
                "insmod", busybox=str(self.kernel.busybox), path=str(path),
                parameters=list(parameters) if path == order[-1] else [])

    def unload(self, module: str) -> None:
        self.machine.call("rmmod", busybox=str(self.kernel.busybox), module=module)

    def start_udev(self) -> None:
        """Runs the host's systemd-udevd in the guest; without it, devices have nodes but no properties."""
        daemon = next((path for path in UDEV_DAEMONS if Path(path).exists()), None)
        if daemon is None:
            raise PanelFailure("no systemd-udevd: install Debian's udev package")
        self.machine.ask("start_udev", 60, udevd=daemon)

    def read_file(self, path: str) -> str:
        return self.machine.call("read_file", path=path)

    def write_file(self, path: str, text: str) -> None:
        self.machine.call("write_file", path=path, text=text)

    def make_folder(self, path: str) -> None:
        """Makes a folder and its parents, unless they exist."""
        self.machine.call("make_folder", path=path)

    def glob(self, pattern: str) -> list[str]:
        return self.machine.call("glob", pattern=pattern)

    @property
    def kernel_log(self) -> str:
        return self.run("/bin/dmesg")

    # Input

    def touchscreen(self, width: int, height: int, slots: int = 10, **others) -> touch.Touchscreen:
        return touch.Touchscreen(self.machine, width, height, slots, **others)

    def single_touch(self, width: int, height: int, **others) -> touch.SingleTouch:
        return touch.SingleTouch(self.machine, width, height, **others)

    def pen(self, width: int, height: int, **others) -> touch.Pen:
        return touch.Pen(self.machine, width, height, **others)

    def keyboard(self) -> touch.Keyboard:
        return touch.Keyboard(self.machine)

    def device(self, description: dict) -> touch.Device:
        """Any other device; the description is that of guest/uinput.py."""
        return touch.Device(self.machine, description)

    def hid_touchscreen(self, file: Path) -> hid.HidTouchscreen:
        """A touch controller with a HID descriptor, for the kernel's drivers (load uhid and hid-multitouch)."""
        return hid.HidTouchscreen(self.machine, file)

    def device_of(self, recording: Path) -> touch.Device:
        """The device of a recording; `.play(recording)` plays it."""
        return touch.Device(self.machine, evemu.describe(recording))

    def events(self, node: str) -> "Events":
        """A second reader of a device; it sees nothing while the device is grabbed."""
        return Events(self.machine, node)

    # Programs

    def start(self, *argv: str, env: dict = None, tty: str | None = TTY, cwd: str = "/", kind=program.Program):
        """Starts a program of the host in the guest, with a controlling terminal unless `tty` is None."""
        started = kind(self.machine, [str(word) for word in argv], env or {}, tty, cwd)
        self.started.append(started)
        return started

    def run(self, *argv: str, within: float = 60, **others) -> str:
        """Runs a program to its end and returns its output; it must succeed."""
        ran = self.start(*argv, tty=None, **others)
        status = ran.wait(within)
        if status != 0:
            raise PanelFailure(f"{' '.join(map(str, argv))}: exit status {status}; it wrote:\n{ran.log}")
        return ran.log

    def start_inkpanel(self, *arguments: str, wait: bool = True, **others) -> program.Inkpanel:
        """Starts the program under test and, unless `wait` is false, waits until it is ready."""
        ink = self.start(program.binary(), *arguments, kind=program.Inkpanel, **others)
        if wait:
            ink.wait_line(wording.READY)
            self.forget_flips()
        return ink

    def start_ink(self, *arguments: str, **others) -> program.Inkpanel:
        """Starts `inkpanel run` with a bare sheet, on which every pixel that is not paper is ink."""
        return self.start_inkpanel("run", "--page", "ink", *arguments, **others)

    # Screen

    def screendump(self, screen: int = 1) -> image.Image:
        """What the screen shows. vkms has no screen in QEMU; its framebuffer is read in the guest instead.

        `screen` is the number of the connector, 1 for Virtual-1.
        """
        if DISPLAYS[self.display].device is None:
            return self.scanout()
        path = self.machine.path / "screen.ppm"
        self.machine.control("screendump", filename=str(path), device=f"screen{screen}")
        return image.read_ppm(path.read_bytes())

    def screen_when(self, condition, within: float = 10, screen: int = 1) -> image.Image:
        """The first screendump that meets the condition, or the last one.

        For pictures that appear with a delay, such as the console on virtio-gpu.
        """
        deadline = time.monotonic() + within
        while True:
            picture = self.screendump(screen)
            if condition(picture) or time.monotonic() > deadline:
                return picture
            time.sleep(0.1)

    def scanout(self) -> image.Image:
        """The framebuffer bound to the CRTC, read in the guest; works with every driver."""
        found = self.machine.call("grab", path=str(SHARE / "scanout"))
        if found["format"] not in ("XR24", "AR24"):
            raise PanelFailure(f"the framebuffer on screen is {found['format']}, only XR24 is read here")
        return image.from_xrgb(found["width"], found["height"], (self.machine.share / "scanout").read_bytes())

    def cards(self) -> list[dict]:
        """Every /dev/dri/card* with its driver and its number of CRTCs, 0 if it only renders."""
        return self.machine.call("cards")

    def forget_flips(self) -> None:
        self.machine.call("forget_flips")

    def flips(self) -> list[Flip]:
        """All flips whose completion the kernel reported since forget_flips()."""
        return [Flip(*each) for each in self.machine.call("read_flips")["delivered"]]

    def refusals(self) -> list[float]:
        """Times of ioctls that failed with EBUSY since forget_flips()."""
        return self.machine.call("read_flips")["busy"]

    def vblanks(self) -> dict[int, int]:
        """The times of vblanks by number since forget_flips(), in nanoseconds of CLOCK_MONOTONIC, as flip events have
        them. vkms only."""
        return dict(self.machine.call("read_vblanks"))

    def start_checksums(self) -> int:
        """Makes the kernel compute a checksum of each frame on screen. vkms only; takes milliseconds a frame."""
        return self.machine.call("start_checksums")

    def stop_checksums(self, number: int, last: int) -> list[tuple[int, int]]:
        """Number of the vblank and checksum of each frame since start_checksums(), up to vblank `last` at least."""
        return [tuple(frame) for frame in self.machine.ask("stop_checksums", 10, checksums=number, last=last)]

    # Console

    def console(self, tty: str = TTY) -> dict:
        """`mode`: text or graphics; `keyboard`: unicode, off, ..."""
        return self.machine.call("console", tty=tty)

    def write_console(self, text: str, tty: str = TTY) -> None:
        self.machine.call("write_console", tty=tty, text=text)

    def switch_console(self, number: int) -> None:
        self.machine.call("switch_console", number=number)

    def sleep(self, seconds: float) -> None:
        """Waits in the guest, with the agent idle."""
        self.machine.ask("sleep", seconds, seconds=seconds)


class Events:
    """A second reader of a device."""

    def __init__(self, machine: Machine, node: str):
        self.machine = machine
        self.number = machine.call("open_reader", node=node)

    def read(self) -> list:
        """All pending events, as [seconds, type, code, value]."""
        return self.machine.call("read_events", reader=self.number)

    def close(self) -> None:
        self.machine.call("close_reader", reader=self.number)
