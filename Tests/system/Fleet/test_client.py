# SPDX-License-Identifier: Apache-2.0
"""clients/inkpanel_fleet.py against a panel of the tests, through a broker that fails."""

import ast
import json
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import TOP
from fake_panel import FakePanel
from inkpanel_fleet import FleetError
from support.waiting import wait_for

PROMPT = ["Delivery 4711", "Zwölf Paletten"]


class Asking(threading.Thread):
    """A capture in a thread of its own."""

    def __init__(self, fleet, panel="panel-a", **arguments):
        super().__init__(daemon=True)
        self.progress, self.result, self.error = [], None, None
        self.ask = lambda: fleet.capture(panel, **{"prompt": PROMPT, "on_progress": self.progress.append} | arguments)
        self.start()

    def run(self):
        try:
            self.result = self.ask()
        except FleetError as error:
            self.error = error

    def end(self, seconds: float = 20):
        self.join(seconds)
        assert not self.is_alive(), "the capture does not end"
        return self.error or self.result


def page_of(panel: FakePanel, number: int = 1) -> str:
    return wait_for(lambda: len(panel.pages) >= number and panel.pages[number - 1], what="the page")


def test_capture(panel, connect):
    asking = Asking(connect(), signer="Anna Müller", timeout=60)
    key = page_of(panel)
    panel.sign(key)
    result = asking.end()
    assert result["outcome"] == {"result": "accepted"} and result["seal"]["n"] == 1
    assert [(answer["state"], answer["strokes"]) for answer in asking.progress] == [
        ("signing", 0), ("signing", 1), ("ended", 1)]
    assert panel.captures[key]["parameters"] == {"prompt": PROMPT, "signer": "Anna Müller"}
    [(_, properties)] = panel.requests
    assert 55 <= properties.MessageExpiryInterval <= 60
    assert properties.ContentType == "application/json" and len(properties.CorrelationData) == 16


def test_prompt_is_fast(panel, connect):
    """Without Nagle's pauses of 40 ms and more."""
    fleet, times = connect(), []
    for _ in range(30):
        begin = time.monotonic()
        assert fleet.status("panel-a")["name"] == "panel-a"
        times.append(time.monotonic() - begin)
    assert sorted(times)[15] < 0.035, times


def test_lost_answers_ask_nobody_twice(panel, connect, monkeypatch):
    monkeypatch.setattr("inkpanel_fleet.REPEAT_AFTER", 0.2)
    monkeypatch.setattr("inkpanel_fleet.REPEAT_ANSWERED_AFTER", 0.5)
    panel.drops = 3
    asking = Asking(connect())
    wait_for(lambda: asking.progress, what="an answer")
    assert len(panel.pages) == 1 and len(panel.requests) == 4
    # The end is lost, too: a later request asks for it.
    panel.drops = 2
    panel.sign(panel.pages[0])
    assert asking.end()["outcome"] == {"result": "accepted"}
    assert len(panel.pages) == 1


def test_broker_killed_amid_a_capture(panel, broker, connect):
    fleet = connect()
    asking = Asking(fleet)
    key = page_of(panel)
    wait_for(lambda: asking.progress, what="an answer")
    # The broker has stored that the panel has the request, and will not repeat it.
    time.sleep(1.5)
    broker.kill()
    wait_for(lambda: not panel.connected.is_set() and not fleet.connected.is_set(), what="the end of connections")
    # Nobody gets to know that but who asks again.
    panel.drops = 2
    panel.sign(key)
    broker.start()
    begin = time.monotonic()
    assert asking.end()["outcome"] == {"result": "accepted"}
    assert time.monotonic() - begin < 10
    assert panel.pages == [key]


def test_broker_away_when_asked(panel, broker, connect):
    fleet = connect()
    broker.kill()
    wait_for(lambda: not fleet.connected.is_set(), what="the end of the connection")
    asking = Asking(fleet)
    time.sleep(0.2)
    assert not panel.pages
    broker.start()
    panel.sign(page_of(panel))
    assert asking.end()["outcome"] == {"result": "accepted"}
    assert len(panel.pages) == 1


def test_panel_comes_later(broker, connect, fleet_authority):
    asking = Asking(connect())
    time.sleep(0.3)
    panel = FakePanel("panel-a", fleet_authority.state("panel-a"), broker.panels_port).start()
    panel.sign(page_of(panel))
    assert asking.end()["outcome"] == {"result": "accepted"}
    panel.stop()


def test_offline_panel(connect, monkeypatch):
    monkeypatch.setattr("inkpanel_fleet.GRACE", 0.5)
    with pytest.raises(FleetError, match="panel-a is not connected to the broker: check the name") as caught:
        connect().capture("panel-a", prompt="Test", timeout=0.5)
    assert caught.value.reason == "offline" and caught.value.is_temporary


