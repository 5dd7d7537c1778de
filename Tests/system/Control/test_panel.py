# SPDX-License-Identifier: Apache-2.0
"""Captures with the real program on a display in memory. The Python package varlink is the host; a recording signs and
touches Accept."""

import base64
import io
import json
import math
import os
import signal
import subprocess
import time

import pytest
import varlink
from PIL import Image

WIDTH, HEIGHT = 16000, 9000
# Seconds from the first frame until the hand begins: long enough for the host's request on a slow machine.
LEAD = 5.0
RATE = 0.008

HEADER = """# EVEMU 1.3
N: Test Pen
I: 0003 056a 0001 0100
P: 02 00 00 00 00 00 00 00
B: 00 0b 00 00 00 00 00 00 00
""" + "B: 01 00 00 00 00 00 00 00 00\n" * 5 + "B: 01 01 04 00 00 00 00 00 00\n" \
    + "B: 01 00 00 00 00 00 00 00 00\n" * 6 + f"""B: 03 03 00 00 01 00 00 00 00
A: 00 0 {WIDTH} 0 0 100
A: 01 0 {HEIGHT} 0 0 100
A: 18 0 4095 0 0 0
"""


def report(at: float, *events: tuple[int, int, int]) -> str:
    return "".join(f"E: {at:.6f} {kind:04x} {code:04x} {value}\n" for kind, code, value in (*events, (0, 0, 0)))


def touch(at: float, places: list[tuple[float, float]]) -> str:
    """A pen that touches at the first place, moves through the others, and lifts. Places are fractions of a side."""
    lines = ""
    for number, (x, y) in enumerate(places):
        tip = [(1, 0x140, 1), (1, 0x14A, 1)] if number == 0 else []
        lines += report(
            at + number * RATE, *tip, (3, 0, round(x * WIDTH)), (3, 1, round(y * HEIGHT)),
            (3, 0x18, 1000 + number % 500))
    return lines + report(at + len(places) * RATE, (1, 0x14A, 0), (1, 0x140, 0))


# Loops above the line, and the button at the lower right.
STROKE = [(0.3 + 0.4 * i / 200, 0.5 + 0.08 * math.sin(i / 8)) for i in range(200)]
ACCEPT = [(0.88, 0.84)] * 5


@pytest.fixture
def panel(tmp_path):
    """Starts the program with a hand that plays the argument; its socket, once it is ready."""
    programs = []

    def run(hand: str, store: str = "store", config: str = "") -> str:
        recording = tmp_path / "hand.events"
        recording.write_text(HEADER + report(0, (3, 0, 1)) + hand)
        settings = tmp_path / "inkpanel.toml"
        settings.write_text(config)
        socket = str(tmp_path / "panel.sock")
        program = subprocess.Popen(
            [os.environ["INKPANEL"], "run", "--touch", f"replay:{recording}", "--display", "headless:800x480",
             "--config", str(settings), "--store", str(tmp_path / store), "--socket", socket],
            stderr=(tmp_path / "log").open("w"))
        programs.append(program)
        for _ in range(600):
            if "ready" in (tmp_path / "log").read_text() or program.poll() is not None:
                break
            time.sleep(0.05)
        assert "ready" in (tmp_path / "log").read_text()
        return socket

    yield run
    for program in programs:
        program.send_signal(signal.SIGTERM)
        program.wait(timeout=30)
        assert program.returncode == 0


def test_a_signature_from_the_call_to_the_picture(panel):
    socket = panel(touch(LEAD, STROKE) + touch(LEAD + 3, ACCEPT))
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        answers = list(service.Capture(prompt=["Delivery 4711", "استلام"], signer="Ada", _more=True))
        states = [answer["state"] for answer in answers]
        assert states[0] == "signing" and states[-2:] == ["saving", "ended"]
        assert answers[-1]["outcome"]["result"] == "accepted"
        told = [answer["stroke"] for answer in answers if answer.get("stroke")]
        assert [len(stroke["points"]) for stroke in told] == [len(STROKE)]

        name = answers[-1]["id"]
        assert [capture["id"] for capture in service.List()["captures"]] == [name]
        record = [json.loads(line) for line in service.Get(id=name, format="record")["text"].splitlines()]
        samples = record[1]["stroke"]["samples"]
        assert [sample[1:3] for sample in samples] == [[round(x * WIDTH), round(y * HEIGHT)] for x, y in STROKE]
        # Times are those of the recording, to the microsecond.
        gaps = {after[0] - before[0] for before, after in zip(samples, samples[1:])}
        assert gaps == {round(RATE * 1e6)}
        quality = record[-1]["end"]["quality"]
        assert quality["reportRate"] == pytest.approx(1 / RATE) and quality["longestGap"] == round(RATE * 1e6)
        assert 0 < quality["latency"]["p50"] <= quality["latency"]["p99"]

        picture = service.Get(id=name, format="png", dpi=300, caption=True)
        with Image.open(io.BytesIO(base64.b64decode(picture["base64"]))) as png:
            assert png.info["dpi"] == pytest.approx((300, 300), abs=0.1) and png.width > 200
        service.Delete(id=name)
        assert service.List()["captures"] == []


