# SPDX-License-Identifier: Apache-2.0
"""A contract in the browser, from the call to the signed file: by mouse, by touch, by keyboard, in words."""

import io
import json
import subprocess
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from conftest import Tab
from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas
from support import breadth
from test_form import api, fill_people, linked, page_is
from test_signing import STROKE, Signature, record, show_all
from support.waiting import wait_for

PEOPLE = [{"role": "Customer", "name": "Anna Müller"}, {"role": "Witness", "name": "Ben Okafor", "sees": "Customer"}]
FIELDS = [
    {"person": "Customer", "anchor": "Signature of the customer:", "offset": [0, -60], "label": "Anna Müller"},
    {"person": "Witness", "page": 2, "rect": [320, 240, 480, 290]},
    {"kind": "initials", "person": "Customer", "page": 1, "rect": [440, 50, 520, 80]},
]
QUESTIONS = [
    {"name": "news", "kind": "check", "text": "News by mail, please"},
    {"name": "way", "kind": "choice", "text": "How shall it come?", "choices": ["on paper", "by mail"]},
]


def contract() -> bytes:
    """Two pages with a form."""
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=A4, invariant=1)
    page.drawString(70, 780, "Rental agreement 4711")
    page.acroForm.checkbox(name="consent", x=70, y=440, size=16, tooltip="I agree", fieldFlags="required")
    page.acroForm.radio(name="receipt", value="paper", x=70, y=400, size=16)
    page.acroForm.radio(name="receipt", value="mail", x=120, y=400, size=16)
    page.showPage()
    page.drawString(70, 780, "Terms of the second page")
    page.drawString(70, 300, "Signature of the customer:")
    page.drawString(320, 300, "Signature of the witness:")
    page.save()
    return file.getvalue()


def upload(stack) -> str:
    call = urllib.request.Request(
        f"http://127.0.0.1:{stack.port}/v1/documents", contract(),
        {"Authorization": "Bearer " + stack.token, "Content-Type": "application/pdf"})
    with urllib.request.urlopen(call, timeout=20) as answer:
        return json.loads(answer.read())["id"]


def ask(stack, *, policy=None, **request) -> str:
    document = {"id": upload(stack), "fields": FIELDS, "policy": policy or {}}
    body = {"prompt": ["Rental agreement"], "people": PEOPLE, "document": document, **request}
    return json.loads(api(stack, "/captures", body))["id"]


class Person:
    """Uses the pad in a tab by a mouse or a finger, where the real controls say that the drawn ones are."""

    def __init__(self, stack, tab, pointer: str):
        self.stack, self.tab, self.pointer = stack, tab, pointer

    def stroke(self, places):
        if self.pointer == "touch":
            self.tab.touch(places, [0.5] * len(places))
        else:
            self.tab.draw(places, pointer="mouse")

    def press(self, name: str, label: str | None = None):
        control = self.control(name)
        if label:
            wait_for(lambda: label in plain(control.get_attribute("aria-label")))
        box, pad = control.bounding_box(), self.tab.box
        place = ((box["x"] + box["width"] / 2 - pad["x"]) / pad["width"],
                 (box["y"] + box["height"] / 2 - pad["y"]) / pad["height"])
        self.stroke([place, place])

    def control(self, name: str):
        """By its id, a selector, or its words."""
        place = name if name[0] == "[" else "#" + name if name.islower() else f"[aria-label={name!r}]"
        control = self.tab.page.locator(".over " + place)
        control.wait_for()
        return control

    def open(self, field: str):
        """Presses a field until it opens: a document that still moves takes a press for a touch that stops it."""
        for _ in range(5):
            self.press(field)
            with suppress(AssertionError):
                wait_for(lambda: self.stack.status()["page"] == "signing", 2)
                break
        page_is(self.stack, "signing", self.tab)

    def sign(self, field: str):
        self.open(field)
        self.stroke(STROKE)
        wait_for(lambda: self.stack.status()["running"]["strokes"] == 1)
        self.press("accept")

    def scroll(self):
        """Moves the document up by half a screen, and lets it rest."""
        self.stroke([(0.5, 0.7 - 0.04 * step) for step in range(11)])
        time.sleep(0.4)

    def read(self):
        """Goes to what was not seen, as the button leads."""
        for _ in range(12):
            if "Read on" not in lead(self.tab):
                return
            self.press("lead")
            time.sleep(0.5)


def lead(tab) -> str:
    return plain(tab.page.locator("#lead").get_attribute("aria-label"))


