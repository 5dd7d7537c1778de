# SPDX-License-Identifier: Apache-2.0
"""The examples in PHP and C#."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import EXAMPLES, run
from flaky import Told
from inkpanel import CaptureRequest
from support import breadth
from support.waiting import wait_for


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Words that start each example."""
    assembly = tmp_path_factory.mktemp("cs") / "gateway.exe"
    run(["/usr/bin/mcs", "-warnaserror", "-r:System.Net.Http", "-r:System.Runtime.Serialization", f"-out:{assembly}",
         EXAMPLES / "gateway.cs"], assembly.parent)
    return {"php": ["/usr/bin/php", EXAMPLES / "gateway.php"], "cs": ["/usr/bin/mono", assembly]}


def said(words: list, folder: Path, status: int = 0) -> str:
    """What an example prints."""
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=120)
    # Mono 6.8 sometimes aborts with an assertion of its own when it ends. The example has printed all then.
    errors, mark, _ = done.stderr.partition("* Assertion at mono-threads.c")
    assert mark or done.returncode == status, done.stdout + done.stderr
    return done.stdout + errors


@pytest.mark.parametrize("language", ["php", "cs"])
def test_an_example_signs_and_says_what_fails(programs, language, inkpanel_simulator, inkpanel_pad, tmp_path):
    words = [*programs[language], inkpanel_simulator.url, inkpanel_simulator.token]
    assert said(words, tmp_path) == "accepted\n"
    assert (tmp_path / "signature.png").read_bytes().startswith(b"\x89PNG")
    inkpanel_simulator.act("cancel")
    (tmp_path / "signature.png").unlink()
    assert said(words, tmp_path) == "cancelled\n" and not (tmp_path / "signature.png").exists()
    assert "wrong" in said([*words[:-1], "ipt_x"], tmp_path, 1)
    inkpanel_simulator.act("leave")
    inkpanel_pad.ask(CaptureRequest(prompt=["Another one"]))
    assert "Another capture" in said(words, tmp_path, 1)


@pytest.mark.parametrize("body, language", breadth.pairs([b"{}", b"<html>", b"null", b'"x"', b"[]"], ["php", "cs"]))
def test_what_is_no_gateway_is_told_and_not_asked_again(programs, language, body, tmp_path):
    with Told(lambda *_: (200, {}, body)) as told:
        text = said([*programs[language], told.url, "ipt_x"], tmp_path, 1)
        assert "not" in text and "Inkpanel's gateway" in text
        assert told.count == 1


def test_ctrl_c_cancels_the_capture_of_the_example_in_c_sharp(programs, inkpanel_simulator, inkpanel_pad, tmp_path):
    inkpanel_simulator.act("leave")
    words = [str(word) for word in [*programs["cs"], inkpanel_simulator.url, inkpanel_simulator.token]]
    # Mono handles the key on a terminal only.
    program = subprocess.Popen(
        ["/usr/bin/script", "-qec", "exec " + shlex.join(words), "/dev/null"], cwd=tmp_path, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm"})
    wait_for(lambda: inkpanel_pad.status().running)
    text = program.communicate(b"\x03", timeout=60)[0]
    assert b"interrupted" in text and (program.returncode == 1 or b"Assertion at mono-threads.c" in text)
    wait_for(lambda: inkpanel_pad.status().running is None, 30)
