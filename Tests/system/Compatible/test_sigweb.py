# SPDX-License-Identifier: Apache-2.0
"""SigWeb: its HTTP interface, and sigweb-compat.js in pages that sign and take a picture."""

import base64
import io
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import ORIGIN, SCOPES
from PIL import Image
from support.waiting import wait_for

SCRIPT = (Path(__file__).parents[3] / "Sources/Gateway/Web/sigweb-compat.js").read_text()


class Pad:
    """SigWeb's HTTP interface, as its library calls it."""

    def __init__(self, stack, session: str = ""):
        self.stack, self.session = stack, session or stack.session()

    def call(self, method: str, name: str, body: str | None = None):
        headers = {"Origin": self.stack.origin} | ({"Content-Type": "text/plain"} if body is not None else {})
        return self.stack.gateway.request(
            method, f"/compat/sigweb/{self.session}/SigWeb/{name}", None, body, **headers)

    def get(self, name: str) -> str:
        answer = self.call("GET", name + "?noCache=1f2e")
        assert answer.status == 200, answer
        return answer.body.decode()

    def post(self, name: str, body: str | None = None) -> None:
        answer = self.call("POST", name, body)
        assert answer.status == 200, answer

    def wait_for_signature(self) -> None:
        wait_for(lambda: self.get("TabletState") == "0")


def test_a_page_signs_and_gets_string_and_picture(stack):
    pad = Pad(stack)
    assert pad.get("Version") == '"1.7.0.0"\n' and pad.get("TabletConnectQuery") == "1"
    assert (pad.get("TabletState"), pad.get("TotalPoints"), pad.get("SigString")) == ("0", "0", '""')
    pad.get("ClearSignature")
    pad.post("TabletState/1", "Order 4711\nPlease sign")
    assert pad.get("TabletState") == "1"
    pad.wait_for_signature()
    assert int(pad.get("TotalPoints")) > 100
    reference = json.loads(base64.b64decode(json.loads(pad.get("SigString"))))
    record = stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", stack.token).json
    assert record["summary"]["prompt"] == ["Order 4711", "Please sign"]
    for name, value in (("ImageXSize", 300), ("ImageYSize", 120), ("ImagePenWidth", 5), ("CompressionMode", 1)):
        pad.post(f"{name}/{value}")
        assert pad.get(name) == str(value)
    picture = Image.open(io.BytesIO(pad.call("GET", "SigImage/1").body))
    assert (picture.format, picture.size) == ("PNG", (300, 120))
    pad.get("ClearSignature")
    assert (pad.get("TotalPoints"), pad.get("SigString")) == ("0", '""')
    assert pad.call("GET", "SigImage/1").problem == "not-signed"
    assert pad.call("POST", "TabletState/1").problem == "session-used"


def signed(stack) -> tuple[str, bytes]:
    """A signature's reference, and its picture."""
    pad = Pad(stack)
    pad.post("TabletState/1", "Order 4711")
    pad.wait_for_signature()
    return json.loads(pad.get("SigString")), pad.call("GET", "SigImage/1").body


def test_a_signature_is_read_back_by_its_reference_in_another_session(stack):
    reference, picture = signed(stack)
    other = signed(stack)[0]
    pad = Pad(stack)
    pad.post("SigString", reference)
    assert (json.loads(pad.get("SigString")), pad.call("GET", "SigImage/0").body) == (reference, picture)
    assert int(pad.get("TotalPoints")) > 100 and pad.get("TabletState") == "0"
    assert pad.call("GET", "SigImage/1").body == picture
    # What is refused leaves no earlier picture, which the maker's library would draw.
    wrong = json.loads(base64.b64decode(reference))
    wrong["proof"] = json.loads(base64.b64decode(other))["proof"]
    known = {name: wrong[name] for name in ("capture", "seal")}
    for text, status in (
            (base64.b64encode(json.dumps(wrong).encode()).decode(), 404), ("0" * 400, 400), ("\xfc", 400),
            (base64.b64encode(json.dumps(known).encode()).decode(), 404)):
        pad.post("SigString", reference)
        assert pad.call("POST", "SigString", text).status == status
        assert (pad.get("TotalPoints"), pad.get("SigString")) == ("0", '""')
        assert pad.call("GET", "SigImage/1").problem == "not-signed"
    pad.post("SigString", reference)
    pad.get("ClearSignature")
    assert pad.get("SigString") == '""'
    pad.post("SigString", reference)
    pad.post("TabletState/1", "Another")
    pad.wait_for_signature()
    assert json.loads(pad.get("SigString")) not in (reference, other)


