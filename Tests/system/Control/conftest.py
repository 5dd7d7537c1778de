# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a server with the real pad and a scripted person (Tests/programs/ControlPeer)."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
import varlink

INTERFACE = "org.inkpanel.Panel"


class Peer:
    """`act`: what the person does in captures whose reason does not say; without it, these run until they are ended."""

    def __init__(self, folder: Path, act: str | None = None, gateway: int | None = None, **options):
        self.folder = folder
        self.socket = str(folder / "panel.sock")
        self.store = folder / "store"
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [os.environ["CONTROL_PEER"], self.socket, str(self.store)] 
                + ([act or "-"] if act or gateway else []) + ([str(gateway)] if gateway else []),
                stdout=subprocess.PIPE, stderr=log, **options)
        assert self.process.stdout.readline() == b"ready\n"

    def client(self) -> varlink.Client:
        return varlink.Client("unix:" + self.socket)

    def open(self):
        return self.client().open(INTERFACE)

    def open_to_others(self):
        """Lets other users reach the socket."""
        for parent in [self.folder, *self.folder.parents]:
            if str(parent) != "/" and os.stat(parent).st_uid == os.geteuid() and "pytest" in str(parent):
                os.chmod(parent, 0o755)

    def records(self) -> list[str]:
        return sorted(path.stem for path in (self.store / "captures").iterdir())

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


class User:
    """A process of another user, by default in the panel's group, with connections to the panel."""

    SCRIPT = """if True:
        import json, socket, sys
        kept = []
        for line in sys.stdin:
            number, call = json.loads(line)
            if number in ("new", "once"):
                kept.append(socket.socket(socket.AF_UNIX))
                kept[-1].connect(sys.argv[1])
            if call is None:
                print("{}", flush=True)
                continue
            host = kept[number] if isinstance(number, int) else kept[-1]
            if call: host.sendall(json.dumps(call).encode() + b"\\0")
            data = b""
            # A byte at a time, so that the next reply stays in the socket.
            while part := host.recv(1):
                if part == b"\\0": break
                data += part
            print(data.decode(), flush=True)
            if number == "once": kept.pop().close()
        """

    def __init__(self, peer: Peer, number: int, groups: list[int] | None = None):
        peer.open_to_others()
        self.process = subprocess.Popen(
            ["/usr/bin/python3", "-c", self.SCRIPT, peer.socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, cwd="/", user=number, group=number,
            extra_groups=[os.getegid()] if groups is None else groups)

    def _ask(self, number: int | str, call) -> dict:
        self.process.stdin.write(json.dumps([number, call]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def connect(self, call=None) -> dict:
        """Opens a connection, which stays open, and calls; sends nothing without a call."""
        return self._ask("new", call)

    def next(self, number: int) -> dict:
        """The next reply on a connection that stays open, by its index."""
        return self._ask(number, {})

    def call(self, method: str, **parameters) -> dict:
        """The reply to a call on a connection of its own."""
        return self._ask("once", {"method": f"{INTERFACE}.{method}", "parameters": parameters})

    def follow(self, method: str, **parameters) -> dict:
        """The first of several replies; the connection stays open."""
        return self.connect({"method": f"{INTERFACE}.{method}", "parameters": parameters, "more": True})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


@pytest.fixture
def start(tmp_path):
    """Starts peers, and ends them with the test; they must exit with 0."""
    peers: list[Peer] = []

    def make(act: str | None = None, folder: Path | None = None, **options) -> Peer:
        folder = folder or tmp_path / str(len(peers))
        folder.mkdir(exist_ok=True)
        # Other users must be able to connect.
        folder.chmod(0o755)
        peers.append(Peer(folder, act, **options))
        return peers[-1]

    yield make
    statuses = [peer.stop() for peer in peers]
    assert statuses == [0] * len(peers)


@pytest.fixture
def peer(start) -> Peer:
    return start()
