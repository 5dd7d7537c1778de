# SPDX-License-Identifier: Apache-2.0
"""Virtual panel, mirror and pairing by WCAG 2.2 AA: axe, the keyboard, 400 % zoom, forced colours, reduced motion."""

import json
import os
import threading
from pathlib import Path

import pytest
import varlink
from conftest import INTERFACE, Tab
from support import breadth
from support.accessibility import BARE, SPACED, beyond, findings, sideways, walk
from support.waiting import wait_for
from test_documents import FIELDS, PEOPLE, QUESTIONS, upload
from test_form import api, ask, page_is, sign
from test_run import Run
from test_signing import ACCEPT

OPTIONS = Path(__file__).parents[3] / "clients/extension/options.html"
FAULTS = ("WebSocket", "ERR_", "400", "401", "503")


def check(tab, *, is_dark: bool = False):
    """No finding, in light colours, and in dark ones if the page is new in them."""
    assert findings(tab.page) == []
    if is_dark:
        tab.page.emulate_media(color_scheme="dark")
        assert findings(tab.page, colours_only=True) == []
        tab.page.emulate_media(color_scheme="light")


def begin(stack, **request) -> str:
    return json.loads(api(stack, "/captures", {"prompt": ["Rental agreement"], **request}))["id"]


def end(stack, tab, capture: str):
    api(stack, f"/captures/{capture}/cancel", {})
    page_is(stack, "idle", tab)


def test_axe_finds_nothing_from_the_form_to_the_signature(stack, open_tab):
    tab = open_tab(expected=FAULTS)
    tab.wait_for_link()
    check(tab)
    page = tab.page
    page.locator("#flow summary").click()
    for name in ("#add-person", "#add-place"):
        page.locator(name).click()
    page.locator("[data-part=way]").first.select_option("rect")
    page.locator("[name=questions]").fill("tick mail Receipt?")
    page.locator("#submit").click()
    page.locator("#error").wait_for()
    # What is wrong is tied to where it is.
    assert page.locator("[aria-invalid=true][aria-describedby=error]").get_attribute("name") == "questions"
    check(tab, is_dark=True)
    page.locator("[name=questions]").fill("")
    assert page.locator("[aria-invalid]").count() == 0
    page.locator("#people .remove").click()
    page.locator("#flow summary").click()
    ask(stack, tab)
    check(tab)
    sign(stack, tab)
    tab.draw(ACCEPT, [0.5])
    page.locator("#over[data-page=thanks]").wait_for()
    check(tab)
    page.locator("#result").wait_for()
    check(tab, is_dark=True)


def test_axe_finds_nothing_on_the_pad_in_both_directions(stack, open_tab):
    """Documents, questions, "Still there?", a refusal, the six digits of a pairing."""
    tab = open_tab()
    tab.wait_for_link()
    # Each state in the other direction: in long tests.
    states = [("ar", True), ("en", True), ("he", False), ("ar", False), ("en", False)]
    for language, is_read in breadth.some(states, 4):
        document = {"people": PEOPLE, "document": {"id": upload(stack), "fields": FIELDS}} if is_read else {}
        capture = begin(stack, questions=QUESTIONS, language=language, **document)
        page_is(stack, "reading" if is_read else "question", tab)
        over = tab.page.locator("#over")
        direction = "ltr" if language == "en" else "rtl"
        assert (over.get_attribute("lang"), over.get_attribute("dir")) == (language, direction)
        over.locator(".position" if is_read else "button").first.wait_for()
        check(tab)
        end(stack, tab, capture)
    # It asks 20 s before the limit.
    capture = begin(stack, policy={"inactivityLimit": 20_500_000})
    wait_for(lambda: tab.page.locator("#warning").text_content() == "Still there?")
    check(tab)
    end(stack, tab, capture)
    pairing = threading.Thread(target=pair, args=(stack,))
    pairing.start()
    page_is(stack, "pairing", tab)
    assert "428 913" in tab.page.locator(".words").text_content()
    check(tab)
    tab.page.locator(".over button").last.press("Enter")
    pairing.join(20)


