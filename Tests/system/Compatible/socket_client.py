# SPDX-License-Identifier: Apache-2.0
"""A WebSocket (RFC 6455) that sends what it is told, also what it should not."""

import base64
import http.client
import json
import os
import socket
import struct
import time


class Closed(Exception):
    """The other end has closed the connection."""

    def __init__(self, code: int, reason: str = ""):
        super().__init__(f"{code} {reason}")
        self.code, self.reason = code, reason


class Refused(Exception):
    """The handshake was answered as an HTTP request."""

    def __init__(self, status: int, body: bytes):
        self.status, self.body = status, body
        super().__init__(f"{status} {body[:300]}")

    @property
    def problem(self) -> str:
        return json.loads(self.body)["type"].removeprefix("urn:inkpanel:problem:")


class WebSocket:
    def __init__(self, port: int, path: str, origin: str | None = None, context=None, host: str = "127.0.0.1"):
        connection = (
            http.client.HTTPSConnection(host, port, timeout=20, context=context) if context
            else http.client.HTTPConnection(host, port, timeout=20))
        headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                   "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()}
        if origin:
            headers["Origin"] = origin
        connection.request("GET", path, headers=headers)
        # A response would take the connection away with it.
        self.socket = connection.sock
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self._read(1)
        if not head.startswith(b"HTTP/1.1 101 "):
            length = next((line.split(b":")[1] for line in head.lower().split(b"\r\n")
                           if line.startswith(b"content-length:")), b"0")
            raise Refused(int(head.split()[1]), self._read(int(length)))

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise Closed(1006)
            data += piece
        return data

    def frame(self, opcode: int, payload: bytes, is_last: bool = True) -> None:
        length = len(payload)
        head = bytes([opcode | 0x80 * is_last])
        head += (bytes([0x80 | length]) if length < 126
                 else b"\xfe" + struct.pack(">H", length) if length < 65536 else b"\xff" + struct.pack(">Q", length))
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload)))

    def send(self, message) -> None:
        text = message if isinstance(message, (str, bytes)) else json.dumps(message)
        self.frame(1, text.encode() if isinstance(text, str) else text)

    def receive(self, seconds: float = 20) -> dict:
        """The next message; pings are answered."""
        end = time.monotonic() + seconds
        while True:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            first, length = self._read(2)
            length &= 0x7F
            if length == 126:
                length, = struct.unpack(">H", self._read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self._read(8))
            payload = self._read(length)
            match first & 15:
                case 1:
                    return json.loads(payload)
                case 9:
                    self.frame(10, payload)
                case 8:
                    raise Closed(int.from_bytes(payload[:2]), payload[2:].decode())

    def silence(self, seconds: float = 0.3) -> bool:
        """Whether nothing comes for a while."""
        try:
            self.receive(seconds)
        except (TimeoutError, socket.timeout):
            return True
        return False

    def close(self) -> None:
        self.socket.close()
