# SPDX-License-Identifier: Apache-2.0
"""What inkpanel-deliver.service notes of its last run, for `inkpanel status --check`."""

import shlex
import subprocess

from conftest import UNIT


def end(folder, result: str):
    """The unit's ExecStopPost=, as systemd starts it."""
    lines = UNIT.read_text().replace("\\\n", " ").splitlines()
    command, = [line.partition("=")[2] for line in lines if line.startswith("ExecStopPost=")]
    environment = {"SERVICE_RESULT": result, "RUNTIME_DIRECTORY": str(folder), "PATH": "/usr/bin:/bin"}
    subprocess.run(shlex.split(command.replace("$$", "$")), env=environment, check=True)


def test_the_last_success_and_failure_are_noted(tmp_path):
    end(tmp_path, "exit-code")
    assert [path.name for path in tmp_path.iterdir()] == ["failed"]
    end(tmp_path, "success")
    assert [path.name for path in tmp_path.iterdir()] == ["delivered"]
    assert (tmp_path / "delivered").stat().st_mode & 0o777 == 0o644
    delivered = (tmp_path / "delivered").stat().st_mtime_ns
    end(tmp_path, "timeout")
    assert {path.name for path in tmp_path.iterdir()} == {"delivered", "failed"}
    assert (tmp_path / "delivered").stat().st_mtime_ns == delivered
