# SPDX-License-Identifier: Apache-2.0
"""Webhooks of a panel with a simulated person, and what the gateway says of both."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from webhooks import Program, Receiver

sys.path.insert(0, str(Path(__file__).parents[1] / "Gateway"))
from gateway import Gateway, Panel  # noqa: E402
from support.waiting import wait_for


@pytest.fixture
def all_of_it(tmp_path):
    panel, receiver = Panel(tmp_path), Receiver()
    program = Program(tmp_path, panel.socket, {"erp": {"url": receiver.url, "request": True}}, patience=5).ready()
    gateway = Gateway(tmp_path, panel.socket, arguments=["--webhooks-status", program.status_file])
    # What was stored before is not told.
    wait_for(lambda: (program.state / "records").exists())
    yield panel, gateway, program, receiver
    program.kill()
    gateway.kill()
    panel.kill()
    receiver.stop()
    assert receiver.faults == []


def capture(panel, *words):
    return subprocess.Popen(
        [os.environ["INKPANEL"], "capture", "--socket", panel.socket, "--prompt", "Sign", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_captures_of_all_hosts_are_told(all_of_it):
    panel, gateway, program, receiver = all_of_it
    token = gateway.token()
    first = gateway.capture(token, signer="Anna", data={"order": "4711"})["id"]
    wait_for(lambda: len(receiver.messages) == 2)
    stored, ended = receiver.messages
    record = gateway.request("GET", f"/v1/captures/{first}", token).json
    assert (stored["type"], ended["type"]) == ("record.stored", "capture.ended")
    assert stored["data"]["capture"] == first and stored["data"]["seal"] == record["seal"]
    assert stored["data"]["request"]["signer"] == "Anna" and stored["data"]["data"] == {"order": "4711"}
    assert ended["data"]["outcome"] == record["outcome"] == {"result": "accepted"}
    # By Varlink, cancelled by the person.
    gateway.act(token, "cancel")
    assert capture(panel, "--data", "order=4712").wait(30) != 0
    wait_for(lambda: len(receiver.messages) == 3)
    assert receiver.messages[2]["data"]["outcome"] == {"result": "cancelled", "by": "person"}
    assert receiver.messages[2]["data"]["data"] == {"order": "4712"}


def test_a_panel_that_is_killed_while_somebody_signs_loses_nothing(all_of_it):
    panel, gateway, program, receiver = all_of_it
    token = gateway.token()
    gateway.capture(token)
    wait_for(lambda: len(receiver.messages) == 2)
    gateway.capture(token, data={"order": "1"})
    # The person has begun to write.
    wait_for(lambda: gateway.request("GET", "/v1/panel", token).json.get("running", {}).get("strokes"))
    panel.kill()
    wait_for(lambda: "panel.fault" in receiver.types, 60)
    panel.start()
    wait_for(lambda: len(receiver.messages) == 6, 60)
    assert sorted(receiver.types[2:]) == ["capture.ended", "panel.fault", "panel.recovered", "record.stored"]
    [ended] = [message for message in receiver.messages[2:] if message["type"] == "capture.ended"]
    assert ended["data"]["outcome"] == {"result": "interrupted"} and ended["data"]["data"] == {"order": "1"}


def test_captures_that_the_end_of_the_panel_cancels_are_told(all_of_it):
    panel, gateway, program, receiver = all_of_it
    token = gateway.token()
    gateway.act(token, "leave")
    running = gateway.capture(token)["id"]
    waiting = gateway.capture(token, wait=True)["id"]
    panel.stop()
    wait_for(lambda: set(receiver.first("capture.ended")) == {running, waiting})


def test_the_gateway_says_what_panel_and_webhooks_can_do_and_do(all_of_it):
    panel, gateway, program, receiver = all_of_it
    token = gateway.token()
    told = gateway.request("GET", "/v1/panel", token).json
    abilities = told["abilities"]
    assert abilities["program"] == told["program"] and told["gateway"].startswith("inkpanel-gateway ")
    assert abilities["simulated"] and abilities["mirror"] == "presence" and abilities["language"] == "en"
    assert {"png", "svg", "iso19794", "pdf"} <= set(abilities["formats"]) and "de" in abilities["languages"]
    assert abilities["documents"]["maximumBytes"] == 32 << 20 and abilities["limits"]["rows"] == 16
    for name in abilities["pages"]:
        refused = gateway.request("POST", "/v1/captures", token, {name: 5})
        assert refused.json["errors"][0]["pointer"].startswith(f"/{name}"), "a member of a capture"
    wait_for(lambda: gateway.request("GET", "/v1/panel", token).json["webhooks"] == {
        "configured": True, "running": True,
        "webhooks": [{"name": "erp", "waiting": 0, "givenUp": 0, "failing": False, "disabled": False}]})
    assert receiver.url not in str(told) and "path-secret" not in str(told)
    assert 'inkpanel_webhook_waiting{webhook="erp"} 0' in gateway.request("GET", "/metrics", token).body.decode()
    program.stop()
    told = gateway.request("GET", "/v1/panel", token).json["webhooks"]
    assert not told["running"] and told["webhooks"] == []


def test_it_costs_an_idle_panel_nothing(all_of_it):
    panel, gateway, program, receiver = all_of_it

    def switches():
        return sum(
            int(line.split()[1]) for task in Path(f"/proc/{panel.process.pid}/task").iterdir()
            for line in (task / "status").read_text().splitlines() if "ctxt_switches" in line)

    time.sleep(3)
    before = switches()
    time.sleep(4)
    assert switches() - before <= 2
