# SPDX-License-Identifier: Apache-2.0
"""The whole chain: nginx, the gateway, and a panel with a display in memory."""

import json
import os
import socket
import subprocess
import time

import h2.config
import h2.connection
import pytest

from test_requests import problem
from support.waiting import listens, wait_for


class Chain:
    """The gateway behind nginx, and a panel."""

    def __init__(self, nginx, folder):
        self.nginx, self.folder = nginx, folder
        self.config = folder / "inkpanel.toml"
        self.config.write_text('[control]\ngateway = ""\ngroup = ""\n[gateway]\nnames = ["pad.example"]\n')
        self.log = (folder / "log").open("wb")
        self.panel = self.run(
            "INKPANEL", "--simulate", "--display", "headless:800x480", "--socket", folder / "p.sock", "--store",
            folder / "records")
        wait_for(lambda: listens(folder / "p.sock"), 30)
        (folder / "tokens").mkdir()
        self.token = subprocess.run(
            [os.environ["GATEWAY"], "token", "add", "--name", "till", "--scope", "panel", "--scope", "capture", "--scope",
             "record", "--scope", "simulate", "--state", folder / "tokens"],
            check=True, capture_output=True, text=True).stdout.strip()
        self.start()

    def run(self, program: str, *arguments) -> subprocess.Popen:
        return subprocess.Popen(
            [os.environ[program], "run", "--config", self.config, *arguments], stdout=self.log, stderr=self.log)

    def start(self):
        self.gateway = self.run(
            "GATEWAY", "--panel", self.folder / "p.sock", "--socket", self.nginx.upstream, "--state",
            self.folder / "tokens")
        wait_for(lambda: listens(self.nginx.upstream))

    def stop_gateway(self):
        self.gateway.kill()
        self.gateway.wait()

    def stop(self):
        self.stop_gateway()
        self.nginx.upstream.unlink(missing_ok=True)
        self.panel.terminate()
        self.panel.wait(30)
        self.log.close()

    def get(self, token: str = "", **options):
        headers = {"Authorization": "Bearer " + token} if token else {}
        return self.nginx.request("GET", "/v1/panel", headers=headers, **options)

    def status_of(self, host: str, address: str = "127.0.0.1") -> bytes:
        """Of a request for a host, at an address of this machine."""
        with socket.create_connection((address, self.nginx.port), timeout=10) as plain:
            with self.nginx.context.wrap_socket(plain, server_hostname="localhost") as connection:
                connection.sendall(f"GET /v1/panel HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                return connection.recv(65536).split()[1]


@pytest.fixture(scope="module")
def chain(shared_nginx, tmp_path_factory):
    chain = Chain(shared_nginx, tmp_path_factory.mktemp("chain"))
    yield chain
    chain.stop()


def test_a_token_gets_the_status_of_the_panel(chain):
    response = chain.get(chain.token)
    assert response.status == 200 and "800" in response.text, response.text
    problem(chain.get(), 401, "no-token")


@pytest.mark.parametrize("host, address, expected", [
    ("localhost", "127.0.0.1", b"401"), ("localhost:8443", "127.0.0.1", b"401"), ("pad.example", "127.0.0.1", b"401"),
    ("127.0.0.1", "127.0.0.1", b"401"),
    # The address that the client has connected to, and no other.
    ("127.0.8.1", "127.0.8.1", b"401"), ("127.0.8.2", "127.0.8.1", b"421"),
    ("evil.example", "127.0.0.1", b"421"), ("localhost.evil.example", "127.0.0.1", b"421"),
    ("192.0.2.99", "127.0.0.1", b"421"),
])
def test_hosts(chain, host, address, expected):
    assert chain.status_of(host, address) == expected


def test_a_wrong_host_of_http2_is_refused(chain):
    done = subprocess.run(
        ["curl", "-sS", "--http2", "--cacert", chain.nginx.certificate.ca, "--resolve",
         f"localhost:{chain.nginx.port}:127.0.0.1", "-H", "Host: evil.example",
         f"https://localhost:{chain.nginx.port}/v1/panel"], check=True, capture_output=True, text=True, timeout=30)
    assert json.loads(done.stdout)["type"] == "urn:inkpanel:problem:wrong-host"


def test_pages_of_other_origins_are_refused(chain):
    response = chain.nginx.request("GET", "/v1/panel", headers={"Origin": "https://evil.example"})
    problem(response, 403, "wrong-origin")
    assert "Access-Control-Allow-Origin" not in response.headers


def test_wrong_tokens_are_counted_for_each_client(chain):
    wrong = "ipt_x_" + "a" * 43
    statuses = [chain.get(wrong, source="127.0.7.1").status for _ in range(7)]
    assert statuses == [401] * 5 + [429] * 2
    assert chain.get(wrong, source="127.0.7.2").status == 401
    assert chain.get(chain.token, source="127.0.7.3").status == 200


def test_a_killed_gateway_is_reported_and_comes_back(chain):
    chain.stop_gateway()
    response = chain.get(chain.token, source="127.0.7.4")
    problem(response, 502, "gateway-not-running")
    assert response.headers["Retry-After"] == "2"
    chain.start()
    wait_for(lambda: chain.get(chain.token, source="127.0.7.5").status == 200)


def slow_bodies(nginx, source: str, count: int) -> socket.socket:
    """An HTTP/2 connection with requests that strangers began, of whose bodies one byte has come."""
    context = nginx.context
    context.set_alpn_protocols(["h2"])
    plain = socket.create_connection(("127.0.0.1", nginx.port), timeout=20, source_address=(source, 0))
    connection = context.wrap_socket(plain, server_hostname="localhost")
    state = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    state.initiate_connection()
    for number in range(count):
        stream = state.get_next_available_stream_id()
        state.send_headers(stream, [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/v1/captures"),
            ("authorization", f"Bearer ipt_{number}"), ("content-length", "1000")])
        state.send_data(stream, b"{")
    connection.sendall(state.data_to_send())
    return connection


def test_bodies_of_strangers_hold_no_places(chain):
    """Twelve addresses begin more requests than nginx answers at once."""
    held = [slow_bodies(chain.nginx, f"127.0.12.{1 + number}", 24) for number in range(12)]
    try:
        time.sleep(2)
        statuses = [chain.get(chain.token, source="127.0.12.99").status for _ in range(3)]
        assert statuses == [200] * 3
    finally:
        for one in held:
            one.close()


def test_the_gateway_waits_10_s_for_a_body_of_a_right_token(chain):
    headers = (f"POST /v1/captures HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {chain.token}\r\n"
               "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{").encode()
    began = time.monotonic()
    with chain.nginx.connect("127.0.13.1", timeout=40) as connection:
        connection.sendall(headers)
        answer = connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 408 ") and b"urn:inkpanel:problem:too-slow" in answer, answer
    assert 9 < time.monotonic() - began < 14


def test_curl_accepts_the_pinned_key_and_no_other(chain):
    # As docs/web.md says.
    def ask(digest: str) -> int:
        return subprocess.run(
            ["curl", "-sS", "--insecure", "--pinnedpubkey", "sha256//" + digest,
             f"https://localhost:{chain.nginx.port}/v1/panel"], capture_output=True, timeout=30).returncode

    assert ask(chain.nginx.certificate.spki) == 0
    assert ask("A" * 43 + "=") == 90


def test_a_signature_through_all_processes(chain):
    """Asked for over HTTP/1.1, followed by events over HTTP/2 while nginx reloads its files, fetched as PNG."""
    headers = {"Authorization": "Bearer " + chain.token, "Content-Type": "application/json"}
    source = "127.0.7.6"
    assert chain.nginx.request("POST", "/v1/simulator/leave", source, headers=headers).status == 204
    response = chain.nginx.request(
        "POST", "/v1/captures", source, headers=headers, body=json.dumps({"prompt": ["12 parcels"]}))
    assert response.status == 201, response.text
    capture = response.headers["Location"]
    follower = subprocess.Popen(
        ["curl", "-sSN", "--http2", "--cacert", chain.nginx.certificate.ca, "-H", "Authorization: Bearer " + chain.token,
         f"https://localhost:{chain.nginx.port}{capture}/events"],
        stdout=subprocess.PIPE, text=True)
    while "snapshot" not in (line := follower.stdout.readline()):
        assert line, "the stream has ended"
    chain.nginx.reload()
    assert chain.nginx.request("POST", capture + "/cancel", source, headers=headers).status == 200
    rest, _ = follower.communicate(timeout=20)
    assert "event: ended" in rest and follower.returncode == 0

    assert chain.nginx.request("POST", "/v1/simulator/sign", source, headers=headers).status == 204
    response = chain.nginx.request(
        "POST", "/v1/captures", source, headers=headers, body=json.dumps({"prompt": ["12 parcels"]}))
    capture = response.headers["Location"]
    wait_for(lambda: '"accepted"' in chain.nginx.request(
        "GET", capture, source, headers=headers | {"Prefer": "wait=10"}).text, 60)
    signature = subprocess.run(
        ["curl", "-sS", "--cacert", chain.nginx.certificate.ca, "-H", "Authorization: Bearer " + chain.token,
         f"https://localhost:{chain.nginx.port}{capture}/signature.png"], capture_output=True, check=True).stdout
    assert signature.startswith(b"\x89PNG") and len(signature) > 1000
