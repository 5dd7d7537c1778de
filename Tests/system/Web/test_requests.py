# SPDX-License-Identifier: Apache-2.0
"""What nginx hands over, and what it refuses."""

import http.client
import json
import re
import socket
import ssl
import subprocess

import pytest

from support.nginx import has_ipv6


def problem(response, status: int, name: str) -> dict:
    assert response.status == status, response.text
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Cache-Control"] == "no-store"
    # Pages of any origin read nginx's own; the gateway knows which may.
    if name not in ("no-token", "wrong-token", "wrong-origin", "wrong-host"):
        readable_by_pages(response.headers, status)
    body = json.loads(response.text)
    assert (body["type"], body["status"]) == ("urn:inkpanel:problem:" + name, status)
    assert body["title"] and body["detail"]
    return body


def readable_by_pages(headers, status: int):
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Access-Control-Expose-Headers"] == "retry-after"
    assert headers["Retry-After"] == {429: "1", 502: "2", 503: "2", 504: "2"}.get(status)


def lines(text: str) -> list[str]:
    return text.lower().splitlines()


def test_the_gateway_learns_who_calls_and_by_which_address(nginx, upstream):
    response = nginx.request(
        "POST", "/v1/captures?a=%2F", source="127.0.2.1", body=b"{}",
        headers={"X-Inkpanel-Client": "1.2.3.4", "X_Inkpanel_Client": "1.2.3.4", "X-Forwarded-For": "1.2.3.4",
                 "Forwarded": "for=1.2.3.4", "Authorization": "Bearer ipt_x", "Origin": "https://till.example"})
    assert response.status == 200
    got = lines(response.text)
    assert got[0] == "post /v1/captures?a=%2f http/1.1"
    assert f"host: localhost:{nginx.port}" in got
    assert "x-inkpanel-client: 127.0.2.1" in got
    assert "x-inkpanel-address: 127.0.0.1" in got
    assert "authorization: bearer ipt_x" in got and "origin: https://till.example" in got
    assert "1.2.3.4" not in response.text
    assert response.text.endswith("\r\n\r\n{}")
    assert len(upstream.requests) == 1


@pytest.mark.skipif(not has_ipv6(), reason="this kernel has no IPv6")
def test_ipv6(nginx, upstream):
    with socket.create_connection(("::1", nginx.port), timeout=10) as plain:
        with nginx.context.wrap_socket(plain, server_hostname="localhost") as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n")
            answer = b""
            while part := connection.recv(65536):
                answer += part
    assert b"X-Inkpanel-Client: ::1\r\n" in answer and b"X-Inkpanel-Address: ::1\r\n" in answer
    assert b"Host: [::1]\r\n" in answer


def curl(nginx, *arguments: str) -> str:
    return subprocess.run(
        ["curl", "-sS", "--cacert", nginx.certificate.ca, *arguments, f"https://localhost:{nginx.port}/v1/panel"],
        check=True, capture_output=True, text=True, timeout=30).stdout


def test_http2(nginx, upstream):
    answer = curl(nginx, "--http2", "-w", "%{http_version}")
    assert answer.endswith("2") and f"host: localhost:{nginx.port}" in lines(answer)


