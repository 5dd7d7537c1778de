# SPDX-License-Identifier: Apache-2.0
"""tools/suite runs a suite again when something has changed that it needs, and not otherwise."""

import os
import subprocess
from pathlib import Path

TOOL = Path(__file__).parents[3] / "tools/suite"


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