def test_a_signature_of_another_token_is_not_read_back(stack):
    reference = signed(stack)[0]
    stranger = stack.session(stack.gateway.token("stranger", SCOPES))
    pad = Pad(stack, stranger)
    assert pad.call("POST", "SigString", reference).status == 404
    assert pad.get("SigString") == '""'


def test_nothing_is_read_back_while_somebody_signs(own_pen):
    pad = Pad(own_pen.stack)
    pad.post("TabletState/1", "Sign")
    own_pen.stack.wait_for_page("signing")
    assert pad.call("POST", "SigString", "").problem == "busy"
    assert pad.get("TabletState") == "1"
    pad.post("Reset")


def test_fetching_the_signature_accepts_it_and_ending_it_does_not(own_pen):
    pad = Pad(own_pen.stack)
    pad.post("TabletState/1", "Sign")
    own_pen.stack.wait_for_page("signing")
    assert pad.get("SigString") == '""', "there is no ink"
    own_pen.sign()
    assert pad.get("NumberOfStrokes") == pad.get("TotalPoints") == "1"
    pad.post("TabletState/0")
    assert own_pen.stack.status()["page"] == "signing" and pad.get("TabletState") == "0"
    assert len(pad.get("SigString")) > 30
    assert own_pen.stack.status()["page"] != "signing" and int(pad.get("TotalPoints")) > 20


def test_a_page_begins_anew_with_the_same_capture(own_pen):
    pad = Pad(own_pen.stack)
    for _ in range(2):
        pad.post("TabletState/1", "Sign")
        own_pen.stack.wait_for_page("signing")
        own_pen.sign()
        pad.post("TabletState/0")
        pad.get("ClearSignature")
        assert pad.get("TotalPoints") == "0"
    own_pen.stack.wait_for_page("idle")


def prompt_of(pad) -> list:
    reference = json.loads(base64.b64decode(json.loads(pad.get("SigString"))))
    answer = pad.stack.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", pad.stack.token)
    return answer.json["summary"]["prompt"]


@pytest.mark.parametrize("end", [None, "TabletState/0"])
def test_what_was_written_below_one_text_is_no_signature_of_another(own_pen, end):
    pad = Pad(own_pen.stack)
    # Fewer than the failures that a session may make.
    for number in range(3):
        pad.post("TabletState/1", f"Contract {number}")
        own_pen.stack.wait_for_page("signing")
        wait_for(lambda: own_pen.stack.status()["running"]["strokes"] == 0)
        own_pen.sign()
        if end:
            pad.post(end)
    assert prompt_of(pad) == ["Contract 2"]
    assert pad.call("POST", "TabletState/1", "Contract 3").problem == "session-used"


def test_a_signature_that_begins_anew_is_not_cancelled_with_the_one_before(own_pen):
    pad = Pad(own_pen.stack)
    pad.post("TabletState/1", "Sign")
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    pad.post("TabletState/0")
    pad.get("ClearSignature")
    # A page that does not go on within 2 s has cancelled.
    pad.post("TabletState/1", "Sign")
    own_pen.sign()
    pad.post("TabletState/0")
    time.sleep(2.5)
    assert prompt_of(pad) == ["Sign"]


def test_an_empty_page_is_cleared_at_once(stack):
    stack.act("leave")
    pad = Pad(stack)
    pad.post("TabletState/1", "Sign")
    stack.wait_for_page("signing")
    begun = time.monotonic()
    assert pad.get("ClearSignature") == "1"
    assert time.monotonic() - begun < 1
    pad.post("Reset")


def test_somebody_clicks_twice_and_the_session_has_its_signature(stack):
    stack.act("leave")
    pad = Pad(stack)
    pad.post("TabletState/1", "Sign")
    stack.wait_for_page("signing")
    stack.act("sign")
    # As pages begin.
    pad.post("TabletState/0")
    pad.get("ClearSignature")
    pad.post("TabletState/1", "Sign")
    pad.wait_for_signature()
    assert prompt_of(pad) == ["Sign"]
    # And no more.
    assert pad.call("POST", "TabletState/1", "Sign").problem == "session-used"


