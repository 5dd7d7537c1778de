# SPDX-License-Identifier: Apache-2.0
"""A program running in the guest, usually inkpanel."""

import os
import signal
from pathlib import Path

from . import wording
from .failure import PanelFailure
from .machine import Machine
from .system import CHECKOUT

START_SECONDS = 60  # page faults over 9p on an emulated processor of a busy machine
STOP_SECONDS = 30
QUIET_SECONDS = 0.3


class Program:
    def __init__(self, machine: Machine, argv: list[str], env: dict, tty, cwd: str):
        self.machine = machine
        self.argv = argv
        started = machine.call("start", argv=argv, env=env, tty=tty, cwd=cwd)
        self.number, self.pid = started["program"], started["pid"]

    @property
    def log(self) -> str:
        """Its standard output and error so far."""
        return self.machine.call("program_log", program=self.number)

    def wait_line(self, pattern: str, within: float = START_SECONDS) -> str:
        """Waits for a log line with the pattern, and returns the first."""
        line = self.machine.ask("wait_line", within, program=self.number, pattern=pattern, seconds=within)
        if line is None:
            status = self.machine.ask("wait", 1, program=self.number, seconds=0)
            state = f"ended with status {status}" if status is not None else f"did not in {within:.0f} s"
            raise PanelFailure(f"{' '.join(self.argv)}: no line with {pattern!r}, {state}; its log:\n{self.log}")
        return line

    def signal(self, number: signal.Signals) -> None:
        self.machine.call("signal", program=self.number, number=int(number))

    def stop(self) -> None:
        self.signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    def wait(self, within: float = STOP_SECONDS) -> int:
        """Waits for its end; the exit status, or minus the signal that killed it."""
        status = self.machine.ask("wait", within, program=self.number, seconds=within)
        if status is None:
            raise PanelFailure(f"{' '.join(self.argv)}: still runs after {within:.0f} s; its log:\n{self.log}")
        return status

    @property
    def is_running(self) -> bool:
        return self.machine.call("wait", program=self.number, seconds=0) is None

    def terminate(self) -> int:
        """Ends it like `systemctl stop`; the exit status."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def settle(self, quiet: float = QUIET_SECONDS, within: float = 30) -> None:
        """Waits until it is idle: no flip, no wakeup and no processor time for `quiet` seconds."""
        if not self.machine.ask("settle", within, program=self.number, quiet=quiet, seconds=within):
            raise PanelFailure(f"{' '.join(self.argv)}: never idle for {quiet} s within {within:.0f} s; log:\n{self.log}")

    @property
    def wakeups(self) -> int:
        return self.machine.call("wakeups", program=self.number)

    @property
    def open_files(self) -> list[str]:
        return self.machine.call("open_files", program=self.number)

    @property
    def status(self) -> str:
        """/proc/PID/status: memory, threads, capabilities."""
        return self.machine.call("read_file", path=f"/proc/{self.pid}/status")


class Inkpanel(Program):
    def summary(self) -> dict:
        """The counts in its last line, after its end."""
        counts = wording.summary(self.log)
        if counts is None:
            raise PanelFailure(f"inkpanel left no line of counts; its log:\n{self.log}")
        return counts


def binary() -> Path:
    """The program under test: $INKPANEL, or the checkout's release build, or its debug build."""
    named = os.environ.get("INKPANEL")
    candidates = [Path(named)] if named else [CHECKOUT / ".build" / kind / "inkpanel" for kind in ("release", "debug")]
    for candidate in candidates:
        if candidate.exists():
            return candidate.resolve()
    raise PanelFailure(
        f"no program at {' or '.join(map(str, candidates))}: run `swift build`, or name it with INKPANEL=")


def host_binary() -> Path:
    """The same program for the host, if the guest has another processor: $INKPANEL_HOST."""
    named = os.environ.get("INKPANEL_HOST")
    return Path(named).resolve() if named else binary()
