# SPDX-License-Identifier: Apache-2.0
"""The guest's first process: carries out the host's requests, one request and one answer per line.

A request is `{"call": name, "arguments": {...}}`, an answer `{"result": value}` or `{"error": text}`. Requests are
processed in order. When this process ends, the kernel stops, and QEMU with it.
"""

import glob
import json
import os
import signal
import subprocess
import sys
import time
import traceback

import console
import crc
import evdev
import framebuffer
import program
import scanout
import uhid
import uinput
from flips import Flips

PORT = "org.inkpanel.agent"


def open_port() -> int:
    """The virtio serial port to the host, found by name because there is no udev."""
    for path in glob.glob("/sys/class/virtio-ports/*/name"):
        if open(path).read().strip() == PORT:
            return os.open(f"/dev/{path.split('/')[-2]}", os.O_RDWR | os.O_CLOEXEC)
    raise SystemExit(f"agent: no virtio port {PORT}")


class Agent:
    def __init__(self):
        self.flips = Flips()
        self.objects: dict[int, object] = {}

    def keep(self, thing) -> int:
        number = len(self.objects) + 1
        self.objects[number] = thing
        return number

    # Modules

    def insmod(self, busybox: str, path: str, parameters: list) -> None:
        done = subprocess.run([busybox, "insmod", path, *parameters], capture_output=True, text=True)
        # Already loaded is fine; busybox has no exit status for that.
        if done.returncode != 0 and "File exists" not in done.stderr:
            raise OSError(done.stderr.strip())

    def rmmod(self, busybox: str, module: str) -> None:
        done = subprocess.run([busybox, "rmmod", module], capture_output=True, text=True)
        if done.returncode != 0:
            raise OSError(done.stderr.strip())

    def start_udev(self, udevd: str) -> None:
        """Only udev gives devices their properties (ID_INPUT_TOUCHSCREEN) and programs their hotplug events."""
        subprocess.run([udevd, "--daemon", "--resolve-names=never"], check=True)
        subprocess.run(["udevadm", "trigger", "--settle"], check=True)

    # Input devices

    def create_device(self, description: dict) -> dict:
        device = uinput.Device(description)
        return {"device": self.keep(device), "node": device.node}

    def play(self, device: int, frames: list) -> list:
        return self.objects[device].play(frames)

    def destroy_device(self, device: int) -> None:
        self.objects[device].destroy()

    def open_reader(self, node: str) -> int:
        return self.keep(evdev.Reader(node))

    def read_events(self, reader: int) -> list:
        return self.objects[reader].read()

    def close_reader(self, reader: int) -> None:
        self.objects[reader].close()

    def create_hid(self, description: dict) -> int:
        return self.keep(uhid.Device(description))

    def play_hid(self, device: int, reports: list) -> None:
        self.objects[device].play(reports)

    def destroy_hid(self, device: int) -> None:
        self.objects[device].destroy()

    # Programs

    def start(self, argv: list, env: dict, tty, cwd: str) -> dict:
        started = program.Program(argv, env, tty, cwd)
        return {"program": self.keep(started), "pid": started.process.pid}

    def program_log(self, program: int) -> str:
        return self.objects[program].log()

    def wait_line(self, program: int, pattern: str, seconds: float):
        return self.objects[program].wait_line(pattern, seconds)

    def wait(self, program: int, seconds: float):
        return self.objects[program].wait(seconds)

    def signal(self, program: int, number: int) -> None:
        self.objects[program].process.send_signal(number)

    def wakeups(self, program: int) -> int:
        return self.objects[program].wakeups()

    def open_files(self, program: int) -> list:
        return self.objects[program].open_files()

    def settle(self, program: int, quiet: float, seconds: float) -> bool:
        """Waits until the program has not flipped and used no processor time for `quiet` seconds."""
        watched = self.objects[program]
        deadline = time.monotonic() + seconds
        last, since = None, time.monotonic()
        while time.monotonic() < deadline:
            self.flips.drain()
            now = (len(self.flips.delivered), watched.wakeups(), watched.ticks())
            if now != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since >= quiet:
                return True
            time.sleep(0.02)
        return False

    # Display

    def start_tracing(self) -> None:
        self.flips.start()

    def forget_flips(self) -> None:
        self.flips.forget()

    def read_flips(self) -> dict:
        self.flips.drain()
        return {"delivered": self.flips.delivered, "busy": self.flips.busy}

    def read_vblanks(self) -> list:
        self.flips.drain()
        return sorted(self.flips.vblanks.items())

    def start_checksums(self) -> int:
        return self.keep(crc.Checksums())

    def stop_checksums(self, checksums: int, last: int) -> list:
        self.objects[checksums].close(last)
        return self.objects[checksums].frames

    def cards(self) -> list:
        return scanout.cards()

    def grab(self, path: str) -> dict:
        return scanout.grab(path)

    def read_framebuffer(self, node: str, path: str) -> dict:
        return framebuffer.read(node, path)

    def double_framebuffer(self, node: str) -> None:
        framebuffer.double(node)

    # Terminals

    def console(self, tty: str) -> dict:
        return console.state(tty)

    def restore_console(self, tty: str) -> None:
        console.restore(tty)

    def write_console(self, tty: str, text: str) -> None:
        console.write(tty, text)

    def switch_console(self, number: int) -> None:
        console.switch(number)

    # Files and time

    def read_file(self, path: str) -> str:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")

    def write_file(self, path: str, text: str) -> None:
        with open(path, "w") as file:
            file.write(text)

    def make_folder(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    def glob(self, pattern: str) -> list:
        return sorted(glob.glob(pattern))

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def monotonic(self) -> float:
        return time.monotonic()

    def reset(self) -> None:
        """Ends all programs and unplugs all devices of a test."""
        for thing in self.objects.values():
            if isinstance(thing, program.Program) and thing.process.poll() is None:
                thing.process.send_signal(signal.SIGCONT)
                thing.process.kill()
                thing.process.wait()
            elif isinstance(thing, (uinput.Device, uhid.Device)):
                thing.destroy()
            elif isinstance(thing, (evdev.Reader, crc.Checksums)):
                thing.close()
        self.objects.clear()
        console.restore("/dev/tty1")
        self.flips.forget()


def answer(agent: Agent, line: bytes) -> dict:
    try:
        request = json.loads(line)
        return {"result": getattr(agent, request["call"])(**request["arguments"])}
    except Exception as error:
        traceback.print_exc()  # on the console, with the kernel's messages
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    agent = Agent()
    port = open_port()
    os.write(port, b'{"result": "hello"}\n')
    waiting = b""
    while True:
        content = os.read(port, 1 << 16)
        if not content:
            time.sleep(0.05)  # the host has closed its end
            continue
        waiting += content
        while b"\n" in waiting:
            line, waiting = waiting.split(b"\n", 1)
            reply = memoryview(json.dumps(answer(agent, line)).encode() + b"\n")
            while reply:
                reply = reply[os.write(port, reply):]


if __name__ == "__main__":
    sys.exit(main())
