# SPDX-License-Identifier: Apache-2.0
"""verify.html by WCAG 2.2 AA: axe in each state and direction, the keyboard, 400 % zoom, forced colours, no motion."""

import pytest
from support import breadth
from support.accessibility import BARE, beyond, findings, sideways, walk
from test_page import VERDICT

LANGUAGES = ["ar", "en", "de", "he", "ja"]


def damaged(folder, files):
    """The files with a record in which a digit is another one."""
    record = folder / files[0].name
    record.write_bytes(files[0].read_bytes().replace(b"4711", b"4712"))
    return record, *files[1:]


def check(tab, *, is_dark: bool = False):
    assert findings(tab.page) == []
    if is_dark:
        tab.page.emulate_media(color_scheme="dark")
        assert findings(tab.page, colours_only=True) == []
        tab.page.emulate_media(color_scheme="light")


# For a commit, one language of each direction.
@pytest.mark.parametrize("language", LANGUAGES[:2] + breadth.share(LANGUAGES[2:], 4, 3))
def test_axe_finds_nothing_in_any_verdict(open_tab, tmp_path, sealed, encrypted, language):
    tab = open_tab(locale=language)
    page = tab.page
    assert page.evaluate("() => [document.documentElement.lang, document.documentElement.dir]") == [
        language, "rtl" if language in ("ar", "he") else "ltr"]
    # Colours have no direction.
    check(tab, is_dark=language == "en")
    for files, verdict in ((damaged(tmp_path, sealed), "changed"), (sealed[:3], "undecided"),
                           (encrypted[0], "undecided"), (sealed, "genuine")):
        tab.give(*files)
        assert page.locator(f".verdict-{verdict}").count() == 1
        check(tab, is_dark=language == "en" and verdict != "undecided")
        if verdict != "genuine":
            page.click("#anew")


def test_axe_finds_nothing_among_many_records_and_samples(open_tab, sealed, flow):
    tab = open_tab()
    tab.give(*sealed, *flow)
    assert tab.page.locator(".verdicts tbody tr").count() == 2
    check(tab)
    tab.page.set_viewport_size({"width": 320, "height": 256})
    # Its rows are blocks there, and still those of a table.
    roles = tab.page.get_by_role("table").first
    assert roles.get_by_role("row").count() == 3 and roles.get_by_role("cell").count() == 8
    tab.page.click(".examination summary")
    tab.page.locator(".examination table").first.wait_for()
    check(tab)


def test_what_was_typed_wrongly_is_tied_to_its_words(tab, sealed):
    tab.give(*sealed[:3])
    page = tab.page
    page.fill("#typed", "SHA256:wrong")
    page.press("#typed", "Enter")
    page.click(".head summary")
    page.fill("#head", "17")
    page.press("#head", "Enter")
    for name in ("typed", "head"):
        [said] = page.locator(f"#{name}[aria-invalid=true]").evaluate_all(
            "(found) => found.map((one) => document.getElementById(one.getAttribute('aria-describedby')).textContent)")
        assert said
    check(tab)


def test_the_keyboard_goes_through_the_report_in_the_order_of_its_parts(tab, sealed):
    page = tab.page
    tab.give(*sealed[:3])
    page.locator(".examination summary").press("Enter")
    page.locator(".examination table").first.wait_for()
    names = walk(page)
    order = ["skip", "language", "choose", "choose-folder", "anew", "print", "remove-0", "remove-1", "remove-2",
             "typed", "compared", "csv", "scrolling"]
    assert [name for name in names if name in order] == order
    page.keyboard.press("Shift+Tab")
    # Past the texts that every page has.
    page.locator(".skip").press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"


@pytest.mark.parametrize("language", breadth.share(["ar", "de"], 2))
def test_enlarged_to_400_percent_nothing_needs_scrolling_to_the_side(open_tab, sealed, flow, language):
    tab = open_tab(locale=language, width=320)
    page = tab.page
    page.set_viewport_size({"width": 320, "height": 256})
    assert beyond(page) == []
    tab.give(*sealed, *flow)
    page.click(".examination summary")
    page.locator(".examination table").first.wait_for()
    assert sideways(page) == []


def test_forced_colours_leave_frames_and_the_focus(open_tab, sealed):
    tab = open_tab(forced_colors="active", color_scheme="dark")
    page = tab.page
    assert tab.give(*sealed) == VERDICT
    assert page.evaluate(BARE) == []
    walk(page)
    # What files say keeps its frame, and the mark of the verdict its two colours.
    assert page.evaluate("() => getComputedStyle(document.querySelector('.said')).borderTopStyle") == "solid"
    fill, stroke = (page.evaluate(f"() => getComputedStyle(document.querySelector('.verdict .mark {part}')).{name}")
                    for part, name in (("circle", "fill"), ("path", "stroke")))
    assert fill != stroke


def test_with_reduced_motion_nothing_moves_by_itself(open_tab, sealed):
    tab = open_tab(reduced_motion="reduce")
    tab.give(*sealed)
    assert tab.page.evaluate("() => document.getAnimations().length") == 0
    assert tab.page.evaluate("() => getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    # Ink is replayed when somebody presses Play.
    clock = tab.page.inner_text(".clock")
    tab.page.wait_for_timeout(300)
    assert tab.page.inner_text(".clock") == clock
