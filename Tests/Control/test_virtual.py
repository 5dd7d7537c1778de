# SPDX-License-Identifier: Apache-2.0
"""Captures signed through the socket of a virtual panel."""

import json
import math
import os
import signal
import subprocess
import time

import pytest
import varlink
from virtual_client import DOWN, PEN, VirtualClient

STROKE = [(0.3 + 0.4 * i / 100, 0.5 + 0.08 * math.sin(i / 5)) for i in range(100)]
ACCEPT = (0.88, 0.93)


@pytest.fixture
def panel(tmp_path):
    """The sockets for clients and hosts of a virtual panel that runs."""
    virtual, host, log = (str(tmp_path / name) for name in ("virtual.sock", "panel.sock", "log"))
    (tmp_path / "inkpanel.toml").write_text("")
    with open(log, "w") as errors:
        program = subprocess.Popen(
            [os.environ["INKPANEL"], "run", "--virtual", virtual, "--display", "headless:800x480", "--config",
             str(tmp_path / "inkpanel.toml"), "--store", str(tmp_path / "store"), "--socket", host], stderr=errors)
    for _ in range(600):
        if "ready" in open(log).read() or program.poll() is not None:
            break
        time.sleep(0.05)
    assert program.poll() is None, open(log).read()
    yield virtual, host
    program.send_signal(signal.SIGTERM)
    assert program.wait(timeout=30) == 0
    assert not os.path.exists(virtual)


@pytest.mark.parametrize("pressure", [None, 0.5])
def test_a_signature_from_the_client_to_the_record(panel, pressure):
    client = VirtualClient(panel[0])
    assert (client.width, client.height) == (800, 480)
    client.frames(0.5)
    with varlink.Client("unix:" + panel[1]) as hosts, hosts.open("org.inkpanel.Panel") as service:
        answers = service.Capture(prompt=["Sign"], _more=True)
        name = next(answers)["id"]
        client.frames(0.5)
        before = bytes(client.pixels)
        client.draw(STROKE, PEN, pressure)
        client.frames(0.5)
        assert bytes(client.pixels) != before
        client.draw([ACCEPT] * 3, PEN, pressure)
        assert list(answers)[-1]["outcome"]["result"] == "accepted"
        record = [json.loads(line) for line in service.Get(id=name, format="record")["text"].splitlines()]
        device = record[0]["devices"][0 if pressure is None else 1]
        assert device["bus"] == 6 and ("pressure" in device) == (pressure is not None)
        assert device["name"] == ("browser" if pressure is None else "browser with pressure")
        samples = record[1]["stroke"]["samples"]
        assert [sample[1:3] for sample in samples] == [[int(x * 65536), int(y * 65536)] for x, y in STROKE]


def test_a_client_that_vanishes_presses_nothing_and_the_next_one_goes_on(panel):
    client = VirtualClient(panel[0])
    client.frames(0.5)
    with varlink.Client("unix:" + panel[1]) as hosts, hosts.open("org.inkpanel.Panel") as service:
        answers = service.Capture(prompt=["Sign"], _more=True)
        next(answers)
        client.draw(STROKE)
        client.sample(DOWN, *ACCEPT)
        client.frames(0.3)
        client.socket.close()
        time.sleep(0.5)
        assert varlink.Client("unix:" + panel[1]).open("org.inkpanel.Panel").Status()["status"].get("running")
        client = VirtualClient(panel[0])
        client.frames(0.5)
        client.draw([ACCEPT] * 3)
        assert list(answers)[-1]["outcome"]["result"] == "accepted"
