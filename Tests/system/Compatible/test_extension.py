# SPDX-License-Identifier: Apache-2.0
"""inkpanel-extension.js in pages made for the browser extensions SigPlusExtLite and SigCaptureWeb."""

import base64
import io
import json
import os
import shutil
import time
from pathlib import Path

import pytest
from conftest import Site
from PIL import Image
from support import breadth
from support.firefox import Firefox
from support.waiting import wait_for

TOP = Path(__file__).parents[3]
SCRIPT = (TOP / "Sources/Gateway/Web/inkpanel-extension.js").read_text()
# In the order of the makers' demos; the element goes at once, as in some applications.
PAGE = """<!doctype html><title>Delivery note 4711</title><canvas id="cnv" width="400" height="90"></canvas>
<script src="/inkpanel-extension.js" data-pad="%s" data-session="%s"></script><script>
  window.answers = []
  const makers = {
    topaz: ["SigPlusExtLiteExtension-installed", "MyExtensionDataElement", "messageAttribute", "SignStartEvent",
            "SignResponse", "msgAttribute"],
    epad: ["SigCaptureWebExtension-installed", "SigCaptureWeb_ExtnDataElem", "SigCaptureWeb_MsgAttribute",
           "SigCaptureWeb_SignStartEvent", "SigCaptureWeb_SignResponse", "SigCaptureWeb_msgAttri"],
  }
  function start(maker, more) {
    const [mark, tag, request, startEvent, response, answer] = makers[maker]
    if (!document.documentElement.getAttribute(mark)) return "not installed"
    const { width, height } = document.getElementById("cnv")
    const message = {
      firstName: "", lastName: "", eMail: "", location: "", imageFormat: 1, imageX: width, imageY: height,
      imageTransparency: false, imageScaling: false, maxUpScalePercent: 0.0, rawDataFormat: "ENC", minSigPoints: 25,
      ...more }
    top.document.addEventListener(response, (event) => {
      answers.push(JSON.parse(event.target.getAttribute(answer)))
    }, { once: true })
    const element = document.createElement(tag)
    element.setAttribute(request, JSON.stringify(message))
    document.documentElement.appendChild(element)
    const event = document.createEvent("Events")
    event.initEvent(startEvent, true, false)
    element.dispatchEvent(event)
    document.documentElement.removeChild(element)
    return "started"
  }
</script>"""


@pytest.fixture
def page(web, application):
    def open_page(session: str = "", **members):
        web.site.add("inkpanel-extension.js", SCRIPT)
        pad = f"http://127.0.0.1:{web.gateway.port}"
        return application(web.site.add("extension.html", PAGE % (pad, session or web.session(**members))))
    return open_page


def summary(web, reference: str, token: str = "") -> dict:
    capture = json.loads(base64.b64decode(reference))["capture"]
    return web.gateway.request("GET", f"/v1/captures/{capture}/metadata.json", token or web.token).json["summary"]


@pytest.mark.parametrize("maker", ["topaz", "epad"])
def test_a_page_of_an_extension_signs_and_gets_the_picture(web, page, maker):
    application = page()
    person = {"firstName": "Anna", "lastName": "Müller", "location": "Berlin"}
    assert application.evaluate("([maker, more]) => start(maker, more)", [maker, person]) == "started"
    answer = wait_for(lambda: application.evaluate("answers[0]"))
    assert answer["isSigned"] is True and not answer["errorMsg"]
    image = Image.open(io.BytesIO(base64.b64decode(answer["imageData"])))
    assert image.size == (400, 90) and image.convert("L").getextrema()[0] < 100
    shown = summary(web, answer["sigString"])
    assert shown["prompt"] == ["Delivery note 4711"] and shown["signer"] == "Anna Müller"
    assert shown["rows"] == [{"label": "Location", "value": "Berlin"}]


def test_a_page_hears_of_cancel_and_of_failures(web, page):
    web.act("cancel")
    application = page()
    application.evaluate("start('topaz')")
    assert wait_for(lambda: application.evaluate("answers[0]")) == {"isSigned": False, "errorMsg": ""}
    for more in ({}, {"firstName": "x" * 5000}):
        application.evaluate("(more) => { window.inkpanelSession = 'wrong'; start('topaz', more) }", more)
    failed = wait_for(lambda: application.evaluate("answers.length == 3 && answers[2]"))
    assert failed["isSigned"] is False and "wrong" in failed["errorMsg"]


def test_what_is_no_request_is_answered_by_an_error(page):
    application = page()
    application.evaluate("""() => {
        const element = document.createElement("a")
        document.addEventListener("SignResponse", (event) => answers.push(event.target.getAttribute("msgAttribute")))
        document.documentElement.append(element)
        for (const text of ["", "{", "null"]) {
            element.setAttribute("messageAttribute", text)
            element.dispatchEvent(new Event("SignStartEvent", { bubbles: true }))
        }
    }""")
    answers = wait_for(lambda: application.evaluate("answers.length == 3 && answers"))
    assert all(json.loads(answer)["isSigned"] is False and json.loads(answer)["errorMsg"] for answer in answers)


WRAPPER = """async () => {
  const script = document.createElement("script")
  script.src = document.documentElement.getAttribute("SigPlusExtLiteWrapperURL")
  document.body.append(script)
  await new Promise((done) => { script.onload = done })
  await Topaz.Global.Connect()
  await Topaz.Canvas.Sign.StartSign(document.getElementById("cnv"))
}"""
DONE = """async () => {
  const text = await Topaz.Canvas.Sign.GetSigString()
  const picture = await Topaz.Canvas.Sign.GetSignatureImage()
  await Topaz.Canvas.LCDTablet.ClearTablet()
  await Topaz.Canvas.Sign.SetTabletState(0)
  await Topaz.SignatureCaptureWindow.Sign.SignComplete()
  return [text, picture]
}"""


