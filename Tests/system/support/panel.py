# SPDX-License-Identifier: Apache-2.0
"""A panel that runs: the program `inkpanel run` with a simulated person and a display in memory."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Self

from support.waiting import wait_for

PROGRAM = os.environ.get("INKPANEL", "inkpanel")


class Panel:
    """Has a folder with a store, a socket for hosts, a configuration and a log. Starts anew after its end."""

    def __init__(self, folder: Path, configuration: str = "", environment: dict[str, str] = {}):
        folder.mkdir(exist_ok=True)
        self.folder, self.store, self.socket = folder, folder / "store", folder / "s"
        self.file = folder / "inkpanel.toml"
        self.file.write_text(f'[control]\ngroup = ""\n{configuration}')
        self.environment = {**os.environ, **environment}
        self.process: subprocess.Popen | None = None

    @property
    def words(self) -> list:
        return ["run", "--simulate", "--display", "headless:800x480", "--config", self.file, "--store", self.store,
                "--socket", self.socket]

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def start(self, *options) -> Self:
        with (self.folder / "log").open("ab") as log:
            before = log.tell()
            self.process = subprocess.Popen([PROGRAM, *self.words, *options], stdout=log, stderr=log, env=self.environment)

        def is_ready() -> bool:
            # The store has been read, and the idle page is shown.
            assert self.process.poll() is None, self.log
            return b"inkpanel: ready: " in (self.folder / "log").read_bytes()[before:] and self.socket.exists()

        wait_for(is_ready, 60, "the panel")
        return self

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            assert self.process.wait(30) == 0, self.log
            self.process = None

    def kill(self) -> None:
        """Its socket stays."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        self.process = None

    def run(self, *words) -> subprocess.CompletedProcess:
        """A command that asks this panel."""
        return subprocess.run(
            [PROGRAM, *words, "--socket", self.socket], capture_output=True, text=True, timeout=60, env=self.environment)

    def command(self, *words, status: int = 0) -> str:
        """What a command prints: on standard output, or with another status on standard error."""
        done = self.run(*words)
        assert done.returncode == status, (words, done.stdout, done.stderr)
        return done.stderr if status else done.stdout
