# SPDX-License-Identifier: Apache-2.0
"""Addresses that answer as told: of a gateway whose answers to some requests fail, and of no gateway at all."""

import http.client
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FOLLOWS = re.compile(r"GET /v1/captures/[^/]+(/events)?$")


class Flaky:
    """Passes requests on to a port of the loopback address.

    `faults`: each fails one request that follows a capture. A number is the status of an answer, with the header
    Retry-After if a pair has it; "drop" ends the connection before the answer, "cut" in the middle of it.
    """

    def __init__(self, port: int, faults: list):
        self.port, self.faults, self.seen = port, list(faults), []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"flaky": self}))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Told:
    """Answers each request with what `tell` returns for its number, which counts from 1, and its method and path.

    That is a status, headers, and a body of bytes or of pieces; or None, to end the connection. `context`: of TLS.
    """

    def __init__(self, tell, context=None):
        self.tell, self.count = tell, 0
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (ToldHandler,), {"told": self}))
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class ToldHandler(BaseHTTPRequestHandler):
    told: Told

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.told.count += 1
        told = self.told.tell(self.told.count, self.command, self.path)
        if told is None:
            return
        status, headers, body = told
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for piece in [body] if isinstance(body, bytes) else body:
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            pass

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    flaky: Flaky

    def handle_one(self):
        self.close_connection = True
        fault = None
        if FOLLOWS.match(f"{self.command} {self.path}"):
            fault = self.flaky.faults.pop(0) if self.flaky.faults else None
            self.flaky.seen.append(fault)
        if fault == "drop":
            return
        if isinstance(fault, (int, tuple)):
            status, retry = fault if isinstance(fault, tuple) else (fault, None)
            return self.refuse(status, retry)
        self.forward(is_cut=fault == "cut")

    do_GET = do_POST = handle_one

    def refuse(self, status: int, retry):
        body = json.dumps({"type": "urn:inkpanel:problem:too-slow", "status": status, "detail": "in vain"}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        if retry is not None:
            self.send_header("Retry-After", retry)
        self.end_headers()
        self.wfile.write(body)

    def forward(self, is_cut: bool):
        if self.path == "/blank":
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        # The gateway knows its own address only.
        own = ("host", "origin", "sec-fetch-site", "connection", "accept-encoding")
        headers = {name: value for name, value in self.headers.items() if name.lower() not in own}
        connection = http.client.HTTPConnection("127.0.0.1", self.flaky.port, timeout=60)
        connection.request(self.command, self.path, body or None, headers)
        answer = connection.getresponse()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while piece := answer.read1(4096):
                self.wfile.write(piece[:len(piece) // 2] if is_cut else piece)
                if is_cut:
                    break
        except OSError:
            pass
        connection.close()

    def log_message(self, *_):
        pass
