# SPDX-License-Identifier: Apache-2.0
"""StepOver's Pad Connector: frames as its public wiki, "Websocket Interface", has them."""

import base64
import io
import itertools
import json

import pytest
from PIL import Image
from support.waiting import wait_for

TYPES = """executeDeviceSearch finishSigning getBioData getButtonConfigs getButtonEvents getDevice getDeviceCertificate
getDeviceCount getDeviceInfo getDeviceOpened getDeviceSerial getEncryptedAesKey getNotaryInfo getPreliminaryData
getSignatureImage getSignedFinalDocHash getVersion keepAlive onStaticAppletGetImage setButtonConfigs setFinalDocHash
restart start startSigning startViewing stopSigning""".split()
START = {
    "page": 0, "x": 36, "y": 120, "width": 320, "height": 100, "resolution": 150, "signatureTimeout": 120000,
    "config": {"signMode": "standard", "textLines": {"1": "Zeile 2", "0": "Bitte unterschreiben"}}}


class Page:
    def __init__(self, socket):
        self.socket, self.late, self.numbers = socket, [], itertools.count(1)

    def ask(self, kind: str, **data) -> dict:
        number = f"id-{next(self.numbers)}"
        self.socket.send({"messageId": number, "type": kind, "data": {**data, "messageId": number}})
        while (message := self.socket.receive())["type"].startswith("onStaticApplet"):
            self.late.append(message)
        assert message["messageId"] == message["data"]["messageId"] == number
        return message

    def do(self, kind: str, **data):
        message = self.ask(kind, **data)
        assert message["type"] == "response", message
        return message["data"]["ret"]

    def error(self, kind: str, **data) -> str:
        message = self.ask(kind, **data)
        assert message["type"] == "error" and "ret" not in message["data"], message
        return message["data"]["error"]

    def wait(self) -> str:
        message = self.late.pop(0) if self.late else self.socket.receive()
        return message["type"].removeprefix("onStaticAppletSignature")


def test_a_page_finds_the_pad_signs_and_gets_the_picture(stack):
    page = Page(stack.open("stepover"))
    assert page.do("start") == "ok" and page.do("keepAlive") == "ok"
    assert page.do("executeDeviceSearch") == 1 and page.do("getDeviceCount") == 1
    assert page.do("getDeviceOpened") == "false"
    assert page.do("startSigning", **START) == "ok"
    assert page.do("getDeviceOpened") == "true"
    assert page.wait() == "Finished"
    biometric, certificate, picture, notary, name, serial = page.do("getPreliminaryData", width=520, height=160, withAlpha=False)
    assert (certificate, notary, name, serial) == ("", "", "Inkpanel", "Inkpanel")
    image = Image.open(io.BytesIO(base64.b64decode(picture)))
    assert (image.format, image.size, image.mode) == ("PNG", (520, 160), "RGB")
    transparent = Image.open(io.BytesIO(base64.b64decode(page.do("getSignatureImage", width=300, height=90, withAlpha=True))))
    assert transparent.size == (300, 90) and transparent.mode == "RGBA"
    assert page.do("getBioData") == biometric
    reference = json.loads(base64.b64decode(biometric))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert record["summary"]["prompt"] == ["Bitte unterschreiben", "Zeile 2"]
    assert page.do("stopSigning", showManufacturerLogo=True) == "ok"


def test_what_the_page_finishes_can_be_fetched_at_once(own_pen):
    page = Page(own_pen.stack.open("stepover", captures=3))
    for _ in range(3):
        page.do("startSigning", **START)
        own_pen.stack.wait_for_page("signing")
        own_pen.sign()
        assert page.do("finishSigning") == "ok" and page.do("getSignatureImage")
        assert page.wait() == "Finished"


@pytest.mark.parametrize("scopes, has_ink", [(["capture", "record"], False), (["capture", "record", "mirror:ink"], True)])
def test_the_picture_while_the_person_signs_has_what_the_mirror_shows(own_pen, scopes, has_ink):
    page = Page(own_pen.stack.open("stepover", scopes=scopes))
    page.do("startSigning", **START)
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()

    def ink(**size) -> tuple:
        picture = Image.open(io.BytesIO(base64.b64decode(page.do("getSignatureImage", **size))))
        alpha = picture.getchannel("A") if picture.mode == "RGBA" else Image.eval(picture.convert("L"), lambda grey: 255 - grey)
        return picture.size, picture.mode, sum(alpha.histogram()[128:])

    wait_for(lambda: (ink()[2] > 50) == has_ink)
    assert ink() [:2] == ((500, 100), "RGB")
    size, mode, count = ink(width=600, height=300, withAlpha=True)
    assert (size, mode, count > 200) == ((600, 300), "RGBA", has_ink)
    assert "a million pixels" in page.error("getSignatureImage", width=2000, height=2000)
    assert page.do("finishSigning") == "ok"
    assert ink(width=600, height=300)[2] > 200


