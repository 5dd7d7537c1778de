# SPDX-License-Identifier: Apache-2.0
"""sigcaptx-compat.js in pages made for Wacom's wgssSigCaptX.js."""

import base64
import hashlib
import io
import json
import time
from pathlib import Path

import pytest
from conftest import Site
from PIL import Image, ImageChops
from support import breadth
from support.firefox import Firefox
from support.waiting import wait_for

SCRIPT = (Path(__file__).parents[3] / "Sources/Gateway/Web/sigcaptx-compat.js").read_text()
# In the order of the maker's demo and of applications: service, control, licence, capture, hash, signature, picture.
PAGE = """<!doctype html><title>Delivery note 4711</title>
<script src="/wgssSigCaptX.js" data-pad="%s" data-session="%s"></script><script>
  let sdk, sigCtl, sigObj, dynCapt
  const events = []
  window.onerror = (text) => { events.push(`error ${text}`) }
  const restart = () => {
    sigCtl = sigObj = dynCapt = null
    sdk = new WacomGSS_SignatureSDK(() => {
      events.push(sdk.running ? "detected" : "not running")
      sigCtl = new sdk.SigCtl((control, status) => {
        if (status !== sdk.ResponseStatus.OK || control !== sigCtl) return
        sigCtl.PutLicence("licence", (_, status) => {
          if (status !== sdk.ResponseStatus.OK) return
          dynCapt = new sdk.DynamicCapture((_, status) => {
            if (status !== sdk.ResponseStatus.OK) return
            sigCtl.GetSignature((_, found, status) => {
              sigObj = found
              if (status === sdk.ResponseStatus.OK) events.push(document.documentElement.dataset.is = "ready")
            })
          })
        })
      })
    }, 8000)
  }
  // What a member's callback gets after its object.
  const ask = (object, member, ...values) => new Promise((done) => {
    object[member](...values, (self, ...answers) => { done(self === object ? answers : "another object") })
  })
  const makeHash = (...values) => new Promise((done) => {
    const hash = new sdk.Hash(async (made, status) => {
      const statuses = [status, ...await ask(hash, "Clear"), ...await ask(hash, "PutType", sdk.HashType.HashMD5)]
      const variant = new sdk.Variant()
      for (const value of values) {
        variant.Set(value)
        statuses.push(...await ask(hash, "Add", variant))
      }
      done(made === hash && statuses.every((one) => one === sdk.ResponseStatus.OK) ? hash : null)
    })
  })
  const capture = async (hash = null, who = "Anna Müller", why = "Goods received") => {
    const [found, status] = await ask(dynCapt, "Capture", sigCtl, who, why, hash, null)
    if (status === sdk.DynamicCaptureResult.DynCaptOK) sigObj = found
    return status
  }
  const draw = (flags, format = "png", ink = 0x000000, paper = 0xFFFFFF) =>
    ask(sigObj, "RenderBitmap", format, 400, 90, 0.7, ink, paper, flags, 4, 4)
  const text = (...values) => draw(sdk.RBFlags.RenderOutputBase64 | sdk.RBFlags.RenderColor32BPP, ...values)
  restart()
</script>"""


@pytest.fixture
def page(web, application):
    def open_page(session: str = "", **members):
        web.site.add("wgssSigCaptX.js", SCRIPT)
        pad = f"http://127.0.0.1:{web.gateway.port}"
        page = application(web.site.add("sigcaptx.html", PAGE % (pad, session or web.session(**members))))
        wait_for(lambda: page.evaluate("events.at(-1)") == "ready")
        return page
    return open_page


def summary(web, reference: str) -> dict:
    capture = json.loads(base64.b64decode(reference))["capture"]
    return web.gateway.request("GET", f"/v1/captures/{capture}/metadata.json", web.token).json["summary"]


def picture(answers: list) -> Image.Image:
    data, status = answers
    assert status == 0, answers
    image = Image.open(io.BytesIO(base64.b64decode(data)))
    assert image.size == (400, 90)
    return image


def colors(answers: list) -> list:
    """The most frequent two."""
    found = picture(answers).convert("RGB").getcolors(36000)
    return [color for _, color in sorted(found, reverse=True)[:2]]