def plain(text: str) -> str:
    """Without the signs that isolate directions."""
    return text.replace("\u2068", "").replace("\u2069", "")


def judged(stack, signed: bytes) -> list[str]:
    """What pyHanko says of each signature; in a thread, because Playwright's has an event loop already."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(judge, stack, signed).result()


def judge(stack, signed: bytes) -> list[str]:
    trusted = list(load_certs_from_pemder([str(stack.folder / "store/certificate.pem")]))
    result = []
    for signature in PdfFileReader(io.BytesIO(signed)).embedded_regular_signatures:
        status = validate_pdf_signature(signature, ValidationContext(trust_roots=trusted))
        assert status.bottom_line and status.docmdp_ok
        result.append(f"{signature.field_name} {status.summary()}")
    return result


def check(stack, tab, capture: str) -> list[dict]:
    """The file that the browser saves is signed by both, and begins with the document. Returns the record's lines."""
    tab.page.locator("#signed").wait_for()
    signed = linked(tab, "signed")
    assert signed == api(stack, f"/captures/{capture}/signed.pdf") and signed.startswith(contract())
    assert judged(stack, signed) == [
        "S01 INTACT:TRUSTED,EXTENDED_WITH_FORM_FILLING,ACCEPTABLE_MODIFICATIONS", "S02 INTACT:TRUSTED,UNTOUCHED"]
    fields = [field.get_object() for field in PdfFileReader(io.BytesIO(signed)).root["/AcroForm"]["/Fields"]]
    assert {str(field["/T"]): str(field.get("/V")) for field in fields}["consent"] == "/Yes"
    lines = record(stack, capture)
    assert [reading["toEnd"] for reading in lines[-1]["end"]["reading"]] == [True, True]
    assert [line["accepted"]["name"] for line in lines if "accepted" in line][-1] == "S02"
    return lines


@pytest.mark.parametrize("pointer", breadth.share(["touch", "mouse"], 2))
def test_two_people_scroll_tick_initial_sign_and_hand_over(stack, open_tab, pointer):
    tab = open_tab(has_touch=pointer == "touch")
    tab.wait_for_link()
    person = Person(stack, tab, pointer)
    capture = ask(stack, policy={"mustSeeAllPages": True}, questions=[{**QUESTIONS[0], "person": "Customer"}])
    page_is(stack, "reading", tab)
    for _ in range(4):
        person.scroll()
    person.read()
    person.press("lead", "Question · Page 1")
    person.press("I agree")
    wait_for(lambda: person.control("I agree").is_checked())
    person.press("[aria-label=paper]")
    wait_for(lambda: person.control("[aria-label=paper]").is_checked())
    person.press("lead", "4/6 · Question")
    page_is(stack, "question", tab)
    person.press("next")
    person.press("lead", "Initials")
    person.sign("Initial here")
    # The ink is in the document now.
    person.control("Initials").wait_for()
    person.press("lead", "Signature · Page 2")
    person.sign("Sign here · Anna Müller")
    person.press("lead", "Done")
    page_is(stack, "handOver", tab)
    person.press("next")
    # The file that the first person has filled is read from its beginning.
    person.read()
    person.press("lead", "Signature")
    person.sign("Sign here")
    person.press("lead", "Done")
    lines = check(stack, tab, capture)
    answers = [line["answer"] for line in lines if "answer" in line]
    assert {"name": "consent", "checked": True} in answers and not [one for one in answers if one["name"] == "news"]
    assert {lines[0]["devices"][line["stroke"]["device"]]["name"] for line in lines if "stroke" in line} == {
        f"browser {pointer}"}


