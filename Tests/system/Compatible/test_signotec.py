# SPDX-License-Identifier: Apache-2.0
"""signoPAD-API/Web, default mode: frames with the names and values of the published interface 3.3."""

import base64
import io
import json
import threading
import time

import pytest
import varlink
from PIL import Image


def request(command: str, **parameters) -> dict:
    return {"TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": "TOKEN_CMD_" + command,
            **{"TOKEN_PARAM_" + name: value for name, value in parameters.items()}}


class Page:
    """What a page does with the pad: events are kept in the order in which they come."""

    def __init__(self, socket):
        self.socket, self.events = socket, []

    def receive(self) -> dict:
        return self.socket.receive()

    def ask(self, command: str, **parameters) -> dict:
        self.socket.send(request(command, **parameters))
        while (message := self.receive())["TOKEN_TYPE"] != "TOKEN_TYPE_RESPONSE":
            self.events.append(message)
        assert message["TOKEN_CMD_ORIGIN"] == "TOKEN_CMD_" + command
        return {name.removeprefix("TOKEN_PARAM_"): value for name, value in message.items()}

    def do(self, command: str, **parameters) -> dict:
        answer = self.ask(command, **parameters)
        assert int(answer["RETURN_CODE"]) >= 0, answer
        return answer

    def error(self, command: str, **parameters) -> str:
        answer = self.ask(command, **parameters)
        assert answer["RETURN_CODE"] == "-1", answer
        return answer["ERROR_DESCRIPTION"]

    def wait_for(self, *commands: str) -> dict:
        """The next event of these, without points."""
        while True:
            event = self.events.pop(0) if self.events else self.receive()
            assert event["TOKEN_TYPE"] == "TOKEN_TYPE_SEND", event
            name = event["TOKEN_CMD"].removeprefix("TOKEN_CMD_")
            if name in commands:
                return event
            assert name == "SIGNATURE_POINT", event


def opened(stack, **session) -> Page:
    page = Page(stack.open("signotec", **session))
    page.do("OPEN_PAD", PAD_INDEX="0")
    return page


def test_a_page_finds_the_pad_signs_and_gets_the_picture(stack):
    page = Page(stack.open("signotec"))
    assert page.do("GET_SERVER_VERSION")["VERSION"] == "3.3.0.0"
    page.do("SET_INTERFACE_VERSION", VERSION="3.3.0.0")
    assert page.do("GET_INTERFACE_VERSION")["VERSION"] == "3.3.0.0"
    pads = page.do("SEARCH_FOR_PADS", PAD_SUBSET="HID")["CONNECTED_PADS"]
    assert [pad["TOKEN_PARAM_PAD_INDEX"] for pad in pads] == ["0"]
    pad = page.do("OPEN_PAD", PAD_INDEX=0)
    assert (pad["PAD_DISPLAY_WIDTH"], pad["PAD_DISPLAY_HEIGHT"]) == ("800", "480")
    page.do("SIGNATURE_START", FIELD_NAME="Signature 1", CUSTOM_TEXT="Please sign!\nOrder 4711", PAD_ENCRYPTION="FALSE")
    page.wait_for("SIGNATURE_CONFIRM")
    assert int(page.do("SIGNATURE_CONFIRM")["RETURN_CODE"]) > 100, "the number of points"
    picture = Image.open(io.BytesIO(base64.b64decode(page.do("SIGNATURE_IMAGE", FILE_TYPE=1, PEN_WIDTH=5)["FILE"])))
    assert picture.format == "PNG" and picture.convert("L").getextrema()[0] < 100
    reference = json.loads(base64.b64decode(page.do("SIGNATURE_SIGN_DATA", SIGNATURE_RSA_SCHEME="NONE")["SIGNATURE_SIGN_DATA"]))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert record["summary"]["prompt"] == ["Please sign!", "Order 4711"]
    assert record["summary"]["data"] == {"field": "Signature 1"} and record["summary"]["seal"] == reference["seal"]
    page.do("CLOSE_PAD", PAD_INDEX="0")


def test_a_text_layout_is_read_as_lines(stack):
    page = opened(stack)
    blocks = [{"TOKEN_PARAM_TEXT": "One", "TOKEN_PARAM_WIDTH": 10}, {"TOKEN_PARAM_TEXT": "Two"}]
    page.do("SIGNATURE_START", TEXT_LAYOUT={"TOKEN_PARAM_LAYOUT_ID": 1, "TOKEN_PARAM_TEXT_BLOCKS": blocks})
    page.wait_for("SIGNATURE_CONFIRM")
    reference = json.loads(base64.b64decode(page.do("SIGNATURE_SIGN_DATA")["SIGNATURE_SIGN_DATA"]))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert record["summary"]["prompt"] == ["One", "Two"]