def test_restart_leaves_nothing_on_the_pad(stack):
    stack.act("leave")
    page = Page(stack.open("stepover"))
    page.do("startSigning", **START)
    stack.wait_for_page("signing")
    assert page.do("restart") == "ok"
    stack.wait_for_page("idle")


def test_the_late_reply_has_the_id_of_the_request(stack):
    socket = stack.open("stepover")
    socket.send({"messageId": "s", "type": "startSigning", "data": START})
    assert socket.receive() == {"messageId": "s", "type": "response", "data": {"messageId": "s", "ret": "ok"}}
    assert socket.receive()["data"] == {"messageId": "s", "value0": "", "value1": ""}


def test_the_person_cancels(stack):
    stack.act("cancel")
    page = Page(stack.open("stepover"))
    page.do("startSigning", **START)
    assert page.wait() == "Cancel"
    assert page.error("getSignatureImage") == "nothing was signed"


def test_time_runs_out_as_if_the_person_had_cancelled(own):
    stack = own(mirror="ink", more="[capture]\ntotal-seconds = 5")
    stack.act("leave")
    page = Page(stack.open("stepover"))
    page.do("startSigning", **START)
    assert page.wait() == "Cancel"


def test_the_page_stops_or_goes_away(stack):
    stack.act("leave")
    page = Page(stack.open("stepover", captures=2))
    for end in (lambda: page.do("stopSigning"), page.socket.close):
        page.do("startSigning", **START)
        stack.wait_for_page("signing")
        end()
        stack.wait_for_page("idle")


def test_the_page_finishes_what_is_signed_and_not_an_empty_page(own_pen):
    page = Page(own_pen.stack.open("stepover"))
    page.do("startSigning", **START)
    own_pen.stack.wait_for_page("signing")
    assert "too little ink" in page.error("finishSigning")
    own_pen.sign()
    assert page.do("finishSigning") == "ok" and page.wait() == "Finished"


def test_a_session_has_its_signatures_and_no_more(stack):
    page = Page(stack.open("stepover"))
    page.do("startSigning", **START)
    assert "runs already" in page.error("startSigning", **START)
    assert page.wait() == "Finished"
    assert "make a new one" in page.error("startSigning", **START)
    assert page.do("getSignatureImage"), "what was signed stays"


def test_every_type_has_an_answer(stack):
    page = Page(stack.open("stepover"))
    answers = {kind: page.ask(kind)["type"] for kind in TYPES if kind not in ("startSigning", "stopSigning")}
    assert {kind for kind, answer in answers.items() if answer == "error"} == {
        # What only their pads have, and what nobody has signed yet.
        "getDeviceCertificate", "getEncryptedAesKey", "getNotaryInfo", "getSignedFinalDocHash", "setFinalDocHash",
        "startViewing", "onStaticAppletGetImage", "finishSigning", "getBioData", "getPreliminaryData",
        "getSignatureImage"}
    buttons = page.do("getButtonConfigs")
    assert [button["kind"] for button in buttons] == ["Ok", "Repeat", "Cancel"]


@pytest.mark.parametrize("data, part", [
    ({"config": {"signMode": "docSign"}}, "standard"), ({"config": {"textLines": ["x" * 5000]}}, "4096"),
    # The page believes that people have read them.
    ({"config": "Sign"}, "must be objects"), ({"config": {"textLines": "Sign"}}, "list of texts"),
    ({"config": {"textLines": ["Sign", 1]}}, "list of texts"),
    ({"config": {"textLines": {"a": "Sign"}}}, "list of texts")])
def test_what_the_pad_cannot_do_is_refused(stack, data, part):
    page = Page(stack.open("stepover"))
    assert part in page.error("startSigning", **data)
    page.do("startSigning", **START)
    assert page.wait() == "Finished"
    for size in ((0, 10), (5000, 10), (-1, -1), (4096, 4096), (2 ** 62, 2 ** 62)):
        assert "pixels" in page.error("getSignatureImage", width=size[0], height=size[1])
    for size in ({"width": 100}, {"width": "a", "height": 50}, {"width": 9e99, "height": 50}):
        assert "both or none" in page.error("getSignatureImage", **size)
    for alpha in ("true", 1, []):
        assert "withAlpha" in page.error("getSignatureImage", withAlpha=alpha)
    picture = page.do("getSignatureImage", width=99.6, height=50)
    assert Image.open(io.BytesIO(base64.b64decode(picture))).size == (100, 50)


@pytest.mark.parametrize("message, has_id", [
    ("", False), ("x", False), ("[]", False), ('{"type": "start"}', False), ('{"messageId": "1"}', True),
    ('{"messageId": "1", "type": "nonsense"}', True), ('{"messageId": "1", "type": 5}', True),
    ('{"messageId": {}, "type": "start"}', False), ('{"messageId": "%s", "type": "start"}' % ("x" * 300), False),
    ("[" * 5000, False), (b"\xff", False)])
def test_what_is_no_request_gets_an_error(stack, message, has_id):
    socket = stack.open("stepover")
    socket.send(message)
    answer = socket.receive()
    assert answer["type"] == "error" and answer["data"]["error"] and (answer.get("messageId") == "1") == has_id
