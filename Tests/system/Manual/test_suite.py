# SPDX-License-Identifier: Apache-2.0
"""Which tests are run: those that a change needs, and in `make test-long` those that `make test` leaves out."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.breadth import share

TOP = Path(__file__).parents[3]
TOOL = TOP / "tools/suite"


def test_a_suite_that_has_passed_is_repeated_when_what_it_needs_has_changed(tmp_path):
    def git(*words) -> None:
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=tmp_path, check=True)

    def runs(*command, **variables) -> bool:
        """Whether the suite began; its command writes a line."""
        before = len(log.read_text())
        words = [TOOL, "unit", "1", "end", *(command or ("sh", "-c", "echo run >>log"))]
        ended = subprocess.run(
            words, cwd=tmp_path, env={**os.environ, "NEEDS": "Sources Tests", **variables}, capture_output=True, text=True)
        assert ended.returncode == (command == ("false",)), ended
        begins = "unit: begins" in ended.stdout
        assert begins != ("nothing that it needs has changed since; make test ALL=1" in ended.stdout), ended
        assert command or begins == (len(log.read_text()) > before)
        return begins

    log, source = tmp_path / "log", tmp_path / "Sources/one"
    source.parent.mkdir()
    for path in (log, source):
        path.write_text("")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    assert runs() and not runs()
    source.write_text("changed")
    assert runs() and not runs()
    git("commit", "-qam", "the same files")
    assert not runs()
    (source.parent / "new").write_text("unknown to git")
    assert runs() and not runs()
    source.unlink()
    assert runs() and not runs()
    (tmp_path / "README.md").write_text("not needed")
    assert not runs()
    # A failure is no pass, nor is what was edited during the run.
    assert runs("false") and runs("false")
    assert runs("sh", "-c", "echo 1 >>Sources/one") and runs("sh", "-c", "echo 1 >>Sources/one")
    assert runs() and not runs()
    assert runs(ALL="1") and runs(GOLDEN="write") and runs()
    # Where nothing says what it needs, it always runs.
    assert runs(NEEDS="") and runs(NEEDS="")


def run_suite(folder: Path, *words, workers=("-p", "no:xdist"), **variables) -> subprocess.CompletedProcess:
    """As `make test` does: the suite, and what it leaves to be run alone when all suites have ended."""
    command = shlex.join(map(str, [
        TOOL, "some", "1", "end", sys.executable, "-m", "pytest", "-q", *workers, "--rootdir", folder, *words]))
    return subprocess.run(
        ["sh", "-c", f"{command} && {TOOL}-again"], cwd=folder, env={**os.environ, **variables}, capture_output=True,
        text=True)


WORKERS = [("-p", "no:xdist"), ("-n", "2", "--dist", "loadgroup")]


@pytest.mark.parametrize("workers", WORKERS, ids=["one process", "groups"])
@pytest.mark.parametrize("faults,passes", [(1, True), (2, True), (3, False)])
def test_a_test_that_fails_beside_others_is_tried_alone(tmp_path, faults, passes, workers):
    """Those that pass then are named. More than two are no accident, nor is a test that fails twice."""
    (tmp_path / "test_one.py").write_text(f"""
import os, pathlib, pytest
def test_sound(): pathlib.Path("sound").open("a").write("x")
@pytest.mark.xdist_group("a guest")
@pytest.mark.parametrize("number", range({faults}))
def test_busy(number):
    seen = pathlib.Path(str(number))
    if not seen.exists():
        seen.touch()
        assert False
    assert not os.environ.get("BROKEN")
""")

    ended = run_suite(tmp_path, "test_one.py", workers=workers)
    assert ended.returncode == (0 if passes else 1), ended
    assert ended.stdout.count("some: UNSTABLE, passed alone: test_one.py::test_busy") == (faults if passes else 0)
    assert (tmp_path / "sound").read_text() == "x", "what passed is not run again"
    for number in range(faults):
        (tmp_path / str(number)).unlink()
    shutil.rmtree(tmp_path / ".build/suites/again", ignore_errors=True)
    ended = run_suite(tmp_path, "test_one.py", workers=workers, BROKEN="1")
    assert ended.returncode == 1 and "UNSTABLE" not in ended.stdout, ended


@pytest.mark.parametrize("words,ending", [(["-x"], "pass"), ([], "pytest.skip()")])
def test_a_suite_that_stops_early_or_skips_the_second_time_fails(tmp_path, words, ending):
    (tmp_path / "test_one.py").write_text(f"""