def test_a_page_signs_and_gets_the_picture(web, page):
    application = page()
    assert application.evaluate("events") == ["detected", "ready"]
    assert application.evaluate("ask(sigObj, 'GetIsCaptured')") == [False, 0]
    assert application.evaluate("capture()") == 0
    assert application.evaluate("ask(sigObj, 'GetIsCaptured')") == [True, 0]
    image = picture(application.evaluate("text()"))
    assert image.format == "PNG" and image.convert("L").getextrema() == (0, 255)
    reference, status = application.evaluate("ask(sigObj, 'GetSigText')")
    assert status == 0 and json.loads(base64.b64decode(reference))["seal"]["digest"]
    shown = summary(web, reference)
    assert (shown["prompt"], shown["signer"], shown["reason"]) == (
        ["Delivery note 4711"], "Anna Müller", "Goods received")
    assert application.evaluate("ask(sigObj, 'GetWho')") == ["Anna Müller", 0]
    assert application.evaluate("ask(sigObj, 'GetWhy')") == ["Goods received", 0]
    when = application.evaluate("ask(sigObj, 'GetWhen', sdk.TimeZone.TimeLocal).then(([when]) => when.toISOString())")
    assert when == shown["endedAt"].replace("Z", ".000Z")
    assert application.evaluate("ask(sigCtl, 'GetSignature').then(([found]) => found === sigObj)") is True
    assert application.evaluate("ask(sigObj, 'GetAdditionalData', sdk.CaptData.CaptMachineOS)") == ["Inkpanel", 0]
    assert application.evaluate("ask(sigObj, 'Clear')") == [0]
    assert application.evaluate("ask(sigObj, 'GetIsCaptured')") == [False, 0]
    assert application.evaluate("text()") == [None, 1]
    assert summary(web, reference)["outcome"]["result"] == "accepted", "the record stays"
    assert not [event for event in application.evaluate("events") if event.startswith("error")]


def test_pictures_have_the_form_and_the_colours_that_the_page_asks_for(page):
    application = page()
    assert application.evaluate("capture()") == 0
    # The lowest byte of these colours is red.
    assert colors(application.evaluate("text('image/png', 0x0000FF, 0xFF0000)")) == [(0, 0, 255), (255, 0, 0)]
    assert colors(application.evaluate("text('png', '0R 0.8G 0B', '1R 1G 1B')")) == [(255, 255, 255), (0, 204, 0)]
    clear = "sdk.RBFlags.RenderOutputBase64 | sdk.RBFlags.RenderBackgroundTransparent"
    assert picture(application.evaluate(f"draw({clear})")).convert("RGBA").getpixel((0, 0))[3] == 0
    image = picture(application.evaluate(f"draw({clear}, 'webp')"))
    assert image.format == "WEBP" and image.convert("RGBA").getpixel((0, 0))[3] == 0
    image = picture(application.evaluate("text('bmp', 0x0000FF)"))
    plain = picture(application.evaluate("text('png', 0x0000FF)")).convert("RGB")
    assert image.format == "BMP" and ImageChops.difference(image, plain).getbbox() is None
    image = picture(application.evaluate("text('jpg')"))
    assert image.format == "JPEG" and min(image.getpixel((0, 0))) > 240
    shown = application.evaluate("""async () => {
        const [bitmap, status] = await draw(sdk.RBFlags.RenderOutputPicture | sdk.RBFlags.RenderColor24BPP, "bmp")
        document.body.append(bitmap.image)
        return [status, bitmap.isBase64, bitmap.image.naturalWidth, bitmap.image.src.slice(0, 22)]
    }""")
    assert shown == [0, True, 400, "data:image/bmp;base64,"]
    for wrong in ("text('tiff')", "text('png', 'red')", "text('png', 0, -1)", "draw(0)",
                  "ask(sigObj, 'RenderBitmap', 'png', 0, 0, 1, 0, 0, sdk.RBFlags.RenderOutputBase64, 0, 0)"):
        assert application.evaluate(wrong) == [None, 1], wrong


def test_a_page_hears_of_cancel(web, page):
    web.act("cancel")
    application = page()
    assert application.evaluate("capture()") == application.evaluate("sdk.DynamicCaptureResult.DynCaptCancel") == 1
    assert application.evaluate("ask(sigObj, 'GetIsCaptured')") == [False, 0]
    # The session is still good for a signature.
    web.act("sign")
    assert application.evaluate("capture()") == 0