def test_a_confirmation_text_of_interface_3_5_is_shown(stack):
    page = opened(stack)
    page.do("SET_INTERFACE_VERSION", VERSION="3.5.0.0")
    page.do("SIGNATURE_START", CUSTOM_TEXT="Rules of the club", CONFIRMATION_TEXT="I accept them.")
    page.wait_for("SIGNATURE_CONFIRM")
    reference = json.loads(base64.b64decode(page.do("SIGNATURE_SIGN_DATA")["SIGNATURE_SIGN_DATA"]))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert record["summary"]["prompt"] == ["Rules of the club", "I accept them."]


def points(page: Page) -> list[dict]:
    found = []
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    while (event := page.receive())["TOKEN_CMD"] != "TOKEN_CMD_SIGNATURE_CONFIRM":
        assert event["TOKEN_CMD"] == "TOKEN_CMD_SIGNATURE_POINT"
        found.append({name: int(value) for name, value in event["TOKEN_PARAM_POINT"].items()})
    return found


def test_points_come_at_the_level_ink_only_and_have_no_pressure(stack):
    assert points(opened(stack)) == [], "a session without mirror:ink"
    found = points(opened(stack, scopes=["capture", "record", "mirror:ink"]))
    assert len(found) > 100 and {point["p"] for point in found} == {0, 512}
    starts = [point["p"] for point in found].count(0)
    assert found[0]["p"] == 0 and 1 < starts < 20, "the first point of a stroke has 0"
    assert all(0 <= point["x"] < 800 and 0 <= point["y"] < 480 for point in found)


def test_a_panel_that_mirrors_no_ink_sends_no_points(own):
    assert points(opened(own(mirror="presence"), scopes=["capture", "record", "mirror:ink"])) == []


def test_the_person_cancels(stack):
    stack.act("cancel")
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CANCEL")
    # As libraries answer the event.
    page.do("SIGNATURE_CANCEL")
    assert "confirmed" in page.error("SIGNATURE_IMAGE", FILE_TYPE="1")
    page.do("CLOSE_PAD", PAD_INDEX="0")


@pytest.mark.parametrize("command", ["SIGNATURE_CANCEL", "SIGNATURE_STOP", "CLOSE_PAD"])
def test_the_page_cancels(stack, command):
    stack.act("leave")
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    stack.wait_for_page("signing")
    page.do(command)
    assert not stack.status().get("running") and page.socket.silence()


def test_a_page_that_goes_away_gives_the_pad_back(stack):
    stack.act("leave")
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    stack.wait_for_page("signing")
    page.socket.close()
    stack.wait_for_page("idle")


def test_time_runs_out_as_if_the_person_had_cancelled(own):
    stack = own(mirror="ink", more="[capture]\ntotal-seconds = 5")
    stack.act("leave")
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CANCEL")


