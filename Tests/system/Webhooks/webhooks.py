# SPDX-License-Identifier: Apache-2.0
"""The program of the webhooks, receivers that do as they are told, and a panel that says what it is told."""

import base64
import contextlib
import json
import os
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from standardwebhooks.webhooks import Webhook
from support.waiting import wait_for

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
PAUSE = "hang"


class Receiver:
    """Verifies each message with the reference library, and answers what `tell` returns for it.

    That is a status, PAUSE for silence, or a function that gets the handler. `messages` has what was answered with 2xx,
    `attempts` the ids of all.
    """

    def __init__(self, tell=lambda id, count: 204, secret: str = SECRET, context=None):
        self.tell, self.verifier = tell, Webhook(secret)
        self.messages, self.attempts, self.faults, self.times = [], [], [], []
        self.lock, self.bodies = threading.Lock(), {}
        self.start(0, context)

    def start(self, port: int, context=None):
        self.server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (Handler,), {"receiver": self}))
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.port}/hook/path-secret"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    @property
    def types(self) -> list:
        return [message["type"] for message in self.messages]

    def first(self, kind: str) -> list:
        """The captures of the messages of a type, without repetitions, in order."""
        found = [message["data"]["capture"] for message in self.messages if message["type"] == kind]
        return list(dict.fromkeys(found))


class Handler(BaseHTTPRequestHandler):
    receiver: Receiver

    def log_message(self, *_):
        pass

    def do_POST(self):
        receiver, body = self.receiver, self.rfile.read(int(self.headers["Content-Length"]))
        id = self.headers["webhook-id"]
        with receiver.lock:
            try:
                message = receiver.verifier.verify(body, dict(self.headers))
                assert self.headers["Content-Type"] == "application/json"
                # A repetition is the same message.
                assert receiver.bodies.setdefault(id, body) == body
            except Exception as fault:
                receiver.faults.append(repr(fault))
                message = None
            receiver.attempts.append(id)
            receiver.times.append(time.monotonic())
            told = receiver.tell(id, len(receiver.attempts))
            if isinstance(told, int) and 200 <= told < 300:
                receiver.messages.append(message)
        if callable(told):
            return told(self)
        if told == PAUSE:
            return time.sleep(30)
        with contextlib.suppress(OSError):
            self.send_response(told)
            if 300 <= told < 400:
                self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

    def do_GET(self):
        self.receiver.faults.append("a redirect was followed")


class Program:
    """`inkpanel-gateway webhooks run`."""

    def __init__(self, folder: Path, panel: str, webhooks: dict, *arguments: str, haste: float = 20,
                 patience: int = 30):
        self.folder, self.panel = folder, panel
        self.arguments = [*arguments, "--haste", str(haste), "--patience", str(patience)]
        self.state, self.status_file, self.file = folder / "hooks", folder / "status.json", folder / "webhooks.toml"
        self.config = folder / "hooks.toml"
        self.config.write_text("")
        self.log = folder / "webhooks.log"
        self.log.write_bytes(b"")
        self.write(webhooks)
        self.start()

    def write(self, webhooks: dict):
        text = ""
        for name, members in webhooks.items():
            members = {"secret": SECRET, **members}
            text += f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in members.items())
        self.file.write_text(text)
        self.file.chmod(0o600)

    def start(self, wrapper=()):
        self.status_file.unlink(missing_ok=True)
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*wrapper, os.environ["GATEWAY"], "webhooks", "run", "--webhooks", self.file, "--panel", self.panel,
                 "--config", self.config, "--state", self.state, "--status-file", self.status_file, *self.arguments],
                stdout=log, stderr=log)

    def ready(self):
        wait_for(lambda: self.status_file.exists() or self.process.poll() is not None)
        assert self.process.poll() is None, self.log.read_text()
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(20) == 0, self.log.read_text()

    def command(self, *words: str, state: bool = True) -> subprocess.CompletedProcess:
        where = ["--state", self.state] if state else []
        return subprocess.run(
            [os.environ["GATEWAY"], "webhooks", *words, *where], capture_output=True, text=True, timeout=60)

    def status(self, name: str = "erp") -> dict:
        try:
            webhooks = json.loads(self.status_file.read_text())["webhooks"]
        except (OSError, ValueError):
            return {}
        return next((webhook for webhook in webhooks if webhook["name"] == name), {})

    def names(self, folder: str, name: str = "erp") -> list:
        path = self.state / "queues" / name / folder
        return sorted(os.listdir(path)) if path.exists() else []


class FakePanel:
    """Answers `Events` and `List` as the panel does."""

    def __init__(self, path: str):
        self.path, self.run, self.lock = path, "run-1", threading.Lock()
        self.number, self.events, self.records, self.connections = 0, [], [], []
        self.starting, self.fault = False, None
        # How many lists of records were sent.
        self.lists = 0
        self.start()

    def start(self):
        Path(self.path).unlink(missing_ok=True)
        self.is_there = True
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        threading.Thread(target=self.accept, args=[self.listener], daemon=True).start()

    def stop(self):
        """The panel's program ends; it forgets its events."""
        self.is_there = False
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        Path(self.path).unlink(missing_ok=True)
        with self.lock:
            for connection in self.connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self.connections, self.events, self.number = [], [], 0
            self.run = f"run-{int(self.run[4:]) + 1}"

    def accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError), connection.makefile("rb") as stream:
            data = b""
            while not data.endswith(b"\0"):
                piece = stream.read1(4096)
                if not piece:
                    return
                data += piece
            call = json.loads(data[:-1])
            known = call.get("parameters", {})
            with self.lock:
                if call["method"].endswith(".List"):
                    reply = {"captures": self.records[::-1], "unreadable": []}
                    connection.sendall(json.dumps({"parameters": reply}).encode() + b"\0")
                    self.lists += 1
                    return
                after = known.get("after", 0) if known.get("run") == self.run else 0
                self.send(connection, [event for event in self.events if event["number"] > after])
                self.connections.append(connection)
            stream.read()

    def send(self, connection, events):
        reply = {"run": self.run, "panel": "panel-1", "starting": self.starting, "events": events}
        if self.fault:
            reply["fault"] = self.fault
        with contextlib.suppress(OSError):
            connection.sendall(json.dumps({"parameters": reply, "continues": True}).encode() + b"\0")

    def tell(self, **members):
        """To be called with the lock."""
        self.number += 1
        event = {"number": self.number, "time": int(time.time() * 1e6), **members}
        if event.get("outcome", {}).get("result") != "accepted":
            self.events.append(event)
        for connection in self.connections:
            self.send(connection, [event])

    def end(self, id: str, result: str = "cancelled", **data: str):
        outcome = {"result": result, **({"by": "person"} if result == "cancelled" else {})}
        with self.lock:
            if result == "accepted":
                self.store(id, data=data)
            self.tell(kind="ended", id=id, outcome=outcome, data=data,
                      **({"request": {"prompt": ["Rent"], "signer": "Anna"}} if result == "accepted" else {}))

    def store(self, id: str, outcome: str = "accepted", data=None):
        self.records.append({
            "id": id, "outcome": {"result": outcome}, "startedAt": 1, "endedAt": 2, "prompt": ["Rent"], "signer": "Anna",
            "byteCount": 3, "data": data or {}})

    def set_fault(self, fault):
        with self.lock:
            self.fault = fault
            self.tell(kind="fault" if fault else "recovered", **({"fault": fault} if fault else {}))
