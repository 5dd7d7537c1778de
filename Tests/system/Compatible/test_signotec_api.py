# SPDX-License-Identifier: Apache-2.0
"""signoPAD-API/Web, API mode: what public pages send, in their order, and what cannot be shown as it was meant."""

import base64
import io
import json

import pytest
import varlink
from gateway import Helper
from PIL import Image, ImageDraw
from support.waiting import wait_for
from test_documents import contract
from test_signotec import Page, press_accept

FIELD = {"LEFT": "40", "TOP": "86", "WIDTH": "720", "HEIGHT": "40", "ALIGNMENT": "3", "OPTIONS": "0"}
TEXT = {**FIELD, "TOP": "350"}


def opened(stack, **session) -> Page:
    page = Page(stack.open("signotec", **session))
    page.do("API_DEVICE_OPEN", INDEX="0", ERASE_DISPLAY="FALSE")
    return page


def add_hot_spots(page: Page, count: int = 3) -> list[str]:
    place = {"TOP": "4", "WIDTH": "48", "HEIGHT": "48"}
    return [page.do("API_SENSOR_ADD_HOT_SPOT", LEFT=str(100 + 250 * number), **place)["RETURN_CODE"]
            for number in range(count)]


def start(page: Page, *lines: str, hot_spots: int = 3) -> list[str]:
    """The ids of the hot spots, from left to right."""
    ids = add_hot_spots(page, hot_spots)
    for number, line in enumerate(lines):
        page.do("API_DISPLAY_SET_TEXT_IN_RECT", **{**FIELD, "TOP": 100 + 40 * number}, TEXT=line)
    page.do("API_SIGNATURE_START")
    return ids


def pressed(page: Page) -> str:
    return page.wait_for("API_SENSOR_HOT_SPOT_PRESSED")["TOKEN_PARAM_HOTSPOT_ID"]


def record(stack, page: Page) -> dict:
    reference = json.loads(base64.b64decode(page.do("API_SIGNATURE_GET_SIGN_DATA")["SIGN_DATA"]))
    capture = f"/v1/captures/{reference['capture']}/"
    found = stack.gateway.request("GET", capture + "metadata.json", stack.token).json
    assert found["summary"]["seal"] == reference["seal"]
    return {**found["summary"], "signed": lambda: stack.gateway.request("GET", capture + "signed.pdf", stack.token)}


def picture(page: Page, **parameters) -> Image.Image:
    answer = page.do("API_SIGNATURE_SAVE_AS_STREAM_EX", **{
        "RESOLUTION": "300", "WIDTH": "0", "HEIGHT": "0", "FILE_TYPE": "1", "PEN_WIDTH": "5",
        "PEN_COLOR": "0x00ff0000", "OPTIONS": "0x1400", **parameters})
    return Image.open(io.BytesIO(base64.b64decode(answer["IMAGE"])))


