# SPDX-License-Identifier: Apache-2.0
"""Pairing: a host gets a token when a person at the pad has compared six digits."""

import base64
import hashlib
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from gateway import Gateway, Panel, wait_for

sys.path.insert(0, str(Path(__file__).parents[1] / "Control"))
from virtual_client import DOWN, UP, VirtualClient

KEY = hashlib.sha256(b"a public key").digest()


@pytest.fixture
def pairable(tmp_path):
    panel = Panel(tmp_path, simulate=False)
    digest = tmp_path / "spki"
    digest.write_text(base64.b64encode(KEY).decode() + "\n")
    gateway = Gateway(tmp_path, panel.socket, arguments=["--key-digest", digest])
    yield panel, gateway
    gateway.kill()
    panel.kill()


class Host:
    def __init__(self, gateway, name="till-3", **request):
        self.gateway, self.a = gateway, secrets.token_bytes(32)
        self.answer = gateway.request(
            "POST", "/v1/pairings", None, {"name": name, "commit": hashlib.sha256(self.a).hexdigest(), **request})
        if self.answer.status == 201:
            self.path = self.answer.headers["Location"]
            digest = hashlib.sha256(KEY + self.a + bytes.fromhex(self.answer.json["b"])).digest()
            self.digits = f"{int.from_bytes(digest[:8], 'big') % 1_000_000:06}"

    def reveal(self):
        return self.gateway.request("POST", self.path, None, {"a": self.a.hex()})

    @property
    def state(self) -> dict:
        return self.gateway.request("GET", self.path).json


def page(panel) -> str:
    status = subprocess.run(
        [os.environ["INKPANEL"], "status", "--json", "--socket", panel.socket], capture_output=True, check=True)
    return json.loads(status.stdout)["page"]


def press(panel, right: bool) -> None:
    """Presses the button at the right or left end of the foot of the page."""
    client = VirtualClient(panel.virtual)
    # Touches in the first half second were not meant for this page.
    client.frames(0.8)
    for phase in (DOWN, UP):
        client.sample(phase, 0.85 if right else 0.12, 0.9)
        client.frames(0.1)
    client.socket.close()


def test_a_person_allows_a_host(pairable):
    panel, gateway = pairable
    host = Host(gateway)
    assert host.answer.status == 201 and host.state == {"state": "committed"} and page(panel) == "idle"
    assert host.reveal().json == {"state": "shown"}
    wait_for(lambda: page(panel) == "pairing")
    assert Host(gateway, "other").answer.problem == "pairing"
    press(panel, right=True)
    token = wait_for(lambda: host.state.get("token"))
    assert host.state == {"state": "allowed"}, "the token is told once"
    assert page(panel) == "idle"
    assert gateway.request("GET", "/v1/panel", token).status == 200
    assert "till-3" in gateway.command("token", "list").stdout
    assert Host(gateway).answer.problem == "name-taken"


def test_a_person_denies_a_host(pairable):
    panel, gateway = pairable
    host = Host(gateway, scopes=["capture"])
    host.reveal()
    wait_for(lambda: page(panel) == "pairing")
    press(panel, right=False)
    wait_for(lambda: host.state == {"state": "denied"})
    assert gateway.command("token", "list").stdout == ""


def test_another_number_than_the_announced_one_is_refused(pairable):
    panel, gateway = pairable
    host = Host(gateway)
    host.a = secrets.token_bytes(32)
    assert host.reveal().problem == "invalid-parameter"
    assert host.state["state"] == "failed" and page(panel) == "idle"


def test_wrong_requests_and_too_many(pairable):
    panel, gateway = pairable
    for body, pointer in [
            ({}, "/name"), ({"name": "a"}, "/commit"), ({"name": "a\u0007", "commit": "0" * 64}, "/name"),
            ({"name": "a", "commit": "0" * 63}, "/commit"), ({"name": "a", "commit": "+" * 64}, "/commit"),
            ({"name": "a", "commit": "0" * 64, "scopes": ["admin"]}, "/scopes"),
            ({"name": "a", "commit": "0" * 64, "x": 1}, "/x")]:
        answer = gateway.request("POST", "/v1/pairings", None, body)
        assert answer.problem == "invalid-parameter" and answer.json["errors"][0]["pointer"] == pointer, answer
    for _ in range(3):
        host = Host(gateway)
        host.a = b""
        host.reveal()
        host.gateway.request("POST", host.path, None, {"a": "0" * 64})
    limited = Host(gateway).answer
    assert limited.status == 429 and limited.problem == "too-many-pairings" and limited.headers["Retry-After"]
    assert gateway.request("GET", "/v1/pairings/none").problem == "not-found"


def test_without_a_certificate_nobody_pairs(gateway):
    assert Host(gateway).answer.problem == "no-pairing"


def test_a_panel_may_forbid_it(tmp_path):
    panel = Panel(tmp_path, simulate=False, more="pairing = false")
    (tmp_path / "spki").write_text(base64.b64encode(KEY).decode())
    gateway = Gateway(tmp_path, panel.socket, arguments=["--key-digest", tmp_path / "spki"])
    host = Host(gateway)
    host.reveal()
    wait_for(lambda: host.state["state"] == "failed")
    assert "allows no pairing" in host.state["reason"]
    gateway.kill()
    panel.kill()


def test_the_command_shows_on_the_pad_what_identifies_it(pairable, tmp_path):
    panel, _ = pairable
    words = [os.environ["INKPANEL"], "identity", "--show", "--socket", panel.socket, "--gateway-key"]
    shown = subprocess.Popen([*words, tmp_path / "spki"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: page(panel) == "identity")
    assert shown.poll() is None, "it waits until the page is gone"
    press(panel, right=False)
    output = shown.communicate(timeout=20)
    assert page(panel) == "idle" and shown.returncode == 0, output
    # Ctrl-C takes the page away, too.
    shown = subprocess.Popen([*words, tmp_path / "spki"], stderr=subprocess.DEVNULL)
    wait_for(lambda: page(panel) == "identity")
    shown.terminate()
    shown.wait(20)
    wait_for(lambda: page(panel) == "idle")
    missing = subprocess.run([*words, tmp_path / "none"], capture_output=True, text=True, timeout=20)
    assert missing.returncode != 0 and "none" in missing.stderr and page(panel) == "idle"
    (tmp_path / "wrong").write_text("sha256")
    wrong = subprocess.run([*words, tmp_path / "wrong"], capture_output=True, text=True, timeout=20)
    assert wrong.returncode != 0 and "key" in wrong.stderr, wrong.stderr
