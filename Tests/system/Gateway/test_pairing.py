# SPDX-License-Identifier: Apache-2.0
"""Pairing: a host gets a token when a person at the pad has compared six digits."""

import base64
import hashlib
import json
import os
import secrets
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from gateway import Gateway, Panel

sys.path.insert(0, str(Path(__file__).parents[1] / "Control"))
from virtual_client import DOWN, UP, VirtualClient
from support.waiting import wait_for

CLIENT = Path(__file__).parents[3] / "clients/inkpanel.py"
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
    def __init__(self, gateway, name="till-3", client=None, **request):
        self.gateway, self.a = gateway, secrets.token_bytes(32)
        # Of the server in front, on its socket only.
        self.headers = {"X_Inkpanel_Client": client} if client else {}
        self.answer = gateway.request(
            "POST", "/v1/pairings", None, {"name": name, "commit": hashlib.sha256(self.a).hexdigest(), **request},
            **self.headers)
        if self.answer.status == 201:
            self.path = self.answer.headers["Location"]
            digest = hashlib.sha256(KEY + self.a + bytes.fromhex(self.answer.json["b"])).digest()
            self.digits = f"{int.from_bytes(digest[:8], 'big') % 1_000_000:06}"

    def reveal(self):
        return self.gateway.request("POST", self.path, None, {"a": self.a.hex()}, **self.headers)

    @property
    def state(self) -> dict:
        return self.gateway.request("GET", self.path).json