def test_the_makers_sequence_with_texts_ends_in_a_picture_and_a_reference(stack):
    page = Page(stack.open("signotec", scopes=["capture", "record", "mirror:ink"]))
    page.do("API_DEVICE_SET_COM_PORT", PORT_LIST="HID")
    assert page.do("API_DEVICE_GET_COUNT")["RETURN_CODE"] == "1"
    pad = page.do("API_DEVICE_GET_INFO", INDEX="0")
    assert (pad["TYPE"], pad["SERIAL"]) == ("15", "Inkpanel")
    assert "inkpanel" in page.do("API_DEVICE_GET_VERSION", INDEX="0")["VERSION"]
    page.do("API_DEVICE_OPEN", INDEX="0", ERASE_DISPLAY="FALSE")
    page.do("API_DISPLAY_CONFIG_PEN", WIDTH="3", PEN_COLOR="0x00ff0000")
    assert page.do("API_DISPLAY_GET_WIDTH")["RETURN_CODE"] == "800"
    assert page.do("API_DISPLAY_GET_HEIGHT")["RETURN_CODE"] == "480"
    resolution = page.do("API_SIGNATURE_GET_RESOLUTION")
    assert (resolution["PAD_X_RESOLUTION"], resolution["PAD_Y_RESOLUTION"]) == ("800", "480")
    page.do("API_DISPLAY_SET_ROTATION", ROTATION="0")
    assert page.do("API_DISPLAY_GET_ROTATION")["RETURN_CODE"] == "0"
    assert page.do("API_DISPLAY_SET_TARGET", TARGET="1")["RETURN_CODE"] == "1"
    ids = add_hot_spots(page)
    assert len(set(ids)) == 3
    page.do("API_SENSOR_SET_SIGN_RECT", LEFT="0", TOP="56", WIDTH="0", HEIGHT="0")
    page.do("API_DISPLAY_SET_FONT", NAME="Arial", SIZE="20", OPTIONS="0")
    page.do("API_DISPLAY_SET_TEXT_IN_RECT", **FIELD, TEXT="Signature 1")
    page.do("API_DISPLAY_SET_TEXT_IN_RECT", **TEXT, TEXT="Please sign!")
    page.do("API_DISPLAY_SET_TARGET", TARGET="0")
    page.do("API_DISPLAY_SET_IMAGE_FROM_STORE", STORE_ID="1")
    page.do("API_SIGNATURE_START")
    points = 0
    while (event := page.receive())["TOKEN_CMD"] == "TOKEN_CMD_SIGNATURE_POINT":
        points += 1
    assert points > 100 and event["TOKEN_CMD"] == "TOKEN_CMD_API_SENSOR_HOT_SPOT_PRESSED"
    assert event["TOKEN_PARAM_HOTSPOT_ID"] == ids[2]
    assert int(page.do("API_SIGNATURE_CONFIRM")["RETURN_CODE"]) > 100, "the number of points"
    image = picture(page)
    assert image.format == "PNG" and image.convert("L").getextrema()[0] < 100
    assert picture(page, WIDTH="300", HEIGHT="100").size == (300, 100)
    assert record(stack, page)["prompt"] == ["Signature 1", "Please sign!"]
    page.do("API_DEVICE_CLOSE", INDEX="0")
    assert "not open" in page.error("API_DISPLAY_GET_WIDTH")


@pytest.mark.parametrize("command, code", [
    ("API_DEVICE_GET_CAPABILITIES", "0"), ("API_DISPLAY_GET_TARGET_WIDTH", "800"),
    ("API_DISPLAY_GET_TARGET_HEIGHT", "480"), ("API_DISPLAY_GET_RESOLUTION", "150"),
    ("API_SENSOR_GET_SAMPLE_RATE_MODE", "0"), ("API_SENSOR_CLEAR_SIGN_RECT", "0"),
    ("API_DISPLAY_SET_FONT_COLOR", "0")])
def test_other_questions_and_settings_are_answered(stack, command, code):
    assert opened(stack).do(command)["RETURN_CODE"] == code


def test_what_was_erased_is_not_shown(stack):
    page = opened(stack)
    for top, text in ((100, "Old"), (200, "New")):
        page.do("API_DISPLAY_SET_TEXT_IN_RECT", **{**FIELD, "TOP": top}, TEXT=text)
    place = {"LEFT": 0, "TOP": 90, "WIDTH": 0}
    assert "parts of a text" in page.error("API_DISPLAY_ERASE_RECT", **place, HEIGHT=30)
    page.do("API_DISPLAY_ERASE_RECT", **place, HEIGHT=60)
    start(page)
    pressed(page)
    assert record(stack, page)["prompt"] == ["New"]


def test_cancel_on_the_pad_presses_the_left_hot_spot(stack):
    stack.act("cancel")
    page = opened(stack)
    ids = start(page, "Sign")
    assert pressed(page) == ids[0]
    page.do("API_SIGNATURE_CANCEL", ERASE="0")
    # A page that takes the left one for another button gets no signature.
    assert "No signature runs" in page.error("API_SIGNATURE_CONFIRM")
    assert "confirmed" in page.error("API_SIGNATURE_SAVE_AS_STREAM_EX", FILE_TYPE="1")


