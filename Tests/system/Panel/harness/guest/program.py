# SPDX-License-Identifier: Apache-2.0
"""A program in the guest: its terminal, log, signals, and the kernel's counters for it."""

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
        # The log is in the guest's memory: on the 9p share each line would be a slow call to the host.
        self.path = f"{LOGS}/{Program.count}.log"
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", **env}
        stdin = os.open(tty, os.O_RDWR | os.O_NOCTTY) if tty else os.open("/dev/null", os.O_RDONLY)
        with open(self.path, "wb") as log:
            self.process = subprocess.Popen(
                argv, env=environment, cwd=cwd, stdin=stdin, stdout=log, stderr=log, start_new_session=True,
                # A controlling terminal, like StandardInput=tty of systemd; KDSETMODE then needs no capability.
                preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 1)) if tty else None)
        os.close(stdin)

    def log(self) -> str:
        with open(self.path, "rb") as file:
            return file.read().decode(errors="replace")

    def wait_line(self, pattern: str, seconds: float):
        """The first log line with the pattern; None if the program ends or time runs out before."""
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
        """The exit status (minus the signal, if killed); None while it runs."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def tasks(self) -> list[str]:
        return glob.glob(f"/proc/{self.process.pid}/task/*")

    def wakeups(self) -> int:
        """The number of voluntary context switches of its threads, which is that of their wakeups."""
        total = 0
        for task in self.tasks():
            try:
                status = read(f"{task}/status")
            except (FileNotFoundError, ProcessLookupError):
                continue  # the thread has ended meanwhile
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
                pass  # closed meanwhile
        return sorted(found)


def read(path: str) -> str:
    with open(path) as file:
        return file.read()
