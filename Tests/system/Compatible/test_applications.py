# SPDX-License-Identifier: Apache-2.0
"""Pages of our own that do what makers' demos and applications do."""

import base64
import io
import time

import pytest
from conftest import Site
from PIL import Image
from test_sigweb import SCRIPT

# The order of calls is that of Topaz's demo (ClearTablet before each start).
SIGWEB = """<!doctype html><title>Application</title><canvas id="cnv" width="500" height="100"></canvas>
<script src="/sigweb-compat.js" data-pad="%s" data-prompt="Sign"></script><script>
  let tmr = null
  const context = document.getElementById("cnv").getContext("2d")
  function onSign() { SetTabletState(0, tmr); ClearTablet(); tmr = SetTabletState(1, context, 50) }
  window.onbeforeunload = () => { Reset(); clearInterval(tmr) }
</script>"""


@pytest.fixture
def pad(own_pen, chromium):
    """A page with sigweb-compat.js, and a pen."""
    stack, site = own_pen.stack, Site()
    site.add("sigweb-compat.js", SCRIPT)
    # The gateway knows the origins of its configuration only.
    stack.gateway.kill()
    stack.gateway.config.write_text(f'[gateway]\nnames = ["pad.example"]\norigins = ["{site.origin}"]\n')
    stack.gateway.start()
    stack.origin = site.origin
    context = chromium.new_context()
    page = context.new_page()

    def open_page(**members):
        session = stack.session(**members)
        page.goto(site.add("page.html", SIGWEB % f"http://127.0.0.1:{stack.gateway.port}/compat/sigweb/{session}"))
        page.base = f"/compat/sigweb/{session}/SigWeb/"
        return page
    yield stack, own_pen, site, open_page
    context.close()


def start(stack, page):
    page.evaluate("onSign()")
    stack.wait_for_page("signing")


def test_leaving_the_page_gives_the_pad_back(pad):
    """Chromium refuses synchronous XMLHttpRequest in unload handlers, such as that of Reset()."""
    stack, _, site, open_page = pad
    page = open_page()
    start(stack, page)
    began = time.monotonic()
    page.goto(site.add("other.html", "<title>Other</title>"))
    stack.wait_for_page("idle")
    # Not by the limit of a minute.
    assert time.monotonic() - began < 20


def test_clear_tablet_before_the_first_start_removes_old_ink(pad):
    """After a reload the script knows no capture."""
    stack, pen, _, open_page = pad
    page = open_page()
    start(stack, page)
    pen.sign()
    page.evaluate("window.onbeforeunload = null")
    page.reload()
    page.evaluate("onSign()")
    time.sleep(1)
    assert page.evaluate("NumberOfTabletPoints()") == "0"


def test_the_canvas_has_ink_when_the_page_ends_the_signature(pad):
    """An application (student cards) stores canvas.toDataURL(), also without the scope mirror:ink."""
    stack, pen, _, open_page = pad
    page = open_page()
    start(stack, page)
    pen.sign()
    time.sleep(1)
    page.evaluate("SetTabletState(0, tmr); GetSigString()")
    time.sleep(0.5)
    data = page.evaluate("document.getElementById('cnv').toDataURL().split(',')[1]")
    assert Image.open(io.BytesIO(base64.b64decode(data))).getextrema()[3][1] > 0, "the picture is empty"


def test_whoever_reads_the_canvas_after_the_end_gets_the_signature(pad):
    """The same application, if it asks for nothing at all: reading the picture is asking for the signature."""
    stack, pen, _, open_page = pad
    page = open_page()
    start(stack, page)
    assert page.evaluate("document.getElementById('cnv').toDataURL()") and stack.status()["page"] == "signing"
    pen.sign()
    data = page.evaluate("(SetTabletState(0, tmr), document.getElementById('cnv').toDataURL().split(',')[1])")
    assert Image.open(io.BytesIO(base64.b64decode(data))).getextrema()[3][1] > 200
    assert stack.status()["page"] != "signing", "it was accepted"


def test_get_sig_image_calls_back_without_ink(pad):
    """The maker's library calls back with an empty picture, for which applications wait."""
    stack, _, _, open_page = pad
    page = open_page()
    start(stack, page)
    assert page.evaluate("new Promise((done) => { setTimeout(() => done('never'), 3000);"
                         " GetSigImageB64((text) => done('called back')) })") == "called back"


def test_a_start_that_fails_is_told(pad):
    """Otherwise the clerk reads "please sign", and the pad rests."""
    stack, pen, _, open_page = pad
    page = open_page()
    start(stack, page)
    pen.sign()
    page.evaluate("GetSigString()")
    stack.wait_for_page("thanks", "idle")
    alerts = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.accept()))
    failed = page.evaluate("(() => { try { onSign(); return false } catch { return true } })()")
    assert failed or alerts


def test_names_with_more_parts_are_refused_and_not_unknown(stack):
    """The library's paths of these have another form."""
    session = stack.session()
    for method, name in (("GET", "PointXValue/0/0"), ("POST", "LcdWriteImageStream/")):
        answer = stack.gateway.request(
            method, f"/compat/sigweb/{session}/SigWeb/{name}", None, None, Origin=stack.origin)
        assert answer.status == 501, (name, answer.status)


# MARK: signotec

def test_a_confirmation_text_is_shown_or_refused(stack):
    """Interface 3.5 has CONFIRMATION_TEXT, earlier ones do not."""
    stack.act("leave")
    socket = stack.open("signotec")
    def request(command, **parameters):
        socket.send({"TOKEN_TYPE": "TOKEN_TYPE_REQUEST", "TOKEN_CMD": "TOKEN_CMD_" + command,
                     **{"TOKEN_PARAM_" + name: value for name, value in parameters.items()}})
        return socket.receive()
    request("OPEN_PAD", PAD_INDEX="0")
    answer = request("SIGNATURE_START", CUSTOM_TEXT="Rules of the club", CONFIRMATION_TEXT="I owe 4711 EUR",
                     PAD_ENCRYPTION="FALSE")
    socket.close()
    assert int(answer["TOKEN_PARAM_RETURN_CODE"]) < 0


# MARK: StepOver

def stepover(stack):
    socket = stack.open("stepover")
    def request(kind, number, **data):
        socket.send({"type": kind, "data": {"messageId": number, **data}})
        while (answer := socket.receive())["messageId"] != number or answer["type"].startswith("on"):
            pass
        return answer
    return socket, request


def test_the_picture_can_be_fetched_while_the_person_signs(own_pen):
    """The one public StepOver page asks for getSignatureImage every 200 ms from startSigning on, shows it, and stops
    asking at onStaticAppletSignatureFinished."""
    own_pen.stack.origin = "https://till.example"
    socket, request = stepover(own_pen.stack)
    assert request("startSigning", "1", x=0, y=0, width=1, height=1)["type"] == "response"
    own_pen.stack.wait_for_page("signing")
    own_pen.sign()
    answer = request("getSignatureImage", "2", width=600, height=300, withAlpha=False)
    socket.close()
    assert answer["type"] == "response", answer


def test_restart_is_answered(stack):
    """signsocket.js has signSocketRestart, type "restart"."""
    socket, request = stepover(stack)
    answer = request("restart", "1")
    socket.close()
    assert answer["type"] == "response", answer
