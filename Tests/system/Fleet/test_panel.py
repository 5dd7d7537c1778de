# SPDX-License-Identifier: Apache-2.0
"""inkpanel-fleet between a real panel, on which a simulated person signs, and hosts behind a real broker."""

import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pytest
from inkpanel_fleet import FleetError
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from support import breadth
from support.waiting import wait_for

TOML = '[control]\ngateway = ""\ngroup = ""\nfleet = ""\n'


class RealPanel:
    """`inkpanel run` with a display in memory, and `inkpanel-fleet run` beside it."""

    def __init__(self, folder: Path, state: Path, port: int):
        self.folder, self.state, self.port = folder, state, port
        self.socket, self.file = f"{folder}/p.sock", folder / "state.json"
        (folder / "panel.toml").write_text(TOML)
        self.toml = folder / "panel.toml"
        (state / "requests").unlink(missing_ok=True)
        self.panel = self.fleet = None

    def start_panel(self):
        log = (self.folder / "panel.log").open("ab")
        before = log.tell()
        Path(self.socket).unlink(missing_ok=True)
        Path(f"{self.folder}/v.sock").unlink(missing_ok=True)
        self.panel = subprocess.Popen(
            [os.environ["INKPANEL"], "run", "--store", f"{self.folder}/records", "--socket", self.socket, "--virtual",
             f"{self.folder}/v.sock", "--display", "headless:800x480", "--config", f"{self.folder}/panel.toml",
             "--simulate"], stdout=log, stderr=log)
        wait_for(lambda: b"inkpanel: ready: " in (self.folder / "panel.log").read_bytes()[before:], 30, "the panel")
        # By itself, the simulated person signs after some seconds, whatever a test still does.
        assert self.call("Simulate", act="leave") == {"parameters": {}}

    def start_fleet(self, *words: str, prefix=(), port: int | None = None):
        log = (self.folder / "fleet.log").open("ab")
        # faketime has a child.
        self.fleet = subprocess.Popen(
            [*prefix, os.environ["FLEET"], "run", "--broker", f"localhost:{port or self.port}", "--panel", self.socket,
             "--state", self.state, "--state-file", self.file, *words], stdout=log, stderr=log, start_new_session=True)

    def start(self) -> "RealPanel":
        self.start_panel()
        self.start_fleet()
        self.until_connected()
        return self

    def until_connected(self):
        wait_for(
            lambda: "connectedSince" in self.status and self.status["panelAnswers"], 20, f"{self.log}: a connection")

    @property
    def status(self) -> dict:
        try:
            return json.loads(self.file.read_text())
        except (FileNotFoundError, ValueError):
            return {}

    @property
    def log(self) -> str:
        return (self.folder / "fleet.log").read_text()

    @property
    def records(self) -> list[Path]:
        return sorted(Path(f"{self.folder}/records/captures").glob("*.jsonl"))

    def call(self, method: str, **parameters) -> dict:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.socket)
            message = {"method": "org.inkpanel.Panel." + method, "parameters": parameters}
            connection.sendall(json.dumps(message).encode() + b"\0")
            answer = b""
            while not answer.endswith(b"\0"):
                answer += connection.recv(65536)
            return json.loads(answer[:-1])

    def page(self) -> str:
        return self.call("Status")["parameters"]["status"]["page"]

    def act(self, act: str):
        wait_for(lambda: self.page() == "signing", what="the page")
        assert self.call("Simulate", act=act) == {"parameters": {}}

    def process_file(self, name: str) -> str:
        return Path(f"/proc/{self.fleet.pid}/{name}").read_text()

    def kill(self):
        if self.fleet:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.fleet.pid, signal.SIGKILL)
            self.fleet.wait()
        if self.panel:
            self.panel.kill()
            self.panel.wait()


@pytest.fixture
def real(tmp_path, broker, fleet_authority):
    real = RealPanel(tmp_path, fleet_authority.state("panel-a"), broker.panels_port)
    yield real
    real.kill()


@pytest.fixture
def panel(real):
    return real.start()


class Asking(threading.Thread):
    """A capture that a host asks for, beside the test."""

    def __init__(self, fleet, panel: str = "panel-a", **request):
        super().__init__()
        self.progress, self.answer, self.error, self.panel = [], None, None, panel
        self.fleet, self.request = fleet, {"prompt": ["Delivery 4711"], "timeout": 30, **request}
        self.start()

    def run(self):
        try:
            self.answer = self.fleet.capture(self.panel, on_progress=self.progress.append, **self.request)
        except FleetError as error:
            self.error = error

    def end(self, seconds: float = 40):
        self.join(seconds)
        assert not self.is_alive()
        if self.error:
            raise self.error
        return self.answer


