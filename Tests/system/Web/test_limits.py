# SPDX-License-Identifier: Apache-2.0
"""Slow clients, many clients, and an event stream that goes on meanwhile."""

import os
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from support.waiting import wait_for



class Events:
    """Follows /events. Fails if an event is missing."""

    def __init__(self, nginx, source: str):
        self.connection = nginx.connect(source)
        self.connection.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.data = b""
        self.last = time.monotonic()
        self.longest_silence = 0.0
        self.has_ended = False
        threading.Thread(target=self.read, daemon=True).start()
        wait_for(lambda: self.count > 3)
        self.longest_silence = 0.0

    def read(self):
        try:
            while part := self.connection.recv(65536):
                now = time.monotonic()
                self.longest_silence = max(self.longest_silence, now - self.last)
                self.last = now
                self.data += part
        except OSError:
            pass
        self.has_ended = True

    @property
    def count(self) -> int:
        return self.data.count(b"data: ")

    def check(self):
        """Events go on, and all have come."""
        before = self.count
        wait_for(lambda: self.count > before + 3 or self.has_ended, 30)
        numbers = [int(number) for number in re.findall(rb"data: (\d+)\n\n", self.data)]
        assert numbers == list(range(len(numbers))) and not self.has_ended

    def close(self):
        # Wakes the thread that reads.
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()


@pytest.fixture
def events(nginx, upstream):
    events = Events(nginx, "127.0.4.1")
    yield events
    events.close()


def test_events_come_at_once(events):
    time.sleep(1)
    events.check()
    # They are sent every 50 ms.
    assert events.longest_silence < 0.5


def drip(connection, data: bytes, seconds: float) -> float:
    """Sends a byte at a time, and returns how long nginx listens."""
    began = time.monotonic()
    try:
        for byte in data:
            connection.sendall(bytes([byte]))
            time.sleep(seconds)
            if time.monotonic() - began > 40:
                break
    except OSError:
        pass
    return time.monotonic() - began


def test_slow_clients_are_dropped(nginx, upstream):
    """No handshake; a slow header; a slow body."""
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"

    def silent() -> float:
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", nginx.port), timeout=40, source_address=("127.0.4.2", 0)) as plain:
            assert plain.recv(1) == b""
        return time.monotonic() - began

    def slow_header() -> float:
        with nginx.connect("127.0.4.3") as connection:
            return drip(connection, head[:-4] + b"\r\nX-A: " + b"a" * 1000, 0.2)

    def slow_body() -> float:
        began = time.monotonic()
        with nginx.connect("127.0.4.4", timeout=40) as connection:
            connection.sendall(head + b"abc")
            while connection.recv(65536):
                pass
        return time.monotonic() - began

    with ThreadPoolExecutor(3) as pool:
        times = [job.result() for job in [pool.submit(client) for client in (silent, slow_header, slow_body)]]
    assert all(9 < seconds < 14 for seconds in times[:2]), times
    # The gateway, where there is one, answers before.
    assert 14 < times[2] < 19, times
    assert not upstream.requests


def connections(nginx, source: str, count: int) -> list[socket.socket]:
    return [
        socket.create_connection(("127.0.0.1", nginx.port), timeout=10, source_address=(source, 0))
        for _ in range(count)]


def are_open(sockets: list[socket.socket]) -> list[socket.socket]:
    """Those that nginx has not closed. It does so at once."""
    time.sleep(0.5)
    kept = []
    for one in sockets:
        one.setblocking(False)
        try:
            one.recv(1)
        except BlockingIOError:
            kept.append(one)
        except OSError:
            pass
    return kept


def test_an_address_has_8_connections(nginx, upstream):
    held = connections(nginx, "127.0.4.5", 12)
    try:
        assert len(are_open(held)) == 8
        assert nginx.request("GET", "/", source="127.0.4.6").status == 200
    finally:
        for one in held:
            one.close()
    # They are free at once.
    wait_for(lambda: len(nginx.send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "127.0.4.5")) > 0)


def test_64_slow_clients_while_events_go_on(nginx, events):
    """Half-open connections of 8 others, which are slow. No event is missed."""
    held = [one for host in range(8) for one in connections(nginx, f"127.0.5.{1 + host}", 8)]
    try:
        assert len(are_open(held)) == 64
        events.check()
        assert events.longest_silence < 1
        assert nginx.request("GET", "/", source="127.0.4.9").status == 200
    finally:
        for one in held:
            one.close()
    wait_for(lambda: len(nginx.send(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "127.0.5.1")) > 0)


def test_idle_connections_of_many_addresses_keep_nobody_out(nginx, events):
    """More TLS connections than nginx has room for, all idle: those that wait longest make room."""
    held = []
    try:
        for number in range(400):
            held.append(nginx.connect(f"127.0.7.{1 + number // 8}"))
        began = time.monotonic()
        assert nginx.request("GET", "/", source="127.0.4.9").status == 200
        print(f"a request beside 400 idle connections: {(time.monotonic() - began) * 1000:.0f} ms")
        events.check()
    finally:
        for one in held:
            one.close()


def connect_often(nginx, count: int):
    """Connections of 100 addresses that come and go."""
    for number in range(count):
        try:
            plain = socket.create_connection(
                ("127.0.0.1", nginx.port), timeout=10, source_address=(f"127.0.6.{1 + number % 100}", 0))
            # Nothing, half a handshake, or nonsense.
            plain.sendall((b"", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\n", os.urandom(100))[number % 4])
            plain.close()
        except ConnectionError:
            pass


def test_1000_connects_while_events_go_on(nginx, upstream, events):
    worker = nginx.workers()[0]
    before = len(os.listdir(f"/proc/{worker}/fd"))
    began = time.monotonic()
    connect_often(nginx, 1000)
    seconds = time.monotonic() - began
    events.check()
    assert events.longest_silence < 1, f"{seconds} s for 1000 connections"
    assert nginx.request("GET", "/", source="127.0.4.7").status == 200
    wait_for(lambda: len(os.listdir(f"/proc/{worker}/fd")) <= before + 2, 15)


def test_an_end_of_the_client_ends_the_stream_of_the_gateway(nginx, upstream):
    events = Events(nginx, "127.0.4.8")
    worker = nginx.workers()[0]
    before = len(os.listdir(f"/proc/{worker}/fd"))
    events.close()
    # Client, both ends of the connection between, and the gateway's.
    wait_for(lambda: len(os.listdir(f"/proc/{worker}/fd")) <= before - 4)