def test_a_session_shows_few_pages_that_nobody_signs(stack):
    stack.act("leave")
    pad = Pad(stack)
    answers = []
    for _ in range(18):
        stack.act("leave")
        answers.append(pad.call("POST", "TabletState/1", "Sign").status)
        pad.post("TabletState/0")
    assert answers == [200] * 17 + [403]


def test_ending_an_empty_page_cancels(stack):
    stack.act("leave")
    for end in ("TabletState/0", "CloseTablet", "Reset"):
        pad = Pad(stack)
        pad.post("TabletState/1", "Sign")
        stack.wait_for_page("signing")
        pad.post(end)
        stack.wait_for_page("idle")
        assert pad.get("TotalPoints") == "0"


def test_the_person_cancels(stack):
    stack.act("cancel")
    pad = Pad(stack)
    pad.post("TabletState/1", "Sign")
    pad.wait_for_signature()
    assert (pad.get("TotalPoints"), pad.get("SigString")) == ("0", '""')
    assert json.loads(pad.get("State"))["accepted"] is False


def test_a_page_waits_for_the_pen(own_pen):
    pad = Pad(own_pen.stack)
    pad.post("TabletState/1", "Sign")
    own_pen.stack.wait_for_page("signing")
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(pad.get, "WaitForPenDown")
        own_pen.sign()
        assert waiting.result() == "1" and pad.get("NumberOfStrokes") == "1"
    assert pad.get("WaitForPenDown") == "1"


def test_the_signature_is_fetched_twice_at_once(own_pen):
    pad = Pad(own_pen.stack)
    pad.post("TabletState/1", "Sign")
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    pad.post("TabletState/0")
    with ThreadPoolExecutor(3) as others:
        names = ["SigImage/1", "SigImage/1", "SigString"]
        assert [answer.status for answer in others.map(lambda name: pad.call("GET", name), names)] == [200] * 3


def test_a_reset_leaves_nothing_on_the_pad(stack):
    stack.act("leave")
    pad = Pad(stack, stack.session(captures=3))
    for _ in range(3):
        with ThreadPoolExecutor(2) as others:
            list(others.map(lambda name: pad.post(name), ["TabletState/1", "Reset"]))
        # Either came first.
        pad.post("Reset")
        wait_for(lambda: not stack.status().get("running"))


def test_a_prompt_that_is_too_long_is_refused_and_not_cut(stack):
    pad = Pad(stack)
    for prompt in ("ä" * 3000, "Line\n" * 101):
        assert pad.call("POST", "TabletState/1", prompt).problem == "invalid-parameter"
    assert pad.get("TabletState") == "0"
    pad.post("TabletState/1", "And the capture is still there")
    pad.wait_for_signature()


@pytest.mark.parametrize("method, name, status", [
    ("GET", "Nonsense", 404), ("POST", "Nonsense/1", 404), ("POST", "LcdWriteImageStream/0,2", 501),
    ("POST", "LcdRefresh/2,0,0,240,64", 501), ("POST", "KeyPadAddHotSpot/1", 501), ("GET", "PointXValue/0", 501),
    ("POST", "TabletState", 400), ("POST", "TabletState/2", 400), ("POST", "TabletState/%FF", 400),
    ("GET", "SigImage/2", 400), ("POST", "SigString/1", 400), ("POST", "ImageXSize", 400),
    ("POST", "ImageXSize/" + "9" * 200, 400),
    ("GET", "SigImage/1", 409), ("GET", "Version?x=1", 400), ("DELETE", "Version", 405),
    ("POST", "KeyString", 200), ("GET", "EventStatus", 200), ("GET", "SigImage/0", 200)])
def test_what_the_pad_does_not_do_is_answered_by_a_status(stack, method, name, status):
    assert Pad(stack).call(method, name).status == status


def test_a_size_that_is_none_gets_no_picture_of_another(own_pen):
    pad = Pad(own_pen.stack)
    pad.post("TabletState/1", "Sign")
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    for size in ("width=a&height=5", "width=-5&height=5"):
        assert pad.call("GET", "SigImage/1?" + size).problem == "invalid-parameter"
    # And nothing was accepted for it.
    assert pad.get("TabletState") == "1"
    pad.post("Reset")


def test_errors_do_not_repeat_the_session(stack):
    pad = Pad(stack)
    for method, name in (("POST", "TabletState/1/2"), ("DELETE", "Version")):
        answer = pad.call(method, name)
        assert answer.status in (404, 405) and pad.session not in answer.body.decode()