@pytest.mark.parametrize("by", ["person", "staff"])
def test_a_name_is_typed_at_the_host_in_place_of_a_signature(stack, open_tab, by):
    # There is no ink for a picture.
    tab = open_tab(expected=("status of 422",))
    tab.wait_for_link()
    person = Person(stack, tab, "mouse")
    body = {
        "prompt": ["Rental agreement"], "signer": "Anna Müller", "policy": {"alternatives": ["typed"]},
        "document": {"id": upload(stack), "fields": [FIELDS[0] | {"person": None}], "caption": True}}
    capture = json.loads(api(stack, "/captures", body))["id"]
    page_is(stack, "reading", tab)
    name = {"name": "Anna Müller", "by": by} | ({"reason": "Her arm is in plaster."} if by == "staff" else {})
    with pytest.raises(urllib.error.HTTPError) as refusal:
        api(stack, f"/captures/{capture}/typed-name", name)
    assert refusal.value.code == 409
    person.press("lead", "Question")
    person.press("I agree")
    wait_for(lambda: person.control("I agree").is_checked())
    person.press("[aria-label=paper]")
    person.press("lead", "Signature · Page 2")
    person.open("Sign here · Anna Müller")
    assert tab.page.locator(".over #instead").count() == 0
    assert json.loads(api(stack, f"/captures/{capture}/typed-name", name))["state"] == "answering"
    page_is(stack, "question", tab)
    words = ("Name entered by staff" if by == "staff" else "Typed name") + ": Anna Müller"
    if by == "person":
        box = tab.page.locator(".over [role=checkbox], .over input[type=checkbox]")
        assert plain(box.get_attribute("aria-label")) == words
        person.press("[aria-label*='Typed name']")
        person.press("next")
    else:
        assert "Her arm is in plaster." in plain(tab.page.locator("#texts, .over").first.inner_text())
        assert json.loads(api(stack, f"/captures/{capture}/accept", {}))["instead"] == [
            {"name": "S01", "alternative": "typed", "host": True}]
    page_is(stack, "reading", tab)
    person.press("lead", "Done")
    tab.page.locator("#signed").wait_for()
    signed = linked(tab, "signed")
    assert judged(stack, signed) == ["S01 INTACT:TRUSTED,UNTOUCHED"]
    signature = PdfFileReader(io.BytesIO(signed)).embedded_regular_signatures[0].sig_object
    assert "Anna Müller" in signature["/Reason"]
    # Whose act it was: nobody has touched what the host accepted.
    assert signature.get("/Name") == ("Anna Müller" if by == "person" else None)
    text = subprocess.run(["pdftotext", "-", "-"], input=signed, capture_output=True, check=True).stdout.decode()
    assert words in plain(" ".join(text.split()))
    typed = next(line["typed"] for line in record(stack, capture) if "typed" in line)
    assert typed["entered"] == name and typed.get("host") == (True if by == "staff" else None)


def test_from_the_form_to_the_signed_file(stack, tab, tmp_path):
    page = tab.page
    (tmp_path / "contract.pdf").write_bytes(contract())
    page.locator("#flow summary").click()
    page.locator("[name=document]").set_input_files(tmp_path / "contract.pdf")
    fill_people(page, ("Customer", "Anna Müller", ""), ("Witness", "Ben Okafor", "Customer"))
    for number, role in enumerate(("Customer", "Witness")):
        if number:
            page.locator("#add-place").click()
        place = page.locator("#places .entry").nth(number)
        place.locator("[data-part=person]").select_option(role)
        place.locator("[data-part=text]").fill(f"Signature of the {role.lower()}:")
    page.locator("#submit").click()
    page_is(stack, "reading", tab)
    page.evaluate("() => scrollTo(0, 0)")
    person = Person(stack, tab, "mouse")
    person.press("lead", "Question")
    person.press("I agree")
    person.press("[aria-label=mail]")
    person.press("lead", "Signature · Page 2")
    person.sign("Sign here")
    person.press("lead", "Done")
    person.press("next")
    person.press("lead", "Signature · Page 2")
    person.sign("Sign here")
    person.press("lead", "Done")
    page.locator("#signed").wait_for()
    assert len(judged(stack, linked(tab, "signed"))) == 2


def focused(tab) -> str:
    return tab.page.evaluate("() => document.activeElement.id || document.activeElement.className")


def tab_to(tab, name: str):
    """Presses Tab until the control has the focus."""
    for _ in range(30):
        if focused(tab) == name or tab.page.evaluate("() => document.activeElement.ariaLabel") == name:
            # What has the focus is visible.
            assert tab.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
            return
        tab.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {name}")


def spoken(tab) -> str:
    return plain(tab.page.locator("#spoken").inner_text())


def read_by_keys(tab):
    """Reads to the end. What goes by too fast on a busy machine is not seen: then another time."""
    keys = tab.page.keyboard
    for _ in range(5):
        for _ in range(8):
            keys.press("PageDown")
            time.sleep(0.5)
        if "Read on" not in lead(tab):
            break
        keys.press("Home")
        time.sleep(1)
    assert "Read on" not in lead(tab)
    wait_for(lambda: spoken(tab) == "Page 2/2")


