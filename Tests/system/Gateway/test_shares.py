# SPDX-License-Identifier: Apache-2.0
"""One token cannot take all places from the others."""

import concurrent.futures
import json
import socket
import threading
import time

import pytest
from gateway import Events, Gateway
from support.waiting import wait_for
from support.breadth import long

ID = "20261126-080627-2fc94d3fe209ca2e"


def test_waiting_captures_of_one_token_leave_places(own):
    panel, gateway = own
    token, other, third = gateway.token(), gateway.token("other"), gateway.token("third")
    gateway.act(token, "leave")
    asked = [gateway.request("POST", "/v1/captures", token, {"prompt": [str(n)], "wait": True}) for n in range(8)]
    assert [answer.status for answer in asked] == [201] * 4 + [503] * 4
    assert asked[-1].problem == "too-many-captures"
    theirs = [gateway.request("POST", "/v1/captures", other, {"prompt": ["a"], "wait": True}).status for _ in range(4)]
    assert theirs == [201, 201, 503, 503]
    assert gateway.request("POST", "/v1/captures", third, {"prompt": ["a"], "wait": True}).status == 201


@long
def test_pictures_of_one_token_keep_nobody_from_anything(own):
    panel, gateway = own
    token, other = gateway.token(), gateway.token("other")
    capture = gateway.capture(token)["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "ended")
    mine = gateway.capture(other)["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{mine}", other).json["state"] == "ended")
    picture = "signature.png?width=3000&height=3000"
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        pictures = [pool.submit(gateway.request, "GET", f"/v1/captures/{capture}/{picture}", token) for _ in range(40)]
        wait_for(lambda: any(one.done() for one in pictures))
        assert gateway.request("GET", f"/v1/captures/{mine}/{picture}", other).status == 200
        first = sum(one.done() for one in pictures)
        assert first < 40, "its turn came before the last of the others"
        gateway.act(other, "leave")
        running = gateway.capture(other)["id"]
        assert gateway.request("GET", "/v1/panel", other).status == 200
        assert gateway.request("POST", f"/v1/captures/{running}/cancel", other).status == 200
        assert [one.result().status for one in pictures] == [200] * 40


class LongFiles:
    """A panel whose CSV files have 8 MB, and that makes as many at once as there are calls."""

    def __init__(self, folder):
        self.path = str(folder / "long.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        with connection:
            data = b""
            while b"\0" not in data:
                data += connection.recv(65536)
            call = json.loads(data[:-1])
            if call["method"].endswith("List"):
                reply = b'{"captures":[],"unreadable":[]}'
            elif call["parameters"]["format"] == "metadata":
                summary = {
                    "id": ID, "outcome": {"result": "accepted"}, "startedAt": 1795680387000000, "prompt": [],
                    "byteCount": 1}
                metadata = {
                    "summary": summary, "program": "inkpanel", "devices": [], "screen": {"width": 1, "height": 1},
                    "pixelsPerMillimetre": 1, "strokes": 1, "samples": 1, "inAirSamples": 0}
                reply = json.dumps({"mediaType": "application/json", "metadata": metadata}).encode()
            elif call["parameters"]["format"] == "csv":
                reply = b'{"mediaType":"text/csv","text":"' + b"1,2,3\\n" * (1 << 20) + b'"}'
            else:
                reply = b'{"mediaType":"image/png","base64":"AAAA"}'
            try:
                connection.sendall(b'{"parameters":' + reply + b"}\0")
            except OSError:
                pass

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def long_files(tmp_path):
    panel = LongFiles(tmp_path)
    gateway = Gateway(tmp_path, panel.path)
    yield gateway
    gateway.kill()
    panel.stop()


def test_slow_downloads_keep_nobody_waiting(long_files):
    """Two tokens take long files byte by byte. A third one's calls wait for no file, and its files not for theirs."""
    gateway = long_files
    one, two, third = [gateway.token(name, ["admin"]) for name in ("one", "two", "third")]
    slow = []
    for token in (one, one, two):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", gateway.port))
        connection.sendall(f"GET /v1/captures/{ID}/signature.csv HTTP/1.1\r\nHost: localhost\r\n"
                           f"Authorization: Bearer {token}\r\n\r\n".encode())
        slow.append(connection)
    time.sleep(1)

    def seconds(path: str) -> float:
        began = time.monotonic()
        answer = gateway.request("GET", path, third)
        assert answer.status == 200, answer
        return time.monotonic() - began

    def trickle():
        while not is_over.wait(0.5):
            for connection in slow:
                try:
                    connection.recv(1)
                except OSError:
                    pass

    is_over = threading.Event()
    thread = threading.Thread(target=trickle)
    thread.start()
    try:
        assert max(map(seconds, ("/v1/captures", f"/v1/captures/{ID}"))) < 3
        assert seconds(f"/v1/captures/{ID}/signature.png") < 25
        assert seconds(f"/v1/captures/{ID}/signature.png") < 25
    finally:
        is_over.set()
        thread.join()
        for connection in slow:
            connection.close()


def test_mirrors_of_one_token_leave_places(own):
    panel, gateway = own
    token, other = [gateway.token(name, ["mirror:state"]) for name in ("one", "other")]
    held = [Events(gateway, token, "/v1/mirror?level=state", {}) for _ in range(32)]
    try:
        # Not request(), which would read the stream of one that is not refused to its end.
        connection = gateway.connection()
        connection.request("GET", "/v1/mirror?level=state", headers={"Authorization": "Bearer " + token})
        refused = connection.getresponse()
        assert refused.status == 503 and b"too-many-followers" in refused.read()
        held.append(Events(gateway, other, "/v1/mirror?level=state", {}))
    finally:
        for one in held:
            one.close()