def test_only_sessions_of_the_origin_are_let_in(stack):
    pad = Pad(stack)
    path = f"/compat/sigweb/{pad.session}/SigWeb/Version"
    assert stack.gateway.request("GET", path, Origin="https://evil.example").problem == "wrong-origin"
    assert stack.gateway.request("GET", path.replace(pad.session, stack.token)).problem == "wrong-token"
    assert stack.gateway.request("GET", path.replace(pad.session, "x")).problem == "wrong-token"
    assert stack.gateway.request("GET", path, Origin=ORIGIN).headers["Access-Control-Allow-Origin"] == ORIGIN


def test_pages_do_not_see_each_others_signature(stack):
    first, second = Pad(stack), Pad(stack)
    first.post("TabletState/1", "Sign")
    first.wait_for_signature()
    assert (second.get("TotalPoints"), second.get("SigString")) == ("0", '""')
    assert second.call("GET", "SigImage/1").problem == "not-signed"


# MARK: sigweb-compat.js

PAGE = """<!doctype html><title>Delivery note 4711</title><canvas id="cnv" width="500" height="100"></canvas>
<script src="/sigweb-compat.js" data-pad="PAD"></script>
<script>
  let tmr
  window.result = {}
  function onSign() {
    const ctx = document.getElementById("cnv").getContext("2d")
    SetDisplayXSize(500)
    SetDisplayYSize(100)
    SetTabletState(0, tmr)
    SetJustifyMode(0)
    ClearTablet()
    tmr = SetTabletState(1, ctx, 50) || tmr
    return GetTabletState()
  }
  function onDone() {
    if (NumberOfTabletPoints() == 0) return false
    SetTabletState(0, tmr)
    SetSigCompressionMode(1)
    result.text = GetSigString()
    SetImageXSize(400)
    SetImageYSize(80)
    SetImagePenWidth(5)
    GetSigImageB64((picture) => { result.picture = picture })
    return true
  }
</script>"""


def page_of(web, application, session: str = "", **members):
    web.site.add("sigweb-compat.js", SCRIPT)
    pad = f"http://127.0.0.1:{web.gateway.port}/compat/sigweb/{session or web.session(**members)}"
    return application(web.site.add("sign.html", PAGE.replace("PAD", pad)))


def ink(page) -> int:
    """Dark pixels of the canvas."""
    return page.evaluate("""() => {
        const canvas = document.getElementById("cnv")
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
        let count = 0
        for (let index = 3; index < data.length; index += 4) count += data[index] > 99 && data[index - 3] < 128
        return count
    }""")


def test_a_page_that_has_only_changed_its_script_signs(web, application):
    page = page_of(web, application)
    assert page.evaluate("IsSigWebInstalled() && GetSigWebVersion()") == "1.7.0.0"
    assert page.evaluate("onDone()") is False, "nobody has signed"
    assert page.evaluate("onSign()") == "1"
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    wait_for(lambda: ink(page) > 200)
    assert page.evaluate("onDone()") is True
    picture = wait_for(lambda: page.evaluate("result.picture"))
    image = Image.open(io.BytesIO(base64.b64decode(picture)))
    assert image.size == (400, 80) and image.convert("L").getextrema()[0] < 100
    reference = json.loads(base64.b64decode(page.evaluate("result.text")))
    record = web.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", web.token).json
    assert record["summary"]["prompt"] == ["Delivery note 4711"]
    assert [line for line in application.console if "sigweb-compat" in line] == []


def test_the_canvas_shows_the_ink_of_a_mirror(web, application):
    page = page_of(web, application, scopes=["capture", "record", "mirror:ink"])
    page.evaluate("onSign()")
    wait_for(lambda: ink(page) > 100)
    assert web.status()["page"] == "signing", "it is shown while somebody writes"
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")


def test_the_canvas_shows_nothing_of_a_signature_without_a_mirror(web, application):
    page = page_of(web, application)
    page.evaluate("onSign()")
    wait_for(lambda: web.status().get("running", {}).get("strokes", 0) > 0)
    assert ink(page) == 0
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")


def test_a_page_that_begins_twice_and_ends_follows_no_mirror(web, application):
    page = page_of(web, application, scopes=["capture", "record", "mirror:ink"])
    page.evaluate("""() => {
        window.mirrors = []
        const { fetch } = window
        window.fetch = (address, options) => {
            if (String(address).includes("/v1/mirror")) mirrors.push(options.signal)
            return fetch(address, options)
        }
        const context = document.getElementById("cnv").getContext("2d")
        SetTabletState(1, context, 50)
        SetTabletState(1, context, 50)
        SetTabletState(0)
    }""")
    assert page.evaluate("mirrors.map((signal) => signal.aborted)") == [True, True]