def test_a_page_hears_of_a_start_that_fails(web, page, application):
    results = "sdk.DynamicCaptureResult.DynCaptError", "sdk.DynamicCaptureResult.DynCaptPadError"
    opened = page("ipt_wrong")
    error, busy = (opened.evaluate(name) for name in results)
    assert opened.evaluate("capture()") == error
    opened.evaluate("() => { window.inkpanelSession = async () => { throw new Error('logged out') } }")
    assert opened.evaluate("capture()") == error
    web.act("leave")
    opened.evaluate("window.inkpanelSession = '%s'" % web.session())
    opened.evaluate("() => { window.first = capture() }")
    web.wait_for_page("signing")
    assert opened.evaluate("capture()") == busy, "one signature at a time"
    web.act("sign")
    assert opened.evaluate("first") == 0
    # The session was for one.
    assert opened.evaluate("capture()") == error
    opened.evaluate("window.inkpanelSession = { pad: 'http://127.0.0.1:9', session: 'ipt_x' }")
    assert opened.evaluate("capture()") == busy
    opened.evaluate("events.length = 0; restart()")
    # Playwright tells what is on the console when it is asked something.
    wait_for(lambda: opened.evaluate("sdk.running") is False and any(
        "there is no gateway" in line for line in application.console))
    assert opened.evaluate("events") == []


def test_without_a_panel_a_page_hears_that_there_is_no_pad(own, chromium):
    site = Site()
    stack = own(origins=(site.origin,))
    site.add("wgssSigCaptX.js", SCRIPT)
    context = chromium.new_context()
    opened = context.new_page()
    opened.goto(site.add("page.html", PAGE % (f"http://127.0.0.1:{stack.gateway.port}", stack.session())))
    wait_for(lambda: opened.evaluate("events.at(-1)") == "ready")
    stack.panel.kill()
    assert opened.evaluate("capture()") == 100
    context.close()


def test_a_reference_draws_the_signature_again(web, page):
    session = web.session()
    application = page(session)
    assert application.evaluate("capture()") == 0
    drawn = application.evaluate("text()")
    # Some pages add something of their own before they go on.
    assert application.evaluate("ask(sigObj, 'PutExtraData', 'Straße', 'Marktplatz 1')") == [0]
    assert application.evaluate("ask(sigObj, 'GetExtraData', 'Straße')") == ["Marktplatz 1", 0]
    reference = application.evaluate("ask(sigObj, 'GetSigText')")[0]
    restored = "(reference) => { sigObj = new sdk.SigObj(); return ask(sigObj, 'PutSigText', reference) }"
    assert application.evaluate(restored, reference) == [0] and application.evaluate("text()") == drawn
    # After a reload the session reads the record.
    application = page(session)
    assert application.evaluate(restored, reference) == [0] and application.evaluate("text()") == drawn
    assert application.evaluate("ask(sigObj, 'GetWho')") == ["Anna Müller", 0]
    assert application.evaluate("ask(sigObj, 'GetExtraData', 'Straße')") == ["Marktplatz 1", 0]
    assert application.evaluate("ask(sigObj, 'GetSigText')") == [reference, 0]
    assert application.evaluate("ask(sigObj, 'GetSigData').then(([data]) => data.base64)") == reference
    again = "ask(sigObj, 'GetSigData').then(([data]) => ask(sigObj, 'PutSigData', data))"
    assert application.evaluate(again) == [0] and application.evaluate("text()") == drawn
    unknown = base64.b64encode(json.dumps({"capture": "20261126-191959-6b6f499fba2b4f13"}).encode()).decode()
    for wrong in (unknown, "", "no Base64", base64.b64encode(b"null").decode()):
        assert application.evaluate(restored, wrong) == [1], wrong
        assert application.evaluate("ask(sigObj, 'GetIsCaptured')") == [False, 0]
    # Another page's session does not read it.
    assert page().evaluate(restored, reference) == [1]


def test_what_is_hashed_is_in_the_record(web, page):
    session = web.session(captures=2)
    application = page(session)
    assert application.evaluate("makeHash('Anna', 'Müller', 4711).then((hash) => capture(hash))") == 0
    reference = application.evaluate("ask(sigObj, 'GetSigText')")[0]
    digest = hashlib.sha256('["Anna","Müller",4711]'.encode()).hexdigest()
    assert summary(web, reference)["document"]["sha256"] == digest
    check = "(values) => makeHash(...values).then((hash) => ask(sigObj, 'CheckSignedData', hash))"
    good, bad, none, uncertain = (application.evaluate(f"sdk.SignedData.Data{name}") for name in (
        "Good", "BadHash", "NoHash", "Uncertain"))
    assert application.evaluate(check, ["Anna", "Müller", 4711]) == [good]
    assert application.evaluate(check, ["Anna", "Müller", "4711"]) == [bad]
    assert application.evaluate("ask(sigObj, 'CheckIntegrity', null)") == [6]
    application = page(session)
    assert application.evaluate("(reference) => ask(sigObj, 'PutSigText', reference)", reference) == [0]
    assert application.evaluate(check, ["Anna", "Müller", 4711]) == [uncertain], "this page has no digests"
    assert application.evaluate("capture()") == 0 and application.evaluate(check, ["Anna"]) == [none]
    # More than a request may have.
    assert application.evaluate("makeHash('x'.repeat(70000)).then((hash) => capture(hash))") == 101


