# SPDX-License-Identifier: Apache-2.0
"""The Python package: types, both kinds of calls, retries, and captures that end with what waits for them."""

import asyncio
import dataclasses
import json
import signal
import ssl
import subprocess
import threading
import time
from pathlib import Path

import inkpanel
import pytest
from conftest import ROOT, run
from flaky import Flaky, Told
from inkpanel import AsyncPad, Capture, CaptureRequest, InkpanelError, Outcome, Pad, Policy, Row, SessionRequest
from support.waiting import wait_for

INTERFACE = json.loads((ROOT / "Sources/Gateway/Web/openapi.json").read_text())
REQUEST = CaptureRequest(prompt=["Delivery 4711"], rows=[Row("Order", "4711")], policy=Policy(undo=False))


def is_free(pad: Pad) -> bool:
    return pad.status().running is None


def test_the_package_is_installed_from_its_file_and_has_types(installed, tmp_path):
    said = run([installed, "-c", "import inkpanel; print(inkpanel.__file__)"], tmp_path, PYTHONPATH="")
    assert "site-packages" in said
    assert "--listen" in run([installed.parent / "inkpanel-simulator", "--help"], tmp_path, PYTHONPATH="")
    (tmp_path / "host.py").write_text("""
from inkpanel import AsyncPad, Capture, CaptureRequest, Inkpanel, Pad, Row
pad = Pad("https://pad.example", "ipt_x")
capture: Capture = pad.capture(CaptureRequest(prompt=["a"], rows=[Row("b", "c")]), on_change=lambda c: print(c.state))
async def later() -> bytes:
    return await AsyncPad("https://pad.example", "ipt_x").file(capture.id, "signature.png", dpi=300, transparent=True)
known: int | None = capture.seal.n if capture.seal else None
old: dict[str, object] = Inkpanel("https://pad.example", "ipt_x").status()
pad.capture(CaptureRequest(prompt="not a list"))
capture.outcome.result
""")
    said = run(["/usr/bin/mypy", "--strict", "--python-executable", installed, "host.py"], tmp_path, 1, PYTHONPATH="")
    assert 'expected "Optional[List[str]]"' in said and 'has no attribute "result"' in said, said
    assert "Found 2 errors" in said, said


def test_the_lines_of_a_text_are_enough(inkpanel_simulator, inkpanel_pad):
    lines = ["Delivery 4711", "received"]
    file = inkpanel.Inkpanel(inkpanel_simulator.url, inkpanel_simulator.token)
    for identity in (inkpanel_pad.capture(lines).id, file.capture(lines)["id"]):
        record = inkpanel_pad.file(identity, "record.jsonl").splitlines()[0]
        assert json.loads(record)["request"]["prompt"] == lines


def test_the_package_itself_is_strict(tmp_path):
    folder = Path(inkpanel.__file__).parent
    run(["/usr/bin/mypy", "--strict", "--cache-dir", tmp_path, "-p", "inkpanel"], folder.parent, PYTHONPATH="")


def test_the_single_file_is_in_the_package_as_it_is():
    assert (Path(inkpanel.__file__).parent / "client.py").read_bytes() == (ROOT / "clients/inkpanel.py").read_bytes()


def test_every_object_of_the_interface_has_a_type():
    for name, schema in INTERFACE["components"]["schemas"].items():
        if "properties" in schema:
            kind = getattr(inkpanel, name)
            members = {kind.names.get(field.name, field.name) for field in dataclasses.fields(kind)}
            assert members == set(schema["properties"]), name


def test_a_capture_with_dataclasses(inkpanel_pad):
    changes = []
    capture = inkpanel_pad.capture(REQUEST, on_change=changes.append)
    assert capture.outcome == Outcome("accepted") and capture.created_at.tzinfo and capture.seal.n >= 1
    assert [change.state for change in changes][-1] == "ended" and all(isinstance(change, Capture) for change in changes)
    assert inkpanel_pad.file(capture.id, "signature.png", width=100, height=50)[16:24] == b"\0\0\0\x64\0\0\0\x32"
    record = next(inkpanel_pad.records())
    assert record.id == capture.id and record.rows == [Row("Order", "4711")]
    assert inkpanel_pad.get(capture.id) == capture and inkpanel_pad.health().ready