def test_a_tap_is_refused_and_the_host_gets_the_reason(panel):
    socket = panel(touch(LEAD, [(0.5, 0.5)] * 3) + touch(LEAD + 1, ACCEPT))
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        refused = None
        for answer in service.Capture(prompt=["Sign"], policy={"totalLimit": 9_000_000}, _more=True):
            refused = answer.get("refusal") or refused
        assert refused["reason"] == "small" and refused["measured"] < refused["minimum"]
        assert answer["outcome"] == {"result": "timedOut", "limit": "total"}
        assert service.List()["captures"] == []


def test_a_host_that_disappears_cancels_its_capture(panel):
    socket = panel("")
    asking = varlink.Client("unix:" + socket).open("org.inkpanel.Panel")
    assert next(asking.Capture(prompt=["Sign"], _more=True))["state"] == "signing"
    asking.close()
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        for _ in range(100):
            if service.Status()["status"].get("running") is None:
                break
            time.sleep(0.1)
        assert service.Status()["status"]["page"] == "idle"


def test_an_operator_accepts_and_cancels(panel):
    socket = panel(touch(LEAD, STROKE))
    with varlink.Client("unix:" + socket) as first, varlink.Client("unix:" + socket) as second, \
            first.open("org.inkpanel.Panel") as host, second.open("org.inkpanel.Panel") as operator:
        answers = host.Capture(prompt=["Sign"], _more=True)
        for answer in answers:
            if answer.get("strokes"):
                operator.Accept()
                break
        assert list(answers)[-1]["outcome"]["result"] == "accepted"
        answers = host.Capture(prompt=["Sign again"], _more=True)
        name = next(answers)["id"]
        with pytest.raises(varlink.VarlinkError, match="Busy"):
            operator.Capture(prompt=["Me, too"])
        operator.Cancel(id=name)
        assert list(answers)[-1]["outcome"] == {"result": "cancelled", "by": "host"}


def test_without_a_store_it_refuses_captures_until_there_is_one(panel, tmp_path):
    socket = panel("", store="none/store")
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        status = service.Status()["status"]
        assert status["page"] == "fault" and "No such file or directory" in status["store"]["fault"]
        for wait in (False, True):
            with pytest.raises(varlink.VarlinkError) as error:
                service.Capture(prompt=["Sign"], wait=wait)
            assert error.value.error() == "org.inkpanel.Panel.StoreFailed"
            assert error.value.parameters() == {"reason": status["store"]["fault"], "isFull": False}
        capture = subprocess.run(
            [os.environ["INKPANEL"], "capture", "--socket", socket, "--prompt", "Sign"], stderr=subprocess.PIPE,
            text=True, timeout=60)
        assert capture.returncode == 74 and "no signature was requested" in capture.stderr
        # The store is repaired; no restart is needed.
        (tmp_path / "none").mkdir()
        answers = service.Capture(prompt=["Sign"], policy={"totalLimit": 1_000_000}, _more=True)
        assert next(answers)["state"] == "signing"
        assert list(answers)[-1]["outcome"]["result"] == "timedOut"
        assert "fault" not in service.Status()["status"]["store"]
        assert sorted(path.name for path in (tmp_path / "none/store").iterdir()) == [
            "captures", "certificate.pem", "key.pem", "open", "seals"]


RECORD = """{"devices":[{"bus":3,"name":"pen","product":1,"transform":[1,0,0,1,0,0],"vendor":1,"version":1,\
"x":{"maximum":9,"minimum":0,"resolution":0},"y":{"maximum":9,"minimum":0,"resolution":0}}],\
"format":"inkpanel-capture","id":"ID","program":"inkpanel 1.0","request":{"prompt":[]},\
"screen":{"height":480,"pixelsPerMillimetre":4,"signingArea":[0,0,9,9],"width":800},"sequence":SEQUENCE,\
"startedAt":1000000,"startedAtDeviceTime":0,"version":1}
"""


def test_surplus_records_are_removed_and_logged_one_by_one(panel, tmp_path):
    captures = tmp_path / "store/captures"
    captures.mkdir(parents=True)
    for number in (1, 2, 3):
        text = RECORD.replace("SEQUENCE", str(number)).replace("ID", f"c-{number}")
        (captures / f"c-{number}.jsonl").write_text(text)
    socket = panel("", config="[record]\nmaximum-count = 2\n")
    with varlink.Client("unix:" + socket) as client, client.open("org.inkpanel.Panel") as service:
        for _ in range(100):
            names = [capture["id"] for capture in service.List()["captures"]]
            if len(names) == 2:
                break
            time.sleep(0.1)
        assert names == ["c-3", "c-2"]
        service.Delete(id="c-2")
    removals = [line for line in (tmp_path / "log").read_text().splitlines() if "was removed" in line]
    assert removals == [
        "inkpanel: records: capture c-1 was removed: at most 2 are kept (maximum-count)",
        "inkpanel: records: capture c-2 was removed: deleted by a host"]
