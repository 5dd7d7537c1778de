# SPDX-License-Identifier: Apache-2.0
"""The interface, used with the independent Python package `varlink`."""

import base64
import io
import json
from xml.etree import ElementTree

import pytest
import varlink
from conftest import INTERFACE
from PIL import Image


def failure(call, *arguments, **parameters) -> tuple[str, dict]:
    with pytest.raises(varlink.VarlinkError) as raised:
        call(*arguments, **parameters)
    return raised.value.error().removeprefix(INTERFACE + "."), raised.value.parameters()


def accepted(panel, **parameters) -> str:
    answer = panel.Capture(reason="accept", **parameters)
    assert answer["outcome"] == {"result": "accepted"}
    return answer["id"]


def test_the_service_describes_itself(peer):
    with peer.client() as client:
        info = client.info if hasattr(client, "info") else client.open("org.varlink.service").GetInfo()
        assert info["product"] == "inkpanel"
        assert info["interfaces"] == ["org.varlink.service", INTERFACE]
        for name in info["interfaces"]:
            assert client.get_interface(name).name == name


def test_a_capture_reports_states_and_strokes_and_leaves_a_record(peer):
    with peer.open() as panel:
        answers = list(panel.Capture(
            prompt=["Bitte unterschreiben", "وقّع هنا"], signer="Anna Müller", reason="accept",
            operator="Kasse 3", rows=[{"label": "Betrag", "value": "12,00 €"}, {"label": "Nr.", "value": ""}],
            document={"reference": "LS-17", "sha256": "ab" * 32}, data={"order": "4711", "Straße": "Kö 1"},
            shows={"date": False},
            policy={"undo": False, "totalLimit": 120_000_000, "minima": {"strokes": 2, "length": 10.5}}, _more=True))
        assert [answer["state"] for answer in answers] == ["signing", "signing", "signing", "saving", "ended"]
        assert [answer.get("strokes") for answer in answers] == [0, 1, 2, 2, None]
        record = [json.loads(line) for line in panel.Get(id=answers[-1]["id"], format="record")["text"].splitlines()]
        left, top, *_ = record[0]["screen"]["signingArea"]
        for answer, entry in zip(answers[1:3], record[1:3]):
            # Ten units a pixel, five pixels a millimetre.
            assert answer["stroke"]["points"] == [
                {"time": time, "x": pytest.approx(x / 50 - left / 5), "y": pytest.approx(y / 50 - top / 5),
                 "pressure": pressure / 1000}
                for time, x, y, pressure in entry["stroke"]["samples"]]
        assert answers[-1]["outcome"] == {"result": "accepted"}
        assert [answer.get("data") for answer in answers] == [None] * 4 + [{"order": "4711", "Straße": "Kö 1"}]
        assert len({answer["id"] for answer in answers}) == 1
        assert peer.records() == [answers[-1]["id"]]
        summary = panel.List()["captures"][0]
        assert summary["prompt"] == ["Bitte unterschreiben", "وقّع هنا"]
        assert summary["rows"] == [{"label": "Betrag", "value": "12,00 €"}, {"label": "Nr.", "value": ""}]
        assert record[0]["request"]["rows"] == summary["rows"]
        assert summary["operator"] == "Kasse 3" and record[0]["request"]["operator"] == "Kasse 3"
        assert summary["signer"] == "Anna Müller" and summary["outcome"] == {"result": "accepted"}
        assert summary["document"] == {"reference": "LS-17", "sha256": "ab" * 32}
        assert summary["data"] == {"order": "4711", "Straße": "Kö 1"}
        picture = panel.Get(id=answers[-1]["id"], format="png")
        texts = Image.open(io.BytesIO(base64.b64decode(picture["base64"]))).text
        assert texts["Capture"] == answers[-1]["id"] and json.loads(texts["Data"]) == summary["data"]


@pytest.mark.parametrize("reason, outcome", [
    ("cancel", {"result": "cancelled", "by": "person"}),
    ("timeout", {"result": "timedOut", "limit": "inactivity"}),
    ("fail", {"result": "failed", "reason": "the disk is full"}),
])
def test_other_outcomes_leave_no_record(peer, reason, outcome):
    with peer.open() as panel:
        assert panel.Capture(reason=reason)["outcome"] == outcome
        assert panel.List() == {"captures": [], "unreadable": []}