def pair(stack):
    with varlink.Client("unix:" + stack.host) as client, client.open(INTERFACE) as service:
        service.Pair(name="till-3", digits="428913")


def test_axe_finds_nothing_where_something_fails(stack, open_tab):
    wrong = stack.url[:-1] + ("A" if stack.url[-1] != "A" else "B")
    for address, words in ((stack.url.split("#")[0], "no token"), (wrong, "earlier start")):
        tab = open_tab(address, expected=FAULTS)
        tab.page.get_by_text(words).wait_for()
        check(tab, is_dark=True)
        tab.page.close()
    first, second = open_tab(), open_tab(expected=FAULTS)
    first.wait_for_link("replaced")
    check(first)
    first.page.close()
    second.wait_for_link()
    stack.kill_gateway()
    second.page.get_by_text("The gateway does not run.").wait_for()
    check(second)


def test_axe_finds_nothing_in_the_settings_and_on_the_sketch_page(tmp_path, chromium):
    run = Run(tmp_path)
    try:
        run.read("Ctrl-C ends.")
        tab = Tab(chromium.new_context(locale="de-DE", viewport={"width": 1440, "height": 900}), run.url)
        tab.wait_for_link()
        tab.page.locator("#settings").wait_for()
        assert tab.page.evaluate("() => document.documentElement.lang") == "de"
        assert tab.page.locator("[name=language] option[value=ja]").get_attribute("lang") == "ja"
        tab.page.locator("[name=page]").select_option("sketch")
        tab.page.locator("#over[data-page=sketch]").wait_for()
        check(tab)
        names = walk(tab.page, looks=False)
        assert names[names.index("language"):][:5] == ["language", "theme", "size", "pen", "page"]
        tab.context.close()
    finally:
        os.write(run.terminal, b"\x03")
        run.end()


@pytest.fixture
def clerk(stack, open_tab):
    """The mirror, with ink."""
    stack.stop()
    path = stack.folder / "inkpanel.toml"
    path.write_text(path.read_text().replace("[control]", '[control]\nmirror = "ink"'))
    stack.start_panel()
    stack.start_gateway()
    return open_tab(f"http://localhost:{stack.port}/mirror#token={stack.token}", expected=FAULTS)


def test_the_mirror(stack, open_tab, clerk):
    page = clerk.page
    page.get_by_text("Nobody is signing.").wait_for()
    check(clerk, is_dark=True)
    person = open_tab()
    person.wait_for_link()
    ask(stack, person)
    sign(stack, person)
    page.get_by_text("1 stroke").wait_for()
    check(clerk)
    buttons = ["Clear", "Cancel", "Accept"]
    assert page.evaluate(f"({NAMES})()") == buttons
    assert len(walk(page)) == 3
    # Enlarged to 400 %, the buttons are below the picture, which keeps its form.
    page.set_viewport_size({"width": 320, "height": 256})
    page.locator(".plain").wait_for()
    page.evaluate(SPACED)
    assert beyond(page) == [] and len(walk(page)) == 3
    box = page.locator("#ink").bounding_box()
    assert abs(box["width"] / box["height"] - 1280 / 720) < 0.02
    assert page.locator("#buttons").bounding_box()["y"] >= box["y"] + box["height"]
    check(clerk, is_dark=True)
    page.set_viewport_size({"width": 1000, "height": 700})
    page.emulate_media(forced_colors="active")
    page.locator(".plain").wait_for()
    assert page.evaluate(BARE) == [] and len(walk(page)) == 3
    page.get_by_role("button", name="Accept").press("Space")
    page.get_by_text("Done.").wait_for()


NAMES = "() => [...document.querySelectorAll('#buttons button')].map((button) => button.textContent)"


