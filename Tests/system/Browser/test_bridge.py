# SPDX-License-Identifier: Apache-2.0
"""The WebSocket of the virtual panel, with clients that browsers are not."""

import base64
import os
import socket
import struct
import time

import pytest
from conftest import started
from support.waiting import wait_for

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    """One for all tests of this file: each has connections of its own, and the last one has the panel."""
    with started(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


class Client:
    """A WebSocket (RFC 6455)."""

    def __init__(self, stack, token: str | None = "", **headers):
        self.socket = socket.create_connection(("127.0.0.1", stack.port), timeout=10)
        protocols = ["inkpanel.v1"] + ([] if token is None else ["inkpanel.token." + (token or stack.token)])
        values = {
            "Host": f"127.0.0.1:{stack.port}", "Upgrade": "websocket", "Connection": "Upgrade",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Protocol": ", ".join(protocols)} | {
                name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in values.items() if value is not None]
        self.socket.sendall("\r\n".join(["GET /v1/virtual HTTP/1.1", *lines, "", ""]).encode())
        self.head = b""
        while b"\r\n\r\n" not in self.head:
            piece = self.socket.recv(1)
            assert piece, self.head
            self.head += piece
        self.status = int(self.head.split()[1])

    def send(self, kind: int, content: bytes, flags: int = 0x80):
        length = struct.pack("!B", 0x80 | len(content)) if len(content) < 126 else struct.pack("!BH", 0xFE, len(content))
        mask = b"\x01\x02\x03\x04"
        self.socket.sendall(bytes([flags | kind]) + length + mask + bytes(
            byte ^ mask[index % 4] for index, byte in enumerate(content)))

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def receive(self) -> tuple[int, bytes]:
        first, length = self.read(2)
        assert first & 0x80 and not length & 0x80
        if length == 126:
            [length] = struct.unpack("!H", self.read(2))
        elif length == 127:
            [length] = struct.unpack("!Q", self.read(8))
        return first & 15, self.read(length)

    def closing(self) -> tuple[int, str]:
        """Why the gateway ends the connection; messages before are skipped."""
        while (message := self.receive())[0] != CLOSE:
            pass
        assert self.socket.recv(1) == b""
        return struct.unpack("!H", message[1][:2])[0], message[1][2:].decode()


def shown(number: int) -> bytes:
    return struct.pack("<4Iq", 1, 16, number, 0, 1000)


def test_hello_and_frames(stack):
    client = Client(stack)
    assert client.status == 101 and b"Sec-WebSocket-Protocol: inkpanel.v1\r\n" in client.head
    kind, hello = client.receive()
    assert kind == BINARY and struct.unpack("<6I", hello) == (1, 16, 1, 1280, 720, 5906)
    kind, frame = client.receive()
    assert kind == BINARY and struct.unpack("<4I4H", frame[:24]) == (2, len(frame) - 8, 1, 1, 0, 0, 1280, 720)
    client.send(BINARY, shown(1))
    client.send(PING, b"there?")
    while (answer := client.receive())[0] == BINARY:
        pass
    assert answer == (PONG, b"there?")


@pytest.mark.parametrize("headers, status", [
    ({"token": None}, 401), ({"token": "ipt_wrong_" + "A" * 43}, 401), ({"Origin": "https://attacker.example"}, 403),
    ({"Host": "attacker.example"}, 421), ({"Host": "127.0.0.1.attacker.example"}, 421), ({"Upgrade": None}, 400),
    ({"Sec_WebSocket_Version": "8"}, 400), ({"Sec_WebSocket_Key": "short"}, 400),
])
def test_refused(stack, headers, status):
    client = Client(stack, **headers)
    assert client.status == status
    assert b"application/problem+json" in client.head


def test_an_origin_of_the_gateway_itself(stack):
    assert Client(stack, Origin=f"http://127.0.0.1:{stack.port}").status == 101


@pytest.mark.parametrize("kind, content, flags, code", [
    (TEXT, b"hello", 0x80, 1003), (BINARY, bytes(16385), 0x80, 1009), (BINARY, bytes(8), 0x80, 1013),
    (BINARY, shown(7), 0x80, 1013),
    # A rest of no message, opcodes that are reserved, extensions that nobody agreed on.
    (0, b"rest", 0x80, 1002), (3, b"", 0x80, 1002), (5, b"", 0x80, 1002), (11, b"", 0x80, 1002), (15, b"", 0x80, 1002),
    (BINARY, shown(1), 0xC0, 1002), (BINARY, shown(1), 0xA0, 1002), (BINARY, shown(1), 0x90, 1002), (PING, b"", 0xC0, 1002),
    # Control frames in parts, or long; what a close must not have.
    (PING, b"part", 0, 1002), (CLOSE, b"", 0, 1002), (PING, bytes(126), 0x80, 1002), (CLOSE, bytes(126), 0x80, 1002),
    (CLOSE, b"\x03", 0x80, 1002), (CLOSE, b"\x03\xed", 0x80, 1002), (CLOSE, b"\x03\xe8\xff", 0x80, 1007),
    (CLOSE, b"\x03\xe8bye", 0x80, 1000),
])
def test_what_pages_do_not_send(stack, kind, content, flags, code):
    client = Client(stack)
    client.receive()
    client.send(kind, content, flags)
    closed, reason = client.closing()
    assert closed == code and "does not run" not in reason, reason
    assert Client(stack).status == 101


@pytest.mark.parametrize("header, code", [
    # Of this length, and nothing of it follows.
    ("82 FF 00 00 00 00 40 00 00 00", 1009), ("82 FF 7F FF FF FF FF FF FF FF", 1009), ("82 FE 40 01", 1009),
    ("01 FE 40 01", 1009), ("82 FF 80 00 00 00 00 00 00 00", 1002),
    # Longer than they need be.
    ("82 FE 00 7D", 1002), ("82 FF 00 00 00 00 00 00 FF FF", 1002), ("89 FE 00 05", 1002),
    # Not masked.
    ("82 08", 1002), ("82 00", 1002), ("89 00", 1002), ("88 02", 1002), ("82 7F", 1002),
])
def test_a_frame_is_refused_by_its_header(stack, header, code):
    client = Client(stack)
    client.receive()
    client.socket.sendall(bytes.fromhex(header))
    assert client.closing()[0] == code


def test_a_message_comes_in_parts(stack):
    client = Client(stack)
    client.receive()
    client.receive()
    message = shown(1)
    client.send(BINARY, message[:7], 0)
    client.send(PING, b"there?")
    client.send(0, b"", 0)
    client.send(0, message[7:], 0x80)
    while (answer := client.receive())[0] == BINARY:
        pass
    assert answer == (PONG, b"there?")
    # The parts together are as long as a message may be.
    client.send(BINARY, bytes(16384), 0)
    client.send(0, b"a")
    assert client.closing()[0] == 1009
    # Not another message among them.
    client = Client(stack)
    client.receive()
    client.send(BINARY, message[:7], 0)
    client.send(BINARY, message)
    assert client.closing()[0] == 1002


def test_a_new_client_replaces_the_one_before(stack):
    first = Client(stack)
    first.receive()
    second = Client(stack)
    assert first.closing() == (4001, "another page has the panel")
    assert second.receive()[0] == BINARY


def test_clients_in_a_loop_leave_nothing(stack):
    def descriptors() -> int:
        return len(os.listdir(f"/proc/{stack.gateway.pid}/fd"))

    Client(stack).receive()
    before = descriptors()
    for _ in range(100):
        Client(stack).socket.close()
    wait_for(lambda: descriptors() <= before + 1)
    client = Client(stack)
    assert client.receive()[0] == BINARY


def test_a_client_that_reads_nothing_costs_a_picture(stack):
    def memory() -> int:
        status = open(f"/proc/{stack.gateway.pid}/status").read()
        return int(status.split("VmRSS:")[1].split()[0])

    before = memory()
    client = Client(stack)
    for number in range(1, 200):
        try:
            client.send(BINARY, shown(number))
        except OSError:
            break
    time.sleep(0.5)
    # A whole picture has 3.6 MiB, and is copied for the socket.
    assert memory() - before < 20 << 10