def test_with_the_keyboard_only(stack, tab):
    """From the call to the saved file; only ink needs a pointer."""
    keys = tab.page.keyboard
    capture = ask(stack, policy={"mustSeeAllPages": True}, questions=QUESTIONS)
    page_is(stack, "reading", tab)
    wait_for(lambda: spoken(tab) == "Page 1/2")
    tab.page.locator("#pad").focus()
    keys.press("Tab")
    assert focused(tab) == "position"
    position = tab.page.locator(".position")
    assert position.get_attribute("role") == "slider" and plain(position.get_attribute("aria-valuetext")) == "Page 1/2"
    read_by_keys(tab)
    assert spoken(tab) == "Page 2/2" and position.get_attribute("aria-valuenow") == "2"
    tab_to(tab, "lead")
    keys.press("Enter")
    tab_to_back = tab.page.locator("[aria-label='I agree']")
    tab_to_back.wait_for()
    while tab.page.evaluate("() => document.activeElement.ariaLabel") != "I agree":
        keys.press("Shift+Tab")
    assert not tab_to_back.is_checked() and tab_to_back.get_attribute("aria-required") == "true"
    keys.press("Space")
    wait_for(tab_to_back.is_checked)
    # Twice is no double tap: it takes the tick away.
    keys.press("Space")
    wait_for(lambda: not tab_to_back.is_checked())
    keys.press("Space")
    wait_for(tab_to_back.is_checked)
    # One of the choices, by the arrows; they do not scroll there.
    keys.press("Tab")
    first = tab.page.evaluate("() => document.activeElement.ariaLabel")
    other = {"paper": "mail", "mail": "paper"}[first]
    keys.press("Space")
    wait_for(tab.page.locator(f"[type=radio][aria-label={first}]").is_checked)
    keys.press("ArrowRight")
    wait_for(tab.page.locator(f"[type=radio][aria-label={other}]").is_checked)
    assert tab.page.get_by_role("radiogroup", name="receipt").get_by_role("radio").count() == 2
    # Questions are pages of their own: the focus goes to their words, and back to where it was.
    tab_to(tab, "lead")
    keys.press("Enter")
    wait_for(lambda: spoken(tab) == "News by mail, please · 1/2" and focused(tab) == "words")
    tab_to(tab, "News by mail, please")
    keys.press("Space")
    wait_for(tab.page.get_by_role("checkbox", name="News by mail, please").is_checked)
    tab_to(tab, "next")
    keys.press("Enter")
    wait_for(lambda: spoken(tab) == "How shall it come? · 2/2" and focused(tab) == "words")
    assert tab.page.get_by_role("radiogroup", name="How shall it come?").get_by_role("radio").count() == 2
    tab_to(tab, "on paper")
    keys.press("Space")
    keys.press("ArrowDown")
    wait_for(tab.page.get_by_role("radio", name="by mail").is_checked)
    tab_to(tab, "next")
    keys.press("Enter")
    page_is(stack, "reading", tab)
    wait_for(lambda: focused(tab) == "lead")

    def fill(what: str):
        tab_to(tab, what)
        keys.press("Enter")
        page_is(stack, "signing", tab)
        wait_for(lambda: focused(tab) == "words")
        tab.draw(STROKE, pointer="mouse")
        wait_for(lambda: stack.status()["running"]["strokes"] == 1)
        tab_to(tab, "accept")
        keys.press("Enter")

    def finish(what: str):
        """Goes where the button leads, until it opens the field."""
        wait_for(lambda: what in lead(tab))
        if stack.status()["page"] == "reading":
            tab_to(tab, "lead")
            keys.press("Enter")

    finish("Initials")
    tab.page.locator("[aria-label='Initial here']").wait_for()
    tab.page.locator("[aria-label='Initial here']").focus()
    fill("Initial here")
    page_is(stack, "reading", tab)
    # The focus is on the field that was filled.
    wait_for(lambda: tab.page.evaluate("() => document.activeElement.ariaLabel") == "Initials")
    finish("Signature · Page 2")
    tab.page.locator("[aria-label='Sign here · Anna Müller']").focus()
    fill("Sign here · Anna Müller")
    finish("Done")
    wait_for(lambda: "Ben Okafor" in spoken(tab) and focused(tab) == "words")
    tab_to(tab, "next")
    keys.press("Enter")
    wait_for(lambda: focused(tab) == "position")
    read_by_keys(tab)
    finish("Signature · Page 2")
    tab.page.locator("[aria-label='Sign here']").focus()
    fill("Sign here")
    finish("Done")
    lines = check(stack, tab, capture)
    answers = {line["answer"]["name"]: line["answer"] for line in lines if "answer" in line}
    assert answers["receipt"]["choice"] == other and answers["way"]["choice"] == "by mail"
    assert answers["news"]["checked"] is True