def test_the_same_calls_with_asyncio(inkpanel_simulator, inkpanel_pad):
    pad, changes = AsyncPad(inkpanel_simulator.url, inkpanel_simulator.token), []

    async def sign():
        capture = await pad.capture(REQUEST, on_change=changes.append)
        assert capture.outcome == Outcome("accepted") and changes[-1] == capture
        assert (await pad.file(capture.id, "signature.svg")).startswith(b"<")
        assert [record.id async for record in pad.records()][0] == capture.id
        assert await pad.get(capture.id) == capture and (await pad.health()).ready
        inkpanel_simulator.act("leave")
        begun = await pad.ask(REQUEST)
        assert (await pad.clear(begun.id)).strokes == 0
        assert (await pad.accept(begun.id)).state == "refused"
        with pytest.raises(InkpanelError, match="Another capture"):
            await pad.capture(REQUEST)
        assert (await pad.cancel(begun.id)).outcome == await asyncio.wait_for(outcome(begun.id), 10)
        with pytest.raises(InkpanelError) as refused:
            await pad.session(SessionRequest("https://till.example"))
        assert refused.value.reason == "invalid-parameter" and refused.value.problem["errors"][0]["pointer"] == "/origin"

    async def outcome(capture: str):
        return (await pad.follow(capture)).outcome

    asyncio.run(sign())
    public = {name for name in dir(Pad) if not name.startswith("_")}
    assert public == {name for name in dir(AsyncPad) if not name.startswith("_")}


def test_a_document_is_uploaded_and_forgotten_by_both(inkpanel_simulator, inkpanel_pad):
    pad = AsyncPad(inkpanel_simulator.url, inkpanel_simulator.token)
    data = b"%PDF-1.4\n%%EOF\n"

    async def both():
        return [inkpanel_pad.upload(data), await pad.upload(data)]

    uploaded = asyncio.run(both())
    assert uploaded[0].sha256 == uploaded[1].sha256 and uploaded[0].bytes == len(data)
    inkpanel_pad.forget(uploaded[0].id)
    asyncio.run(pad.forget(uploaded[1].id))
    for document in uploaded:
        with pytest.raises(InkpanelError) as gone:
            inkpanel_pad.forget(document.id)
        assert gone.value.status == 404


def refusal_of_upload(pad, data: bytes) -> InkpanelError:
    with pytest.raises(InkpanelError) as refused:
        asyncio.run(pad.upload(data)) if isinstance(pad, AsyncPad) else pad.upload(data)
    return refused.value


@pytest.mark.parametrize("kind", [Pad, AsyncPad])
def test_a_document_that_is_refused_before_it_is_sent_says_why(kind, inkpanel_simulator):
    error = refusal_of_upload(kind(inkpanel_simulator.url, inkpanel_simulator.token), b"%PDF-1.4\n" + bytes(33 << 20))
    assert error.reason == "too-large" and "32 MiB" in str(error) and not error.is_temporary
    wrong = kind(inkpanel_simulator.url, "ipt_x")
    assert refusal_of_upload(wrong, b"%PDF-1.4\n" + bytes(31 << 20)).reason == "wrong-token"


@pytest.mark.parametrize("kind", [Pad, AsyncPad])
def test_a_connection_that_is_lost_in_a_document_is_told(kind):
    with Told(lambda *_: None) as told:
        error = refusal_of_upload(kind(told.url, "ipt_x"), bytes(8 << 20))
    assert error.reason == "unreachable" and error.is_temporary


def test_asyncio_awaits_a_coroutine_that_hears_of_changes(inkpanel_simulator, inkpanel_pad):
    states = []

    async def heard(capture: Capture):
        await asyncio.sleep(0)
        states.append(capture.state)

    async def failed(capture: Capture):
        raise LookupError(capture.id)

    pad = AsyncPad(inkpanel_simulator.url, inkpanel_simulator.token)
    assert asyncio.run(pad.capture(REQUEST, on_change=heard)).outcome == Outcome("accepted")
    assert states[0] == "signing" and states[-1] == "ended"
    inkpanel_simulator.act("leave")
    with pytest.raises(LookupError):
        asyncio.run(pad.capture(REQUEST, on_change=failed))
    wait_for(lambda: is_free(inkpanel_pad), 5)
    inkpanel_simulator.act("leave")
    with pytest.raises(InkpanelError, match="only AsyncPad"):
        inkpanel_pad.capture(REQUEST, on_change=heard)
    wait_for(lambda: is_free(inkpanel_pad), 5)


@pytest.mark.parametrize("name", ["\ud800", "a/b", "\u202e", "ä" * 200])
def test_names_of_any_kind_are_not_found(inkpanel_pad, name):
    for call in (inkpanel_pad.get, inkpanel_pad.cancel, inkpanel_pad.forget, lambda name: inkpanel_pad.file("1", name)):
        with pytest.raises(InkpanelError) as unknown:
            call(name)
        assert unknown.value.status in (404, 414)


@pytest.mark.parametrize("name", [None, 5, "", b"x"])
def test_what_is_no_name_is_not_sent(inkpanel_pad, name):
    for call in (inkpanel_pad.get, inkpanel_pad.forget, lambda name: inkpanel_pad.file("1", name)):
        with pytest.raises(InkpanelError) as wrong:
            call(name)
        assert wrong.value.reason == "bad-argument"


