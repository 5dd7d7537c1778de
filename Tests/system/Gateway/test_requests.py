# SPDX-License-Identifier: Apache-2.0
"""How the gateway reads requests on a loopback port, where no nginx is in front: strictly, and whatever their length."""

import json
import os
import random
import re
import socket
import time
from pathlib import Path

import pytest

from conftest import ORIGIN

HOST = b"Host: localhost\r\n"
END = b"\r\n\r\n"
# A request that must not be taken for the rest of the one before.
SECOND = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Reply:
    def __init__(self, data: bytes):
        self.data = data
        head, _, self.body = data.partition(END)
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split()[1]) if data else None
        self.headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:])}

    @property
    def problem(self) -> str:
        assert self.headers["content-type"] == "application/problem+json", self.data
        document = json.loads(self.body)
        assert document["status"] == self.status and document["detail"]
        return document["type"].removeprefix("urn:inkpanel:problem:")


def send(gateway, *parts: bytes, pause: float = 0.0) -> Reply:
    """What comes back until the connection ends."""
    answer = b""
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
        except OSError:
            # Refused before the end.
            pass
        try:
            while more := connection.recv(65536):
                answer += more
        except ConnectionResetError:
            pass
    return Reply(answer)


def post(*headers: bytes, body: bytes = b"") -> bytes:
    """To a route that reads bodies without a token."""
    return b"POST /v1/pairings HTTP/1.1\r\n" + HOST + b"\r\n".join(headers) + END + body + SECOND