def test_panel_that_went_offline_asks_nobody_later(panel, broker, connect, fleet_authority, monkeypatch):
    monkeypatch.setattr("inkpanel_fleet.GRACE", 0.2)
    fleet = connect()
    panel.stop()
    with pytest.raises(FleetError, match="Nobody will be asked later"):
        fleet.capture("panel-a", prompt="Test", timeout=1)
    time.sleep(1)
    # Its session is kept: what is left in it is the cancel, not the question.
    again = FakePanel("panel-a", fleet_authority.state("panel-a"), broker.panels_port).start()
    wait_for(lambda: again.requests, what="the cancel")
    assert [method for method, _ in again.requests] == ["cancel"] and not again.pages
    again.stop()


@pytest.mark.parametrize("error, reason, advice", [
    ("org.inkpanel.Panel.Busy", "busy", "wait=True"),
    ("org.inkpanel.Fleet.Interrupted", "interrupted", "with a new key"),
    ("org.inkpanel.Fleet.NotKept", "not-kept", "its disk"),
    ("org.inkpanel.Fleet.Expired", "expired", "timeout="),
    ("org.inkpanel.Panel.SomethingNew", "something-new", "docs/host-api.md"),
])
def test_errors_of_the_panel(panel, connect, error, reason, advice):
    panel.error = error
    with pytest.raises(FleetError, match=advice) as caught:
        connect().capture("panel-a", prompt="Test")
    assert caught.value.reason == reason and caught.value.is_answer
    # Nothing runs, so nothing is cancelled.
    assert [method for method, _ in panel.requests] == ["capture"]


def test_key_reused(panel, connect):
    fleet = connect()
    Asking(fleet, key="order-4711")
    page_of(panel)
    with pytest.raises(FleetError, match="use a new one for each signature") as caught:
        fleet.capture("panel-a", prompt="Another", key="order-4711")
    assert caught.value.reason == "key-reused"
    # The same question gets the same capture.
    again = Asking(fleet, key="order-4711")
    wait_for(lambda: again.progress, what="an answer")
    panel.sign("order-4711")
    assert again.end()["outcome"] == {"result": "accepted"}
    assert panel.pages == ["order-4711"]


def test_cancel(panel, connect):
    fleet = connect()
    asking = Asking(fleet, key="order-4712")
    page_of(panel)
    assert fleet.cancel("panel-a", "order-4712")["outcome"]["result"] == "cancelled"
    assert asking.end()["outcome"] == {"result": "cancelled", "by": "host"}
    with pytest.raises(FleetError, match="knows no capture"):
        fleet.cancel("panel-a", "order-4713")


def test_exception_cancels(panel, connect):
    class Stop(BaseException):
        pass

    def stop(answer):
        raise Stop

    with pytest.raises(Stop):
        connect().capture("panel-a", prompt="Test", on_progress=stop)
    [key] = panel.pages
    assert panel.captures[key]["answer"]["outcome"]["by"] == "host"


def program(broker, authority, *words) -> list:
    folder = authority.out / "host-erp"
    return [sys.executable, TOP / "clients/inkpanel_fleet.py", f"localhost:{broker.hosts_port}", "--cert",
            folder / "erp.crt", "--key", folder / "erp.key", "--ca", folder / "ca.crt", *words]


