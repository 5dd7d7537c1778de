# SPDX-License-Identifier: Apache-2.0
"""`inkpanel bench panel`, which has the README's numbers: also where no panel is installed."""

import os
import re
import subprocess

PROGRAM = os.environ["INKPANEL"]


def test_a_panel_is_measured_without_a_place_for_its_socket_and_records(tmp_path):
    bench = subprocess.run(
        [PROGRAM, "bench", "panel", "--seconds", "1", "--size", "320x200"], capture_output=True, text=True, timeout=120,
        env={**os.environ, "TMPDIR": str(tmp_path)})
    assert bench.returncode == 0, bench.stderr
    assert re.search(r"^reports played, reports not drawn +990, 0$", bench.stdout, re.M), bench.stdout
    assert not list(tmp_path.iterdir())
