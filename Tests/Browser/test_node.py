# SPDX-License-Identifier: Apache-2.0
"""inkpanel.js in Node, with servers that answer as told."""

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import playwright
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "Tests/Gateway"))
from flaky import Told  # noqa: E402

NODE = Path(playwright.__file__).parent / "driver/node"
STREAM = {"Content-Type": "text/event-stream"}


@pytest.fixture
def node(tmp_path):
    """Runs the body of a function with `url` and `Inkpanel`, and returns what it returns."""
    shutil.copy(ROOT / "Sources/inkpanel-gateway/Web/inkpanel.js", tmp_path / "inkpanel.mjs")

    def run(source: str, url: str):
        (tmp_path / "test.mjs").write_text(
            'import { Inkpanel, InkpanelError } from "./inkpanel.mjs"\n'
            f"const url = {json.dumps(url)}\nconst run = async () => {{ {source} }}\n"
            "const told = error => ({ name: error.name, reason: error.reason, message: error.message })\n"
            "console.log(JSON.stringify(await run().catch(told) ?? null))\nprocess.exit()")
        done = subprocess.run([NODE, "test.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
    return run


def event(number: int, **data) -> bytes:
    return f"id: {number}\nevent: state\ndata: {json.dumps(data)}\n\n".encode()


ENDED = event(2, id="1", state="ended", outcome={"result": "accepted"})
# The client's clock, on which a second is 33 minutes, and pauses that take no time.
FAST = """
    const [now, first, timer] = [Date.now, Date.now(), setTimeout]
    Date.now = () => first + (now() - first) * 2000
    globalThis.setTimeout = (run, time) => timer(run, time < 40000 ? time / 10 : time)
"""
FOLLOW = FAST + "return await new Inkpanel({ url, token: 'x' }).follow('1')"


def test_following_goes_on_after_a_stream_that_had_heartbeats_only(node):
    def heartbeats():
        yield event(1, id="1", state="signing")
        for _ in range(5):
            time.sleep(0.1)
            yield b":\n\n"

    # The connection ends before the body.
    cut = STREAM | {"Content-Length": "1000"}
    with Told(lambda number, *_: (200, cut, heartbeats()) if number == 1 else (200, STREAM, ENDED)) as told:
        assert node(FOLLOW, told.url)["state"] == "ended"
        assert told.count == 2


@pytest.mark.parametrize("answer, reason", [
    ((200, STREAM, b""), "unreachable"), ((204, {}, b""), "not-a-gateway"), ((503, {}, b""), "http-503"),
    (None, "unreachable"), ((200, {"Content-Type": "text/html"}, b"<html>\n\n"), "not-a-gateway"),
], ids=["an empty stream", "no content", "503", "no answer", "HTML"])
def test_following_gives_up(node, answer, reason):
    with Told(lambda *_: answer) as told:
        assert node(FOLLOW, told.url)["reason"] == reason
        assert told.count < 40


def test_an_error_of_the_program_ends_the_following(node):
    """Whatever it is: also one of the client's own class, of another call."""
    with Told(lambda *_: (200, STREAM, event(1, id="1", state="signing"))) as told:
        error = node(
            FAST + """return await new Inkpanel({ url, token: 'x' }).follow('1', {
                onChange: () => { throw new InkpanelError("unreachable", "of the program") } })""", told.url)
        assert error["message"] == "of the program" and told.count == 1
