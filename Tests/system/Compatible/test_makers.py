# SPDX-License-Identifier: Apache-2.0
"""The makers' own libraries, unmodified, in Chromium: those that are in the folder of `make compat-test FILES=FOLDER`.
None may be copied into this tree. Only the address is changed, as an application would."""

import base64
import io
import json
import os
from pathlib import Path

import pytest
from PIL import Image
from test_sigcaptx import SCRIPT as SIGCAPTX
from test_sigweb import PAGE
from support.waiting import wait_for

FOLDER = os.environ.get("FILES", "")


def files(pattern: str) -> list:
    found = sorted(Path(FOLDER).rglob(pattern)) if FOLDER else []
    return [pytest.param(path, id=str(path.relative_to(FOLDER))) for path in found] or [
        pytest.param(None, marks=pytest.mark.skip(f"no {pattern} in FILES"))]


# MARK: signotec's STPadServerLib

LIBRARY = """<!doctype html><title>Application</title><script src="/library.js"></script><script>
  const { STPadServerLibCommons: commons, STPadServerLibDefault: pad, STPadServerLibApi: api } =
    window.STPadServerLib ?? window
  const events = []
  let points = 0
  commons.handleNextSignaturePoint = () => { points += 1 }
  commons.handleDisconnect = () => events.push("disconnect")
  for (const name of ["RetrySignature", "ConfirmSignature", "CancelSignature", "ConfirmSelection", "CancelSelection"]) {
    pad[`handle${name}`] = () => events.push(name)
  }
  pad.handleSelectionChange = (id, checked) => events.push(`${id} ${checked}`)
  const connect = (url) => new Promise((done, fail) => commons.createConnection(url, done, fail, fail)).then(() => "open")
  const params = (name, ...values) => new pad.Params[name](...values)
  const start = (text) => {
    const request = params("startSignature")
    request.setFieldName("Signature 1")
    request.setCustomText(text)
    return pad.startSignature(request)
  }
</script>"""


@pytest.fixture
def library(web, application, request):
    web.site.add("library.js", request.param.read_bytes())
    page = application(web.site.add("library.html", LIBRARY))

    def connect(**members):
        url = f"ws://127.0.0.1:{web.gateway.port}/compat/signotec/{web.session(**members)}"
        assert page.evaluate("connect(%r)" % url) == "open"
        assert page.evaluate("pad.openPad(params('openPad', 0))")["padInfo"]["displayWidth"] == 800
    page.connect = connect
    page.wait_for_event = lambda name: wait_for(lambda: name in page.evaluate("events"))
    return page


signotec = pytest.mark.parametrize("library", files("STPadServerLib*.js"), indirect=True)


@signotec
def test_signotecs_library_signs(library):
    library.connect(scopes=["capture", "record", "mirror:ink"])
    found = library.evaluate("pad.searchForPads(params('searchForPads'))")["foundPads"]
    assert len(found) == 1 and found[0]["capabilities"] == "0"
    library.evaluate("start('Please sign!')")
    library.wait_for_event("ConfirmSignature")
    assert library.evaluate("points") > 100
    assert library.evaluate("pad.confirmSignature()")["countedPoints"] > 100
    picture = library.evaluate("""() => {
        const request = params('getSignatureImage')
        request.setFileType(pad.FileType.PNG)
        request.setPenWidth(5)
        return pad.getSignatureImage(request)
    }""")["file"]
    assert Image.open(io.BytesIO(base64.b64decode(picture))).format == "PNG"
    assert "capture" in json.loads(base64.b64decode(library.evaluate("pad.getSignatureData()")["signData"]))
    library.evaluate("pad.closePad(params('closePad', 0))")
    library.evaluate("commons.destroyConnection()")


@signotec
def test_signotecs_library_hears_of_boxes_and_of_a_cancel(web, library):
    library.connect()
    library.evaluate("""() => {
        const request = params('startSelectionDialog')
        request.addCheckboxInformation([
            { id: 'news', text: 'Send me news', checked: false, required: false },
            { id: 'terms', text: 'I have read the terms', checked: false, required: true }])
        return pad.startSelectionDialog(request)
    }""")
    library.wait_for_event("ConfirmSelection")
    assert "terms TRUE" in library.evaluate("events")
    web.act("cancel")
    library.evaluate("start('Please sign!')")
    library.wait_for_event("CancelSignature")
    library.evaluate("pad.cancelSignature()")


@signotec
def test_signotecs_library_gets_errors(library):
    library.connect()
    failure = "(error) => [error.errorCode, error.errorMessage]"
    assert library.evaluate(f"pad.confirmSignature().catch({failure})") == [-1, "No signature runs."]
    code, text = library.evaluate(f"api.RSA.getEncryptionCertId().catch({failure})")
    assert code == -1 and "has no TOKEN_CMD_API_RSA" in text
    library.evaluate("start('Sign')")
    library.evaluate("pad.retrySignature()")
    library.evaluate("pad.cancelSignature()")


