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

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "Tests/system/Gateway"))
from flaky import Told  # noqa: E402

NODE = Path(playwright.__file__).parent / "driver/node"
STREAM = {"Content-Type": "text/event-stream"}


@pytest.fixture
def node(tmp_path):
    """Runs the body of a function with `url` and `Inkpanel`, and returns what it returns."""
    shutil.copy(ROOT / "Sources/Gateway/Web/inkpanel.js", tmp_path / "inkpanel.mjs")

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
        for _ in range(10):
            time.sleep(0.5)
            yield b":\n\n"

    # The connection ends before the body.
    cut = STREAM | {"Content-Length": "1000"}
    with Told(lambda number, *_: (200, cut, heartbeats()) if number == 1 else (200, STREAM, ENDED)) as told:
        # A second is 200, so that a busy machine's pause does not pass for one of ten minutes.
        assert node(FOLLOW.replace("* 2000", "* 200"), told.url)["state"] == "ended"
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


PROBLEM = {"Content-Type": "application/problem+json"}


@pytest.mark.parametrize("answer, reason, remedy", [
    ((200, {"Content-Type": "text/html"}, b"<html>"), "not-a-gateway", "check host and port"),
    ((200, {}, b""), "not-a-gateway", "check host and port"),
    ((200, {}, b"[]"), "not-a-gateway", "check host and port"),
    ((200, {}, b"null"), "not-a-gateway", "check host and port"),
    ((200, {}, b"[" * 100000), "not-a-gateway", "check host and port"),
    ((404, {}, b"none"), "http-404", "check scheme, host, port and path"),
    ((400, PROBLEM, b"null"), "http-400", "check scheme, host, port and path"),
    ((400, PROBLEM, b'{"type": 5, "detail": 5}'), "5", "5"),
    ((503, {"Content-Type": "text/html"}, b"<html>"), "http-503", "try again"),
    ((200, {"Content-Length": "9"}, b"{"), "unreachable", "Try again"),
    (None, "unreachable", "No answer"),
])
def test_a_server_that_is_no_gateway(node, answer, reason, remedy):
    with Told(lambda *_: answer) as told:
        for call in ("status()", "cancel('1')", "ask({})"):
            error = node(f"return await new Inkpanel({{ url, token: 'x' }}).{call}", told.url)
            assert error["name"] == "InkpanelError" and error["reason"] == reason and remedy in error["message"], error


def test_an_answer_without_what_all_have(node):
    with Told(lambda number, *_: (200, {}, b"{}") if number == 1 else (200, STREAM, event(1))) as told:
        pad = "const pad = new Inkpanel({ url, token: 'x' });"
        assert node(pad + "return await pad.capture({})", told.url)["reason"] == "not-a-gateway"
        assert node(pad + "return await pad.follow('1')", told.url)["reason"] == "not-a-gateway"
        assert told.count == 2


@pytest.mark.parametrize("options, is_cancelled", [("{}", True), ("{ key: '4711' }", False)])
def test_a_capture_whose_answer_is_lost_is_cancelled_unless_its_key_is_known(node, options, is_cancelled):
    calls = []

    def tell(number, method, path):
        calls.append(f"{method} {path}")
        if number == 2:
            # The gateway is still at the first request.
            return 409, PROBLEM, b'{"type": "urn:inkpanel:problem:key-in-use", "detail": "not answered yet"}'
        return None if number == 1 else (200, {}, b'{"id": "1", "state": "waiting"}')

    with Told(tell) as told:
        error = node(
            "try { return await new Inkpanel({ url, token: 'x' }).capture({}, " + options + ") }"
            "finally { await new Promise(done => setTimeout(done, 1000)) }", told.url)
        assert error["reason"] == "unreachable"
    again = ["POST /v1/captures", "POST /v1/captures", "POST /v1/captures/1/cancel"]
    assert calls == ["POST /v1/captures"] + again * is_cancelled


@pytest.mark.parametrize("call, reason", [
    ("ask({}, { key: 'Auftrag-\u6ce8' })", "bad-key"), ("ask({}, { key: 'a\\nb' })", "bad-key"),
    ("ask({}, { key: '' })", "bad-key"), ("ask({}, { key: 5 })", "bad-key"), ("ask({ data: 5n })", "bad-argument"),
    ("capture({}, { key: 'a'.repeat(256) })", "bad-key"), ("cancel()", "bad-argument"), ("follow('')", "bad-argument"),
])
def test_arguments_that_cannot_be_sent(node, call, reason):
    with Told(lambda *_: (500, {}, b"")) as told:
        error = node(f"return await new Inkpanel({{ url, token: 'x' }}).{call}", told.url)
        assert (error["name"], error["reason"], told.count) == ("InkpanelError", reason, 0)


@pytest.mark.parametrize("url", [
    "http://user:secret@pad.local", "http://secret@pad.local", "http://pad.local/#token=ipt_secret",
    "http://pad.local?token=secret", "ipt_secret", "ftp://pad.local",
])
def test_an_address_that_is_none(node, url):
    error = node("return new Inkpanel({ url, token: 'x' })", url)
    assert error["reason"] == "bad-url" and "secret" not in error["message"], error


def test_an_address_in_other_forms(node):
    with Told(lambda *_: (200, {}, b"{}")) as told:
        for url in ("new URL(url)", "url + '/'", "url.toUpperCase()", "' ' + url"):
            assert node(f"return await new Inkpanel({{ url: {url}, token: 'x' }}).status()", told.url) == {}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_does_not_get_the_body(node, status):
    bodies = []

    def tell(number, method, path):
        bodies.append(path)
        return (200, {}, b"{}") if path == "/other" else (status, {"Location": "/other"}, b"")
    with Told(tell) as told:
        error = node("return await new Inkpanel({ url, token: 'x' }).upload(new Blob(['secret']))", told.url)
    assert error["reason"] == f"http-{status}" and "/other" not in bodies


def test_an_answer_without_end_is_given_up(node):
    def pieces():
        while True:
            yield b" " * (1 << 20)
    with Told(lambda *_: (200, {"Content-Type": "application/json"}, pieces())) as told:
        error = node("return await new Inkpanel({ url, token: 'x' }).status()", told.url)
    assert error["reason"] == "unreachable" and "more than 16 MiB" in error["message"]
