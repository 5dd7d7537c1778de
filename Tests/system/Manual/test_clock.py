# SPDX-License-Identifier: Apache-2.0
"""systemd/clock: no boot begins before the last seal. The clock of this machine is not set: a fake `date` notes it."""

import os
import subprocess
import time
from pathlib import Path

import pytest

TOP = Path(__file__).parents[3]


@pytest.fixture
def begin(tmp_path):
    """Runs the script, and returns what it says and the time to which it set the clock, if it did."""
    programs, store = tmp_path / "bin", tmp_path / "records"
    programs.mkdir()
    (programs / "date").write_text(
        '#!/bin/sh\ncase $1 in --set=*) echo "$1" >"$SET" ;; *) exec /bin/date "$@" ;; esac\n')
    (programs / "date").chmod(0o755)
    configuration = tmp_path / "inkpanel.toml"
    configuration.write_text(f'[record]\ndirectory = "{store}"\n')
    program = programs / "inkpanel"
    program.write_text(f'#!/bin/sh\nexec {os.environ["INKPANEL"]} "$@" --config {configuration}\n')
    program.chmod(0o755)

    def run(seconds_from_now: int | None, synchronized: Path = tmp_path / "no"):
        if seconds_from_now is not None:
            (store / "seals").mkdir(parents=True, exist_ok=True)
            at = int(time.time()) + seconds_from_now
            os.utime(store / "seals", (at, at))
        done = subprocess.run(
            [TOP / "systemd/clock"], capture_output=True, text=True, timeout=20,
            env={
                **os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "INKPANEL": str(program),
                "SET": str(tmp_path / "set"), "INKPANEL_SYNCHRONIZED": str(synchronized)})
        assert done.returncode == 0, done.stderr
        sets = (tmp_path / "set").read_text().strip() if (tmp_path / "set").exists() else None
        return done.stdout, sets, store
    return run


def test_a_clock_before_the_last_seal_is_set_to_its_time(begin):
    said, sets, store = begin(3600)
    assert sets == f"--set=@{int((store / 'seals').stat().st_mtime)}"
    assert said.startswith("inkpanel: the clock was before the last seal")


@pytest.mark.parametrize("seconds", [-3600, None, 11 * 365 * 86400], ids=["a seal before", "no seal", "eleven years"])
def test_a_clock_after_the_last_seal_stays(begin, seconds):
    assert begin(seconds)[:2] == ("", None)


def test_a_clock_of_a_time_server_stays(begin, tmp_path):
    assert begin(3600, synchronized=tmp_path)[:2] == ("", None)