@signotec
def test_signotecs_library_signs_in_the_api_mode(web, library):
    library.connect()
    library.evaluate("pad.closePad(params('closePad', 0))")
    library.evaluate("""async () => {
        await api.Device.open(new api.Device.Params.open(0))
        const spots = []
        for (const left of [100, 350, 600]) {
            const spot = await api.Sensor.addHotSpot(new api.Sensor.Params.addHotSpot(left, 4, 48, 48))
            spots.push(spot.hotspotId)
        }
        api.Sensor.handleHotSpotPressed = (id) => { events.push(`hot spot ${spots.indexOf(id)}`) }
        await api.Display.setTextInRect(
            new api.Display.Params.setTextInRect(40, 86, 720, 40, 3, "Please sign!", 0))
        await api.Signature.start()
    }""")
    library.wait_for_event("hot spot 2")
    assert library.evaluate("api.Signature.confirm()")["countedPoints"] > 100
    picture = library.evaluate("""api.Signature.saveAsStreamEx(
        new api.Signature.Params.saveAsStreamEx(300, 0, 0, 1, 5, "0x00ff0000", 0))""")["image"]
    assert Image.open(io.BytesIO(base64.b64decode(picture))).format == "PNG"
    assert "capture" in json.loads(base64.b64decode(library.evaluate("api.Signature.getSignData()")["signData"]))


# MARK: Topaz's SigWebTablet.js

@pytest.mark.parametrize("script", files("*SigWebTablet*.js"))
def test_topazs_library_signs(web, application, script):
    web.site.add("SigWebTablet.js", script.read_bytes())
    html = PAGE.replace("/sigweb-compat.js", "/SigWebTablet.js").replace(
        "let tmr", f"baseUri = 'http://127.0.0.1:{web.gateway.port}/compat/sigweb/{web.session()}/SigWeb/'; let tmr")
    page = application(web.site.add("topaz.html", html))
    assert page.evaluate("onDone()") is False
    assert page.evaluate("onSign()") == "1"
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    assert int(page.evaluate("NumberOfTabletPoints()")) > 100 and page.evaluate("onDone()") is True
    picture = wait_for(lambda: page.evaluate("result.picture"))
    image = Image.open(io.BytesIO(base64.b64decode(picture)))
    assert image.size == (400, 80) and image.convert("L").getextrema()[0] < 100
    assert "capture" in json.loads(base64.b64decode(page.evaluate("result.text")))


@pytest.mark.parametrize("script", files("*SigWebTablet*.js"))
def test_topazs_library_hears_that_the_person_has_cancelled(web, application, script):
    web.act("cancel")
    web.site.add("SigWebTablet.js", script.read_bytes())
    html = PAGE.replace("/sigweb-compat.js", "/SigWebTablet.js").replace(
        "let tmr", f"baseUri = 'http://127.0.0.1:{web.gateway.port}/compat/sigweb/{web.session()}/SigWeb/'; let tmr")
    page = application(web.site.add("topaz.html", html))
    page.evaluate("onSign()")
    wait_for(lambda: page.evaluate("GetTabletState()") == "0")
    assert page.evaluate("onDone()") is False


# MARK: Wacom's demo page, with sigcaptx-compat.js in place of wgssSigCaptX.js

def open_demo(web, application, demo: Path):
    """The page, and a function that waits for what it reports."""
    for script in demo.parent.glob("*.js"):
        web.site.add(script.name, script.read_bytes())
    web.site.add("wgssSigCaptX.js", SIGCAPTX)
    tag = '<script src="wgssSigCaptX.js"'
    html = demo.read_text()
    assert tag in html
    if 'src="https://' in html:
        pytest.skip("it loads libraries of others")
    pad = f"http://127.0.0.1:{web.gateway.port}"
    html = html.replace(tag, f'{tag} data-pad="{pad}" data-session="{web.session()}"')
    page = application(web.site.add("wacom.html", html))

    def wait_for_text(text: str) -> None:
        wait_for(lambda: text in page.input_value("#txtDisplay"))
    wait_for_text("application ready")
    return page, wait_for_text


@pytest.mark.parametrize("demo", files("SigCaptX-Capture.html"))
def test_wacoms_demo_signs_verifies_and_restores(web, application, demo):
    page, wait_for_text = open_demo(web, application, demo)
    page.click("#chkShowSigText")
    page.click("[value=Capture]")
    wait_for_text("captured successfully")
    wait_for(lambda: page.input_value("#txtSignature"))
    shown = "document.querySelector('#imageBox img')?.naturalWidth"
    assert page.evaluate(shown) > 100
    page.click("[value=Verify]")
    wait_for_text("Signed Data OK")
    page.click("[value='Signature Details']")
    wait_for_text("Reason: Document Approval")
    page.click("[value=Clear]")
    wait_for(lambda: page.evaluate(shown) is None)
    page.click("[value=Restore]")
    wait_for(lambda: page.evaluate(shown))


@pytest.mark.parametrize("demo", files("SigCaptX-Wizard.html"))
def test_wacoms_wizard_hears_that_it_is_refused(web, application, demo):
    page, wait_for_text = open_demo(web, application, demo)
    page.click("#btnStartStopWizard")
    wait_for_text("WizCtl Constructor error: 1")