LONG = b"a" * (8 << 20)
REFUSED = {
    "two lengths": (post(b"Content-Length: 3", b"Content-Length: 50", body=b"abc"), 400, "bad-request"),
    "two equal lengths": (post(b"Content-Length: 2", b"Content-Length: 2", body=b"{}"), 400, "bad-request"),
    "a list of lengths": (post(b"Content-Length: 2, 2", body=b"{}"), 400, "bad-request"),
    "a signed length": (post(b"Content-Length: +2", body=b"{}"), 400, "bad-request"),
    "a length in another script": (post("Content-Length: ٢".encode(), body=b"{}"), 400, "bad-request"),
    "no length": (post(b"Content-Length:", body=b"{}"), 400, "bad-request"),
    "a length of 40 digits": (post(b"Content-Length: " + b"9" * 40, body=b"{}"), 400, "bad-request"),
    "a length and a coding":
        (post(b"Content-Length: 2", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 400, "bad-request"),
    "two codings": (post(b"Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n"), 501, "not-implemented"),
    "a coding twice":
        (post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"), 400, "bad-request"),
    "an unknown coding": (post(b"Transfer-Encoding: cow", body=b"abc"), 501, "not-implemented"),
    "a chunk without a length": (post(b"Transfer-Encoding: chunked", body=b"xyz\r\nabc\r\n"), 400, "bad-request"),
    "a chunk with a sign": (post(b"Transfer-Encoding: chunked", body=b"+2\r\n{}\r\n0\r\n\r\n"), 400, "bad-request"),
    "a chunk with 0x": (post(b"Transfer-Encoding: chunked", body=b"0x2\r\n{}\r\n0\r\n\r\n"), 400, "bad-request"),
    "a chunk longer than it says": (post(b"Transfer-Encoding: chunked", body=b"1\r\n{}\r\n0\r\n\r\n"), 400, "bad-request"),
    "chunks without CR": (post(b"Transfer-Encoding: chunked", body=b"2\n{}\n0\n\n"), 400, "bad-request"),
    "a chunk of 4 GiB": (post(b"Transfer-Encoding: chunked", body=b"ffffffff\r\n"), 413, "too-large"),
    "a length of 4 GiB": (post(b"Content-Length: 4294967296"), 413, "too-large"),
    "a folded header": (b"GET / HTTP/1.1\r\n" + HOST + b"X-A: 1\r\n 2" + END, 400, "bad-request"),
    "a folded first header": (b"GET / HTTP/1.1\r\n Host: localhost" + END, 400, "bad-request"),
    "a space before the colon": (post(b"Content-Length : 2", body=b"{}"), 400, "bad-request"),
    "a space in a name": (b"GET / HTTP/1.1\r\n" + HOST + b"X A: 1" + END, 400, "bad-request"),
    "no name": (b"GET / HTTP/1.1\r\n" + HOST + b": 1" + END, 400, "bad-request"),
    "no colon": (b"GET / HTTP/1.1\r\n" + HOST + b"nonsense" + END, 400, "bad-request"),
    "a bare line feed": (b"GET / HTTP/1.1\n" + HOST + b"\r\n", 400, "bad-request"),
    "a bare line feed at the end": (b"GET / HTTP/1.1\r\n" + HOST + b"\n", 400, "bad-request"),
    "a bare carriage return": (b"GET / HTTP/1.1\r\n" + HOST + b"X-A: 1\rX-B: 2" + END, 400, "bad-request"),
    "NUL in a value": (b"GET / HTTP/1.1\r\n" + HOST + b"X-A: a\0b" + END, 400, "bad-request"),
    "no host": (b"GET / HTTP/1.1\r\nConnection: close" + END, 400, "bad-host"),
    "two hosts": (b"GET / HTTP/1.1\r\nConnection: close\r\n" + HOST + HOST + b"\r\n", 400, "bad-host"),
    "two tokens": (b"GET /v1/panel HTTP/1.1\r\n" + HOST + 2 * b"Authorization: Bearer a\r\n" + b"\r\n", 400, "bad-request"),
    "a method in lower case": (b"get / HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad-request"),
    "no version": (b"GET /\r\n" + HOST + b"\r\n", 400, "bad-request"),
    "two spaces": (b"GET  / HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad-request"),
    "HTTP/1.0": (b"GET / HTTP/1.0\r\n" + HOST + b"\r\n", 505, "wrong-version"),
    "HTTP/9.9": (b"GET / HTTP/9.9\r\n" + HOST + b"\r\n", 505, "wrong-version"),
    "HTTP/2 without TLS": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad-request"),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 400 + b"\n", 400, "bad-request"),
    "an absolute target": (b"GET http://localhost/ HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad-request"),
    "a broken escape": (b"GET /v1/panel?a=%zz HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad-request"),
    "half an escape": (b"GET /v1/panel?a=%4 HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad-request"),
    "a fragment": (b"GET /v1/panel#a HTTP/1.1\r\n" + HOST + b"\r\n", 400, "bad-request"),
    "another expectation": (post(b"Expect: 200-maybe", b"Content-Length: 2", body=b"{}"), 417, "unknown-expectation"),
    "an address of 8 MiB": (b"GET /" + LONG + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414, "address-too-long"),
    "an address of 1025 bytes": (b"GET /" + LONG[:1024] + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414, "address-too-long"),
    "a header of 8 MiB": (b"GET / HTTP/1.1\r\n" + HOST + b"X-A: " + LONG + END, 431, "headers-too-large"),
    "a header name of 8 MiB": (b"GET / HTTP/1.1\r\n" + HOST + LONG + b": 1" + END, 431, "headers-too-large"),
    "a token of 2049 bytes":
        (b"GET / HTTP/1.1\r\n" + HOST + b"Authorization: " + LONG[:2049] + END, 431, "headers-too-large"),
    "5000 headers": (b"GET / HTTP/1.1\r\n" + HOST + b"A: \r\n" * 5000 + b"\r\n", 431, "headers-too-large"),
    "5000 items of a list":
        (b"GET / HTTP/1.1\r\n" + HOST + 5 * (b"Connection: " + b"a," * 1000 + b"\r\n") + b"\r\n", 431, "headers-too-large"),
    "2000 chunks": (post(b"Transfer-Encoding: chunked", body=b"1\r\na\r\n" * 2000), 400, "bad-request"),
    "empty lines without end": (b"\r\n" * 100_000, 431, "headers-too-large"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_malformed_request_is_refused_and_ends_the_connection(gateway, name):
    data, status, problem = REFUSED[name]
    reply = send(gateway, data)
    assert (reply.status, reply.problem) == (status, problem)
    assert len(re.findall(rb"HTTP/1\.1 \d{3} ", reply.data)) == 1, "no second request was taken from the rest"
    assert reply.headers["cache-control"] == "no-store"


TAKEN = {
    "spaces around values": b"GET /v1/panel HTTP/1.1\r\nHost: \t localhost \t\r\nConnection:close" + END,
    "an empty line before": b"\r\nGET /v1/panel HTTP/1.1\r\n" + HOST + b"Connection: close" + END,
    "31 KiB of headers": b"GET /v1/panel HTTP/1.1\r\n" + HOST
        + b"".join(b"X-%d: %s\r\n" % (i, LONG[:7700]) for i in range(4)) + b"Connection: close" + END,
    "a name with every character": b"GET /v1/panel HTTP/1.1\r\n" + HOST + b"!#$%&'*+-.^_`|~: \xff\r\nConnection: close" + END,
    "an address of 1024 bytes": b"GET /v1/panel?" + LONG[:1010] + b" HTTP/1.1\r\n" + HOST + b"Connection: close" + END,
    "close in a list": b"GET /v1/panel HTTP/1.1\r\n" + HOST + b"Connection: keep-alive , CLOSE" + END,
}


@pytest.mark.parametrize("name", TAKEN)
def test_an_unusual_request_is_taken(gateway, name):
    assert send(gateway, TAKEN[name]).problem == "no-token"


def test_requests_come_in_any_pieces(gateway, token):
    """Several requests of one connection, cut where a seeded generator says."""
    choose = random.Random(4711)
    secret = b"Authorization: Bearer " + token.encode() + b"\r\nContent-Type: application/json\r\n"
    chunked = b"5\r\n{\"pro\r\nA;x=\"y\"\r\nmpt\":[1]} \r\n0\r\nX-Trailer: 1\r\n\r\n"
    requests = (
        b"GET /v1/panel HTTP/1.1\r\n" + HOST + secret + b"\r\n"
        + b"POST /v1/captures HTTP/1.1\r\n" + HOST + secret + b"Content-Length: 14\r\n\r\n" + b'{"prompt":[1]}'
        + b"POST /v1/captures HTTP/1.1\r\n" + HOST + secret + b"Transfer-Encoding: chunked\r\n\r\n" + chunked
        + b"HEAD /v1/panel HTTP/1.1\r\n" + HOST + secret + b"\r\n"
        + b"GET /v1/nothing HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    for _ in range(6):
        cuts = sorted(choose.sample(range(1, len(requests)), choose.randrange(0, 12)))
        pieces = [requests[start:end] for start, end in zip([0, *cuts], [*cuts, len(requests)])]
        data = send(gateway, *pieces, pause=0.002).data
        assert re.findall(rb"HTTP/1\.1 (\d{3}) ", data) == [b"200", b"400", b"400", b"405", b"404"]
        assert data.count(b'"pointer":"/prompt') == 2
        # The answer to HEAD has no body.
        assert data.count(b"urn:inkpanel:problem:wrong-method") == 0


def test_a_client_that_expects_100_is_told_to_go_on(gateway, token):
    headers = (b"Authorization: Bearer " + token.encode(), b"Content-Type: application/json", b"Expect: 100-Continue",
               b"Connection: close")
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as connection:
        head = b"\r\n".join([b"POST /v1/captures HTTP/1.1", b"Host: localhost", *headers, b"Content-Length: 14"]) + END
        connection.sendall(head)
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b'{"prompt":[1]}')
        assert b" 400 " in connection.recv(65536).split(b"\r\n")[0]
    # Not where the body would be refused, nor where there is none.
    assert send(gateway, post(b"Expect: 100-continue", b"Content-Length: 65537")).status == 413
    assert send(gateway, b"GET /v1/panel HTTP/1.1\r\n" + HOST + b"Connection: close\r\nExpect: 100-continue" + END).status == 401


def test_pages_read_why_a_request_was_refused(gateway):
    page = b"Origin: " + ORIGIN.encode()
    for data in (
            post(page, b"Content-Length: 65537"), post(page, b"Transfer-Encoding: cow"), post(page, b"Content-Length: x"),
            b"GET /" + LONG[:1024] + b" HTTP/1.1\r\n" + HOST + page + END,
            b"GET / HTTP/1.1\r\n" + HOST + page + b"\r\nPrefer: " + LONG[:2049] + END):
        assert send(gateway, data).headers["access-control-allow-origin"] == ORIGIN
    assert "access-control-allow-origin" not in send(
        gateway, post(b"Origin: https://evil.example", b"Content-Length: 65537")).headers


def test_strangers_send_short_bodies(gateway):
    """JSON of 64 KiB without a token took 45 ms of processor time."""
    for size, status in ((1024, 400), (1025, 413)):
        body = (b'{"name":"' + b"a" * 100 + b'"}').ljust(size)
        answer = gateway.request("POST", "/v1/pairings", body=body, Content_Type="application/json")
        assert answer.status == status, answer
    assert answer.problem == "too-large"


def test_answers_have_the_lengths_of_their_bodies(gateway, token):
    secret = b"Authorization: Bearer " + token.encode() + b"\r\n"
    for target in (b"/", b"/v1/panel", b"/v1/openapi.json", b"/inkpanel.js"):
        reply = send(gateway, b"GET " + target + b" HTTP/1.1\r\n" + HOST + secret + b"Connection: close\r\n\r\n")
        assert int(reply.headers["content-length"]) == len(reply.body)
        assert reply.headers["connection"] == "close"
    reply = send(gateway, b"HEAD /v1/panel HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    assert reply.status == 405 and not reply.body and int(reply.headers["content-length"]) > 0
    reply = send(gateway, b"OPTIONS /v1/panel HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    assert reply.status == 204 and not reply.body and "content-length" not in reply.headers


def test_the_gateway_and_nginx_know_the_same_headers():
    """nginx passes what the gateway reads, but what concerns one connection only."""
    root = Path(__file__).resolve().parents[3]
    source = (root / "Sources/HTTP/RequestHead.swift").read_text()
    known = set(re.findall(r'"([a-z-]+)"', "".join(re.findall(r"Set<String> = \[(.*?)\]", source, re.S))))
    passed = {name.lower() for name in re.findall(r"proxy_set_header ([\w-]+) ", (root / "deploy/nginx/nginx.conf").read_text())}
    # Those of WebSockets pass at the paths of other pads' protocols only.
    assert known - passed == {"content-length", "expect", "transfer-encoding", "sec-websocket-protocol"}
    assert passed <= known


def test_a_body_is_read_after_the_token(gateway, token):
    """A stranger is refused although the body has not come."""
    head = b"POST /v1/captures HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: 14\r\n"
    for authorization in (b"", b"Authorization: Bearer ipt_wrong\r\n"):
        began = time.monotonic()
        reply = send(gateway, head + authorization + b"\r\n{")
        assert reply.status in (401, 429) and reply.headers["connection"] == "close"
        assert time.monotonic() - began < 5
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=20) as connection:
        connection.sendall(head + b"Authorization: Bearer " + token.encode() + b"\r\n\r\n{")
        connection.settimeout(1)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(20)
        connection.sendall(b'"prompt":[1]}')
        assert b" 400 " in connection.recv(65536).split(b"\r\n")[0]


def processor_time(process) -> float:
    """Seconds."""
    fields = open(f"/proc/{process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("name", ["items", "chunks"])
def test_the_cost_of_a_refused_request(gateway, name):
    """Lists of 28 KB, and a body of 64 KiB in single bytes, cost 10 ms and 70 ms."""
    data = {
        "items": b"GET /v1/panel HTTP/1.1\r\n" + HOST + 14 * (b"Connection: " + b"a," * 1000 + b"\r\n") + b"\r\n",
        "chunks": b"POST /v1/captures HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked" + END + b"1\r\na\r\n" * 65536}[name]
    before = processor_time(gateway.process)
    for _ in range(20):
        send(gateway, data)
    cost = (processor_time(gateway.process) - before) / 20 * 1000
    print(f"{cost:.1f} ms of processor time")
    assert cost < 5
