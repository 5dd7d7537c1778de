# SPDX-License-Identifier: Apache-2.0
"""Other pads' protocols through nginx: WebSockets for them alone, and no session in a log."""

import base64
import json
import os
import struct

import pytest

from test_gateway import Chain
from support.waiting import wait_for


@pytest.fixture(scope="module")
def chain(shared_nginx, tmp_path_factory):
    chain = Chain(shared_nginx, tmp_path_factory.mktemp("chain"))
    yield chain
    chain.stop()


def session(chain) -> str:
    made = chain.nginx.request(
        "POST", "/v1/sessions", source="127.0.40.1", body=json.dumps({"origin": f"https://localhost:{chain.nginx.port}"}),
        headers={"Authorization": "Bearer " + chain.token, "Content-Type": "application/json"})
    assert made.status == 201, made.text
    return json.loads(made.text)["token"]


def handshake(chain, path: str):
    connection = chain.nginx.connect("127.0.40.2")
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall((
        f"GET {path} HTTP/1.1\r\nHost: localhost:{chain.nginx.port}\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
        f"Origin: https://localhost:{chain.nginx.port}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = connection.recv(1)
        assert piece, head
        head += piece
    return connection, head.split(b"\r\n")[0]


def ask(connection, command: str) -> dict:
    text = json.dumps({"TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": "TOKEN_CMD_" + command}).encode()
    connection.sendall(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
    first, length = connection.recv(2)
    assert first == 0x81
    if length == 126:
        length, = struct.unpack(">H", connection.recv(2))
    payload = b""
    while len(payload) < length:
        payload += connection.recv(length - len(payload))
    return json.loads(payload)


def test_a_page_speaks_with_the_gateway_and_no_log_has_its_session(chain):
    token = session(chain)
    connection, status = handshake(chain, "/compat/signotec/" + token)
    assert b" 101 " in status
    for _ in range(3):
        assert ask(connection, "GET_SERVER_VERSION")["TOKEN_PARAM_RETURN_CODE"] == "0"
    connection.close()
    path = f"/compat/sigweb/{token}/SigWeb/"
    assert chain.nginx.request("GET", path + "Version", source="127.0.40.3").text == '"1.7.0.0"\n'
    assert chain.nginx.request("POST", path + "ImageXSize/300", source="127.0.40.3").status == 200
    answers = [chain.nginx.request("GET", path + "ImageXSize", source="127.0.40.3").status for _ in range(60)]
    assert answers == [200] * 60, "pages of other pads ask often"
    chain.stop_gateway()
    try:
        assert chain.nginx.request("GET", path + "Version", source="127.0.40.3").status == 502
        assert chain.nginx.request("GET", "/v1/panel?told", source="127.0.40.3").status == 502
    finally:
        chain.start()
        wait_for(lambda: chain.get().status == 401)
    log = chain.nginx.log.read_text()
    assert "/v1/panel?told" in log and token not in log and "/compat/" not in log
    chain.log.flush()
    assert token not in (chain.folder / "log").read_text()


def test_there_are_no_websockets_elsewhere(chain):
    connection, status = handshake(chain, "/v1/virtual")
    assert b" 404 " in status
    connection.close()