def test_http2_with_a_second_host_reaches_the_gateway_with_one(nginx, upstream):
    answer = curl(nginx, "--http2", "-H", "Host: evil.example", "-w", "%{http_code}")
    assert len(upstream.requests) <= 1
    for request in upstream.requests:
        assert request.lower().count(b"\r\nhost:") == 1 and b"evil.example" in request, answer


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_tls_versions(nginx, upstream, version):
    context = nginx.context
    context.minimum_version = context.maximum_version = version
    with socket.create_connection(("127.0.0.1", nginx.port), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as connection:
            assert connection.version() == version.name.replace("v1_", "v1.")
            assert "GCM" in connection.cipher()[0] or "CHACHA20" in connection.cipher()[0]


def test_tls_1_1_is_refused(nginx):
    context = nginx.context
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with socket.create_connection(("127.0.0.1", nginx.port), timeout=10) as plain:
        with pytest.raises(ssl.SSLError, match="(?i)version"):
            context.wrap_socket(plain, server_hostname="localhost")


def test_there_are_no_session_tickets(nginx):
    # The server keeps sessions of TLS 1.3 itself: what it sends for one is an identifier of 32 bytes.
    said = subprocess.run(
        ["openssl", "s_client", "-connect", f"127.0.0.1:{nginx.port}", "-tls1_2"], input="", capture_output=True,
        text=True, timeout=30).stdout
    assert "TLS session ticket" not in said and "Protocol  : TLSv1.2" in said


def test_http_without_tls_gets_a_problem(nginx, upstream):
    with socket.create_connection(("127.0.0.1", nginx.port), timeout=10) as connection:
        connection.sendall(b"GET /v1/panel HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while part := connection.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 400 ") and b"urn:inkpanel:problem:not-encrypted" in answer
    assert b"application/problem+json" in answer and not upstream.requests


HOST = b"Host: localhost\r\n"
END = b"\r\n\r\n"
SECOND = b"GET /second HTTP/1.1\r\nHost: localhost\r\n\r\n"

MALFORMED = {
    "no Host": b"GET / HTTP/1.1" + END,
    "two Hosts": b"GET / HTTP/1.1\r\n" + HOST + b"Host: other" + END,
    "space before colon": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length : 3" + END + b"abc",
    "two lengths": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\nContent-Length: 50" + END + b"abc" + SECOND,
    "two equal lengths": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\nContent-Length: 3" + END + b"abc",
    "length and coding":
        b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 4\r\nTransfer-Encoding: chunked" + END + b"0\r\n\r\n" + SECOND,
    "unknown coding": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: cow" + END + b"abc" + SECOND,
    "chunked twice": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked, chunked" + END + b"0\r\n\r\n" + SECOND,
    "length with a sign": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: +3" + END + b"abc",
    "negative length": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: -3" + END + b"abc",
    "length with two numbers": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 3, 3" + END + b"abc",
    "too great a length": b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999999999999999" + END + b"abc",
    "chunk size no number":
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked" + END + b"xyz\r\nabc\r\n0\r\n\r\n",
    "chunk too long": b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked" + END + b"fffffffffffffffff\r\nabc",
    "folded header": b"GET / HTTP/1.1\r\n" + HOST + b"X-A: 1\r\n 2" + END,
    "NUL in a value": b"GET / HTTP/1.1\r\n" + HOST + b"X-A: a\0b" + END,
    "control character in a name": b"GET / HTTP/1.1\r\n" + HOST + b"X\x01A: 1" + END,
    "HTTP/9.9": b"GET / HTTP/9.9\r\n" + HOST + END,
    "HTTP/0.9": b"GET /\r\n",
    "no version": b"GET / \r\n" + HOST + END,
    "lower case method": b"get / HTTP/1.1\r\n" + HOST + END,
    "absolute target": b"GET https://other.example/ HTTP/1.1\r\n" + HOST + END,
    "target without slash": b"GET v1/panel HTTP/1.1\r\n" + HOST + END,
    "target *": b"OPTIONS * HTTP/1.1\r\n" + HOST + END,
    "space in the target": b"GET /a b HTTP/1.1\r\n" + HOST + END,
    "escape out of the root": b"GET /../../etc/passwd HTTP/1.1\r\n" + HOST + END,
    "bad percent escape": b"GET /%zz HTTP/1.1\r\n" + HOST + END,
    "NUL in the target": b"GET /%00 HTTP/1.1\r\n" + HOST + END,
    "CONNECT": b"CONNECT other.example:443 HTTP/1.1\r\n" + HOST + END,
    "TRACE": b"TRACE / HTTP/1.1\r\n" + HOST + END,
    "bad Host": b"GET / HTTP/1.1\r\nHost: a/b" + END,
    "header of 64 KiB": b"GET / HTTP/1.1\r\n" + HOST + b"X-A: " + b"a" * 65536 + END,
    "header of 8 MiB": b"GET / HTTP/1.1\r\n" + HOST + b"X-A: " + b"a" * (8 << 20) + END,
    "5000 headers": b"GET / HTTP/1.1\r\n" + HOST + b"".join(b"X-%d: 1\r\n" % i for i in range(5000)) + b"\r\n",
    "target of 64 KiB": b"GET /" + b"a" * 65536 + b" HTTP/1.1\r\n" + HOST + END,
    "HTTP/2 without ALPN": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS in TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 512,
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_requests_do_not_reach_the_gateway(nginx, upstream, name):
    answer = nginx.send(MALFORMED[name], source=f"127.0.3.{1 + list(MALFORMED).index(name)}")
    assert not upstream.requests, upstream.requests
    if answer.startswith(b"HTTP/"):
        assert answer[9:10] in (b"4", b"5"), answer
        assert len(re.findall(rb"HTTP/1\.1 \d{3} ", answer)) == 1
    # HTTP/0.9 has no header.
    assert b"urn:inkpanel:problem:" in answer or not answer, answer


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_bare_line_feeds_and_pipelining_are_rewritten(nginx, upstream, line_end):
    """nginx takes both; the gateway gets well-formed requests, each on a connection of its own."""
    request = line_end.join([b"POST /first HTTP/1.1", b"Host: localhost", b"Content-Length: 3", b"", b"abc"])
    answer = nginx.send(request + SECOND, source="127.0.2.2")
    assert answer.count(b"HTTP/1.1 200 ") == 2
    assert [request.split(b"\r\n")[0] for request in upstream.requests] == [
        b"POST /first HTTP/1.1", b"GET /second HTTP/1.1"]
    assert upstream.requests[0].endswith(b"\r\n\r\nabc")


def test_a_line_without_colon_is_a_header_without_value(nginx, upstream):
    answer = nginx.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nnonsense\r\nPrefer: 1\r\n\r\n", source="127.0.2.9")
    assert answer.startswith(b"HTTP/1.1 200 ") and len(upstream.requests) == 1
    assert b"\r\nPrefer: 1\r\n" in upstream.requests[0]


def test_chunked_bodies_arrive_whole(nginx, upstream):
    response = nginx.request("POST", "/", source="127.0.2.3", body=iter([b"abc", b"defg"]), encode_chunked=True,
                             headers={"Transfer-Encoding": "chunked"})
    assert response.status == 200
    # If the last chunk comes with the head, nginx counts the bytes.
    assert ("transfer-encoding: chunked" in lines(response.text)) != ("content-length: 7" in lines(response.text))
    assert response.text.endswith("\r\n\r\nabcdefg")


def test_bodies_of_at_most_64_kib(nginx, upstream):
    assert nginx.request("POST", "/", source="127.0.2.4", body=b"a" * 65536).status == 200
    problem(nginx.request("POST", "/", source="127.0.2.4", body=b"a" * 65537), 413, "too-large")
    # nginx answers before the second chunk, and closes.
    answer = nginx.send(
        b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + b"10001\r\n" + b"a" * 65537,
        source="127.0.2.4")
    assert answer.startswith(b"HTTP/1.1 413 ") and b"urn:inkpanel:problem:too-large" in answer
    assert len(upstream.requests) == 1


def test_documents_of_at_most_32_mib(nginx, upstream):
    def post(path: str, length: int):
        return nginx.request("POST", path, source="127.0.2.13", body=b"a" * length)

    assert post("/v1/documents", 1 << 20).status == 200
    # The headers are those of other requests.
    assert b"\r\nX-Inkpanel-Client: 127.0.2.13\r\n" in upstream.requests[0]
    answer = nginx.send(
        b"POST /v1/documents HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % ((32 << 20) + 1),
        source="127.0.2.13")
    assert answer.startswith(b"HTTP/1.1 413 ") and b"urn:inkpanel:problem:too-large" in answer
    for path in ("/v1/documents/", "/v1/documents/1", "/v1/captures"):
        problem(post(path, 65537), 413, "too-large")


def test_names_of_limits(nginx, upstream):
    problem(nginx.request("GET", "/" + "a" * 20000), 414, "address-too-long")
    problem(nginx.request("GET", "/", headers={"X-A": "a" * 20000}), 431, "headers-too-large")
    problem(nginx.request("TRACE", "/"), 405, "method-not-allowed")


def test_pages_of_errors_have_no_address(nginx, upstream):
    problem(nginx.request("GET", "/problem/gateway-not-running", source="127.0.2.5"), 404, "not-found")
    assert not upstream.requests


def test_a_gateway_that_does_not_run(nginx):
    response = nginx.request("GET", "/v1/panel", source="127.0.2.6")
    problem(response, 502, "gateway-not-running")
    assert response.headers["Retry-After"] == "2"


def test_20_requests_in_a_second(nginx, upstream):
    with nginx.connect("127.0.2.7") as connection:
        data = b""
        connection.sendall(SECOND * 70)
        connection.settimeout(3)
        try:
            while part := connection.recv(65536):
                data += part
        except TimeoutError:
            pass
    # One, 40 at once, and a few for the time that this took.
    assert 41 <= data.count(b"HTTP/1.1 200 ") <= 60 and data.count(b"HTTP/1.1 429 ") >= 10
    assert b"Retry-After: 1\r\n" in data and b"urn:inkpanel:problem:too-many-requests" in data
    assert data.count(b"Access-Control-Allow-Origin: *\r\n") == data.count(b"HTTP/1.1 429 ")
    assert nginx.request("GET", "/", source="127.0.2.8").status == 200


def of_ipv6(nginx, address: str) -> int:
    """The status of a request that nginx hears of as one from an address of IPv6, which this kernel need not have."""
    with socket.socket(socket.AF_UNIX) as plain:
        plain.settimeout(20)
        plain.connect(str(nginx.folder / "run" / "tls.sock"))
        plain.sendall(f"PROXY TCP6 {address} 2001:db8::ffff 1234 8443\r\n".encode())
        with nginx.context.wrap_socket(plain, server_hostname="localhost") as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return int(connection.recv(65536).split()[1])


def test_limits_are_those_of_a_network_of_ipv6(nginx, upstream):
    # Bytes that are line feeds or NUL are bytes as others.
    statuses = [of_ipv6(nginx, f"2001:db8:a0a:a::{number:x}:a") for number in range(100)]
    assert statuses.count(200) < 100 and 429 in statuses, "a host has a /64 of addresses"
    assert of_ipv6(nginx, "2001:db8:a0a:b::1") == 200, "another network"
    assert nginx.configuration.read_text().count("limit_conn_zone $network") == 2


class Answer:
    """What curl got: of several answers on one connection the last."""

    def __init__(self, said: str):
        head, _, self.text = said.rpartition("\r\n\r\n")
        lines = head.split("\r\n\r\n")[-1].split("\r\n")
        self.status = int(lines[0].split()[1])
        self.headers = http.client.HTTPMessage()
        for line in lines[1:]:
            self.headers.add_header(*line.split(": ", 1))


def ask(nginx, version: str, source: str, *arguments: str, path: str = "/v1/panel") -> Answer:
    return Answer(subprocess.run(
        ["curl", "-sSi", version, "--interface", source, "--cacert", nginx.certificate.ca, *arguments,
         f"https://localhost:{nginx.port}{path}"], check=True, capture_output=True, timeout=30).stdout.decode())


@pytest.mark.parametrize("version", ["--http1.1", "--http2"])
def test_pages_read_all_answers_that_nginx_makes_itself(nginx, tmp_path, version):
    source = "127.0.2.10" if version == "--http2" else "127.0.2.11"
    page = ["-H", "Origin: https://till.example"]
    body = tmp_path / "body"
    body.write_bytes(b"a" * 65537)
    problem(ask(nginx, version, source, *page), 502, "gateway-not-running")
    problem(ask(nginx, version, source, *page, "--data-binary", f"@{body}"), 413, "too-large")
    # Without Expect, so that the whole body is on its way.
    problem(ask(nginx, version, source, *page, "--data-binary", f"@{body}", "-H", "Expect:"), 413, "too-large")
    problem(ask(nginx, version, source, *page, "-X", "TRACE"), 405, "method-not-allowed")
    problem(ask(nginx, version, source, *page, path="/problem/too-large"), 404, "not-found")
    problem(ask(nginx, version, source, *page, path="/preflight/too-large"), 404, "not-found")
    problem(ask(nginx, version, source, *page, path="/%00"), 400, "bad-request")
    if version == "--http1.1":
        # With HTTP/2, nginx ends the connection.
        problem(ask(nginx, version, source, *page, path="/" + "a" * 9000), 414, "address-too-long")
        problem(ask(nginx, version, source, *page, "-H", "X-A: " + "a" * 9000), 431, "headers-too-large")
        problem(ask(nginx, version, source, *page, "-H", "Transfer-Encoding: cow", "-d", "a"), 501, "not-implemented")


@pytest.mark.parametrize("version", ["--http1.1", "--http2"])
def test_a_page_may_ask_when_nginx_refuses_the_question_itself(nginx, version):
    question = ["-X", "OPTIONS", "-H", "Origin: https://till.example", "-H", "Access-Control-Request-Method: POST"]
    answer = ask(nginx, version, "127.0.2.12", *question)
    assert answer.status == 204 and not answer.text
    assert answer.headers["Access-Control-Allow-Origin"] == "*" and answer.headers["Access-Control-Max-Age"] == "0"
    assert "authorization" in answer.headers["Access-Control-Allow-Headers"]
    # No page asks so.
    problem(ask(nginx, version, "127.0.2.12", "-X", "OPTIONS"), 502, "gateway-not-running")
    problem(ask(nginx, version, "127.0.2.12", *question[:4]), 502, "gateway-not-running")