def clear(stack) -> None:
    with varlink.Client("unix:" + stack.panel.socket) as client, client.open("org.inkpanel.Panel") as panel:
        panel.Clear()
    # The status counts strokes as they are on the medium, and what is cleared is written, too.
    wait_for(lambda: stack.status()["running"]["strokes"] == 0)


def test_clear_on_the_pad_presses_the_middle_hot_spot_and_only_the_person_accepts(own_pen):
    page = opened(own_pen.stack)
    ids = start(page, "Sign")
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    clear(own_pen.stack)
    assert pressed(page) == ids[1]
    own_pen.sign()
    page.do("API_SIGNATURE_RETRY")
    assert own_pen.stack.status()["running"]["strokes"] == 1, "the answer to the event clears nothing"
    for command in ("API_SIGNATURE_CONFIRM", "SIGNATURE_CONFIRM"):
        assert "has not pressed Accept" in page.error(command)
    page.do("API_SIGNATURE_RETRY")
    assert own_pen.stack.status()["running"]["strokes"] == 0
    own_pen.sign()
    press_accept(own_pen.stack)
    assert pressed(page) == ids[2]
    assert int(page.do("API_SIGNATURE_CONFIRM")["RETURN_CODE"]) > 5


def test_one_hot_spot_confirms_and_a_page_without_one_to_cancel_hears_an_error(stack):
    page = opened(stack, captures=2)
    ids = start(page, "Sign", hot_spots=1)
    assert pressed(page) == ids[0]
    assert int(page.do("API_SIGNATURE_CONFIRM")["RETURN_CODE"]) > 100
    stack.act("cancel")
    page.do("API_SIGNATURE_START")
    event = page.wait_for("ERROR")
    assert event["TOKEN_PARAM_ERROR_CONTEXT"] == "TOKEN_CMD_API_SIGNATURE_START"
    assert "cancelled" in event["TOKEN_PARAM_ERROR_DESCRIPTION"]


def test_clear_without_a_hot_spot_for_it_is_told_nobody(own_pen):
    page = opened(own_pen.stack)
    start(page, "Sign", hot_spots=2)
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    clear(own_pen.stack)
    own_pen.sign()
    assert page.socket.silence()
    page.do("API_SIGNATURE_RETRY")
    assert own_pen.stack.status()["running"]["strokes"] == 0


def test_hot_spots_with_the_words_of_our_buttons_press_them(stack):
    page = opened(stack)
    ids = add_hot_spots(page, 2)
    for left, word in ((100, "OK"), (350, " Abbrechen ")):
        page.do("API_DISPLAY_SET_TEXT_IN_RECT", **{**FIELD, "LEFT": left, "TOP": 4, "WIDTH": 48, "HEIGHT": 48}, TEXT=word)
    page.do("API_DISPLAY_SET_TEXT", X_POS="40", Y_POS="100", ALIGNMENT="0", TEXT="Order 4711")
    page.do("API_SIGNATURE_START")
    assert pressed(page) == ids[0]
    assert record(stack, page)["prompt"] == ["Order 4711"]


def test_once_more_after_accept_shows_what_is_drawn_then(stack):
    page = opened(stack, captures=2)
    ids = start(page, "First")
    pressed(page)
    page.do("API_DISPLAY_SET_TEXT_IN_RECT", **TEXT, TEXT="Second")
    page.do("API_SIGNATURE_RETRY")
    assert pressed(page) == ids[2]
    assert record(stack, page)["prompt"] == ["First", "Second"]
    page.do("API_DEVICE_CLOSE")
    page.do("OPEN_PAD", PAD_INDEX="0")
    assert "No signature runs" in page.error("SIGNATURE_RETRY")