class Operator:
    """`inkpanel-gateway pair NAME`, which opens pairing while it runs."""

    def __init__(self, gateway, name="till-3", *more):
        self.process = subprocess.Popen(
            [os.environ["GATEWAY"], "pair", "--state", gateway.state, name, *more], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.first = self.process.stdout.readline()

    def close(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def opened(pairable):
    """Pairing is open for till-3."""
    operator = Operator(pairable[1])
    yield operator
    operator.close()


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


def test_a_person_allows_a_host(pairable, opened):
    panel, gateway = pairable
    assert "pairing is open for till-3" in opened.first
    host = Host(gateway)
    assert host.answer.status == 201 and host.state == {"state": "committed"} and page(panel) == "idle"
    assert host.reveal().json == {"state": "shown"}
    wait_for(lambda: page(panel) == "pairing")
    press(panel, right=True)
    wait_for(lambda: page(panel) == "idle")
    assert gateway.command("token", "list").stdout == "", "the host makes the token when it fetches it"
    token = wait_for(lambda: host.state.get("token"))
    assert host.state == {"state": "allowed", "token": token}, "an answer that got lost is told again"
    assert gateway.request("GET", "/v1/panel", token).status == 200
    assert "till-3" in gateway.command("token", "list").stdout
    assert opened.process.wait(10) == 0 and "till-3 is paired" in opened.process.stdout.read()
    assert Host(gateway).answer.problem == "pairing-closed"
    again = gateway.command("pair", "till-3")
    assert again.returncode != 0 and "there is a token till-3" in again.stderr


def test_pairing_is_open_for_one_name_while_the_command_runs(pairable, tmp_path):
    panel, gateway = pairable
    assert Host(gateway).answer.problem == "pairing-closed"
    operator = Operator(gateway)
    assert Host(gateway, "till-4").answer.problem == "pairing-closed"
    assert gateway.command("pair", "till-4").returncode != 0, "one at a time"
    host = Host(gateway)
    assert host.answer.status == 201
    operator.close()
    assert Host(gateway).answer.problem == "pairing-closed"
    host.reveal()
    assert host.state == {"state": "waiting"} and page(panel) == "idle", "it was closed before"
    assert gateway.command("pair", "a\u0007").returncode != 0


def test_a_person_denies_a_host(pairable, opened):
    panel, gateway = pairable
    host = Host(gateway, scopes=["capture"])
    host.reveal()
    wait_for(lambda: page(panel) == "pairing")
    press(panel, right=False)
    wait_for(lambda: host.state == {"state": "denied"})
    assert gateway.command("token", "list").stdout == ""


def test_a_repeated_number_changes_nothing(pairable, opened):
    panel, gateway = pairable
    host = Host(gateway)
    host.reveal()
    wait_for(lambda: page(panel) == "pairing")
    assert host.reveal().json == {"state": "shown"}
    assert gateway.request("POST", host.path, None, {"a": "0" * 64}).problem == "invalid-parameter"
    assert host.state == {"state": "shown"}
    press(panel, right=True)
    assert wait_for(lambda: host.state.get("token"))


def test_strangers_who_know_the_name_keep_no_host_from_pairing(tmp_path):
    """Unanswered requests in a flood, one that is shown again and again, and one that begins when Allow is pressed."""
    panel = Panel(tmp_path, simulate=False)
    (tmp_path / "spki").write_text(base64.b64encode(KEY).decode())
    gateway = Gateway(tmp_path, panel.socket, arguments=["--key-digest", tmp_path / "spki"], unix=True)
    operator = Operator(gateway)
    shown = Host(gateway, client="192.0.2.66")
    shown.reveal()
    wait_for(lambda: page(panel) == "pairing")
    waiting = Host(gateway, client="192.0.2.66")
    assert waiting.reveal().json == {"state": "waiting"}
    for number in range(100):
        assert Host(gateway, client=f"192.0.2.{number % 70}").answer.status == 201
    host = Host(gateway, client="198.51.100.7")
    assert host.reveal().json == {"state": "waiting"}
    for number in range(100):
        Host(gateway, client=f"192.0.2.{number % 70}")
    press(panel, right=False)
    wait_for(lambda: shown.state == {"state": "denied"} and host.state == {"state": "shown"})
    assert waiting.state == {"state": "waiting"}, "its network had its page"
    wait_for(lambda: page(panel) == "pairing")
    press(panel, right=True)
    wait_for(lambda: page(panel) == "idle")
    for number in range(100):
        Host(gateway, client=f"192.0.2.{number % 70}")
    token = wait_for(lambda: host.state.get("token"))
    assert gateway.request("GET", "/v1/panel", token).status == 200
    operator.close()
    gateway.kill()
    panel.kill()


def test_pairing_interrupts_nobody_who_draws(tmp_path):
    panel = Panel(tmp_path, simulate=False, more="[pad]\npage = \"sketch\"")
    (tmp_path / "spki").write_text(base64.b64encode(KEY).decode())
    gateway = Gateway(tmp_path, panel.socket, arguments=["--key-digest", tmp_path / "spki"])
    operator = Operator(gateway)
    wait_for(lambda: page(panel) == "sketch")
    client = VirtualClient(panel.virtual)
    client.frames(0.3)
    for phase, x in ((DOWN, 0.4), (UP, 0.5)):
        client.sample(phase, x, 0.5)
        client.frames(0.1)
    host = Host(gateway)
    host.reveal()
    wait_for(lambda: host.state == {"state": "waiting"})
    assert page(panel) == "sketch"
    client.socket.close()
    wait_for(lambda: page(panel) == "pairing", 20)
    assert host.state == {"state": "shown"}
    operator.close()
    gateway.kill()
    panel.kill()


def test_without_a_certificate_nobody_pairs(gateway):
    assert Host(gateway).answer.problem == "no-pairing"


def test_a_virtual_panel_pairs_with_programs_of_its_own_machine(tmp_path):
    panel = Panel(tmp_path, simulate=False)
    gateway = Gateway(tmp_path, panel.socket, arguments=["--virtual", panel.virtual])
    operator = Operator(gateway)
    host = subprocess.Popen(
        ["/usr/bin/python3", CLIENT, f"http://127.0.0.1:{gateway.port}", "--name", "till-3"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: page(panel) == "pairing")
    press(panel, right=True)
    said, digits = host.communicate(timeout=20)
    assert host.returncode == 0 and digits.splitlines()[-1].replace(" ", "").isdigit(), digits
    word, token = said.split()
    assert word == "token" and gateway.request("GET", "/v1/panel", token).status == 200
    operator.close()
    gateway.kill()
    panel.kill()


def test_a_panel_may_forbid_it(tmp_path):
    panel = Panel(tmp_path, simulate=False, more="pairing = false")
    (tmp_path / "spki").write_text(base64.b64encode(KEY).decode())
    gateway = Gateway(tmp_path, panel.socket, arguments=["--key-digest", tmp_path / "spki"])
    operator = Operator(gateway)
    host = Host(gateway)
    host.reveal()
    wait_for(lambda: host.state["state"] == "failed")
    assert "allows no pairing" in host.state["reason"]
    operator.close()
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


@pytest.mark.parametrize("name", ["O'Brien", "-x"])
def test_the_command_for_the_host_can_be_copied(pairable, name):
    operator = Operator(pairable[1], name) if name[0] != "-" else Operator(pairable[1], "--", name)
    operator.close()
    words = shlex.split(operator.first.split("on the host: ")[1])
    assert words[:3] == ["python3", "inkpanel.py", "https://PAD:8443"]
    assert words[3:] in (["--name", name], ["--name=" + name])


@pytest.mark.parametrize("name", ["\u0436" * 33])
def test_a_name_that_no_host_can_use_opens_nothing(pairable, name):
    gateway = pairable[1]
    assert Host(gateway, name).answer.problem == "invalid-parameter"
    for words in (["pair", name], ["token", "add", "--name", name]):
        done = gateway.command(*words)
        assert done.returncode != 0 and "the name of a host is" in done.stderr, done
