# SPDX-License-Identifier: Apache-2.0
"""tools/run: panel and gateway for a visitor, and nothing of them when it ends."""

import os
import pty
import shutil
import signal
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import pytest
from conftest import wait

RUN = Path(__file__).parents[2] / "tools/run"


class Run:
    def __init__(self, folder: Path, **programs):
        self.folder = folder
        self.temporary = Path(tempfile.mkdtemp(dir="/tmp"))
        programs = {"INKPANEL": os.environ["INKPANEL"], "GATEWAY": os.environ["GATEWAY"]} | programs
        environment = os.environ | {"XDG_RUNTIME_DIR": str(self.temporary), "PORT": "0"}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(RUN, [str(RUN), programs["INKPANEL"], programs["GATEWAY"], str(folder / "run")], environment)
        self.output = ""
        self.is_closed = False

    def read(self, until: str | None = None):
        while until is None or until not in self.output:
            try:
                piece = os.read(self.terminal, 4096)
            except OSError:
                piece = b""
            if not piece:
                assert until is None, self.output
                return
            self.output += piece.decode()

    @property
    def url(self) -> str:
        return next(word for word in self.output.split() if word.startswith("http"))

    def children(self) -> dict[str, int]:
        listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(self.process)], capture_output=True, text=True)
        return {name: int(number) for number, name in (line.split() for line in listed.stdout.splitlines())}

    def end(self) -> int:
        if not self.is_closed:
            self.read()
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        self.left = list(self.temporary.iterdir())
        shutil.rmtree(self.temporary)
        return status


def is_running(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("way, status", [
    ("Ctrl-C", 0), ("SIGTERM", 0), ("SIGKILL", -9), ("inkpanel", 1), ("inkpanel-gateway", 1), ("closed terminal", 0)])
def test_nothing_is_left(tmp_path, way, status):
    run = Run(tmp_path)
    run.read("Ctrl-C ends.")
    children = run.children()
    programs = {name: number for name, number in children.items() if name.startswith("inkpanel")}
    assert len(programs) == 2, children
    assert urllib.request.urlopen(run.url).status == 200
    if way == "Ctrl-C":
        os.write(run.terminal, b"\x03")
    elif way == "closed terminal":
        os.close(run.terminal)
        run.is_closed = True
    elif way.startswith("SIG"):
        os.kill(run.process, getattr(signal, way))
    else:
        # The kernel keeps 15 characters of a name.
        os.kill(programs[way[:15]], signal.SIGKILL)
    assert run.end() == status
    wait(lambda: not any(is_running(number) for number in programs.values()))
    assert way == "SIGKILL" or run.left == []
    if status == 1:
        assert f"the {'gateway' if 'gateway' in way else 'panel'} has ended" in run.output


def test_the_token_is_kept_for_the_next_start(tmp_path):
    tokens = []
    for _ in range(2):
        run = Run(tmp_path)
        run.read("Ctrl-C ends.")
        tokens.append(run.url.split("#")[1])
        os.write(run.terminal, b"\x03")
        assert run.end() == 0
    assert tokens[0] == tokens[1]
    kept = tmp_path / "run/visitor-token"
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_program_that_does_not_start(tmp_path):
    run = Run(tmp_path, GATEWAY="/bin/false")
    assert run.end() == 1
    assert "the gateway does not start" in run.output
    assert run.left == []