def test_a_refusal_has_its_reason(peer):
    with peer.open() as panel:
        refused = [answer for answer in panel.Capture(reason="refuse", _more=True) if answer["state"] == "refused"]
        assert [answer["refusal"] for answer in refused] == [{"reason": "small", "measured": 2.5, "minimum": 6.0}]


def test_a_second_capture_is_busy_or_waits_and_others_can_end_the_first(peer):
    with peer.open() as first, peer.open() as second, peer.open() as third:
        signing = first.Capture(reason="sign", _more=True)
        running = next(signing)["id"]
        assert [next(signing)["strokes"] for _ in range(2)] == [1, 2]
        assert failure(second.Capture, prompt=["Sign"]) == ("Busy", {"id": running})
        waiting = third.Capture(reason="accept", wait=True, _more=True)
        assert next(waiting)["state"] == "waiting"
        assert second.Status()["status"]["running"] == {"id": running, "strokes": 2}
        assert second.Status()["status"]["waiting"] == 1
        assert second.Clear(id=running) == {}
        cleared = next(signing)
        assert (cleared["state"], cleared["strokes"]) == ("signing", 0)
        assert second.Cancel() == {}
        assert next(signing)["outcome"] == {"result": "cancelled", "by": "host"}
        assert [answer["state"] for answer in waiting][-1] == "ended"
        assert failure(second.Accept) == ("NotRunning", {})


def test_the_operator_accepts(peer):
    with peer.open() as host, peer.open() as operator:
        signing = host.Capture(reason="sign", _more=True)
        running = next(signing)["id"]
        assert [next(signing)["strokes"] for _ in range(2)] == [1, 2]
        operator.Accept(id=running)
        assert [answer["state"] for answer in signing] == ["saving", "ended"]
        assert peer.records() == [running]


def darkest(picture) -> tuple[int, int]:
    gray = picture.convert("L")
    place = gray.tobytes().index(min(gray.tobytes()))
    return place % gray.width, place // gray.width


def test_a_record_in_every_format(peer):
    with peer.open() as panel:
        name = accepted(panel, prompt=["Hier"])
        record = (peer.store / "captures" / f"{name}.jsonl").read_text(encoding="utf-8")

        def get(form, **options):
            answer = panel.Get(id=name, format=form, **options)
            assert ("text" in answer) != ("base64" in answer) or form == "metadata"
            return answer

        assert get("record")["text"] == record
        picture = Image.open(io.BytesIO(base64.b64decode(get("png", dpi=150)["base64"])))
        assert picture.format == "PNG" and picture.mode == "RGB"
        assert picture.info["dpi"] == pytest.approx((150, 150), abs=0.1)
        size = {"width": 320, "height": 100}
        clear = Image.open(io.BytesIO(base64.b64decode(
            get("png", size=size, transparent=True, part="signingArea")["base64"])))
        assert clear.size == (320, 100) and clear.mode == "RGBA"
        red = Image.open(io.BytesIO(base64.b64decode(get("png", color="c01020")["base64"])))
        assert red.getpixel(darkest(red)) == (0xC0, 0x10, 0x20)
        assert ElementTree.fromstring(get("svg")["text"]).tag.endswith("svg")
        assert ElementTree.fromstring(get("inkml")["text"]).tag.endswith("ink")
        assert json.loads(get("signature_pad")["text"])[0]["points"]
        assert get("csv")["text"].startswith("stroke,time_us,")
        assert base64.b64decode(get("iso19794")["base64"]).startswith(b"SDI\0")
        metadata = get("metadata")["metadata"]
        assert metadata["summary"]["id"] == name and metadata["quality"]["latency"]["p95"] == 15
        assert metadata["strokes"] >= 1