def test_a_page_shows_an_earlier_signature(web, application):
    page = page_of(web, application)
    page.evaluate("onSign()")
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    page.evaluate("onDone()")
    reference = page.evaluate("GetSigString()")
    page = page_of(web, application)
    assert ink(page) == 0
    page.evaluate("(text) => SetSigString(text, document.getElementById('cnv').getContext('2d'))", reference)
    assert ink(page) > 100 and page.evaluate("GetSigString()") == reference
    refused = "(() => { try { SetSigString('x') } catch (error) { return error.message } })()"
    assert "not shown" in page.evaluate(refused)


def test_a_page_asks_with_another_text(web, application):
    web.act("leave")
    page = page_of(web, application)
    page.evaluate("onSign()")
    page.evaluate("window.inkpanelPrompt = 'Another note'")
    web.act("sign")
    assert page.evaluate("onSign()") == "1"
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    reference = json.loads(base64.b64decode(page.evaluate("GetSigString()")))
    record = web.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", web.token).json
    assert record["summary"]["prompt"] == ["Another note"]


def test_a_page_hears_that_the_person_has_cancelled(web, application):
    web.act("cancel")
    page = page_of(web, application)
    page.evaluate("onSign()")
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    assert page.evaluate("onDone()") is False


def test_a_page_with_a_used_session_or_of_another_origin_has_no_pad(web, application):
    session = web.session()
    page = page_of(web, application, session)
    page.evaluate("onSign()")
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    began = "(() => { try { return onSign() } catch (error) { return error.message } })()"
    assert "make a new one" in page.evaluate(f"ClearTablet(), {began}")
    assert page.evaluate("GetTabletState()") == "0"
    other = web.site.origin.replace("till.test", "evil.test")
    page.goto(other + "/sign.html")
    assert "cannot begin" in page.evaluate(began) and page.evaluate("IsSigWebInstalled()") is False


# The functions of the published SigWebTablet.js, 1.0.0.1 and later, that a page may call. Of these names, Set and Get.
PAIRS = """Annotate AntiAliasEnable AntiAliasLineScale AntiAliasSpotSize DisplayAnnotate DisplayAnnotatePosX
DisplayAnnotatePosY DisplayAnnotateSize DisplayPenWidth DisplayTimeStamp DisplayTimeStampPosX DisplayTimeStampPosY
DisplayTimeStampSize DisplayXSize DisplayYSize EncryptionMode ImageAnnotate ImageAnnotatePosX ImageAnnotatePosY
ImageAnnotateSize ImagePenWidth ImageTimeStamp ImageTimeStampPosX ImageTimeStampPosY ImageTimeStampSize ImageXSize
ImageYSize JustifyMode JustifyX JustifyY KeyString LCDCaptureMode SavePressureData SaveSigInfo SaveTimeData
SerialPortCloseDelay ServerTabletType SigCompressionMode SigSockClientName SigSockPortNumber SigSockServerPath SigString
TabletBaudRate TabletComPort TabletComTest TabletData TabletFilterPoints TabletLogicalXSize TabletLogicalYSize
TabletResolution TabletRotation TabletState TabletTimingAdvance TabletType TabletXStart TabletXStop TabletYStart
TabletYStop TimeStamp""".split()
OTHERS = """AutoKeyAddData AutoKeyFinish AutoKeyStart ClearSigWindow ClearTablet CloseTablet EnableTabletEncryption
GetDaysUntilCertificateExpires GetFirmwareRevision GetKeyReceiptAscii GetNumPointsForStroke GetNumberOfStrokes
GetPointXValue GetPointYValue GetSigImage GetSigImageB64 GetSigReceiptAscii GetSigWebVersion GetVersionString IsPenDown
IsSigWebInstalled KeyPadAddHotSpot KeyPadClearHotSpotList KeyPadMarkHotSpot KeyPadQueryHotSpot LCDClear LCDDrawButton
LCDDrawRectangle LCDGetCompressionMode LCDGetLCDSize LCDGetZCompressionMode LCDSendCmdData LCDSendCmdString
LCDSendGraphicCanvas LCDSendGraphicUrl LCDSendWindowedGraphicCanvas LCDSendWindowedGraphicUrl LCDSetCompressionMode
LCDSetPixelDepth LCDSetTabletMap LCDSetWindow LCDSetZCompressionMode LCDStringHeight LCDStringWidth LCDWriteString
LCDWriteStringWindow LcdRefresh LcdWriteImage LcdWriteImageBlob LcdWriteImageStream LcdWriteLocalImage
NumberOfTabletPoints OpenTablet Reset ResetParameters SetAutoKeyData SetMaxLogFileSize SetPortNumber SetRealTabletState
SetSigWindow SetTabletEncryptionMode SetTabletLocalIniFilePath SetTabletModel SetTabletPortPath SetUseAmbientColors
SigWebEvent SigWebRefresh SigWebSetDisplayTarget SigWebWaitForPenDown TabletConnectQuery TabletModelNumber
TabletSerialNumber createLcdBitmapFromCanvas measureText setSigWebFontThreshold testRawData textToTablet""".split()


