# SPDX-License-Identifier: Apache-2.0
"""`inkpanel report --save`, which the image calls for boards without a network."""

import os
import subprocess

PROGRAM = os.environ["INKPANEL"]


def report(*words) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAM, "report", *words], capture_output=True, text=True)


def test_a_report_is_saved_onto_the_boot_partition(tmp_path):
    (tmp_path / "boot").mkdir()
    saved = tmp_path / "boot/inkpanel-report.txt"
    saved.touch()
    for _ in range(2):
        done = report("--root", tmp_path, "--socket", tmp_path / "none.sock", "--save")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done
        text = saved.read_text()
        assert text.startswith("Report of inkpanel ") and "\n== machine\n" in text and "\n== panel\n" in text
    assert os.listdir(tmp_path / "boot") == ["inkpanel-report.txt"] and saved.stat().st_mode & 0o777 == 0o644


def test_without_a_boot_partition_it_names_the_other_way(tmp_path):
    done = report("--root", tmp_path, "--socket", tmp_path / "none.sock", "--save")
    assert done.returncode == 69 and f"{tmp_path}/boot/inkpanel-report.txt" in done.stderr
    assert "use --output FILE" in done.stderr
    done = report("--save", "--output", tmp_path / "report")
    assert done.returncode == 64 and "leave out --output" in done.stderr and not (tmp_path / "report").exists()
