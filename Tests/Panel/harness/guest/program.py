# SPDX-License-Identifier: Apache-2.0
"""A program started in the guest: its terminal, its log, its signals, what the kernel counts about it."""

import fcntl
import glob
import os
import re
import subprocess
import termios
import time

LOGS = "/run/panel"
SIGNAL_PERIOD = 0.01


class Program:
    count = 0

    def __init__(self, argv: list, env: dict, tty, cwd: str):
        os.makedirs(LOGS, exist_ok=True)
        Program.count += 1
        # In the guest's memory: a log on the 9p share would make each of the program's lines a slow call to the host.
        self.path = f"{LOGS}/{Program.count}.log"
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", **env}
        stdin = os.open(tty, os.O_RDWR | os.O_NOCTTY) if tty else os.open("/dev/null", os.O_RDONLY)
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(
                argv, env=environment, cwd=cwd, stdin=stdin, stdout=log, stderr=log, start_new_session=True,
                # As StandardInput=tty does under systemd: then KDSETMODE needs no capability.
                preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 1)) if tty else None)
        os.close(stdin)

    def log(self) -> str:
        with open(self.path, "rb") as file:
            return file.read().decode(errors="replace")

    def wait_line(self, pattern: str, seconds: float):
        """The first line of the log that has the pattern; None when the program ends or time runs out without it."""
        deadline = time.monotonic() + seconds
        while True:
            ended = self.process.poll() is not None
            for line in self.log().splitlines():
                if re.search(pattern, line):
                    return line
            if ended or time.monotonic() > deadline:
                return None
            time.sleep(SIGNAL_PERIOD)

    def wait(self, seconds: float):
        """The exit status as Python has it (minus the signal), None while it runs."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def tasks(self) -> list[str]:
        return glob.glob(f"/proc/{self.process.pid}/task/*")

    def wakeups(self) -> int:
        """How often its threads went to sleep of their own accord, which is how often they were woken."""
        total = 0
        for task in self.tasks():
            try:
                status = read(f"{task}/status")
            except (FileNotFoundError, ProcessLookupError):
                continue  # a thread that ended since they were listed, before it was opened or before it was read
            found = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.MULTILINE)
            total += int(found[1]) if found else 0
        return total

    def ticks(self) -> int:
        """Processor time used by all threads, in clock ticks."""
        fields = read(f"/proc/{self.process.pid}/stat").rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def open_files(self) -> list[str]:
        found = []
        for link in glob.glob(f"/proc/{self.process.pid}/fd/*"):
            try:
                found.append(os.readlink(link))
            except FileNotFoundError:
                pass  # closed since the folder was listed
        return sorted(found)


def read(path: str) -> str:
    with open(path) as file:
        return file.read()