def test_both_modes_in_one_connection(stack):
    page = opened(stack, captures=2)
    for command in ("SIGNATURE_START", "SELECTION_DIALOG"):
        assert "open in the API mode" in page.error(command, CUSTOM_TEXT="Sign")
    start(page, "First")
    pressed(page)
    page.do("API_DEVICE_CLOSE", INDEX="0")
    page.do("OPEN_PAD", PAD_INDEX="0")
    assert "API mode" in page.error("API_DISPLAY_ERASE")
    page.do("SIGNATURE_START", CUSTOM_TEXT="Second")
    page.wait_for("SIGNATURE_CONFIRM")
    assert record(stack, page)["prompt"] == ["Second"]


def test_a_page_that_closes_gives_the_pad_back(stack):
    stack.act("leave")
    page = opened(stack)
    start(page, "Sign")
    stack.wait_for_page("signing")
    page.socket.close()
    stack.wait_for_page("idle")


@pytest.mark.parametrize("command", ["API_SIGNATURE_CANCEL", "API_SIGNATURE_STOP", "API_DEVICE_CLOSE"])
def test_the_page_cancels(stack, command):
    stack.act("leave")
    page = opened(stack)
    start(page, "Sign")
    stack.wait_for_page("signing")
    assert "already" in page.error("API_SIGNATURE_START")
    page.do(command)
    assert not stack.status().get("running") and page.socket.silence()


def test_the_display_stays_as_it_is_while_somebody_signs(stack):
    stack.act("leave")
    page = opened(stack)
    start(page, "I owe 1 EUR")
    for command, parameters in (
            ("API_DISPLAY_SET_TEXT_IN_RECT", {**TEXT, "TEXT": "I owe 4711 EUR"}), ("API_DISPLAY_ERASE", {}),
            ("API_SENSOR_CLEAR_HOT_SPOTS", {}), ("API_DISPLAY_SET_IMAGE_FROM_STORE", {"STORE_ID": 1})):
        assert "While somebody signs" in page.error(command, **parameters)
    # Nobody sees the store behind it yet.
    page.do("API_DISPLAY_SET_TARGET", TARGET=1)
    page.do("API_DISPLAY_SET_TEXT_IN_RECT", **TEXT, TEXT="For the next one")
    page.do("API_SIGNATURE_CANCEL")


def png(width: int = 800, height: int = 480) -> bytes:
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).text((40, 200), "I owe the shop 4711 EUR", fill="black", font_size=24)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def encoded(file: bytes) -> str:
    return base64.b64encode(file).decode()


PLACE = {"X_POS": "0", "Y_POS": "0"}


