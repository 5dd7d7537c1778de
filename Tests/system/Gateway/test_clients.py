# SPDX-License-Identifier: Apache-2.0
"""The client in Python, and the examples of docs/examples."""

import email.utils
import hashlib
import inspect
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from support.waiting import wait_for

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "clients"))

import inkpanel
import pytest
from flaky import Flaky, Told
from inkpanel import Inkpanel, InkpanelError


def run(words: list, folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_example_in_python(gateway, token, tmp_path):
    shutil.copy(ROOT / "clients/inkpanel.py", tmp_path)
    shown = run(
        ["/usr/bin/env", f"PYTHONPATH={tmp_path}", "/usr/bin/python3", ROOT / "docs/examples/gateway.py",
         f"http://127.0.0.1:{gateway.port}", token], tmp_path)
    assert shown.split()[-1] == "ended"
    assert (tmp_path / "signature.png").read_bytes().startswith(b"\x89PNG")


def test_the_example_with_curl(gateway, token, tmp_path):
    run([ROOT / "docs/examples/gateway.sh", f"http://127.0.0.1:{gateway.port}", token], tmp_path)
    assert (tmp_path / "signature.png").read_bytes().startswith(b"\x89PNG")


def test_the_example_with_curl_fails_when_the_person_cancels(gateway, token, tmp_path):
    gateway.act(token, "cancel")
    done = subprocess.run(
        [ROOT / "docs/examples/gateway.sh", f"http://127.0.0.1:{gateway.port}", token], cwd=tmp_path, capture_output=True,
        timeout=60)
    assert done.returncode == 1 and b'"cancelled"' in done.stdout and not (tmp_path / "signature.png").exists()


def test_the_example_with_curl_cancels_when_it_is_ended(gateway, token, tmp_path):
    gateway.act(token, "leave")
    program = subprocess.Popen(
        [ROOT / "docs/examples/gateway.sh", address(gateway), token], cwd=tmp_path, process_group=0)
    wait_for(lambda: gateway.request("GET", "/v1/panel", token).json["page"] == "signing")
    time.sleep(0.3)  # It hears of the id.
    os.killpg(program.pid, signal.SIGTERM)
    assert program.wait(20) != 0
    wait_for(lambda: is_free(gateway, token), 5)


def test_the_client_in_python(gateway, token):
    pad = Inkpanel(f"http://127.0.0.1:{gateway.port}", token)
    assert pad.status()["page"] in ("idle", "thanks")
    changes = []
    capture = pad.capture(prompt=["a"], data={"order": "1"}, on_change=lambda change: changes.append(change["state"]))
    assert capture["outcome"] == {"result": "accepted"} and changes[-1] == "ended" and "signing" in changes
    assert pad.file(capture["id"], "signature.png", width=100, height=50)[16:24] == b"\0\0\0\x64\0\0\0\x32"
    assert next(pad.list())["id"] == capture["id"]
    seal = pad.file(capture["id"], "seal")
    assert capture["seal"]["digest"] == hashlib.sha256(seal).hexdigest() and capture["seal"]["n"] == json.loads(seal)["n"]
    assert pad.file(capture["id"], "seal.sig").startswith(b"-----BEGIN SSH SIGNATURE-----")
    assert pad.file(capture["id"], "evidence.zip").startswith(b"PK\3\4")
    with pytest.raises(InkpanelError, match="not encrypted") as readable:
        pad.file(capture["id"], "record.jsonl.age")
    assert readable.value.reason == "not-exportable"
    gateway.act(token, "leave")
    document = pad.call("POST", "/v1/captures", {"prompt": ["b"]})
    assert pad.clear(document["id"])["strokes"] == 0
    assert pad.accept(document["id"])["state"] == "refused"
    with pytest.raises(InkpanelError, match="Another capture") as busy:
        pad.capture(prompt=["c"])
    assert busy.value.reason == "busy" and busy.value.status == 409
    assert pad.cancel(document["id"])["outcome"]["by"] == "host"
    page = Inkpanel(pad.url.geturl(), pad.session("https://till.example", lifetime=60))
    with pytest.raises(InkpanelError) as refused:
        page.status()
    assert refused.value.reason == "missing-scope"


def address(gateway) -> str:
    return f"http://127.0.0.1:{gateway.port}"


@pytest.fixture
def pauses(monkeypatch):
    """The client's pauses in seconds, which take no time here."""
    taken = []
    clock = SimpleNamespace(sleep=taken.append, monotonic=time.monotonic, time=time.time)
    monkeypatch.setattr(inkpanel, "time", clock)
    return taken


def cancel_when(condition, pad, capture):
    """Cancels a capture from another thread when the condition is true."""
    def run():
        wait_for(condition)
        pad.cancel(capture)
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_following_goes_on_after_whatever_may_pass(gateway, token, pauses):
    faults = [408, (429, "3"), 500, 502, (503, "2"), 504, "drop", "cut", "drop", 503, 503, 503, 503]
    flaky = Flaky(gateway.port, faults)
    pad = Inkpanel(flaky.url, token)
    gateway.act(token, "leave")
    capture = pad.call("POST", "/v1/captures", {"prompt": ["a"]})["id"]
    thread = cancel_when(lambda: not flaky.faults, Inkpanel(address(gateway), token), capture)
    assert pad.follow(capture)["outcome"] == {"result": "cancelled", "by": "host"}
    thread.join()
    flaky.stop()
    assert flaky.seen[:len(faults)] == faults
    # What the gateway asks for, else twice as long each time, and from the start again after an answer.
    assert pauses[:8] == [0.5, 3, 2, 4, 2, 8, 8, 8]
    assert max(pauses) <= inkpanel.LONGEST_PAUSE


def test_following_ends_when_trying_again_changes_nothing(gateway, token, pauses, monkeypatch):
    pad = Inkpanel(address(gateway), token)
    with pytest.raises(InkpanelError) as unknown:
        pad.follow("20261126-000000-0000000000000000")
    assert unknown.value.status == 404 and pauses == []
    flaky = Flaky(gateway.port, [503] * 1000)
    monkeypatch.setattr(inkpanel, "GIVE_UP_AFTER", 0)
    pauses.clear()
    with pytest.raises(InkpanelError) as late:
        Inkpanel(flaky.url, token).follow("20261126-000000-0000000000000000")
    assert late.value.status == 503
    flaky.stop()


def state(name: str, tag: str | None = '"1"', **more):
    """The answer of a gateway that follows a capture."""
    return 200, {"ETag": tag} if tag else {}, json.dumps({"id": "1", "state": name, **more}).encode()


@pytest.mark.parametrize("answer", [
    (503, {"Retry-After": "0"}, b""),
    (503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b""),
    (429, {"Retry-After": "-5"}, b""),
    (304, {}, b""),
    state("signing"),
    state("signing", None),
    None,
], ids=["Retry-After 0", "a date that has passed", "a wrong number", "304", "the same", "no tag", "no answer"])
def test_following_never_asks_without_a_pause(token, monkeypatch, answer):
    clock = SimpleNamespace(now=0.0)
    stub = SimpleNamespace(monotonic=lambda: clock.now, time=time.time,
                           sleep=lambda seconds: setattr(clock, "now", clock.now + seconds))
    monkeypatch.setattr(inkpanel, "time", stub)
    ended = state("ended", outcome={"result": "cancelled"})
    with Told(lambda number, *_: state("signing") if number == 1 else answer if clock.now < 60 and number < 200 else ended) as told:
        seen = []
        assert Inkpanel(told.url, token).follow("1", lambda change: seen.append(change["state"]))["state"] == "ended"
    assert 8 <= told.count <= 64 and seen == ["signing", "ended"]


def test_following_waits_longer_than_other_calls(token):
    """A healthy gateway answers after 30 seconds if nothing changes."""
    waits = []
    with Told(lambda *_: state("signing")) as told:
        pad = Inkpanel(told.url, token, timeout=0.5)
        connect = pad.connect

        def recorded(timeout=None):
            waits.append(timeout)
            if len(waits) > 2:
                raise KeyboardInterrupt
            return connect(timeout)

        pad.connect = recorded
        with pytest.raises(KeyboardInterrupt):
            pad.follow("1")
    assert min(waits) > 30


def test_retry_after_is_seconds_or_a_date():
    assert inkpanel.seconds_of("7") == 7 and inkpanel.seconds_of(None) is None and inkpanel.seconds_of("soon") is None
    assert 8 < inkpanel.seconds_of(email.utils.formatdate(time.time() + 10, usegmt=True)) <= 10
    assert inkpanel.seconds_of("Wed, 21 Oct 2015 07:28:00 GMT") == 0


def is_free(gateway, token) -> bool:
    return gateway.request("GET", "/v1/panel", token).json.get("running") is None


def test_an_exception_cancels_the_capture(gateway, token):
    gateway.act(token, "leave")

    def fail(change):
        raise LookupError(change["id"])

    with pytest.raises(LookupError) as failed:
        Inkpanel(address(gateway), token).capture(prompt="one line", on_change=fail)
    wait_for(lambda: is_free(gateway, token), 5)
    ended = gateway.request("GET", f"/v1/captures/{failed.value.args[0]}", token).json
    assert ended["outcome"] == {"result": "cancelled", "by": "host"}


def test_ctrl_c_cancels_the_capture(gateway, token, tmp_path):
    shutil.copy(ROOT / "clients/inkpanel.py", tmp_path)
    gateway.act(token, "leave")
    source = (
        "from inkpanel import Inkpanel\n"
        f"Inkpanel({address(gateway)!r}, {token!r}).capture(prompt=['a'], on_change=lambda c: print(c['state'], flush=True))")
    program = subprocess.Popen(
        ["/usr/bin/python3", "-c", source], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Ignored where tests run in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while program.stdout.readline().strip() != "signing":
        assert program.poll() is None
    program.send_signal(signal.SIGINT)
    assert program.wait(10) != 0 and "KeyboardInterrupt" in program.stderr.read()
    wait_for(lambda: is_free(gateway, token), 5)


def test_ctrl_c_before_the_answer_cancels_the_capture(gateway, token, monkeypatch):
    """The capture's id has not come yet; the same key gets it."""
    gateway.act(token, "leave")
    pad, calls = Inkpanel(address(gateway), token), []
    request = pad.request

    def interrupted(method, path, *rest):
        answer = request(method, path, *rest)
        calls.append(path)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return answer

    monkeypatch.setattr(pad, "request", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pad.capture(prompt=["a"])
    assert calls[:2] == ["/v1/captures"] * 2 and calls[2].endswith("/cancel")
    wait_for(lambda: is_free(gateway, token), 5)


def test_arguments_are_named_and_queries_are_those_of_the_gateway(gateway, token):
    pad = Inkpanel(address(gateway), token)
    with pytest.raises(TypeError):
        pad.capture(["x"], "Anna")
    assert is_free(gateway, token)
    lines, *others = inspect.signature(pad.capture).parameters.values()
    assert lines.name == "prompt" and all(each.kind in (each.KEYWORD_ONLY, each.VAR_KEYWORD) for each in others)
    assert all(each.annotation for each in (lines, *others))
    capture = pad.capture(prompt="one line", rows=[{"label": "Order", "value": "4711"}], policy={"undo": False})
    clear = pad.file(capture["id"], "signature.png", transparent=True, dpi=100, color=None)
    paper = pad.file(capture["id"], "signature.png", transparent=False, dpi=100.0)
    assert clear.startswith(b"\x89PNG") and paper.startswith(b"\x89PNG") and clear != paper
    with pytest.raises(InkpanelError) as unknown:
        pad.file(capture["id"], "../../panel")
    assert unknown.value.status in (400, 404)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
def context(tmp_path):
    """Of a server with a certificate that nobody vouches for."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=pad",
         "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    return context


@pytest.fixture
def encrypted(context):
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
                with context.wrap_socket(connection, server_side=True) as peer:
                    peer.recv(65536)
            except ssl.SSLError:
                continue
            except OSError:
                return
    threading.Thread(target=serve, daemon=True).start()
    yield f"https://127.0.0.1:{listener.getsockname()[1]}"
    listener.close()


def test_whatever_fails_is_one_error_that_says_what_to_do(gateway, token, encrypted, tmp_path):
    plain = address(gateway)
    (tmp_path / "no.pem").write_text("none")
    other = "A" * 43 + "="
    cases = [
        (lambda: Inkpanel("pad.local:8443", token), "bad-url", "https://"),
        (lambda: Inkpanel("pad.local", token), "bad-url", "https://"),
        (lambda: Inkpanel(plain + "/#token=" + token, token), "bad-url", "nothing after the port"),
        (lambda: Inkpanel("https://pad.local:port", token), "bad-url", "https://"),
        (lambda: Inkpanel("ftp://pad.local", token), "bad-url", "https://"),
        (lambda: Inkpanel("https://pád..local", token), "bad-url", "https://"),
        (lambda: Inkpanel(f"https://{'a' * 64}.local", token), "bad-url", "https://"),
        (lambda: Inkpanel(None, token), "bad-url", "https://"),
        (lambda: Inkpanel(5, token), "bad-url", "https://"),
        (lambda: Inkpanel(plain, "ipt_a…"), "bad-token", "ipt_"),
        (lambda: Inkpanel(plain, None), "bad-token", "ipt_"),
        (lambda: Inkpanel(plain, token.encode()), "bad-token", "ipt_"),
        (lambda: Inkpanel(plain, "").status(), "bad-token", "ipt_"),
        (lambda: Inkpanel(plain, token, timeout="5"), "bad-timeout", "seconds"),
        (lambda: Inkpanel(plain, token, timeout=0), "bad-timeout", "seconds"),
        (lambda: Inkpanel(plain, token, timeout=None), "bad-timeout", "seconds"),
        (lambda: Inkpanel(plain, token).capture(prompt="a", idempotency_key="注"), "bad-key", "ASCII"),
        (lambda: Inkpanel(plain, token).capture(prompt="a", idempotency_key="a\nb"), "bad-key", "ASCII"),
        (lambda: Inkpanel(plain, token).capture(prompt="a", idempotency_key=""), "bad-key", "ASCII"),
        (lambda: Inkpanel(plain, token).capture(prompt="a", idempotency_key=5), "bad-key", "ASCII"),
        (lambda: Inkpanel(plain, token).capture(prompt=b"a"), "bad-argument", "JSON"),
        (lambda: Inkpanel(plain, token).capture(data={"a": float("nan")}), "bad-argument", "JSON"),
        (lambda: Inkpanel(plain, token).cancel(None), "bad-argument", "id of a capture"),
        (lambda: Inkpanel(plain, token).follow(""), "bad-argument", "id of a capture"),
        (lambda: Inkpanel("https://pad.local", token, key=5), "bad-key", "43 characters"),
        (lambda: Inkpanel("https://pad.local", token, key=""), "bad-key", "43 characters"),
        (lambda: Inkpanel("https://pad.local", token, ca=5.5), "bad-ca", "PEM"),
        (lambda: Inkpanel(plain, token + "\n"), "bad-token", "ipt_"),
        (lambda: Inkpanel("https://pad.local", token, ca=str(tmp_path / "missing.pem")), "bad-ca", "PEM"),
        (lambda: Inkpanel("https://pad.local", token, ca=str(tmp_path / "no.pem")), "bad-ca", "PEM"),
        (lambda: Inkpanel("https://pad.local", token, key="SHA256:x"), "bad-key", "43 characters"),
        (lambda: Inkpanel(f"http://127.0.0.1:{closed_port()}", token).status(), "unreachable", "Nothing listens"),
        (lambda: Inkpanel("http://no.such.host.invalid", token).status(), "unreachable", "check its name"),
        (lambda: Inkpanel(plain.replace("http:", "https:"), token).status(), "not-tls", "http://"),
        (lambda: Inkpanel(encrypted, token).status(), "certificate", "ca="),
        (lambda: Inkpanel(encrypted, token, key=other).status(), "wrong-key", "pair again"),
        (lambda: Inkpanel(encrypted, token, ca=str(tmp_path / "cert.pem")).status(), "certificate", "not trusted"),
        (lambda: inkpanel.pair("http://pad.local", "till"), "bad-url", "https://"),
        (lambda: inkpanel.pair(plain, "till"), "no-pairing", "no certificate"),
        (lambda: inkpanel.pair(f"https://127.0.0.1:{closed_port()}", "till"), "unreachable", "Nothing listens"),
        (lambda: Inkpanel(plain, token[:-1] + "~").status(), "wrong-token", "wrong"),
    ]
    for call, reason, text in cases:
        with pytest.raises(InkpanelError) as raised:
            call()
        assert raised.value.reason == reason and text in str(raised.value), (reason, raised.value)
    for secret in ("#token=ipt_secret", "?token=secret", "/ipt_secret:"):
        with pytest.raises(InkpanelError) as raised:
            Inkpanel("https://user:secret@pad.local:x" + secret, token)
        assert "secret" not in str(raised.value)
    # Names are encoded as in DNS.
    assert Inkpanel("https://pád.local:8443/a", token).url.geturl() == "https://xn--pd-mia.local:8443/a"
    # The pad shows its key in groups.
    assert Inkpanel("https://pad.local", token, key=" ".join(other[i:i + 4] for i in range(0, 43, 4))).key == other


@pytest.mark.parametrize("fault", [
    (503, {"Retry-After": "2"}, b""), (429, {}, b""), (408, {}, b""), (502, {}, b""), None,
], ids=["503", "429", "408", "502", "no answer"])
def test_a_pairing_goes_on_after_whatever_may_pass(context, pauses, fault):
    def tell(number, method, path):
        if method == "POST":
            return 200, {}, json.dumps({"id": "1", "b": "00" * 32, "state": "waiting"}).encode()
        answer = {"state": "waiting"} if number < 6 else {"state": "allowed", "token": "ipt_a"}
        return fault if number in (4, 5) else (200, {}, json.dumps(answer).encode())

    with Told(tell, context) as told:
        assert inkpanel.pair(told.url, "till", show=lambda digits: None)[0] == "ipt_a"
    assert pauses == ([1, 2, 2] if fault and fault[1] else [1, 0.5, 1])


@pytest.mark.parametrize("answer, reason", [
    ((403, {}, b""), "http-403"), ((200, {}, b'{"state": "denied"}'), "denied"), ((200, {}, b"{}"), "not-a-gateway"),
    (None, "unreachable"),
], ids=["403", "denied", "another server", "no answer"])
def test_a_pairing_ends(context, pauses, answer, reason):
    begun = 200, {}, json.dumps({"id": "1", "b": "00" * 32, "state": "waiting"}).encode()
    with Told(lambda number, method, path: begun if method == "POST" else answer, context) as told:
        with pytest.raises(InkpanelError) as raised:
            inkpanel.pair(told.url, "till", show=lambda digits: None, wait=0.2)
    assert raised.value.reason == reason


@pytest.mark.parametrize("answer, reason, remedy", [
    ((200, {}, b"{}"), "not-a-gateway", "check host and port"),
    ((200, {}, b"[]"), "not-a-gateway", "check host and port"),
    ((200, {}, b"[" * 100000), "not-a-gateway", "check host and port"),
    ((200, {}, b'{"id": 5, "b": 5, "state": 5, "captures": 5, "token": 5}'), "not-a-gateway", "check host and port"),
    ((301, {"Location": "/"}, b""), "http-301", "check scheme, host, port and path"),
    ((404, {}, b"<html>"), "http-404", "check scheme, host, port and path"),
    ((400, {"Content-Type": "application/problem+json"}, b'{"type": 5, "detail": 5}'), "http-400", "check scheme"),
    ((503, {}, b"<html>"), "http-503", "try again"),
], ids=str)
def test_answers_of_other_servers(token, context, answer, reason, remedy):
    with Told(lambda *_: answer) as told, Told(lambda *_: answer, context) as encrypted:
        pad = Inkpanel(told.url, token)
        calls = [
            lambda: pad.capture(prompt="a"), lambda: next(pad.list()), lambda: pad.session("https://till.example"),
            lambda: inkpanel.pair(encrypted.url, "till")]
        for call in calls + ([] if answer[0] == 503 else [lambda: pad.follow("1")]):
            with pytest.raises(InkpanelError) as raised:
                call()
            assert raised.value.reason == reason and remedy in str(raised.value)


@pytest.mark.parametrize("end", ["more than it may", "without end"])
def test_an_answer_without_end_is_given_up(token, monkeypatch, end):
    monkeypatch.setattr(inkpanel, "LONGEST_ANSWER", 1 << 20)

    def pieces():
        while True:
            yield b" " * (1 << 16 if end == "more than it may" else 1)
            time.sleep(0 if end == "more than it may" else 0.05)
    with Told(lambda *_: (200, {"Content-Type": "application/json"}, pieces())) as told:
        began = time.monotonic()
        with pytest.raises(InkpanelError) as raised:
            Inkpanel(told.url, token, timeout=1).status()
    assert raised.value.reason == "unreachable" and time.monotonic() - began < 10
    assert ("more than 1 MiB" if end == "more than it may" else "has not answered") in str(raised.value)


def test_a_cut_answer_is_noticed(token):
    with Told(lambda *_: (200, {"Content-Length": "100"}, b"{}")) as told:
        with pytest.raises(InkpanelError) as raised:
            Inkpanel(told.url, token).status()
    assert raised.value.reason == "unreachable" and "IncompleteRead" in str(raised.value)


STEERING = "\x1b]0;x\x07\x9b2J\r\n\u202e"


@pytest.mark.parametrize("detail", [STEERING, "x" * 100_000 + STEERING])
def test_texts_of_a_server_do_not_steer_a_terminal(token, context, detail):
    body = json.dumps({"type": "urn:inkpanel:problem:" + STEERING, "detail": detail}).encode()

    def tell(number, method, path):
        if path.startswith("/v1/pairings/") and method == "GET":
            return 200, {}, json.dumps(pairing).encode()
        if path.startswith("/v1/pairings"):
            return 200, {}, json.dumps({"id": "1", "b": "00" * 32, "state": "waiting"}).encode()
        return 418, {"Content-Type": "application/problem+json"}, body
    with Told(tell, context) as told:
        pad = Inkpanel(told.url, token)
        pad.context.check_hostname, pad.context.verify_mode = False, inkpanel.ssl.CERT_NONE
        calls = [pad.status] + 3 * [lambda: inkpanel.pair(told.url, "till", show=lambda digits: None)]
        for call, pairing in zip(calls, [
                None, {"state": "denied", "reason": detail}, {"state": "denied", "reason": [detail]},
                {"state": "allowed", "token": "ipt_a" + STEERING}]):
            with pytest.raises(InkpanelError) as raised:
                call()
            said = str(raised.value) + raised.value.reason
            assert not inkpanel.STEERS.search(said) and len(said) < 5000


def test_plain_http_to_other_machines_is_not_silent(token):
    with pytest.warns(UserWarning, match="unencrypted.*https://pad.local:8443"):
        Inkpanel("http://pad.local:8080", token)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for url in ("http://localhost:80", "http://127.0.0.1", "http://[::1]:8080", "https://pad.local"):
            Inkpanel(url, token)


def test_a_server_that_is_no_gateway(token):
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        for answer in (b"HTTP/1.0 200 OK\r\n\r\n<html>", b"HTTP/1.0 302 Found\r\nLocation: /\r\n\r\n", b"", b"junk\r\n\r\n"):
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.sendall(answer)
            connection.close()
    threading.Thread(target=serve, daemon=True).start()
    pad = Inkpanel(f"http://127.0.0.1:{listener.getsockname()[1]}", token)
    for reason in ("not-a-gateway", "http-302", "unreachable", "unreachable"):
        with pytest.raises(InkpanelError) as raised:
            pad.status()
        assert raised.value.reason == reason
    threading.Thread(target=lambda: listener.accept()[0].sendall(b"HTTP/1.0 400 Bad\r\n\r\n"), daemon=True).start()
    with pytest.raises(InkpanelError, match="does not speak TLS") as raised:
        Inkpanel(pad.url.geturl().replace("http:", "https:"), token).status()
    assert raised.value.reason == "not-tls"
    listener.close()


def test_the_program_says_what_is_wrong_in_a_line(tmp_path):
    shutil.copy(ROOT / "clients/inkpanel.py", tmp_path)
    for url in ("pad.local:8443", "http://127.0.0.1:1", f"https://127.0.0.1:{closed_port()}"):
        done = subprocess.run(
            ["/usr/bin/python3", "-I", "inkpanel.py", url, "--name", "till"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.splitlines()[-1].startswith("inkpanel: "), done.stderr
        assert "Traceback" not in done.stderr


def test_the_example_with_curl_says_why_it_fails(gateway, token, tmp_path):
    gateway.act(token, "leave")
    running = gateway.capture(token)["id"]
    for bearer, text in [(token, "Another capture is running"), (token[:-1] + "~", "wrong")]:
        done = subprocess.run(
            [ROOT / "docs/examples/gateway.sh", address(gateway), bearer], cwd=tmp_path, capture_output=True, text=True,
            timeout=20)
        assert done.returncode == 1 and text in done.stdout, done
    gateway.request("POST", f"/v1/captures/{running}/cancel", token)


def test_the_gateway_serves_both_clients(gateway):
    assert gateway.request("GET", "/inkpanel.py").body == (ROOT / "clients/inkpanel.py").read_bytes()
    assert gateway.request("GET", "/inkpanel.js").body == (ROOT / "Sources/Gateway/Web/inkpanel.js").read_bytes()
