# SPDX-License-Identifier: Apache-2.0
"""A proxy in front of an S3 server, which fails requests as it is told."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Faulty:
    """Passes requests on to a port of the loopback address.

    `fault(method, number)`: what happens to a request; `number` counts those of its method from 1. "swallow" answers
    200 and forgets it; "spoil" changes a byte of its body; a number is the status of an answer without more; "cut"
    ends the connection before the request is passed on, "mute" after that, before the answer; None is no fault.
    """

    def __init__(self, port: int):
        self.port, self.fault = port, lambda method, number: None
        self.lock, self.counts = threading.Lock(), {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"faulty": self}))
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def begin(self, method: str):
        with self.lock:
            self.counts[method] = number = self.counts.get(method, 0) + 1
        return self.fault(method, number)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    faulty: Faulty
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.faulty.begin(self.command)
        if fault == "cut":
            return self.end()
        if fault == "swallow":
            return self.answer(200, [], b"")
        if isinstance(fault, int):
            return self.answer(fault, [], b"")
        if fault == "spoil":
            body = bytes([body[0] ^ 1]) + body[1:]
        server = http.client.HTTPConnection("127.0.0.1", self.faulty.port, timeout=60)
        try:
            server.request(self.command, self.path, body, dict(self.headers))
            response = server.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException):
            return self.end()
        finally:
            server.close()
        if fault == "mute":
            return self.end()
        headers = [(name, value) for name, value in response.getheaders()
                   if name.lower() not in ("connection", "transfer-encoding", "server", "date")]
        return self.answer(response.status, headers, data)

    def answer(self, status: int, headers: list, data: bytes):
        try:
            self.send_response(status)
            for name, value in headers:
                if name.lower() != "content-length" or self.command == "HEAD":
                    self.send_header(name, value)
            if self.command != "HEAD":
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)
        except OSError:
            # The sender was killed.
            self.close_connection = True

    def end(self):
        self.close_connection = True
        self.connection.close()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on
