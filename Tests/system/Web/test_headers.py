# SPDX-License-Identifier: Apache-2.0
"""Which headers nginx hands over, and what long ones cost the gateway and others."""

import http.client
import os
import threading
import time

import pytest

from test_gateway import Chain
from test_requests import lines

LONG = "a" * 7900
LONG_HEADERS = {f"X-{number}": LONG for number in range(4)}


def test_the_gateway_gets_the_headers_of_the_api_only(nginx, upstream):
    ours = {
        "Authorization": "Bearer ipt_x", "Content-Encoding": "gzip", "Content-Type": "application/json",
        "Idempotency-Key": "k",
        "If-None-Match": '"a", "b"', "Last-Event-ID": "7", "Origin": "https://till.example", "Prefer": 'wait="30"',
        "Sec-Fetch-Site": "cross-site"}
    others = {
        "Accept": "*/*", "Accept-Encoding": "gzip", "Cookie": "a=b", "Expect": "100-continue", "Range": "bytes=0-1",
        "Referer": "https://till.example/", "TE": "trailers", "Upgrade": "websocket", "User-Agent": "test",
        "Sec-WebSocket-Protocol": "inkpanel.v1", "Via": "1.1 a", "X-Forwarded-Host": "evil.example", **LONG_HEADERS}
    response = nginx.request("POST", "/v1/captures", source="127.0.9.1", body=b"{}", headers=ours | others)
    assert response.status == 200
    got = [line for line in lines(response.text.split("\r\n\r\n")[0])[1:]]
    assert {line.split(": ", 1)[0] for line in got} == {name.lower() for name in ours} | {
        "host", "connection", "content-length", "x-inkpanel-client", "x-inkpanel-address"}
    for name, value in ours.items():
        assert f"{name}: {value}".lower() in got
    assert len(upstream.requests[0]) < 700


@pytest.fixture(scope="module")
def chain(shared_nginx, tmp_path_factory):
    chain = Chain(shared_nginx, tmp_path_factory.mktemp("chain"))
    yield chain
    chain.stop()


def processor_time(process) -> float:
    """Seconds."""
    fields = open(f"/proc/{process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def calls(chain, source: str, headers: dict, count: int) -> list[float]:
    """Times of requests one after another on a connection."""
    connection = http.client.HTTPSConnection(
        "localhost", chain.nginx.port, context=chain.nginx.context, timeout=60, source_address=(source, 0))
    times = []
    for _ in range(count):
        began = time.monotonic()
        connection.request("GET", "/v1/panel", headers=headers)
        response = connection.getresponse()
        response.read()
        assert response.status in (401, 429), response.status
        times.append(time.monotonic() - began)
        # 20 a second for an address.
        time.sleep(max(0, 0.055 - times[-1]))
    connection.close()
    return times


@pytest.mark.parametrize("headers", [{}, LONG_HEADERS], ids=["short", "32 KB"])
def test_the_cost_of_a_refused_request(chain, headers):
    """Prints the gateway's processor time for a request without a token."""
    before = processor_time(chain.gateway)
    count = len(calls(chain, "127.0.9.2", headers, 60))
    print(f"{(processor_time(chain.gateway) - before) / count * 1000:.2f} ms of processor time for a refused request")


def test_others_are_served_while_an_address_sends_long_headers(chain):
    """Six connections with 32 KB of headers in each request. Prints how long others wait."""
    alone = sorted(calls(chain, "127.0.9.3", {}, 20))
    is_over = threading.Event()

    def attack():
        connection = None
        while not is_over.is_set():
            try:
                connection = connection or http.client.HTTPSConnection(
                    "localhost", chain.nginx.port, context=chain.nginx.context, timeout=60,
                    source_address=("127.0.9.4", 0))
                connection.request("GET", "/v1/panel", headers=LONG_HEADERS)
                connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                connection = None

    threads = [threading.Thread(target=attack) for _ in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    others = sorted(calls(chain, "127.0.9.5", {}, 40))
    is_over.set()
    for thread in threads:
        thread.join()
    print(f"others: median {others[20] * 1000:.0f} ms, worst {others[-1] * 1000:.0f} ms; "
          f"alone {alone[10] * 1000:.0f} ms, {alone[-1] * 1000:.0f} ms")