def test_a_page_of_version_3_signs(web, page):
    web.act("leave")
    application = page()
    application.evaluate(WRAPPER)
    web.wait_for_page("signing")
    assert application.evaluate(DONE) == [None, None], "nobody has signed"
    web.wait_for_page("idle")
    application.evaluate("window.inkpanelSession = '%s'" % web.session())
    web.act("sign")
    application.evaluate(WRAPPER)
    wait_for(lambda: application.evaluate("Topaz.Canvas.Sign.GetTabletState()") == 0)
    text, picture = application.evaluate(DONE)
    image = Image.open(io.BytesIO(base64.b64decode(picture.removeprefix("data:image/png;base64,"))))
    assert image.size == (400, 90) and summary(web, text)["prompt"] == ["Delivery note 4711"]
    drawn = application.evaluate("document.getElementById('cnv').toDataURL().split(',')[1]")
    assert Image.open(io.BytesIO(base64.b64decode(drawn))).getextrema()[3][1] > 200
    said = application.evaluate("Topaz.Canvas.LCDTablet.LCDWriteString('x').catch((error) => error.message)")
    assert "Topaz.Canvas.LCDTablet.LCDWriteString is not supported" in said
    assert application.evaluate("Topaz.Global.GetDeviceStatus()") == 1


def test_a_page_that_is_left_gives_the_pad_back(web, page):
    web.act("leave")
    application = page()
    application.evaluate(WRAPPER)
    web.wait_for_page("signing")
    began = time.monotonic()
    application.goto(web.site.add("other.html", "<title>Other</title>"))
    web.wait_for_page("idle")
    assert time.monotonic() - began < 20


# MARK: the extension of the browser

UNCHANGED = PAGE.replace('<script src="/inkpanel-extension.js" data-pad="%s" data-session="%s"></script>', "")


@pytest.fixture
def folder(tmp_path) -> Path:
    """The extension as it is installed: links are files."""
    return Path(shutil.copytree(TOP / "clients/extension", tmp_path / "extension"))


@pytest.fixture
def unchanged(web) -> str:
    """An application's page that knows nothing of us."""
    web.rest()
    yield web.site.add("unchanged.html", UNCHANGED)
    web.rest()


def check_answer(web, answer: dict, token: str) -> None:
    assert answer["isSigned"] is True, answer
    assert Image.open(io.BytesIO(base64.b64decode(answer["imageData"]))).size == (400, 90)
    assert summary(web, answer["sigString"], token)["prompt"] == ["Delivery note 4711"]


def test_pages_that_nobody_can_change_sign_in_chromium_with_the_extension(web, chromium, unchanged, folder, tmp_path):
    context = chromium.browser_type.launch_persistent_context(
        tmp_path / "profile", executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), headless=False, args=[
            "--headless=new", "--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1",
            f"--disable-extensions-except={folder}", f"--load-extension={folder}"])
    worker = context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
    options = context.new_page()
    options.goto(worker.url.replace("background.js", "options.html"))
    options.fill("[name=pad]", f"http://127.0.0.1:{web.gateway.port}")
    token = web.gateway.token("reception", ("capture", "record"))
    options.fill("[name=token]", token)
    options.fill("[name=origins]", web.site.origin + "/")
    options.click("button")
    assert "is no origin" in wait_for(lambda: options.text_content("output"))
    options.fill("[name=origins]", web.site.origin)
    options.click("button")
    wait_for(lambda: "Saved" in options.text_content("output"))
    wait_for(lambda: worker.evaluate("chrome.scripting.getRegisteredContentScripts().then((all) => all.length)") == 2)
    page = context.new_page()
    page.goto(unchanged)
    # Twice: a session is for one signature.
    for number in range(2):
        assert page.evaluate("start('topaz')") == "started"
        check_answer(web, wait_for(lambda: page.evaluate("(number) => answers[number]", number)), token)
    page.evaluate(WRAPPER)
    wait_for(lambda: page.evaluate("Topaz.Canvas.Sign.GetTabletState()") == 0)
    assert page.evaluate(DONE)[1].startswith("data:image/png;base64,")
    # Another origin has neither scripts nor sessions.
    page.goto(unchanged.replace("till.test", "evil.test"))
    assert page.evaluate("start('topaz')") == "not installed"
    context.close()


@breadth.long
def test_pages_that_nobody_can_change_sign_in_firefox_with_the_extension(own, folder, tmp_path):
    site = Site()
    # Firefox asks no resolver for names of localhost.
    origin = site.origin.replace("till.test", "till.localhost")
    page = site.add("unchanged.html", UNCHANGED).replace(site.origin, origin)
    stack = own(origins=(origin,))
    token = stack.gateway.token("office", ("capture", "record"))
    settings = {"pad": f"http://127.0.0.1:{stack.gateway.port}", "token": token, "origins": [origin]}
    background = folder / "background.js"
    background.write_text(f"browser.storage.local.set({json.dumps(settings)})\n" + background.read_text())
    (tmp_path / "profile").mkdir()
    firefox = Firefox(tmp_path / "profile")
    try:
        firefox.call("Addon:Install", path=str(folder), temporary=True)

        def opened() -> bool:
            firefox.go(page)
            return firefox.run("return document.documentElement.getAttribute('SigPlusExtLiteExtension-installed')") == "true"
        wait_for(opened)
        assert firefox.run("return window.start('topaz')") == "started"
        check_answer(stack, json.loads(firefox.wait("return JSON.stringify(window.answers[0])")), token)
    finally:
        firefox.stop()