@pytest.mark.parametrize("end", ["cancel", "time limit", "exception of another task"])
def test_a_capture_whose_task_is_cancelled_is_cancelled(inkpanel_simulator, inkpanel_pad, end):
    inkpanel_simulator.act("leave")
    pad = AsyncPad(inkpanel_simulator.url, inkpanel_simulator.token)
    begun = asyncio.Event()

    async def fail():
        await begun.wait()
        raise LookupError

    async def sign():
        task = asyncio.create_task(pad.capture(REQUEST, on_change=lambda _: begun.set()))
        await begun.wait()
        if end == "cancel":
            task.cancel()
            await task
        elif end == "time limit":
            await asyncio.wait_for(task, 0.2)
        else:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                group.create_task(pad.follow((await pad.status()).running.id))
                group.create_task(awaited(task))

    async def awaited(task):
        await task

    with pytest.raises((asyncio.CancelledError, asyncio.TimeoutError, ExceptionGroup)):
        asyncio.run(sign())
    wait_for(lambda: is_free(inkpanel_pad), 5)


@pytest.mark.parametrize("again", [None, 0, 0.001])
def test_a_task_that_is_cancelled_while_it_asks_leaves_no_capture(inkpanel_simulator, inkpanel_pad, again):
    pad = AsyncPad(inkpanel_simulator.url, inkpanel_simulator.token)

    async def sign(seconds: float):
        task = asyncio.create_task(pad.capture(REQUEST))
        await asyncio.sleep(seconds)
        task.cancel()
        if again is not None:
            await asyncio.sleep(again)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The program goes on.
        await asyncio.sleep(0 if again is None else 0.5)

    # From before the request is sent until its answer has come.
    for step in range(16 if again is None else 6):
        inkpanel_simulator.act("leave")
        asyncio.run(sign(step / 2000))
        wait_for(lambda: is_free(inkpanel_pad), 5)


@pytest.mark.parametrize("kind", [Pad, AsyncPad])
@pytest.mark.parametrize("lasts", [2, 100])
def test_a_gateway_that_is_still_at_the_first_request_is_asked_again(kind, lasts):
    told_paths = []
    busy = {"type": "urn:inkpanel:problem:key-in-use", "status": 409, "detail": "not answered yet"}

    def tell(number, method, path):
        told_paths.append(path)
        if number == 1:
            return None
        # Once the client has given up, what it asked for has begun.
        if path == "/v1/captures" and number <= lasts and time.monotonic() < end:
            return 409, {"Content-Type": "application/problem+json", "Retry-After": "0"}, json.dumps(busy).encode()
        return 200, {"ETag": '"1"'}, json.dumps(CAPTURE).encode()

    end = time.monotonic() + 4
    with Told(tell) as told:
        pad = kind(told.url, "ipt_x", retry=3)

        def sign():
            return pad.capture(REQUEST) if kind is Pad else asyncio.run(pad.capture(REQUEST))

        if lasts == 2:
            assert sign().outcome.result == "accepted"
        else:
            with pytest.raises(InkpanelError) as late:
                sign()
            assert late.value.reason == "key-in-use" and told_paths[-1] == "/v1/captures/1/cancel"


