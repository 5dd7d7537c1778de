# SPDX-License-Identifier: Apache-2.0
"""Pairing through nginx and TLS with the Python client: both sides make the same digits of the key that each sees."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest


sys.path.insert(0, str(Path(__file__).parents[3] / "clients"))
from inkpanel import Inkpanel, InkpanelError, pair
from support.waiting import listens, wait_for


STATUS = {
    "program": "inkpanel", "page": "idle", "waiting": 0, "touchDevices": [],
    "screen": {"name": "none", "size": {"width": 1, "height": 1}, "pixelsPerMillimetre": 1},
    "store": {"path": "/", "captures": 0, "freeBytes": 0}}


DESCRIPTION = json.loads((Path(__file__).resolve().parents[3] / "Sources/Gateway/Web/openapi.json").read_text())
PANEL = DESCRIPTION["paths"]["/v1/panel"]["get"]["responses"]["200"]["content"]["application/json"]["example"]


class Pad:
    """Answers the gateway's calls as a panel would, and notes what it would show."""

    def __init__(self, path: Path, allows: bool):
        self.allows, self.shown = allows, []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            with connection:
                data = b""
                while not data.endswith(b"\0"):
                    data += connection.recv(65536)
                call = json.loads(data[:-1])
                if call["method"].endswith(".Pair"):
                    self.shown.append(call["parameters"])
                    reply = {"allowed": self.allows}
                else:
                    reply = {"status": STATUS, "abilities": PANEL["abilities"]}
                    name = call["method"].rpartition(".")[2].lower()
                    reply = {name: reply[name]}
                connection.sendall(json.dumps({"parameters": reply}).encode() + b"\0")


@pytest.fixture
def pairing(nginx, tmp_path):
    """Starts a gateway behind nginx with such a pad."""
    started = []

    def start(allows: bool) -> tuple:
        folder = tmp_path / str(len(started))
        (folder / "tokens").mkdir(parents=True)
        pad = Pad(folder / "p.sock", allows)
        (folder / "spki").write_text(nginx.certificate.spki + "\n")
        (folder / "inkpanel.toml").write_text("")
        nginx.upstream.unlink(missing_ok=True)
        started.append(subprocess.Popen(
            [os.environ["GATEWAY"], "run", "--config", folder / "inkpanel.toml", "--panel", folder / "p.sock", "--socket",
             nginx.upstream, "--state", folder / "tokens", "--key-digest", folder / "spki"]))
        wait_for(lambda: listens(nginx.upstream))
        started.append(subprocess.Popen(
            [os.environ["GATEWAY"], "pair", "till-3", "--state", folder / "tokens"], stdout=subprocess.PIPE))
        started[-1].stdout.readline()
        return pad, f"https://localhost:{nginx.port}"

    yield start
    for gateway in started:
        gateway.kill()
        gateway.wait()
    nginx.upstream.unlink(missing_ok=True)


def test_both_sides_show_the_same_digits(pairing, nginx):
    pad, url = pairing(allows=True)
    shown = []
    token, key = pair(url, "till-3", show=shown.append)
    assert pad.shown == [{"name": "till-3", "digits": shown[0].replace(" ", ""), "key": key}]
    assert key == nginx.certificate.spki
    assert Inkpanel(url, token, key=key).status().items() >= STATUS.items()
    with pytest.raises(InkpanelError, match="key is another one"):
        Inkpanel(url, token, key="A" * 43 + "=").status()


def test_a_denied_host_gets_no_token(pairing):
    pad, url = pairing(allows=False)
    with pytest.raises(InkpanelError, match="denied"):
        pair(url, "till-3", show=lambda digits: None)
    assert len(pad.shown) == 1