def test_program(panel, broker, fleet_authority):
    asking = subprocess.Popen(
        program(broker, fleet_authority, "panel-a", "--prompt", "Eins", "--prompt", "Zwei"), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    key = page_of(panel)
    assert panel.captures[key]["parameters"] == {"prompt": ["Eins", "Zwei"]}
    panel.sign(key)
    output, errors = asking.communicate(timeout=20)
    assert asking.returncode == 0 and json.loads(output)["outcome"] == {"result": "accepted"}, errors
    listing = subprocess.run(program(broker, fleet_authority), capture_output=True, text=True, timeout=20)
    assert listing.stdout == "panel-a idle\n"


def test_interrupted_program_cancels(panel, broker, fleet_authority):
    asking = subprocess.Popen(
        program(broker, fleet_authority, "panel-a", "--prompt", "Eins"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    key = page_of(panel)
    assert asking.stderr.readline() == b"signing\n"
    asking.send_signal(signal.SIGINT)
    _, errors = asking.communicate(timeout=20)
    assert asking.returncode == 1 and errors == b"inkpanel: interrupted\n"
    assert panel.captures[key]["answer"]["outcome"]["by"] == "host"


def test_several_captures_at_once(panel, broker, connect, fleet_authority):
    """Each thread gets its own answers."""
    other = FakePanel("panel-b", fleet_authority.state("panel-b"), broker.panels_port).start()
    fleet = connect()
    asking = [Asking(fleet, name, key=f"{name}-{number:08}") for name in ("panel-a", "panel-b") for number in range(10)]
    wait_for(lambda: all(one.progress for one in asking), what="all pages")
    for fake in (panel, other):
        for key in fake.pages:
            fake.sign(key)
    ids = [one.end()["id"] for one in asking]
    assert ids == [f"id-{name}-{number:08}" for name in ("panel-a", "panel-b") for number in range(10)]
    assert len(panel.pages) == len(other.pages) == 10
    other.stop()


def test_states_of_all_panels(panel, broker, connect, fleet_authority):
    other = FakePanel("panel-b", fleet_authority.state("panel-b"), broker.panels_port).start()
    fleet = connect()
    states = dict(fleet.panels())
    assert [(name, state["online"]) for name, state in states.items()] == [("panel-a", True), ("panel-b", True)]
    other.stop()
    # The will.
    wait_for(lambda: dict(fleet.panels())["panel-b"] == {"online": False}, what="the will")


def test_second_program_with_the_same_certificate(panel, connect, monkeypatch):
    """They do not throw each other out for ever: one stays away. mosquitto 2.0.21 tells the first, 2.0.11 nobody."""
    monkeypatch.setattr("inkpanel_fleet.SHORT", 2.0)
    monkeypatch.setattr("inkpanel_fleet.LEAST_PAUSE", 15.0)
    first = connect()
    asking = Asking(first)
    key = page_of(panel)
    time.sleep(2.1)
    second = connect()
    wait_for(lambda: first.trouble or second.trouble, what="the pause of one")
    trouble = first.trouble or second.trouble
    assert trouble.reason == "taken-over" and "give each its own" in str(trouble)
    # The other one works.
    other = second if first.trouble else first
    assert other.status("panel-a", timeout=8)["state"] in ("idle", "busy")
    other.close()
    # This one is back later, by itself.
    panel.sign(key)
    if other is second:
        if first.is_told:
            assert asking.end() is trouble
        else:
            assert asking.end()["outcome"] == {"result": "accepted"}
        assert first.status("panel-a", timeout=40)["state"] == "idle"
        assert first.trouble is None


def test_a_broker_that_starts_anew_several_times_is_no_other_program(panel, broker, connect):
    fleet = connect()
    asking = Asking(fleet)
    key = page_of(panel)
    for _ in range(5):
        broker.stop()
        time.sleep(1.5)
        broker.start()
        wait_for(fleet.connected.is_set, what="the connection")
    wait_for(lambda: panel.client.is_connected(), what="the panel")
    panel.sign(key)
    assert asking.end()["outcome"] == {"result": "accepted"}
    assert fleet.status("panel-a", timeout=30)["state"] == "idle" and fleet.failure is fleet.trouble is None


def test_short_connections_without_a_reason_end_nothing_for_good(panel, connect, monkeypatch):
    monkeypatch.setattr("inkpanel_fleet.LEAST_PAUSE", 1.0)
    fleet = connect()
    for _ in range(5):
        wait_for(fleet.connected.is_set, what="the connection")
        fleet.client.socket().shutdown(2)
        wait_for(lambda: not fleet.connected.is_set(), what="its end")
    assert fleet.trouble.reason == "taken-over" and "may have" in str(fleet.trouble)
    assert fleet.status("panel-a", timeout=40)["state"] == "idle" and fleet.trouble is None


def test_closed(panel, connect):
    fleet = connect()
    asking = Asking(fleet)
    page_of(panel)
    fleet.close()
    assert asking.end().reason == "closed"


@pytest.mark.parametrize("arguments", [
    {"key": "short"}, {"timeout": 0}, {"timeout": 90_000}, {"timeout": float("nan")}, {"data": {"x": {1}}},
    {"prompt": ["x" * 70_000]}, {"panel": "a/b"}, {"panel": "+"}])
def test_bad_arguments(panel, connect, arguments):
    arguments = {"panel": "panel-a", "prompt": "Test"} | arguments
    with pytest.raises(FleetError) as caught:
        connect().capture(arguments.pop("panel"), **arguments)
    assert caught.value.reason == "bad-argument"
    assert not panel.messages


def test_nothing_listens(broker, connect):
    broker.kill()
    with pytest.raises(FleetError, match="Does it run") as caught:
        connect()
    assert caught.value.reason == "unreachable"


def test_wrong_port(broker, connect):
    broker.hosts_port = broker.panels_port
    with pytest.raises(FleetError, match="listener for hosts") as caught:
        connect()
    assert caught.value.reason == "certificate"


def test_host_without_a_block(panel, broker, connect):
    fleet = connect("stranger")
    with pytest.raises(FleetError, match="inkpanel-fleet-certificate host stranger") as caught:
        fleet.capture("panel-a", prompt="Test")
    assert caught.value.reason == "denied" and not panel.messages
    # With it, after a reload, the same connection serves.
    broker.allow("erp", "till", "stranger")
    broker.reload()
    assert fleet.status("panel-a")["state"] == "idle"


DEEP = '{"error":"x.Odd","parameters":{"a":%s1%s,"b":"\\u001b[2J"}}' % ("[" * 900, "]" * 900)


@pytest.mark.parametrize("answer", ["x", "[1]", "[" * 5000, DEEP])
def test_odd_answers(panel, connect, answer):
    """A panel that answers oddly harms nobody but who asked it."""
    panel.raw = answer
    fleet = connect()
    with pytest.raises(FleetError) as caught:
        fleet.capture("panel-a", prompt="Test")
    assert caught.value.reason in ("bad-answer", "odd") and "\x1b" not in str(caught.value)
    panel.raw = None
    assert fleet.status("panel-a")["state"] == "idle"


def test_oldest_python():
    """Nothing here runs 3.9: at least its syntax is that of 3.9."""
    ast.parse((TOP / "clients/inkpanel_fleet.py").read_text(), feature_version=(3, 9))