def test_keys_scroll_and_enlarge(stack, tab):
    ask(stack)
    page_is(stack, "reading", tab)
    tab.page.locator(".position").focus()
    show_all(stack, tab)

    def moves(key: str, within: float = 20) -> bool:
        before = tab.picture().tobytes()
        tab.page.keyboard.press(key)
        end = time.monotonic() + within
        while time.monotonic() < end:
            if tab.picture().tobytes() != before:
                return True
            time.sleep(0.05)
        return False

    def stays(key: str) -> bool:
        return not moves(key, 1.5)

    assert stays("ArrowUp") and stays("Home") and stays("ArrowRight")
    assert moves("ArrowDown") and moves("ArrowUp") and moves("PageDown") and moves("PageUp") and moves("End")
    wait_for(lambda: spoken(tab) == "Page 2/2")
    assert stays("PageDown") and moves("Home")
    wait_for(lambda: spoken(tab) == "Page 1/2")
    assert moves("+") and moves("ArrowRight") and moves("+") and moves("-") and moves("0")
    assert stays("-") and stays("ArrowRight")
    api(stack, f"/captures/{stack.status()['running']['id']}/cancel", {})


def test_the_wheel_scrolls(stack, tab):
    """As far as it would scroll a page of the browser; an eighth of the screen is the least."""
    capture = ask(stack)
    page_is(stack, "reading", tab)
    show_all(stack, tab)
    box = tab.page.locator("#pad").bounding_box()
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    first = tab.picture().tobytes()
    for _ in range(2):
        tab.page.mouse.wheel(0, 0.4 * box["height"] / 8)
    time.sleep(0.5)
    assert tab.picture().tobytes() == first
    tab.page.mouse.wheel(0, 0.4 * box["height"] / 8)
    wait_for(lambda: tab.picture().tobytes() != first)
    tab.page.mouse.wheel(0, -1.3 * box["height"] / 8)
    wait_for(lambda: tab.picture().tobytes() == first)
    for _ in range(20):
        tab.page.mouse.wheel(0, box["height"])
    wait_for(lambda: spoken(tab) == "Page 2/2")
    api(stack, f"/captures/{capture}/cancel", {})
    # Without a document, the browser's page scrolls.
    tab.page.set_viewport_size({"width": 900, "height": 300})
    page_is(stack, "idle", tab)
    tab.page.mouse.wheel(0, 100)
    wait_for(lambda: tab.page.evaluate("scrollY") > 0)


def test_the_accessibility_tree_has_every_page(stack, tab):
    """Names, states, and the text of the document's visible page."""
    over = tab.page.locator("#over")

    def tree() -> str:
        return plain(over.aria_snapshot())

    ask(stack, questions=QUESTIONS, decline=["Too expensive"])
    page_is(stack, "reading", tab)
    wait_for(lambda: "Rental agreement 4711" in tree())
    assert "Terms of the second page" not in tree()
    assert 'slider "Position in the document"' in tree()
    for button in ("Cancel", "Decline", "1/6 · Question · Page 1"):
        assert f'button "{button}"' in tree()
    tab.page.locator("#lead").press("Enter")
    wait_for(lambda: 'checkbox "I agree"' in tree())
    assert 'radiogroup "receipt"' in tree() and 'radio "mail"' in tree() and "[checked]" not in tree()
    tab.page.locator("[aria-label='I agree']").press("Space")
    wait_for(lambda: 'checkbox "I agree" [checked]' in tree())
    tab.page.locator("[aria-label=mail]").press("Space")
    wait_for(lambda: 'radio "mail" [checked]' in tree())
    tab.page.locator("#lead").press("Enter")
    wait_for(lambda: 'checkbox "News by mail, please"' in tree())
    assert 'button "Back"' in tree() and 'button "Next"' in tree() and "Rental agreement 4711" not in tree()
    tab.page.locator("#back").press("Enter")
    page_is(stack, "reading", tab)
    tab.page.locator("#decline").press("Enter")
    wait_for(lambda: 'radio "Too expensive"' in tree() and 'button "Decline"' in tree())
    tab.page.locator("#back").press("Enter")
    page_is(stack, "reading", tab)
    # A message over the page is read out at once.
    tab.page.locator("#lead").press("Enter")
    wait_for(lambda: 'checkbox "News by mail, please"' in tree())
    tab.page.locator("#next").press("Enter")
    wait_for(lambda: "How shall it come?" in tree())
    tab.page.locator("#back").press("Enter")
    page_is(stack, "reading", tab)
    tab.page.locator(".position").press("End")
    sign = tab.page.locator("[aria-label='Sign here · Anna Müller']")
    sign.wait_for()
    sign.press("Enter")
    page_is(stack, "signing", tab)
    wait_for(lambda: 'button "Accept" [disabled]' in tree() and "Sign here" in tree())
    tab.page.locator("#accept").press("Enter")
    wait_for(lambda: tab.page.locator("#warning").inner_text() != "")
    tab.page.locator("#back").press("Enter")
    tab.page.locator("#decline").press("Enter")
    tab.page.get_by_role("radio", name="Too expensive").press("Space")
    wait_for(lambda: 'radio "Too expensive" [checked]' in tree())
    tab.page.locator("#next").press("Enter")
    tab.page.get_by_text("Declined: somebody does not agree.").wait_for()