def test_what_is_not_supported_is_refused(web, page, application):
    opened = page()
    assert opened.evaluate("ask(sigCtl, 'AboutBox')") == [1]
    assert opened.evaluate("ask(sigCtl, 'GetInkColor')") == [None, 1]
    assert opened.evaluate("ask(sigObj, 'GetInk')") == [None, 1]
    assert opened.evaluate("ask(sigObj, 'ReadEncodedBitmap', 'sig.png')") == [1]
    assert opened.evaluate("ask(dynCapt, 'NoSuchMember', 1, 2)") == [1]
    made = "new Promise((done) => { const made = new sdk.%s((self, status) => done([self === made, status])) })"
    for name in ("WizCtl", "InputObj", "Key"):
        assert opened.evaluate(made % name) == [True, 1]
    assert opened.evaluate("""() => new Promise((done) => {
        const wizard = new sdk.WizCtl(() => wizard.PadConnect((_, ...answers) => done(answers)))
    })""") == [None, 1]
    for values in ("sigCtl, 'A', 'B', null, new sdk.Key()", "{}, 'A', 'B', null, null"):
        assert opened.evaluate(f"ask(dynCapt, 'Capture', {values}).then((all) => all[1])") == 101
    assert not web.status().get("running")
    assert [line for line in application.console if "SigCtl.AboutBox: is not supported" in line]
    # Values that only the maker's own windows have.
    assert opened.evaluate("ask(dynCapt, 'SetProperty', 'CaptureInkColor', '1,0,0')") == [0]
    for key, value in (("CaptureInkColor", "1,0,0"), ("Component_FileVersion", "1.25.4")):
        assert opened.evaluate("(key) => ask(dynCapt, 'GetProperty', key).then((all) => all[0].text)", key) == value
    assert opened.evaluate("ask(sigCtl, 'GetLicence')") == ["licence", 0]


def test_a_page_that_is_left_or_ends_its_service_gives_the_pad_back(web, page):
    web.act("leave")
    application = page(captures=2)
    application.evaluate("() => { window.first = capture() }")
    web.wait_for_page("signing")
    application.evaluate("new Promise((done) => sdk.destroySession(done))")
    assert application.evaluate("first") == 1
    web.wait_for_page("idle")
    web.act("leave")
    application.evaluate("() => { capture() }")
    web.wait_for_page("signing")
    began = time.monotonic()
    application.goto(web.site.add("other.html", "<title>Other</title>"))
    web.wait_for_page("idle")
    assert time.monotonic() - began < 20


@breadth.long
def test_a_page_signs_in_firefox(own, tmp_path):
    site = Site()
    # Firefox asks no resolver for names of localhost, and computes digests for them.
    origin = site.origin.replace("till.test", "till.localhost")
    stack = own(origins=(origin,))
    site.add("wgssSigCaptX.js", SCRIPT)
    page = site.add("page.html", PAGE % (f"http://127.0.0.1:{stack.gateway.port}", stack.session()))
    (tmp_path / "profile").mkdir()
    firefox = Firefox(tmp_path / "profile")
    try:
        firefox.go(page.replace(site.origin, origin))
        firefox.wait("return document.documentElement.dataset.is === 'ready'")
        # Scripts of the protocol do not see what the page declares.
        firefox.run("""const script = document.createElement("script")
            script.textContent = `(async () => {
              const hash = await makeHash("Anna")
              const answers = [await capture(hash), ...await text("bmp"), ...await ask(sigObj, "GetSigText")]
              return [...answers, ...await ask(sigObj, "CheckSignedData", hash)]
            })().catch((error) => error.message).then((all) => {
              document.documentElement.dataset.answers = JSON.stringify(all)
            })`
            document.body.append(script)""")
        status, data, drawn, reference, read, checked = json.loads(
            firefox.wait("return document.documentElement.dataset.answers"))
        assert (status, drawn, read, checked) == (0, 0, 0, 0)
        assert Image.open(io.BytesIO(base64.b64decode(data))).format == "BMP"
        digest = hashlib.sha256(b'["Anna"]').hexdigest()
        assert summary(stack, reference)["document"] == {"sha256": digest}
    finally:
        firefox.stop()