def test_the_keyboard_goes_through_the_page_in_the_order_of_its_parts(stack, tab):
    page = tab.page
    ask(stack, tab)
    names = walk(page)
    order = ["clear", "cancel", "accept", "prompt", "add-row", "signer", "reason", "SUMMARY", "events", "tab-curl",
             "copy", "snippet"]
    assert [name for name in names if name in order] == order
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("() => document.activeElement.id") == "snippet"
    page.evaluate("""() => {
        self.said = [];
        const place = document.getElementById("said");
        new MutationObserver(() => self.said.push(place.textContent)).observe(place, { childList: true });
    }""")
    # Each of its kind by its keys.
    for name, key in (("#add-row", "Enter"), (".remove >> nth=0", "Space"), ("#flow summary", "Enter"),
                      ("[name=seeAll]", "Space"), ("#copy", "Space")):
        page.locator(name).press(key)
    assert page.locator(".row").count() == 2 and page.locator("[name=seeAll]").is_checked()
    wait_for(lambda: "Copied" in page.evaluate("() => self.said"))
    page.locator("#cancel").press("Enter")
    page_is(stack, "idle", tab)
    page.locator("#submit").press("Enter")
    page_is(stack, "signing", tab)
    assert page.evaluate("() => document.activeElement.id") == "pad"


def test_enlarged_to_400_percent_nothing_needs_scrolling_to_the_side(stack, tab):
    page = tab.page
    page.set_viewport_size({"width": 320, "height": 256})
    page.locator("#flow summary").click()
    for name in ("#add-person", "#add-place"):
        page.locator(name).click()
    page.locator("[data-part=way]").first.select_option("rect")
    ask(stack, tab)
    # The button that was clicked is far below the pad.
    page.locator("#pad").scroll_into_view_if_needed()
    sign(stack, tab)
    page.locator("#accept").press("Enter")
    page.locator("#result").wait_for()
    assert sideways(page) == []


def test_forced_colours_leave_frames_and_the_focus(stack, open_tab):
    tab = open_tab(forced_colors="active", color_scheme="dark")
    tab.wait_for_link()
    page = tab.page
    page.locator("#flow summary").click()
    assert page.evaluate(BARE) == []
    look = """(selector) => {
        const { color, backgroundColor } = getComputedStyle(document.querySelector(selector));
        return color + backgroundColor;
    }"""
    assert page.evaluate(look, "#tab-curl") != page.evaluate(look, "#tab-python")
    able = page.evaluate(look, "#submit")
    ask(stack, tab)
    assert page.evaluate(look, "#submit") != able
    # Words for screen readers stay unseen on the picture.
    assert page.evaluate("() => getComputedStyle(document.querySelector('.words')).color") == "rgba(0, 0, 0, 0)"
    page.locator("#flow summary").click()
    walk(page)


def test_with_reduced_motion_nothing_moves(stack, open_tab):
    tab = open_tab(reduced_motion="no-preference")
    tab.wait_for_link()
    page = tab.page
    page.evaluate("""() => {
        const scroll = Element.prototype.scrollIntoView;
        self.ways = [];
        Element.prototype.scrollIntoView = function (options) {
            self.ways.push(options.behavior);
            scroll.call(this, options);
        };
    }""")
    for motion, way in (("no-preference", "smooth"), ("reduce", "auto")):
        page.emulate_media(reduced_motion=motion)
        page.evaluate("() => { self.ways = [] }")
        ask(stack, tab)
        assert page.evaluate("() => self.ways") == [way]
        end(stack, tab, stack.status()["running"]["id"])
    assert page.evaluate("() => document.getAnimations().length") == 0


def test_the_settings_of_the_browser_extension(chromium):
    page = chromium.new_context(viewport={"width": 320, "height": 256}).new_page()
    page.add_init_script("""globalThis.browser = { storage: {
        managed: { get: async () => ({}) }, local: { get: async () => ({}), set: async () => {} } } }""")
    page.goto(OPTIONS.as_uri())
    for name, value in (("pad", "https://pad.example"), ("token", "t"), ("origins", "https://till.example/page")):
        page.fill(f"[name={name}]", value)
    page.get_by_role("button").press("Enter")
    page.get_by_text("is no origin").wait_for()
    assert page.locator("[aria-invalid=true][aria-describedby=status]").get_attribute("name") == "origins"
    assert findings(page) == [] and beyond(page) == []
    assert walk(page) == ["pad", "token", "origins", "BUTTON"]
    page.context.close()