def test_a_person_signs_and_the_host_gets_the_seal_and_no_ink(panel, connect):
    asking = Asking(connect(), signer="Anna Müller", data={"order": "4711"})
    panel.act("sign")
    answer = asking.end()
    assert answer["outcome"] == {"result": "accepted"} and "data" not in answer
    [record] = panel.records
    assert record.name == answer["id"] + ".jsonl"
    [seal] = Path(f"{panel.folder}/records/seals").glob("*.seal")
    line = seal.read_bytes().split(b"\n")[0] + b"\n"
    assert answer["seal"] == {"n": 1, "digest": hashlib.sha256(line).hexdigest()}
    states = [each["state"] for each in asking.progress]
    assert states[0] == "signing" and "saving" in states
    assert [each["strokes"] for each in asking.progress if each["state"] == "signing"][-1] >= 1
    assert not any("stroke" in each or "points" in json.dumps(each) for each in asking.progress)


@pytest.mark.parametrize("act, outcome", [("cancel", {"result": "cancelled", "by": "person"})])
def test_a_person_cancels(panel, connect, act, outcome):
    asking = Asking(connect())
    panel.act(act)
    assert asking.end()["outcome"] == outcome and panel.records == []


def test_a_host_cancels_its_capture(panel, connect):
    fleet = connect()
    asking = Asking(fleet, key="order-4711")
    wait_for(lambda: panel.page() == "signing")
    assert fleet.cancel("panel-a", "order-4711")["outcome"] == {"result": "cancelled", "by": "host"}
    assert asking.end()["outcome"]["by"] == "host" and panel.page() != "signing"
    with pytest.raises(FleetError) as failure:
        fleet.cancel("panel-a", "order-unknown")
    assert failure.value.reason == "no-such-capture"


def test_panels_and_their_state(panel, connect):
    fleet = connect()
    assert dict(fleet.panels())["panel-a"]["state"] == "idle"
    assert fleet.status("panel-a")["page"] == "idle"
    asking = Asking(fleet)
    wait_for(lambda: dict(fleet.panels())["panel-a"]["state"] == "busy")
    panel.act("cancel")
    asking.end()
    panel.fleet.terminate()
    wait_for(lambda: dict(fleet.panels())["panel-a"] == {"online": False})


def test_what_waits_for_its_delivery_is_told_until_it_has_left(real, connect):
    real.toml.write_text(TOML + "[delivery]\nenabled = true\n")
    real.start()
    fleet, told = connect(), []
    fleet.client.message_callback_add(
        "inkpanel/v1/+/delivery", lambda client, data, message: told.append(json.loads(message.payload)))
    fleet.client.subscribe("inkpanel/v1/+/delivery", 1)
    wait_for(lambda: told, what="the retained message")
    assert told == [{"waiting": 0, "fault": False}]
    began = time.time()
    asking = Asking(fleet)
    real.act("sign")
    asking.end()
    wait_for(lambda: told[-1]["waiting"] == 2, what="the record and its seal")
    assert began - 1 < told[-1]["oldest"] / 1e6 < time.time() and set(told[-1]) == {"waiting", "oldest", "fault"}
    # Another program delivers, while nobody touches the panel.
    wait_for(lambda: real.page() == "idle", 30)
    outbox = Path(f"{real.folder}/records/outbox")
    for file in [*outbox.glob("captures/*"), *outbox.glob("seals/*")]:
        file.unlink()
    wait_for(lambda: told[-1] == {"waiting": 0, "fault": False}, 5, "that nothing waits")
    assert len(told) <= 4 and len(real.records) == 1


def test_a_wrong_request_is_refused_with_the_panels_words(panel, connect):
    fleet = connect()
    for request, name in [({"prompt": ["x" * 5000]}, "invalid-parameter"), ({"prompt": ["\u202e"]}, "invalid-parameter"),
                          ({"nonsense": 1}, "invalid-parameter"), ({"prompt": ["x"] * 90}, "too-small-screen")]:
        with pytest.raises(FleetError) as failure:
            fleet.capture("panel-a", timeout=10, **request)
        assert failure.value.reason == name, failure.value
    running = Asking(fleet)
    wait_for(lambda: panel.page() == "signing")
    with pytest.raises(FleetError) as failure:
        fleet.capture("panel-a", prompt=["Another"], timeout=10)
    assert failure.value.reason == "busy"
    panel.act("cancel")
    running.end()


