# SPDX-License-Identifier: Apache-2.0
"""`inkpanel-bench panel`, also where no panel is installed."""

import os
import re
import subprocess

PROGRAM = os.environ["INKPANEL"]
BENCH = os.environ["BENCH"]


def test_measures_an_uninstalled_panel(tmp_path):
    bench = subprocess.run(
        [BENCH, "panel", "--inkpanel", PROGRAM, "--seconds", "1", "--size", "320x200"], capture_output=True, text=True, timeout=120,
        env={**os.environ, "TMPDIR": str(tmp_path)})
    assert bench.returncode == 0, bench.stderr
    assert re.search(r"^reports played, reports not drawn +990, 0$", bench.stdout, re.M), bench.stdout
    assert not list(tmp_path.iterdir())