def test_a_page_from_right_to_left(stack, tab):
    """The language and the direction are those of the pad's page, not of the browser's."""
    ask(stack, language="ar", questions=QUESTIONS)
    page_is(stack, "reading", tab)
    wait_for(lambda: tab.page.locator("#spoken").get_attribute("lang") == "ar")
    over = tab.page.locator("#over")
    assert over.get_attribute("dir") == "rtl" and over.get_attribute("lang") == "ar"
    # Cancel is at the start of the line: at the right.
    cancel, lead_box = (tab.page.locator(name).bounding_box() for name in ("#cancel", "#lead"))
    assert cancel["x"] > lead_box["x"]
    tab.page.locator("#lead").press("Enter")
    box = tab.page.locator("[aria-label='I agree']")
    box.wait_for()
    box.press("Space")
    wait_for(box.is_checked)
    tab.page.locator("[aria-label=mail]").press("Space")
    wait_for(tab.page.locator("[aria-label=mail]").is_checked)
    tab.page.locator("#lead").press("Enter")
    page_is(stack, "question", tab)
    wait_for(lambda: focused(tab) == "words")
    tab.page.locator("#next").press("Enter")
    wait_for(lambda: "How shall it come?" in spoken(tab))
    api(stack, f"/captures/{stack.status()['running']['id']}/cancel", {})
    tab.page.get_by_text("Cancelled.").wait_for()


def test_a_program_beside_the_panel_has_real_buttons_too(stack, tab):
    """They come from the panel itself, not from what the gateway asked for."""
    signature = Signature(stack)
    tab.page.locator("#accept").wait_for()
    tab.draw(STROKE, pointer="mouse")
    signature.wait_for_strokes(1)
    tab.page.locator("#accept").press("Enter")
    signature.end()


def test_a_key_that_is_held_presses_once(stack, tab):
    ask(stack, questions=QUESTIONS)
    page_is(stack, "reading", tab)
    tab.page.locator("#cancel").wait_for()
    tab.page.locator("#lead").focus()
    tab.page.keyboard.down("Enter")
    tab.page.locator("[aria-label='I agree']").wait_for()
    for _ in range(10):
        tab.page.keyboard.down("Enter")
    time.sleep(0.5)
    assert stack.status()["page"] == "reading"
    tab.page.keyboard.up("Enter")
    api(stack, f"/captures/{stack.status()['running']['id']}/cancel", {})


def test_a_clerk_hears_which_page_is_read(stack, chromium, tab):
    """Not what it says."""
    clerk = Tab(chromium.new_context(), f"http://localhost:{stack.port}/mirror#token={stack.token}")
    capture = ask(stack, questions=QUESTIONS)
    state = lambda: clerk.page.inner_text("#state")  # noqa: E731
    wait_for(lambda: state() == "The person is reading page 1 of 2.")
    tab.page.locator(".position").focus()
    tab.page.keyboard.press("End")
    wait_for(lambda: state() == "The person is reading page 2 of 2.")
    clerk.page.reload()
    wait_for(lambda: state() == "The person is reading page 2 of 2.")
    assert not clerk.page.locator("#backdrop").is_visible()
    clerk.page.locator("#buttons button[aria-label=Cancel]").press("Enter")
    wait_for(lambda: json.loads(api(stack, f"/captures/{capture}"))["state"] == "ended")
    wait_for(lambda: state() == "Nobody is signing." and clerk.page.locator("#buttons button").count() == 0)
    assert clerk.faults == []