def test_an_interrupted_record_must_be_requested_explicitly(peer):
    with peer.open() as panel:
        name = accepted(panel)
        path = peer.store / "captures" / f"{name}.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
        for form in ["png", "svg", "inkml", "iso19794", "signature_pad", "csv"]:
            error, parameters = failure(panel.Get, id=name, format=form)
            assert error == "NotExportable" and '"interrupted": true' in parameters["reason"]
        assert panel.Get(id=name, format="record")["text"].encode() == path.read_bytes()
        picture = Image.open(io.BytesIO(base64.b64decode(panel.Get(id=name, format="png", interrupted=True)["base64"])))
        reds = sum(1 for r, g, b in picture.getdata() if r > 200 and g < 180 and b < 180)
        assert reds > picture.width * picture.height / 20
        assert "interrupted" in panel.Get(id=name, format="inkml", interrupted=True)["text"]
        assert failure(panel.Get, id=name, format="iso19794", interrupted=True)[0] == "NotExportable"


def test_a_deleted_record_is_gone(peer):
    with peer.open() as panel:
        name = accepted(panel)
        assert panel.Delete(id=name) == {}
        assert peer.records() == []
        for call in [lambda: panel.Delete(id=name), lambda: panel.Get(id=name, format="png")]:
            assert failure(call) == ("NoSuchCapture", {"id": name})


def test_a_damaged_record_does_not_hide_others(peer):
    with peer.open() as panel:
        name = accepted(panel)
        (peer.store / "captures" / "torn.jsonl").write_text("{}\n")
        answer = panel.List()
        assert [capture["id"] for capture in answer["captures"]] == [name]
        assert len(answer["unreadable"]) == 1 and "torn" in answer["unreadable"][0]
        assert failure(panel.Get, id="torn", format="csv")[0] == "UnreadableCapture"


def test_a_failing_store_is_reported(peer):
    with peer.open() as panel:
        (peer.store / "captures").rename(peer.store / "elsewhere")
        error, parameters = failure(panel.List)
        assert error == "StoreFailed" and not parameters["isFull"] and "captures" in parameters["reason"]
        assert "captures" in panel.Status()["status"]["store"]["fault"]


def test_watching_reports_at_once_and_at_each_change(peer):
    with peer.open() as watcher, peer.open() as panel:
        changes = watcher.Watch(_more=True)
        assert next(changes)["status"]["page"] == "idle"
        accepted(panel)
        # The layout of the page is the first change; each stroke is one, too.
        pages = [next(changes)["status"]["page"] for _ in range(6)]
        assert pages == ["idle", "signing", "signing", "signing", "saving", "thanks"]
        status = next(changes)["status"]
        assert status["page"] == "idle" and status["store"]["captures"] == 1
        assert status["touchDevices"] == ["Test Pad"]
        assert status["screen"] == {"name": "DSI-1", "size": {"width": 800, "height": 480}, "pixelsPerMillimetre": 5.0}


@pytest.mark.parametrize("method, parameters, error", [
    ("Capture", {"signer": "a\nb"}, ("org.varlink.service.InvalidParameter", {"parameter": "signer"})),
    ("Capture", {"rows": [{"label": "a", "value": "b"}] * 17},
     ("org.varlink.service.InvalidParameter", {"parameter": "rows"})),
    ("Capture", {"rows": [{"label": "a", "value": "b"}, {"label": "a\n", "value": "b"}]},
     ("org.varlink.service.InvalidParameter", {"parameter": "rows[1].label"})),
    ("Capture", {"document": {"sha256": "AB"}},
     ("org.varlink.service.InvalidParameter", {"parameter": "document.sha256"})),
    ("Capture", {"reason": "tiny"}, ("TooSmallScreen", {"field": "reason"})),
    ("Get", {"id": "x", "format": "gif"}, ("org.varlink.service.InvalidParameter", {"parameter": "format"})),
    ("Watch", {}, ("org.varlink.service.ExpectedMore", {})),
    ("Clear", {}, ("NotRunning", {})),
])
def test_errors(peer, method, parameters, error):
    with peer.open() as panel:
        assert failure(getattr(panel, method), **parameters) == error
        # The connection stays open.
        assert panel.Status()["status"]["page"] == "idle"