import pathlib, pytest
def test_busy():
    seen = pathlib.Path("seen")
    if not seen.exists():
        seen.touch()
        assert False
    {ending}
def test_later(): pass
""")
    ended = run_suite(tmp_path, *words, "test_one.py")
    assert ended.returncode == 1 and "UNSTABLE" not in ended.stdout, ended


@pytest.mark.parametrize("line,status", [
    ("Sources/Ink/Pen.swift:3:1: warning: unused", 1), ("Tests/unit/A.swift:3:1: warning: unused", 1),
    (".build/checkouts/other/Sources/A.swift:3:1: warning: unused", 0), ("Sources/Ink/Pen.swift:3:1: note: here", 0)])
def test_a_warning_about_our_code_fails_the_build(tmp_path, line, status):
    folder = tmp_path / "c++ [x]"
    folder.mkdir()
    ended = subprocess.run(
        [TOP / "tools/without-warnings", "echo", f"{folder}/{line}"], cwd=folder, capture_output=True, text=True)
    assert ended.returncode == status and (line in ended.stderr) == (status == 1), ended
    ended = subprocess.run([TOP / "tools/without-warnings", "sh", "-c", "exit 3"], cwd=tmp_path, capture_output=True)
    assert ended.returncode == 3, ended


def runs_of_pytest(target: str) -> list[tuple[str, str | None, list[str]]]:
    """Which Python runs which paths whole, and which marks it selects: None if all."""
    said = subprocess.run(["make", "-n", target], cwd=TOP, capture_output=True, text=True, check=True).stdout
    runs = []
    for line in said.replace("\\\n", " ").splitlines():
        words = shlex.split(line) if " -m pytest " in line else []
        if words:
            start = words.index("pytest")
            options = words[start + 1:]
            marks = options[options.index("-m") + 1] if "-m" in options else None
            if "-k" not in options:
                runs.append((words[start - 3], marks, [word for word in options if word.startswith("Tests/")]))
    return runs


def test_what_a_commit_leaves_out_is_run_at_night():
    """test_workflows.py compares the nightly workflow with `make test-long`."""
    brief, whole = runs_of_pytest("test"), runs_of_pytest("test-long")
    assert len(brief) > 14 and {marks for _, marks, _ in brief} == {"not long"}
    for python, _, paths in brief:
        for path in paths:
            assert any(
                path in others and python == other and marks in (None, "long") for other, marks, others in whole), path


def test_random_cases_are_more_at_night():
    def breadth(*words: str) -> str:
        command = ["make", "-s", "--eval", "breadth:;@echo $$INKPANEL_TEST_BREADTH", "breadth", *words]
        environment = {name: value for name, value in os.environ.items() if name != "INKPANEL_TEST_BREADTH"}
        return subprocess.run(
            command, cwd=TOP, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    assert (breadth(), breadth("LONG=1")) == ("", "long")
    # The unit tests, which pytest does not run, and all suites but those that the mark selects.
    # make test has another way to show the output.
    environment = {name: value for name, value in os.environ.items() if name != "SHOWS"}
    said = subprocess.run(
        ["make", "-n", "breadth-test"], cwd=TOP, env=environment, capture_output=True, text=True, check=True).stdout
    assert " LONG=1 unit " in said and "tools/suite unit 120 live swift test" in said


def test_each_case_of_a_shared_list_is_either_brief_or_long():
    for first in range(3):
        cases = share(range(7), 3, first)
        assert [case.values for case in cases] == [(number,) for number in range(7)]
        assert [number for number, case in enumerate(cases) if not case.marks] == list(range(first, 7, 3))
    assert share([(1, 2)], 1, several=True)[0].values == (1, 2)