def test_the_page_confirms_what_is_signed_and_not_an_empty_page(own_pen):
    page = opened(own_pen.stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    own_pen.stack.wait_for_page("signing")
    assert "too little ink" in page.error("SIGNATURE_CONFIRM")
    own_pen.sign()
    assert int(page.do("SIGNATURE_CONFIRM")["RETURN_CODE"]) > 5
    assert page.socket.silence(), "the page has confirmed it itself"
    assert page.do("SIGNATURE_IMAGE")["FILE"]


def press_accept(stack) -> None:
    """As the person does."""
    with varlink.Client("unix:" + stack.panel.socket) as client, client.open("org.inkpanel.Panel") as panel:
        panel.Accept()


def test_a_signature_is_the_pages_when_person_and_page_accept_it_together(own_pen):
    page = opened(own_pen.stack, captures=5)
    for _ in range(5):
        page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
        own_pen.stack.wait_for_page("signing")
        own_pen.sign()
        person = threading.Thread(target=press_accept, args=[own_pen.stack])
        person.start()
        assert int(page.do("SIGNATURE_CONFIRM")["RETURN_CODE"]) > 5
        assert page.do("SIGNATURE_IMAGE")["FILE"]
        person.join()
        own_pen.stack.wait_for_page("idle")


def test_retry_clears_the_pad(own_pen):
    page = opened(own_pen.stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    page.do("SIGNATURE_RETRY")
    assert own_pen.stack.status()["running"]["strokes"] == 0 and page.socket.silence()


def test_an_empty_page_is_cleared_at_once(stack):
    stack.act("leave")
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    stack.wait_for_page("signing")
    begun = time.monotonic()
    page.do("SIGNATURE_RETRY")
    assert time.monotonic() - begun < 1
    page.do("SIGNATURE_CANCEL")


def test_the_person_clears_the_pad_and_goes_on_before_the_page_answers(own_pen):
    page = opened(own_pen.stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    with varlink.Client("unix:" + own_pen.stack.panel.socket) as client, client.open("org.inkpanel.Panel") as panel:
        panel.Clear()
    page.wait_for("SIGNATURE_RETRY")
    own_pen.sign()
    page.do("SIGNATURE_RETRY")
    assert own_pen.stack.status()["running"]["strokes"] == 1, "the answer to the event clears nothing"
    page.do("SIGNATURE_RETRY")
    assert own_pen.stack.status()["running"]["strokes"] == 0


BOXES = [
    {"TOKEN_PARAM_FIELD_ID": "news", "TOKEN_PARAM_FIELD_TEXT": "Send me news", "TOKEN_PARAM_FIELD_CHECKED": False,
     "TOKEN_PARAM_FIELD_REQUIRED": False},
    {"TOKEN_PARAM_FIELD_ID": "terms", "TOKEN_PARAM_FIELD_TEXT": "I have read the terms",
     "TOKEN_PARAM_FIELD_CHECKED": False, "TOKEN_PARAM_FIELD_REQUIRED": "TRUE"}]


def test_check_boxes_are_asked_before_and_stand_on_the_page_that_is_signed(stack):
    page = opened(stack)
    page.do("SELECTION_DIALOG", FIELD_LIST=BOXES)
    changes = {}
    while (event := page.wait_for("SELECTION_CHANGE", "SELECTION_CONFIRM"))["TOKEN_CMD"] != "TOKEN_CMD_SELECTION_CONFIRM":
        changes[event["TOKEN_PARAM_FIELD_ID"]] = event["TOKEN_PARAM_FIELD_CHECKED"]
    assert changes == {"news": "TRUE", "terms": "TRUE"}
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM")
    reference = json.loads(base64.b64decode(page.do("SIGNATURE_SIGN_DATA")["SIGNATURE_SIGN_DATA"]))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert record["summary"]["rows"] == [
        {"label": "Send me news", "value": "X"}, {"label": "I have read the terms", "value": "X"}]


def select(page: Page) -> None:
    page.do("SELECTION_DIALOG", FIELD_LIST=BOXES)
    while page.wait_for("SELECTION_CHANGE", "SELECTION_CONFIRM")["TOKEN_CMD"] != "TOKEN_CMD_SELECTION_CONFIRM":
        pass


def test_what_was_ticked_outlasts_a_signature_that_could_not_begin(stack):
    page, other = opened(stack), opened(stack)
    select(page)
    stack.act("leave")
    other.do("SIGNATURE_START", CUSTOM_TEXT="Another")
    stack.wait_for_page("signing")
    assert "Another capture is running" in page.error("SIGNATURE_START", CUSTOM_TEXT="Sign")
    other.do("SIGNATURE_CANCEL")
    stack.act("sign")
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM")
    reference = json.loads(base64.b64decode(page.do("SIGNATURE_SIGN_DATA")["SIGNATURE_SIGN_DATA"]))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert [row["value"] for row in record["summary"]["rows"]] == ["X", "X"]


@pytest.mark.parametrize("command", ["SIGNATURE_CANCEL", "SIGNATURE_STOP", "CLOSE_PAD"])
def test_what_one_person_has_ticked_is_not_on_the_page_of_the_next(stack, command):
    page = opened(stack, captures=2)
    select(page)
    page.do(command)
    if command == "CLOSE_PAD":
        page.do("OPEN_PAD", PAD_INDEX=0)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Of the next")
    page.wait_for("SIGNATURE_CONFIRM")
    reference = json.loads(base64.b64decode(page.do("SIGNATURE_SIGN_DATA")["SIGNATURE_SIGN_DATA"]))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert not record["summary"].get("rows")


def test_a_dialog_that_the_page_cancels_while_it_is_answered_gives_back_one_capture(stack):
    page = opened(stack)
    page.do("SELECTION_DIALOG", FIELD_LIST=BOXES)
    page.wait_for("SELECTION_CHANGE")
    page.wait_for("SELECTION_CHANGE")
    page.do("SIGNATURE_CANCEL")
    page.events.clear()
    stack.rest()
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM", "SELECTION_CONFIRM")
    stack.rest()
    assert "make a new one" in page.error("SIGNATURE_START", CUSTOM_TEXT="Sign once more")


def test_the_person_cancels_the_check_boxes(stack):
    stack.act("cancel")
    page = opened(stack)
    page.do("SELECTION_DIALOG", FIELD_LIST=BOXES)
    page.wait_for("SELECTION_CANCEL")
    page.do("SIGNATURE_CANCEL")
    # The session still has its signature.
    stack.act("sign")
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM")


def test_a_session_has_its_signatures_and_no_more(stack):
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    page.wait_for("SIGNATURE_CONFIRM")
    assert "make a new one" in page.error("SIGNATURE_RETRY")
    assert "make a new one" in page.error("SIGNATURE_START", CUSTOM_TEXT="Sign")
    assert page.do("SIGNATURE_IMAGE")["FILE"], "what was signed stays"
    page = opened(stack, captures=2)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign twice")
    page.wait_for("SIGNATURE_CONFIRM")
    page.do("SIGNATURE_RETRY")
    page.wait_for("SIGNATURE_CONFIRM")
    assert int(page.do("SIGNATURE_CONFIRM")["RETURN_CODE"]) > 100


def test_two_pages_do_not_get_each_others_pad(stack):
    stack.act("leave")
    first, second = opened(stack), opened(stack)
    first.do("SIGNATURE_START", CUSTOM_TEXT="First")
    stack.wait_for_page("signing")
    assert "Another capture is running" in second.error("SIGNATURE_START", CUSTOM_TEXT="Second")
    assert second.error("SIGNATURE_CONFIRM") == "No signature runs."
    second.do("SIGNATURE_CANCEL")
    second.socket.close()
    assert stack.status()["page"] == "signing"
    first.do("SIGNATURE_CANCEL")


@pytest.mark.parametrize("command, parameters, part", [
    ("OPEN_PAD", {}, "PAD_INDEX is 0"), ("OPEN_PAD", {"PAD_INDEX": 1}, "PAD_INDEX is 0"),
    ("OPEN_PAD", {"PAD_INDEX": [0]}, "PAD_INDEX is 0"), ("CLOSE_PAD", {"PAD_INDEX": 0}, "not open"),
    ("SIGNATURE_START", {}, "not open"), ("SIGNATURE_CONFIRM", {}, "not open"), ("SIGNATURE_RETRY", {}, "not open"),
    ("SELECTION_DIALOG", {"FIELD_LIST": BOXES}, "not open"), ("SIGNATURE_IMAGE", {}, "confirmed"),
    ("SIGNATURE_SIGN_DATA", {}, "confirmed"), ("SIGNING_CERT", {}, "certificate"),
    ("SET_INTERFACE_VERSION", {}, "VERSION"), ("SET_INTERFACE_VERSION", {"VERSION": "9" * 99}, "VERSION"),
    ("CLOSE_PAD", {"PAD_INDEX": "x"}, "PAD_INDEX is 0"),
    ("API_DISPLAY_SET_TEXT", {}, "not open in the API mode"), ("API_SIGNATURE_START", {}, "not open"),
    ("API_RSA_SIGN_PW", {}, "has no TOKEN_CMD_API_RSA_SIGN_PW"),
    ("NO_SUCH_COMMAND", {}, "no such command"), ("SIGNATURE_POINT", {}, "no such command"),
    ("DISCONNECT", {}, "no such command"), ("ERROR", {}, "no such command")])
def test_a_wrong_request_gets_an_error_of_the_protocol(stack, command, parameters, part):
    assert part in Page(stack.open("signotec")).error(command, **parameters)


def test_answers_to_events_are_taken(stack):
    page = Page(stack.open("signotec"))
    for command in ("SELECTION_CHANGE", "SELECTION_CONFIRM", "SELECTION_CANCEL"):
        assert page.do(command)["RETURN_CODE"] == "0"


@pytest.mark.parametrize("command, parameters, part", [
    ("SIGNATURE_START", {"PAD_ENCRYPTION": "TRUE"}, "does not encrypt"),
    ("SIGNATURE_START", {"PAD_ENCRYPTION": True}, "does not encrypt"),
    ("SIGNATURE_START", {"PAD_ENCRYPTION": 1}, "does not encrypt"),
    # The page believes that people have read it.
    ("SIGNATURE_START", {"CUSTOM_TEXT": ["Sign"]}, "CUSTOM_TEXT must be"),
    ("SIGNATURE_START", {"FIELD_NAME": {}, "CUSTOM_TEXT": "Sign"}, "FIELD_NAME must be"),
    ("SIGNATURE_START", {"TEXT_LAYOUT": "Sign"}, "TEXT_LAYOUT must have"),
    ("SIGNATURE_START", {"TEXT_LAYOUT": {"TOKEN_PARAM_TEXT_BLOCKS": [{"TOKEN_PARAM_TEXT": 1}]}}, "TEXT_LAYOUT must"),
    ("SIGNATURE_START", {"PAD_DIALOG_IMAGE": "iVBO"}, "does not show TOKEN_PARAM_PAD_DIALOG_IMAGE"),
    ("SIGNATURE_START", {"CONFIRMATION_TEXT": "I owe 4711 EUR"}, "does not show"),
    ("SELECTION_DIALOG", {"HINT_TEXT": "a"}, "does not show"),
    ("SIGNATURE_START", {"CUSTOM_TEXT": "x" * 5000}, "4096"), ("SIGNATURE_START", {"CUSTOM_TEXT": "a\u202eb"}, "without"),
    ("SELECTION_DIALOG", {}, "FIELD_LIST"), ("SELECTION_DIALOG", {"FIELD_LIST": []}, "FIELD_LIST"),
    ("SELECTION_DIALOG", {"FIELD_LIST": [1]}, "FIELD_LIST"), ("SELECTION_DIALOG", {"FIELD_LIST": BOXES[:1] * 2}, "FIELD_LIST"),
    ("SELECTION_DIALOG", {"FIELD_LIST": [
        {"TOKEN_PARAM_FIELD_ID": str(number), "TOKEN_PARAM_FIELD_TEXT": "x"} for number in range(17)]}, "at most 16"),
    # A box that must be ticked would become one that may be left out.
    *[("SELECTION_DIALOG", {"FIELD_LIST": [BOXES[0] | {"TOKEN_PARAM_FIELD_" + name: value}]}, "TRUE or FALSE")
      for name in ("REQUIRED", "CHECKED") for value in (1, "1", "YES", "", [True])],
    ("OPEN_PAD", {"PAD_INDEX": 0}, "open already"), ("SIGNATURE_RETRY", {}, "No signature")])
def test_what_the_pad_cannot_do_is_refused(stack, command, parameters, part):
    page = opened(stack)
    assert part in page.error(command, **parameters)
    # And the session's capture is still there.
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign", PAD_ENCRYPTION="False", PAD_DIALOG_IMAGE=None)
    page.do("SIGNATURE_CANCEL")


@pytest.mark.parametrize("message", [
    "", "x", "1", "null", "[]", '{"TOKEN_TYPE"', "[" * 5000, '{"TOKEN_TYPE": "TOKEN_TYPE_REQUEST"}',
    '{"TOKEN_CMD": "TOKEN_CMD_OPEN_PAD"}', '{"TOKEN_TYPE": "TOKEN_TYPE_SEND", "TOKEN_CMD": "TOKEN_CMD_OPEN_PAD"}',
    '{"TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": {}}', '{"TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": "OPEN"}',
    '{"TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": "TOKEN_CMD_%s"}' % ("A" * 1000), b"\xff\xfe", "9" * 60000])
def test_what_is_no_request_is_an_incorrect_command(stack, message):
    page = Page(stack.open("signotec"))
    page.socket.send(message)
    answer = page.receive()
    assert answer["TOKEN_CMD"] == "TOKEN_CMD_INCORRECT_COMMAND" and answer["TOKEN_PARAM_EXCEPTION_CAUSE"]
    page.do("GET_SERVER_VERSION")


def test_answers_name_the_request_of_newer_libraries(stack):
    socket = stack.open("signotec")
    socket.send({**request("GET_SERVER_VERSION"), "TOKEN_ID": "TOKEN_CMD_GET_SERVER_VERSION_7"})
    assert socket.receive()["TOKEN_ID"] == "TOKEN_CMD_GET_SERVER_VERSION_7"


def test_a_panel_that_is_gone_is_a_pad_that_was_disconnected(own):
    stack = own(mirror="ink")
    stack.act("leave")
    page = opened(stack)
    page.do("SIGNATURE_START", CUSTOM_TEXT="Sign")
    stack.wait_for_page("signing")
    stack.panel.kill()
    assert page.wait_for("DISCONNECT")["TOKEN_PARAM_PAD_INDEX"] == "0"
    assert page.do("SEARCH_FOR_PADS")["CONNECTED_PADS"] == []
    assert "starting" in page.error("OPEN_PAD", PAD_INDEX="0")
    stack.panel.start()
    page.do("OPEN_PAD", PAD_INDEX="0")
