# SPDX-License-Identifier: Apache-2.0
"""200 followers of a capture over HTTP/2, through nginx and the gateway, while other clients do their worst."""

import http.client
import json
import re
import socket
import threading
import time
from contextlib import contextmanager

import h2.config
import h2.connection
import h2.events
import pytest

from support import breadth
from test_gateway import Chain
from test_limits import are_open, connect_often, connections
from support.waiting import wait_for

ADDRESSES = 10
STREAMS = 10  # of an address 24
COUNT = ADDRESSES * 2 * STREAMS


class Followers:
    """An HTTP/2 connection from an address of the loopback network, with streams of events."""

    def __init__(self, nginx, source: str):
        context = nginx.context
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", nginx.port), timeout=60, source_address=(source, 0))
        self.socket = context.wrap_socket(plain, server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        # By stream: the status, what has come, and when each event did.
        self.statuses, self.texts, self.times, self.ended = {}, {}, {}, set()
        self.lock = threading.Lock()
        self.send()
        threading.Thread(target=self.read, daemon=True).start()

    def send(self):
        self.socket.sendall(self.h2.data_to_send())

    def follow(self, path: str, token: str, count: int):
        self.statuses, self.texts, self.times, self.ended = {}, {}, {}, set()
        with self.lock:
            for _ in range(count):
                self.h2.send_headers(self.h2.get_next_available_stream_id(), [
                    (":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", path),
                    ("authorization", "Bearer " + token)], end_stream=True)
            self.send()

    def read(self):
        try:
            while data := self.socket.recv(65536):
                now = time.monotonic()
                with self.lock:
                    for event in self.h2.receive_data(data):
                        self.receive(event, now)
                    self.send()
        except OSError:
            # Closed by the test.
            pass

    def receive(self, event, now: float):
        stream = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.ResponseReceived):
            self.statuses[stream] = dict(event.headers)[":status"]
            self.texts[stream], self.times[stream] = "", []
        elif isinstance(event, h2.events.DataReceived):
            self.texts[stream] += event.data.decode()
            complete = len(self.events(stream))
            self.times[stream] += [now] * (complete - len(self.times[stream]))
            self.h2.acknowledge_received_data(event.flow_controlled_length, stream)
        elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
            self.ended.add(stream)

    @property
    def begun(self) -> int:
        """Streams with an event."""
        with self.lock:
            return sum(len(times) > 0 for times in self.times.values())

    def events(self, stream: int) -> list[tuple[str, dict]]:
        return [(name, json.loads(data)) for name, data in re.findall(
            r"^event: (\w+)\ndata: (.*)\n\n", self.texts[stream], re.M)]

    def close(self):
        # Wakes the thread that reads.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Till:
    """Asks for captures on a connection that it keeps."""

    def __init__(self, chain):
        self.token = chain.token
        self.connection = http.client.HTTPSConnection(
            "localhost", chain.nginx.port, context=chain.nginx.context, timeout=30, source_address=("127.0.10.99", 0))

    def call(self, method: str, path: str, body=None) -> bytes:
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"}
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = self.connection.getresponse()
        content = response.read()
        assert response.status in (200, 201, 204), content
        return content


@contextmanager
def nothing(nginx):
    yield


@contextmanager
def slow_clients(nginx):
    """64 half-open connections of eight others."""
    held = [one for host in range(8) for one in connections(nginx, f"127.0.11.{1 + host}", 8)]
    try:
        kept = are_open(held)
        assert len(kept) == 64
        yield
        # nginx did not drop them before the end.
        assert len(are_open(kept)) == len(kept)
    finally:
        for one in held:
            one.close()


@contextmanager
def many_connects(nginx):
    """Connections that come and go all the time, 1000 at least."""
    is_over = threading.Event()
    count = 0

    def connect():
        nonlocal count
        while count < 1000 or not is_over.is_set():
            connect_often(nginx, 100)
            count += 100

    thread = threading.Thread(target=connect)
    thread.start()
    yield
    is_over.set()
    thread.join()
    print(f"{count} connects")


@pytest.fixture(scope="module")
def chain(shared_nginx, tmp_path_factory):
    chain = Chain(shared_nginx, tmp_path_factory.mktemp("chain"))
    yield chain
    chain.stop()


@pytest.fixture(scope="module")
def followers(chain):
    followers = [
        Followers(chain.nginx, f"127.0.10.{1 + address}") for address in range(ADDRESSES) for _ in range(2)]
    yield followers
    for one in followers:
        one.close()


@pytest.fixture(scope="module")
def till(chain):
    till = Till(chain)
    yield till
    till.connection.close()


@pytest.mark.parametrize("others", breadth.share([slow_clients, nothing, many_connects], 3))
def test_200_followers_miss_nothing(chain, followers, till, others):
    """Prints how long after the first follower the last one has an event."""
    till.call("POST", "/v1/simulator/leave")
    # The requests of an address are limited; those before are forgotten by then.
    time.sleep(2.5)
    with others(chain.nginx):
        begun = time.monotonic()
        capture = json.loads(till.call("POST", "/v1/captures", {"prompt": ["12 parcels"]}))["id"]
        asked = time.monotonic() - begun
        for one in followers:
            one.follow(f"/v1/captures/{capture}/events", till.token, STREAMS)
        wait_for(lambda: sum(one.begun for one in followers) == COUNT)
        assert {status for one in followers for status in one.statuses.values()} == {"200"}
        till.call("POST", "/v1/simulator/sign")
        wait_for(lambda: sum(len(one.ended) for one in followers) == COUNT, 60)
        signature = till.call("GET", f"/v1/captures/{capture}/signature.png")
    assert signature.startswith(b"\x89PNG")
    all_events = [one.events(stream) for one in followers for stream in one.texts]
    expected = all_events[0]
    names = [name for name, _ in expected]
    assert names[0] == "snapshot" and "stroke" in names and names[-1] == "ended"
    assert expected[-1][1]["outcome"] == {"result": "accepted"}
    assert len(all_events) == COUNT and all(events == expected for events in all_events)
    # The first one is the answer to a request, not an event of all.
    times = [one.times[stream][1:] for one in followers for stream in one.times]
    late = sorted(when - min(moments) for moments in zip(*times) for when in moments)
    print(f"{others.__name__}: asking {asked * 1000:.0f} ms; after the first follower the median has an event "
          f"{late[len(late) // 2] * 1000:.0f} ms later, the last {late[-1] * 1000:.0f} ms")
    assert asked < 1 and late[-1] < 1