@pytest.mark.parametrize("kind", ["Pad", "AsyncPad"])
def test_ctrl_c_cancels_the_capture(inkpanel_simulator, inkpanel_pad, tmp_path, kind):
    inkpanel_simulator.act("leave")
    call = "pad.capture(CaptureRequest(prompt=['a']), on_change=lambda c: print(c.state, flush=True))"
    program = subprocess.Popen(
        ["/usr/bin/python3", "-c", f"import asyncio\nfrom inkpanel import CaptureRequest, {kind}\n"
         f"pad = {kind}({inkpanel_simulator.url!r}, {inkpanel_simulator.token!r})\n"
         + (call if kind == "Pad" else f"asyncio.run({call})")],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    while program.stdout.readline().strip() != "signing":
        assert program.poll() is None
    program.send_signal(signal.SIGINT)
    assert program.wait(10) != 0 and "KeyboardInterrupt" in program.stderr.read()
    wait_for(lambda: is_free(inkpanel_pad), 5)


def both_calls(url: str, token: str, **options):
    """The status, asked for in both ways."""
    yield lambda: Pad(url, token, **options).status()
    yield lambda: asyncio.run(AsyncPad(url, token, **options).status())


CAPTURE = {"id": "1", "state": "ended", "createdAt": "2026-11-27T10:00:00Z", "outcome": {"result": "accepted"}}


@pytest.mark.parametrize("kind", [Pad, AsyncPad])
def test_what_may_pass_is_tried_again_with_the_same_key(kind):
    keys = []

    def tell(number, method, path):
        if number % 2:
            return None if number == 1 else (503, {"Retry-After": "0"}, b"")
        return (201 if method == "POST" else 200), {"ETag": '"1"'}, json.dumps(CAPTURE).encode()

    with Told(tell) as told:
        pad = kind(told.url, "ipt_x")
        request = pad.client.request if kind is Pad else pad._request

        def seen(method, path, body=None, headers={}, *rest):
            keys.extend(headers.get("Idempotency-Key", "") for _ in [0] if method == "POST")
            return request(method, path, body, headers, *rest)

        if kind is Pad:
            pad.client.request = seen
            ended = pad.capture(REQUEST)
        else:
            pad._request = seen
            ended = asyncio.run(pad.capture(REQUEST))
    assert ended.outcome.result == "accepted" and told.count == 4
    assert len(keys) == 2 and keys[0] == keys[1] != ""


def test_a_call_is_given_up_and_one_with_an_effect_is_not_repeated():
    with Told(lambda *_: (503, {}, b"")) as told:
        for call in both_calls(told.url, "ipt_x", retry=1.2):
            before = told.count
            with pytest.raises(InkpanelError) as late:
                call()
            assert late.value.status == 503 and told.count == before + 2
        before = told.count
        for call in (lambda: Pad(told.url, "ipt_x").clear("1"), lambda: asyncio.run(AsyncPad(told.url, "ipt_x").clear("1"))):
            with pytest.raises(InkpanelError):
                call()
        assert told.count == before + 2


def test_both_follow_through_a_gateway_that_fails(inkpanel_simulator):
    port = int(inkpanel_simulator.url.rsplit(":", 1)[1])
    faults = [500, "drop", "cut", (503, "0")]
    for kind in (Pad, AsyncPad):
        flaky = Flaky(port, faults)
        pad = kind(flaky.url, inkpanel_simulator.token)
        capture = pad.capture(REQUEST) if kind is Pad else asyncio.run(pad.capture(REQUEST))
        assert capture.outcome.result == "accepted" and flaky.seen[:len(faults)] == faults
        flaky.stop()


@pytest.mark.parametrize("answer", [
    (200, {}, b"<html>"), (200, {}, b"[]"), (200, {}, b"{}"), (200, {}, b'{"id": 5, "state": "ended"}'),
    (201, {}, b'{"id": "1", "state": "ended", "createdAt": "yesterday"}')], ids=lambda answer: answer[2].decode())
def test_an_answer_of_another_form_is_no_gateways(answer):
    with Told(lambda *_: answer) as told:
        for call in (lambda: Pad(told.url, "ipt_x").get("1"), lambda: asyncio.run(AsyncPad(told.url, "ipt_x").get("1"))):
            with pytest.raises(InkpanelError) as other:
                call()
            assert other.value.reason == "not-a-gateway"


def test_a_newer_gateway_may_say_more():
    newer = {**CAPTURE, "state": "thinking", "later": {"a": 1}, "strokes": 3.0, "refusal": {"reason": "odd"}}
    capture = Capture.from_json(newer)
    assert (capture.state, capture.strokes, capture.refusal.reason) == ("thinking", 3, "odd")
    assert Capture.from_json(capture.to_json()) == capture


@pytest.fixture
def certificate(tmp_path):
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=pad",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"], tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    public = subprocess.run(
        "openssl x509 -in cert.pem -noout -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64",
        shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()
    return context, tmp_path / "cert.pem", public


def test_both_check_the_certificate_or_the_key(certificate):
    context, authority, key = certificate
    answer = json.dumps(CAPTURE).encode()
    with Told(lambda *_: (200, {}, answer), context) as told:
        plain = told.url.replace("https:", "http:")
        cases = [
            (told.url, {"ca": str(authority)}, None), (told.url, {"key": key}, None), (told.url, {}, "certificate"),
            (told.url, {"key": "A" * 43 + "="}, "wrong-key"), (plain, {}, "unreachable")]
        for url, options, reason in cases:
            for kind in (Pad, AsyncPad):
                pad = kind(url, "ipt_x", retry=0, **options)
                failure = None
                try:
                    assert (pad.get("1") if kind is Pad else asyncio.run(pad.get("1"))).id == "1"
                except InkpanelError as error:
                    failure = error.reason
                assert failure == reason, (kind, url, options)
        # Nothing is sent to a server that is not known.
        assert told.count == 4


def test_a_silent_server_is_given_up_by_both():
    ended = threading.Event()

    def tell(*_):
        ended.wait(10)

    with Told(tell) as told:
        for call in both_calls(told.url, "ipt_x", timeout=0.3, retry=0):
            with pytest.raises(InkpanelError, match="has not answered for 0.3 s"):
                call()
        ended.set()
