# SPDX-License-Identifier: Apache-2.0
"""Fixtures: nginx, and something behind it."""

import shutil
import socket
import tempfile
import threading
import time
from pathlib import Path

import pytest
from support.nginx import Certificate, Nginx


class Upstream:
    """A server on a Unix socket that keeps what it gets. It answers with the text of the request. `/events` answers
    with an event every 50 ms."""

    def __init__(self, path: Path):
        self.requests: list[bytes] = []
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        path.chmod(0o666)
        self.listener.listen(256)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection: socket.socket):
        with connection:
            data = b""
            # As many requests as come: a smuggled one would be the second.
            while True:
                while b"\r\n\r\n" not in data:
                    if not (more := connection.recv(65536)):
                        return
                    data += more
                head, data = data.split(b"\r\n\r\n", 1)
                length, is_chunked = 0, False
                for line in head.split(b"\r\n")[1:]:
                    name, value = line.split(b":", 1)
                    if name.lower() == b"content-length":
                        length = int(value)
                    is_chunked |= name.lower() == b"transfer-encoding"
                if is_chunked:
                    body, data = self.chunks(connection, data)
                    if body is None:
                        return
                else:
                    while len(data) < length:
                        if not (more := connection.recv(65536)):
                            return
                        data += more
                    body, data = data[:length], data[length:]
                self.requests.append(head + b"\r\n\r\n" + body)
                try:
                    self.answer(connection, head, body)
                except OSError:
                    return

    def chunks(self, connection: socket.socket, data: bytes):
        """The body that its last chunk ends, or None, and what follows."""
        body = b""
        while True:
            while b"\r\n" not in data or len(data) < data.index(b"\r\n") + int(data.split(b"\r\n")[0], 16) + 4:
                if not (more := connection.recv(65536)):
                    return None, b""
                data += more
            line, data = data.split(b"\r\n", 1)
            length = int(line, 16)
            body, data = body + data[:length], data[length + 2:]
            if length == 0:
                return body, data

    def answer(self, connection: socket.socket, head: bytes, body: bytes):
        if b" /events " not in head.split(b"\r\n")[0]:
            text = head + b"\r\n\r\n" + body
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        number = 0
        while True:
            event = b"data: %d\n\n" % number
            connection.sendall(b"%x\r\n%s\r\n" % (len(event), event))
            number += 1
            time.sleep(0.05)

    def stop(self):
        # close() alone does not end the wait of accept().
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.path.unlink(missing_ok=True)


@pytest.fixture
def certificate(tmp_path) -> Certificate:
    return Certificate(tmp_path)


@pytest.fixture(scope="session")
def shared_folder():
    # Short, because the path of a socket has at most 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="web-"))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def shared_nginx(shared_folder):
    certificate = Certificate(shared_folder / "tls")
    certificate.make()
    nginx = Nginx(shared_folder, certificate)
    yield nginx
    nginx.stop()
    log = [line for line in nginx.log.read_text().splitlines() if "[emerg]" in line or "[alert]" in line]
    assert not log


@pytest.fixture
def nginx(shared_nginx):
    """nginx that has served the connections of earlier tests."""
    assert shared_nginx.process.poll() is None, shared_nginx.log.read_text()
    return shared_nginx


@pytest.fixture
def upstream(nginx):
    upstream = Upstream(nginx.upstream)
    yield upstream
    upstream.stop()