def test_a_capture_that_waits_too_long_is_given_up(panel, connect):
    fleet = connect()
    running = Asking(fleet)
    wait_for(lambda: panel.page() == "signing")
    with pytest.raises(FleetError) as failure:
        fleet.capture("panel-a", prompt=["Another"], wait=True, timeout=2)
    # If no time service keeps the machine's clock, the host gives up, and cancels.
    assert failure.value.reason == "expired"
    wait_for(lambda: panel.call("Status")["parameters"]["status"]["waiting"] == 0)
    panel.act("cancel")
    running.end()


@pytest.fixture(scope="module")
def kept_clock(tmp_path_factory) -> list[str]:
    """Starts a program whose clock a time service seems to keep."""
    folder = tmp_path_factory.mktemp("clock")
    (folder / "clock.c").write_text(
        "#include <string.h>\n#include <sys/timex.h>\n"
        "int adjtimex(struct timex *state) { memset(state, 0, sizeof *state); return TIME_OK; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / "clock.so", folder / "clock.c"], check=True)
    return ["env", f"LD_PRELOAD={folder}/clock.so"]


def test_a_request_for_a_panel_that_is_away_is_shown_until_then_and_not_later(real, connect, kept_clock):
    real.start_panel()
    real.start_fleet(prefix=kept_clock)
    real.until_connected()
    real.fleet.kill()
    real.fleet.wait()
    fleet = connect()
    # The panel comes back in time for the second.
    late = Asking(fleet, timeout=1, key="order-late")
    late.join(30)
    assert late.error.reason == "offline"
    asking = Asking(fleet, timeout=30, key="order-in-time")
    time.sleep(1)
    real.start_fleet(prefix=kept_clock)
    real.act("sign")
    assert asking.end()["outcome"] == {"result": "accepted"} and len(real.records) == 1
    # A retained request, which the broker hands out for ever, and one whose time has passed.
    for until_seconds, retain in ((30, True), (-1, False)):
        document = {"key": f"order-{retain}", "until": int((time.time() + until_seconds) * 1e6),
                    "parameters": {"prompt": ["Sign"]}}
        properties = Properties(PacketTypes.PUBLISH)
        properties.ResponseTopic = "inkpanel/v1/panel-a/response/erp"
        fleet.client.publish(
            "inkpanel/v1/panel-a/request/capture", json.dumps(document), 1, retain=retain, properties=properties)
        if retain:
            # It is a request like others while the panel is there; and no more after a restart.
            real.act("cancel")
            wait_for(lambda: real.page() != "signing")
            real.fleet.kill()
            real.fleet.wait()
            (real.state / "requests").unlink()
            real.start_fleet(prefix=kept_clock)
            real.until_connected()
    time.sleep(2)
    assert real.page() != "signing" and real.status["requests"]["refused"] >= 1


def test_the_broker_is_killed_amid_a_capture(panel, connect, broker):
    asking = Asking(connect())
    wait_for(lambda: panel.page() == "signing")
    broker.kill()
    wait_for(lambda: "connectedSince" not in panel.status)
    panel.act("sign")
    wait_for(lambda: len(panel.records) == 1)
    broker.start()
    assert asking.end()["outcome"] == {"result": "accepted"}
    assert len(panel.records) == 1


def test_the_panels_program_is_killed_amid_a_capture(panel, connect):
    asking = Asking(connect())
    wait_for(lambda: panel.page() == "signing")
    # The page is there before the first line of the record.
    wait_for(lambda: any(path.stat().st_size for path in Path(f"{panel.folder}/records/open").glob("*.jsonl")))
    panel.panel.kill()
    panel.panel.wait()
    wait_for(lambda: not panel.status["panelAnswers"])
    panel.start_panel()
    outcome = asking.end()["outcome"]
    assert outcome["result"] == "failed" and "the ink so far is kept" in outcome["reason"]
    assert panel.page() != "signing" and len(panel.records) == 1


@pytest.mark.parametrize("when", ["signing", "accepted"])
def test_this_program_is_killed_amid_a_capture(panel, connect, when):
    fleet = connect()
    asking = Asking(fleet, key="order-4711")
    wait_for(lambda: panel.page() == "signing")
    # The page is there before this program knows which capture it is.
    wait_for(lambda: "began " in (panel.state / "requests").read_text())
    if when == "accepted":
        # The panel stores the record while nobody listens.
        panel.fleet.send_signal(signal.SIGSTOP)
        panel.act("sign")
        wait_for(lambda: len(panel.records) == 1)
        # Before the person is thanked, a capture whose host is gone is wiped.
        wait_for(lambda: panel.page() not in ("signing", "saving"))
    panel.fleet.kill()
    panel.fleet.wait()
    wait_for(lambda: panel.page() != "signing")
    panel.start_fleet()
    result = asking.end()["outcome"]
    # The page of a capture whose host is lost is taken away.
    assert result["result"] == {"signing": "failed", "accepted": "accepted"}[when]
    # The same order again: the same answer, and no page.
    again = fleet.capture("panel-a", key="order-4711", prompt=["Delivery 4711"], timeout=10)
    assert again["outcome"] == result and panel.page() != "signing"
    assert len(panel.records) == (1 if when == "accepted" else 0)
    with pytest.raises(FleetError) as failure:
        fleet.capture("panel-a", key="order-4711", prompt=["Delivery 4712"], timeout=10)
    assert failure.value.reason == "key-reused"


def test_several_real_panels_sign_while_the_broker_is_killed(tmp_path, connect, broker, fleet_authority):
    count = breadth.count(3, 20)
    panels = []
    try:
        for number in range(count):
            name = f"panel-{number:04}"
            (tmp_path / name).mkdir()
            panels.append(RealPanel(tmp_path / name, fleet_authority.panel(name), broker.panels_port))
            panels[-1].start()
        fleet = connect()
        asked = [Asking(fleet, f"panel-{number:04}", timeout=60) for number in range(count)]
        for panel in panels[::2]:
            panel.act("sign")
        broker.kill()
        for panel in panels[1::2]:
            panel.act("sign")
        wait_for(lambda: all(panel.records for panel in panels), 60)
        broker.start()
        assert [asking.end(60)["outcome"]["result"] for asking in asked] == ["accepted"] * count
        assert [len(panel.records) for panel in panels] == [1] * count
    finally:
        for panel in panels:
            panel.kill()


def test_an_idle_panel_wakes_up_for_signs_of_life_only(panel):
    def wakes() -> int:
        return int(panel.process_file("status").split("\nvoluntary_ctxt_switches:")[1].split()[0])

    time.sleep(2)
    before = wakes()
    time.sleep(8)
    # With a keep-alive of 60 s there may be one of them, and its answer.
    assert wakes() - before <= 4


def test_a_new_certificate_is_used_without_a_restart(panel, connect, fleet_authority):
    asking = Asking(connect())
    wait_for(lambda: panel.page() == "signing")
    ends = panel.status["certificateEnds"]
    time.sleep(1.1)
    fleet_authority.sign(fleet_authority.renew("panel-a"))
    fleet_authority.install("panel-a")
    panel.fleet.send_signal(signal.SIGHUP)
    wait_for(lambda: panel.status["certificateEnds"] > ends and "connectedSince" in panel.status)
    panel.act("sign")
    assert asking.end()["outcome"] == {"result": "accepted"}


def test_the_command_status_says_what_is_wrong(real, connect, broker, fleet_authority, tmp_path):
    def status(*words):
        return subprocess.run(
            [os.environ["FLEET"], "status", "--state-file", real.file, *words], capture_output=True, text=True)

    said = status()
    assert said.returncode == 69 and "does not run" in said.stderr
    real.start()
    said = status()
    assert said.returncode == 0 and "panel\tpanel-a\n" in said.stdout and "requests\t0 accepted" in said.stdout
    broker.stop()
    wait_for(lambda: "fault" in real.status)
    said = status()
    assert said.returncode == 69 and "connected\tno" in said.stdout and "fault\t" in said.stdout
    figures = status("--metrics")
    assert figures.returncode == 0 and "inkpanel_fleet_connected 0\n" in figures.stdout
    assert 0 <= int(figures.stdout.split("\ninkpanel_fleet_disconnected_seconds ")[1].split()[0]) < 60
    assert status("--metrics", "--json").returncode == 64
    real.fleet.terminate()
    assert real.fleet.wait(10) == 0 and not real.file.exists()


def test_this_program_needs_a_broker_and_a_certificate(real, tmp_path):
    def run(*words):
        ran = subprocess.run([os.environ["FLEET"], "run", *words], capture_output=True, text=True, timeout=20)
        assert ran.returncode == 64 and len(ran.stderr.splitlines()) == 1
        return ran.stderr

    assert "no broker is named" in run("--config", real.folder / "panel.toml")
    for wrong in ("localhost", "localhost:", "localhost:0", "LOCALHOST:1", "a b:1", ":8883", "::1:8883"):
        assert "expected HOST:PORT" in run("--broker", wrong)
    (tmp_path / "empty").mkdir()
    assert "inkpanel-fleet-certificate" in run("--broker", "localhost:1", "--state", tmp_path / "empty")
    (tmp_path / "empty/panel.crt").write_text("no certificate")
    assert "not a certificate" in run("--broker", "localhost:1", "--state", tmp_path / "empty")