@pytest.mark.parametrize("command, parameters, part", [
    ("API_DISPLAY_SET_TEXT_IN_RECT", {**TEXT, "TEXT": 4711}, "TEXT must be a text"),
    ("API_DISPLAY_SET_TEXT_IN_RECT", {**TEXT, "TEXT": ["Sign"]}, "TEXT must be a text"),
    ("API_DISPLAY_SET_TEXT_IN_RECT", TEXT, "TEXT must be a text"),
    ("API_DISPLAY_SET_TEXT_IN_RECT", {"TEXT": "Sign"}, "LEFT must be"),
    ("API_DISPLAY_SET_TEXT_IN_RECT", {**TEXT, "TEXT": "Sign", "WIDTH": 2 ** 63 - 1}, "WIDTH must be"),
    ("API_DISPLAY_SET_TEXT_IN_RECT", {**TEXT, "TEXT": "Sign", "TOP": "nan"}, "TOP must be"),
    ("API_DISPLAY_SET_TEXT_IN_RECT", {**TEXT, "TEXT": "Sign", "HINT_TEXT": "I owe 4711 EUR"}, "does not show"),
    ("API_DISPLAY_SET_TEXT", {**PLACE, "TEXT": "x" * 20000}, "has room for"),
    ("API_DISPLAY_SET_TEXT", {"TEXT": "Sign"}, "X_POS must be"),
    ("API_DISPLAY_SET_TARGET", {"TARGET": "2"}, "TARGET is"), ("API_DISPLAY_SET_TARGET", {}, "TARGET is"),
    ("API_DISPLAY_SET_IMAGE_FROM_STORE", {"STORE_ID": "3"}, "STORE_ID is 1"),
    ("API_DISPLAY_SET_ROTATION", {"ROTATION": "180"}, "ROTATION is 0"),
    ("API_DISPLAY_SET_IMAGE", {**PLACE, "BITMAP": "no picture"}, "must be a PNG file"),
    ("API_DISPLAY_SET_IMAGE", {**PLACE, "BITMAP": encoded(png() + png())}, "must be a PNG file"),
    ("API_DISPLAY_SET_IMAGE", {**PLACE, "BITMAP": encoded(png(width=799))}, "800 x 480"),
    ("API_DISPLAY_SET_IMAGE", {"X_POS": 1, "Y_POS": 0, "BITMAP": encoded(png())}, "X_POS 0"),
    ("API_PDF_LOAD", {"DOCUMENT": "JVBE"}, "must be a PDF file"), ("API_PDF_LOAD", {}, "must be a PDF file"),
    ("API_PDF_LOAD", {"DOCUMENT": encoded(b"%PDF-1.4"), "PASSWORD": "x"}, "encrypted"),
    ("API_DISPLAY_SET_PDF", {**PLACE, "PAGE": 1, "SCALE": 1, "OPTIONS": 0}, "No PDF file"),
    ("API_SENSOR_ADD_HOT_SPOT", {"LEFT": 900, "TOP": 0, "WIDTH": 0, "HEIGHT": 9}, "hot spots"),
    ("API_DEVICE_OPEN", {"INDEX": 0}, "open already"), ("API_DEVICE_CLOSE", {"INDEX": 1}, "INDEX is 0"),
    ("API_SIGNATURE_START", {"CUSTOM_TEXT": "I owe 4711 EUR"}, "does not show"),
    ("API_SIGNATURE_SAVE_AS_STREAM_EX", {"FILE_TYPE": "3"}, "confirmed"), ("API_SIGNATURE_RETRY", {}, "No signature"),
    *[(command, {}, "has no TOKEN_CMD_" + command) for command in (
        "API_SENSOR_ADD_SCROLL_HOT_SPOT", "API_DISPLAY_SET_OVERLAY_RECT", "API_DISPLAY_SET_STANDBY_IMAGE",
        "API_PDF_GET_PAGE_COUNT", "API_RSA_SIGN_PW", "API_SIGNATURE_GET_BOUNDS", "API_NO_SUCH_COMMAND")]])
def test_what_cannot_be_shown_as_it_was_meant_is_refused(stack, command, parameters, part):
    page = opened(stack)
    assert part in page.error(command, **parameters)
    # And the session's capture is still there.
    start(page, "Sign")
    page.do("API_SIGNATURE_CANCEL")


def test_a_fourth_hot_spot_is_refused(stack):
    page = opened(stack)
    add_hot_spots(page)
    assert "3 hot spots" in page.error("API_SENSOR_ADD_HOT_SPOT", LEFT=0, TOP=400, WIDTH=48, HEIGHT=48)
    page.do("API_SENSOR_CLEAR_HOT_SPOTS")
    assert add_hot_spots(page) == ["0", "1", "2"]


@pytest.mark.parametrize("text", ["I agree", "Yes", "OK"])
def test_hot_spots_with_other_texts_or_with_some_are_refused(stack, text):
    page = opened(stack)
    add_hot_spots(page)
    page.do("API_DISPLAY_SET_TEXT", X_POS=110, Y_POS=20, ALIGNMENT=0, TEXT=text)
    assert "Accept, Clear and Cancel" in page.error("API_SIGNATURE_START")