def test_the_functions_of_the_makers_script_are_there(web, application):
    names = OTHERS + [kind + name for name in PAIRS for kind in ("Set", "Get")]
    assert set(REFUSED) <= set(names)
    page = page_of(web, application)
    assert page.evaluate("(names) => names.filter((name) => typeof window[name] !== 'function')", names) == []


REFUSED = """LCDDrawRectangle LCDDrawButton LcdWriteImage LcdWriteImageStream
LcdWriteImageBlob LcdWriteLocalImage LCDSendGraphicCanvas LCDSendGraphicUrl LCDSendWindowedGraphicCanvas
LCDSendWindowedGraphicUrl LCDSendCmdString LCDSendCmdData textToTablet createLcdBitmapFromCanvas KeyPadAddHotSpot
KeyPadMarkHotSpot GetKeyReceiptAscii GetSigReceiptAscii GetNumPointsForStroke GetPointXValue GetPointYValue
GetTabletData SetTabletData testRawData""".split()


def test_functions_that_draw_on_the_pad_say_so(web, application):
    page = page_of(web, application)
    errors = page.evaluate(
        """(names) => names.map((name) => { try { window[name](1) } catch (error) { return error.message } })""",
        REFUSED + ["LcdRefresh"])
    for name, error in zip(REFUSED + ["LcdRefresh"], errors):
        assert error and error.startswith(name) and "docs/compatible.md" in error, name
    manual = (Path(__file__).parents[3] / "docs/compatible.md").read_text()
    assert [name for name in REFUSED if f"`{name}`" not in manual] == []
    assert page.evaluate("LcdRefresh(0, 0, 0, 240, 64), LCDClear(), LCDGetLCDSize()") == "0"


def test_what_a_page_writes_for_the_display_are_lines_of_the_pad(web, application):
    page = page_of(web, application)
    page.evaluate("""() => {
        LCDWriteString(0, 2, 10, 5, "9pt Arial", 15, "Withdrawn")
        LcdRefresh(0, 0, 0, 240, 64)
        LCDWriteString(0, 2, 10, 5, "9pt Arial", 15, "The loan is 900 EUR.")
        LCDWriteStringWindow(0, 2, 8, 60, "8pt Arial", 15, "It is paid back in May.")
    }""")
    page.evaluate("onSign()")
    late = page.evaluate("(() => { try { LCDWriteString(0, 2, 1, 1, '', 9, 'x') } catch (error) { return error.message } })()")
    assert "after the start" in late
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    reference = json.loads(base64.b64decode(page.evaluate("GetSigString()")))
    record = web.gateway.request("GET", f"/v1/captures/{reference['capture']}/metadata.json", web.token).json
    assert record["summary"]["prompt"] == ["The loan is 900 EUR.", "It is paid back in May."]


def test_a_page_that_stays_open_gets_a_new_session_of_its_own_back_end(web, application):
    address = f"http://127.0.0.1:{web.gateway.port}/compat/sigweb/"
    web.site.add("sigweb-compat.js", SCRIPT)
    script = f'data-pad="{address}{web.session()}" data-renew="/renewed"'
    page = application(web.site.add("stays.html", PAGE.replace('data-pad="PAD"', script)))
    for _ in range(2):
        web.site.add("renewed", address + web.session() + "\n")
        assert page.evaluate("onSign()") == "1"
        wait_for(lambda: page.evaluate("GetTabletState()") == "0")
        assert len(page.evaluate("GetSigString()")) > 30
    # What the back end answers is no address: the page hears of it.
    web.site.add("renewed", "log in")
    said = page.evaluate("(() => { try { return onSign() } catch (error) { return error.message } })()")
    assert "/renewed answers with no data-pad" in said
    # Somebody has logged in again meanwhile.
    web.site.add("renewed", address + web.session())
    assert page.evaluate("onSign()") == "1"
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")


