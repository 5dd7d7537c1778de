# SPDX-License-Identifier: Apache-2.0
"""What a request and a stream get ends with the right of its bearer."""

import base64
import concurrent.futures
import json
import os
import socket
import time

import pytest
from conftest import ORIGIN
from gateway import Gateway, Panel
from support.waiting import wait_for


@pytest.fixture
def own(tmp_path):
    panel = Panel(tmp_path, mirror="ink")
    gateway = Gateway(tmp_path, panel.socket, origins=[ORIGIN], arguments=["--virtual", panel.virtual])
    yield gateway
    gateway.kill()
    panel.kill()


class Stream:
    """Reads a stream of events until it ends."""

    def __init__(self, gateway, token: str, path: str):
        self.connection = gateway.connection()
        self.connection.request("GET", path, headers={"Authorization": "Bearer " + token})
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        self.lines = []
        self.pool = concurrent.futures.ThreadPoolExecutor()
        self.reading = self.pool.submit(self.read)
        wait_for(lambda: any(line.startswith(b"data:") for line in self.lines))

    def read(self):
        while line := self.response.readline():
            self.lines.append(line)

    @property
    def is_open(self) -> bool:
        return not self.reading.done()

    @property
    def text(self) -> str:
        return b"".join(self.lines).decode()


def change(gateway, name: str, **members):
    """Edits a token of the file, as a careful administrator does."""
    path = gateway.state / "tokens.json"
    tokens = json.loads(path.read_text())
    for token in tokens:
        if token["name"] == name:
            token.update(members)
    path.with_suffix(".new").write_text(json.dumps(tokens))
    path.with_suffix(".new").chmod(0o600)
    path.with_suffix(".new").rename(path)


def remove(gateway):
    assert gateway.command("token", "remove", "watcher").returncode == 0


@pytest.mark.parametrize("how", [
    remove,
    lambda gateway: change(gateway, "watcher", expires="2026-01-01T00:00:00Z"),
    lambda gateway: change(gateway, "watcher", scopes=["panel"]),
    lambda gateway: change(gateway, "watcher", origins=["https://other.example"]),
    lambda gateway: (gateway.state / "tokens.json").write_text("[{"),
], ids=["removed", "expired", "scopes", "origins", "damaged"])
def test_streams_end_with_the_token(own, how):
    gateway = own
    token, other = gateway.token("watcher", ["admin"]), gateway.token("till")
    gateway.act(other, "leave")
    capture = gateway.capture(other)["id"]
    streams = [Stream(gateway, token, path) for path in ("/v1/mirror?level=ink", f"/v1/captures/{capture}/events")]
    kept = Stream(gateway, other, f"/v1/captures/{capture}/events")
    how(gateway)
    wait_for(lambda: not any(stream.is_open for stream in streams), 5)
    before = [stream.text for stream in streams]
    if "tokens.json" in str(how.__code__.co_consts):
        return
    gateway.request("POST", f"/v1/captures/{capture}/cancel", other)
    wait_for(lambda: not kept.is_open)
    assert "event: ended" in kept.text, "others are not disturbed"
    assert [stream.text for stream in streams] == before and not any("ended" in text for text in before)


def test_a_mirror_gets_nothing_of_a_capture_after_its_token_was_removed(own):
    gateway = own
    watcher, other = gateway.token("watcher", ["admin"]), gateway.token("till")
    stream = Stream(gateway, watcher, "/v1/mirror?level=ink")
    remove(gateway)
    capture = gateway.capture(other)["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", other).json["state"] == "ended")
    wait_for(lambda: not stream.is_open)
    assert capture not in stream.text and "png" not in stream.text


@pytest.mark.parametrize("how", ["expires", "parent removed", "parent's scopes"])
def test_streams_end_with_the_session(own, how):
    gateway = own
    token = gateway.token("watcher", ["capture", "record", "simulate"])
    gateway.act(token, "leave")
    session = gateway.request("POST", "/v1/sessions", token, {"origin": ORIGIN, "lifetime": 10}).json["token"]
    capture = gateway.capture(session)["id"]
    stream = Stream(gateway, session, f"/v1/captures/{capture}/events")
    if how == "parent removed":
        remove(gateway)
    elif how == "parent's scopes":
        change(gateway, "watcher", scopes=["record", "simulate"])
    wait_for(lambda: not stream.is_open, 12 if how == "expires" else 3)
    assert gateway.request("GET", f"/v1/captures/{capture}", session).status in (401, 403)


def test_a_wait_ends_with_the_token(own):
    gateway = own
    token, other = gateway.token("watcher", ["admin"]), gateway.token("till")
    gateway.act(other, "leave")
    capture = gateway.capture(other)["id"]
    tag = gateway.request("GET", f"/v1/captures/{capture}", token).headers["ETag"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waiting = pool.submit(
            gateway.request, "GET", f"/v1/captures/{capture}", token, Prefer="wait=30", If_None_Match=tag)
        time.sleep(0.3)
        remove(gateway)
        answer = waiting.result(timeout=5)
    assert answer.status == 401 and answer.problem == "wrong-token"
    assert gateway.request("GET", f"/v1/captures/{capture}", other).json["state"] == "signing"


def test_a_virtual_panel_ends_with_the_token(own):
    gateway = own
    token = gateway.token("watcher", ["virtual"])
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=10) as page:
        key = base64.b64encode(os.urandom(16)).decode()
        page.sendall((
            f"GET /v1/virtual HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Protocol: inkpanel.v1, inkpanel.token.{token}\r\n\r\n").encode())
        assert page.recv(12) == b"HTTP/1.1 101"
        time.sleep(0.5)
        remove(gateway)
        received = b""
        while part := page.recv(1 << 16):
            received += part
    assert received.endswith(b"\x0f\xa3the token was removed or changed, or has expired"), "close code 4003"


def test_a_download_is_cut_off_with_the_token(panel, tmp_path):
    # On a Unix socket, which takes less of the file than TCP before the client reads it.
    gateway = Gateway(tmp_path, panel.socket, unix=True)
    token = gateway.token("watcher")
    capture = gateway.capture(token)["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")
    path = f"/v1/captures/{capture}/signature.png?width=4000&height=4000"
    whole = len(gateway.request("GET", path, token).body)
    assert whole > 300_000
    slow = gateway.connection().sock
    slow.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
    received = len(slow.recv(1000))
    remove(gateway)
    while part := slow.recv(1 << 16):
        received += len(part)
    assert received < whole, "the connection ended early"
    gateway.kill()