def test_hot_spots_below_each_other_are_refused(stack):
    page = opened(stack)
    for top in (0, 100):
        page.do("API_SENSOR_ADD_HOT_SPOT", LEFT=700, TOP=top, WIDTH=90, HEIGHT=90)
    assert "side by side" in page.error("API_SIGNATURE_START")


# MARK: documents

@pytest.fixture
def documents(own, tmp_path):
    helper = Helper(tmp_path)
    yield own(mirror="ink", more=f'[document]\nsocket = "{helper.path}"')
    helper.listener.close()


def test_a_picture_that_covers_the_display_is_read_and_signed(documents):
    page = opened(documents, captures=2)
    page.do("API_DISPLAY_SET_TARGET", TARGET="1")
    page.do("API_DISPLAY_SET_IMAGE", **PLACE, BITMAP=encoded(png()))
    page.do("API_SENSOR_SET_SIGN_RECT", LEFT="0", TOP="56", WIDTH="0", HEIGHT="0")
    page.do("API_DISPLAY_SET_TARGET", TARGET="0")
    page.do("API_DISPLAY_SET_IMAGE_FROM_STORE", STORE_ID="1")
    ids = start(page, "Signature 1", "Please sign!")
    assert pressed(page) == ids[2], "and nothing before: the page of the field goes with its ink"
    assert int(page.do("API_SIGNATURE_CONFIRM")["RETURN_CODE"]) > 100
    assert picture(page).convert("L").getextrema()[0] < 100
    signed = record(documents, page)
    # The page to sign on shows one line.
    assert signed["prompt"] == ["Signature 1 · Please sign!"]
    file = signed["signed"]().body
    assert file.startswith(b"%PDF-") and b"/ETSI.CAdES.detached" in file
    # The person signs once more.
    page.do("API_SIGNATURE_RETRY")
    assert pressed(page) == ids[2]


def test_texts_that_have_no_room_beside_a_picture_are_refused(documents):
    page = opened(documents)
    page.do("API_DISPLAY_SET_IMAGE", **PLACE, BITMAP=encoded(png()))
    page.do("API_DISPLAY_SET_TEXT_IN_RECT", **TEXT, TEXT="I owe 4711 EUR. " * 200)
    assert page.error("API_SIGNATURE_START")
    assert "erase" in page.error("API_DISPLAY_SET_IMAGE", **PLACE, BITMAP=encoded(png(height=481)))
    page.do("API_DISPLAY_ERASE")
    start(page, "Sign")
    pressed(page)


def test_a_pdf_file_with_a_field_of_its_own_is_read_and_signed(documents):
    page = opened(documents)
    page.do("API_PDF_LOAD", DOCUMENT=encoded(contract(field=True)), PASSWORD="")
    page.do("API_DISPLAY_SET_PDF", **PLACE, PAGE="1", SCALE="1", OPTIONS="1")
    # The page to sign on could have the label of the file's field in place of a text of the page.
    page.do("API_DISPLAY_SET_TEXT", X_POS="0", Y_POS="0", ALIGNMENT="0", TEXT="I owe 4711 EUR")
    assert "own texts" in page.error("API_SIGNATURE_START")
    page.do("API_DISPLAY_ERASE")
    ids = start(page)
    assert pressed(page) == ids[2]
    page.do("API_SIGNATURE_CONFIRM")
    file = record(documents, page)["signed"]().body
    assert file.startswith(contract(field=True)) and b"/ETSI.CAdES.detached" in file


def test_a_pdf_file_without_a_field_to_sign_in_is_refused(documents):
    page = opened(documents)
    page.do("API_PDF_LOAD", DOCUMENT=encoded(contract()), PASSWORD="")
    page.do("API_DISPLAY_SET_PDF", **PLACE, PAGE="1", SCALE="1", OPTIONS="1")
    assert page.error("API_SIGNATURE_START")
    page.do("API_DISPLAY_SET_IMAGE", **PLACE, BITMAP=encoded(png()))
    assert "not both" in page.error("API_SIGNATURE_START")
