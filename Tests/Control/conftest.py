# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a server with the real pad and a scripted person (Tests/ControlPeer)."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
import varlink

INTERFACE = "org.inkpanel.Panel"


class Peer:
    """`act`: what the person does in captures whose reason does not say; without it, these run until they are ended."""

    def __init__(self, folder: Path, act: str | None = None, **options):
        self.folder = folder
        self.socket = str(folder / "panel.sock")
        self.store = folder / "store"
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [os.environ["CONTROL_PEER"], self.socket, str(self.store)] + ([act] if act else []),
                stdout=subprocess.PIPE, stderr=log, **options)
        assert self.process.stdout.readline() == b"ready\n"

    def client(self) -> varlink.Client:
        return varlink.Client("unix:" + self.socket)

    def open(self):
        return self.client().open(INTERFACE)

    def records(self) -> list[str]:
        return sorted(path.stem for path in (self.store / "captures").iterdir())

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@pytest.fixture
def start(tmp_path):
    """Starts peers, and ends them with the test; they must exit with 0."""
    peers: list[Peer] = []

    def make(act: str | None = None, **options) -> Peer:
        folder = tmp_path / str(len(peers))
        folder.mkdir()
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
