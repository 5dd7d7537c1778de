# SPDX-License-Identifier: Apache-2.0
"""The gateway and a panel without a screen, for tests: programs, requests, and streams of events."""

import http.client
import json
import os
import socket
import subprocess
import threading
from pathlib import Path

import description
from support.waiting import wait_for


class Panel:
    """`inkpanel run` with a display in memory. `simulate`: a simulated person signs."""

    def __init__(self, folder: Path, simulate: bool = True, size: str = "800x480", mirror: str = "presence",
                 more: str = "", environment: dict = {}):
        self.folder, self.simulate, self.size, self.mirror = folder, simulate, size, mirror
        self.more, self.environment = more, {**os.environ, **environment}
        self.socket, self.virtual = f"{folder}/p.sock", f"{folder}/v.sock"
        self.start()

    def start(self) -> None:
        words = [
            os.environ["INKPANEL"], "run", "--store", f"{self.folder}/records", "--socket", self.socket, "--virtual",
            self.virtual, "--display", f"headless:{self.size}", "--config", f"{self.folder}/inkpanel.toml"]
        Path(f"{self.folder}/inkpanel.toml").write_text(f"[control]\ngateway = \"\"\ngroup = \"\"\nmirror = \"{self.mirror}\"\n{self.more}\n")
        path = Path(f"{self.folder}/panel.log")
        with path.open("ab") as log:
            before = log.tell()
            self.process = subprocess.Popen(
                words + ["--simulate"] * self.simulate, stdout=log, stderr=log, env=self.environment)
        # The idle page is shown by then.
        wait_for(lambda: b"inkpanel: ready: " in path.read_bytes()[before:]
                 and os.path.exists(self.socket) and os.path.exists(self.virtual), 60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for path in (self.socket, self.virtual):
            Path(path).unlink(missing_ok=True)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


class Helper:
    """inkpanel-document behind a socket, as systemd starts it."""

    def __init__(self, folder: Path):
        self.path = str(folder / "document.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            with connection:
                subprocess.run([os.environ["DOCUMENT"]], stdin=connection, stdout=connection)


class Gateway:
    """`inkpanel-gateway run` on a loopback port, or with `unix` on a socket."""

    def __init__(self, folder: Path, panel: str, origins=(), arguments=(), unix: bool = False):
        self.folder, self.panel, self.arguments, self.unix = folder, panel, list(arguments), unix
        self.state = folder / "state"
        self.state.mkdir(exist_ok=True, mode=0o700, parents=True)
        self.config = folder / "gateway.toml"
        self.config.write_text(f"[gateway]\nnames = [\"pad.example\"]\norigins = {json.dumps(list(origins))}\n")
        self.start()

    def start(self) -> None:
        where = ["--socket", f"{self.folder}/h.sock"] if self.unix else ["--loopback", "0"]
        self.log = self.folder / "gateway.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [os.environ["GATEWAY"], "run", "--panel", self.panel, "--config", self.config, "--state", self.state,
                 *where, *self.arguments], stdout=log, stderr=log)
        wait_for(lambda: b"listens on" in self.log.read_bytes() or self.process.poll() is not None)
        assert self.process.poll() is None, self.log.read_text()
        if not self.unix:
            self.port = int(self.log.read_text().split("http://127.0.0.1:")[1].split()[0])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def command(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [os.environ["GATEWAY"], *words, "--state", self.state], capture_output=True, text=True, timeout=20)

    def token(self, name: str = "till", scopes=("capture", "record", "panel", "simulate"), *more: str) -> str:
        words = ["token", "add", "--name", name, *more]
        for scope in scopes:
            words += ["--scope", scope]
        made = self.command(*words)
        assert made.returncode == 0, made.stderr
        return made.stdout.strip()

    def connection(self) -> http.client.HTTPConnection:
        if not self.unix:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection = http.client.HTTPConnection("localhost", timeout=120)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(120)
        connection.sock.connect(f"{self.folder}/h.sock")
        return connection

    def request(self, method: str, path: str, token: str = None, body=None, **headers) -> "Answer":
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            headers["Authorization"] = "Bearer " + token
        if isinstance(body, (dict, list)):
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        connection = self.connection()
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        answer = Answer(method, path, response.status, response.headers, response.read())
        connection.close()
        description.check(answer)
        return answer

    def capture(self, token: str, **request) -> dict:
        answer = self.request("POST", "/v1/captures", token, {"prompt": ["Sign here"], **request})
        assert answer.status == 201, answer
        return answer.json

    def act(self, token: str, act: str) -> None:
        assert self.request("POST", f"/v1/simulator/{act}", token).status == 204

    def events(self, token: str, capture: str, **headers) -> "Events":
        return Events(self, token, f"/v1/captures/{capture}/events", headers)


class Answer:
    def __init__(self, method: str, path: str, status: int, headers, body: bytes):
        self.method, self.path, self.status, self.headers, self.body = method, path, status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def problem(self) -> str:
        assert self.headers["Content-Type"] == "application/problem+json", self
        document = self.json
        assert document["status"] == self.status and document["title"] and document["detail"]
        return document["type"].removeprefix("urn:inkpanel:problem:")

    @property
    def problem_name(self) -> str:
        """Empty if it is none."""
        return self.problem if self.status >= 400 else ""

    def __repr__(self) -> str:
        return f"{self.method} {self.path}: {self.status} {self.body[:500]}"


class Events:
    """A stream of server-sent events."""

    def __init__(self, gateway: Gateway, token: str, path: str, headers: dict):
        self.connection = gateway.connection()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request("GET", path, headers={"Authorization": "Bearer " + token, **headers})
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()
        assert self.response.headers["Content-Type"] == "text/event-stream"

    def __iter__(self):
        """Events as (name, id, data)."""
        event = {}
        for line in iter(self.response.readline, b""):
            name, _, value = line.decode().rstrip("\n").partition(":")
            if name:
                event[name] = value.strip()
            elif "data" in event:
                yield event["event"], int(event.get("id", 0)), json.loads(event["data"])
                event = {}

    def close(self) -> None:
        # The response has a reference to the socket of its own.
        self.response.close()
        self.connection.close()