@pytest.mark.parametrize("name", ["State", "SigImage/1"])
def test_a_late_answer_about_one_signature_is_not_taken_for_the_next(web, application, name):
    page = page_of(web, application)
    page.evaluate("onSign()")
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    page.evaluate("""(name) => {
        window.held = []
        const fetchNow = window.fetch
        window.fetch = async (...values) => {
            const answer = await fetchNow(...values)
            if (values[0].includes(name)) await new Promise((release) => held.push(release))
            return answer
        }
        SigWebRefresh()
        GetSigImage(document.getElementById("cnv").getContext("2d"))
    }""", "/SigWeb/" + name)
    wait_for(lambda: page.evaluate("held.length"))
    web.act("leave")
    pad = f"http://127.0.0.1:{web.gateway.port}/compat/sigweb/{web.session()}"
    page.evaluate("(pad) => { window.inkpanelPad = pad }", pad)
    assert page.evaluate("onSign()") == "1"
    page.evaluate("held.forEach((release) => release())")
    page.wait_for_timeout(200)
    assert page.evaluate("GetTabletState()") == "1"
    assert ink(page) == 0
    page.evaluate("Reset()")


@pytest.mark.parametrize("method, name", [
    ("POST", "LcdWriteImageStream/0,2,0,0,240,64"), ("POST", "LcdRefresh/2,0,0,240,64"), ("POST", "KeyPadAddHotSpot/1")])
def test_nobody_signs_below_what_the_makers_own_library_has_drawn(stack, method, name):
    stack.act("leave")
    pad = Pad(stack)
    pad.post("TabletState/1")
    stack.wait_for_page("signing")
    assert pad.call(method, name).status == 501
    stack.wait_for_page("idle")
    for answer in (pad.call("POST", "TabletState/1"), pad.call("GET", "SigString"), pad.call("GET", "SigImage/1")):
        assert answer.status == 501, answer
    assert not stack.status().get("running")
    # Cleared, the display has nothing that people would have to see; and nothing was signed for the session.
    pad.post("LcdRefresh/0,0,0,240,64")
    stack.act("sign")
    pad.post("TabletState/1")
    pad.wait_for_signature()
    # "Thank you", before the page fetches what was accepted. The next one does not sign below it.
    assert pad.call(method, name).status == 501
    assert len(pad.get("SigString")) > 30 and pad.call("GET", "SigImage/1").status == 200
    assert pad.call("POST", "TabletState/1").status == 501


def test_a_picture_without_a_size_has_the_makers(stack):
    pad = Pad(stack)
    pad.post("TabletState/1", "Sign")
    pad.wait_for_signature()
    assert Image.open(io.BytesIO(pad.call("GET", "SigImage/1").body)).size == (500, 100)


def test_who_has_cancelled_may_sign_after_all(stack):
    pad = Pad(stack)
    for act in ("cancel", "sign"):
        stack.act(act)
        pad.post("TabletState/1", "Sign")
        pad.wait_for_signature()
    assert len(pad.get("SigString")) > 30


def test_a_page_that_was_left_ends_its_own_capture_only(stack):
    stack.act("leave")
    pad = Pad(stack)
    pad.post("TabletState/1", "Sign")
    stack.wait_for_page("signing")
    capture = json.loads(pad.get("State"))["capture"]
    pad.post("Reset/00000000000000000000000000000000")
    assert json.loads(pad.get("State"))["capture"] == capture
    pad.post(f"Reset/{capture}")
    stack.wait_for_page("idle")


def test_values_are_kept(web, application):
    page = page_of(web, application)
    names = page.evaluate("Object.keys(window).filter((name) => /^Set/.test(name) && window['Get' + name.slice(3)])")
    kept = [name[3:] for name in names if name not in ("SetTabletState", "SetSigString", "SetTabletData")]
    assert len(kept) > 55
    for name in kept:
        assert page.evaluate(f"Set{name}(17), Get{name}()") == "17", name
