# SPDX-License-Identifier: Apache-2.0
"""Pointers whose lifting the browser loses: strokes end, and the connection does not."""

import pytest
from support import breadth
from test_signing import Signature, record, show_all
from support.waiting import wait_for

# Events as a browser would send them, on the pad.
SEND = """(events) => {
    const pad = document.getElementById("pad");
    const box = pad.getBoundingClientRect();
    for (const [type, x, y, more] of events) {
        pad.dispatchEvent(new PointerEvent(type, {
            pointerId: 77, pointerType: "mouse", isPrimary: true, bubbles: true, buttons: 1, pressure: 0.5,
            button: type === "pointerdown" ? 0 : -1, clientX: box.left + x * box.width, clientY: box.top + y * box.height,
            ...more,
        }));
    }
}"""
MOVE = "pointerrawupdate"


def line(x: float, y: float, more={}) -> list:
    return [["pointerdown", x, y, more]] + [[MOVE, x + index / 100, y, more] for index in range(1, 20)]


@pytest.mark.parametrize("kind, end", breadth.share([
    ("pen", [[MOVE, 0.6, 0.6, {"buttons": 0}]]),
    ("mouse", [["pointermove", 0.6, 0.6, {"buttons": 0}]]),
    # The left button goes up while the right one stays down: no pointerup follows.
    ("mouse", [["pointermove", 0.6, 0.6, {"buttons": 2, "button": 0}]]),
    ("touch", [["lostpointercapture", 0.6, 0.6, {"buttons": 0}]]),
], 2, several=True), ids=["hovering", "moved", "another button", "lost capture"])
def test_a_lost_end_of_a_stroke(stack, tab, end, kind):
    links = []
    tab.page.expose_function("note", lambda link: links.append(link))
    tab.page.evaluate("""() => new MutationObserver(() => note(document.getElementById("link").dataset.state))
        .observe(document.getElementById("link"), { attributes: true })""")
    signature = Signature(stack, policy={"minima": {"duration": 0}})
    show_all(stack, tab)
    of_kind = lambda events: [[*event[:3], {"pointerType": kind, **event[3]}] for event in events]  # noqa: E731
    tab.page.evaluate(SEND, of_kind(line(0.3, 0.5) + end))
    signature.wait_for_strokes(1)
    # Hovering draws nothing.
    tab.page.evaluate(SEND, of_kind([[MOVE, 0.3 + index / 50, 0.65, {"buttons": 0}] for index in range(10)]))
    # A second down ends the stroke before it.
    tab.page.evaluate(SEND, of_kind(line(0.3, 0.55) + line(0.3, 0.6) + [["pointerup", 0.5, 0.6, {"buttons": 0}]]))
    signature.wait_for_strokes(3)
    tab.draw([(0.88, 0.93)], [0.5])
    name = signature.end()
    strokes = [line["stroke"]["samples"] for line in record(stack, name) if "stroke" in line]
    assert [len(samples) for samples in strokes] == [20, 20, 20]
    assert links == [] and tab.faults == []


@pytest.mark.parametrize("kind", breadth.share(["touch", "pen"], 2))
def test_lost_ends_of_pointers_with_new_numbers(stack, tab, kind):
    """Browsers may number a pen or finger anew each time that it comes down."""
    tab.page.locator("#submit").click()
    tab.page.locator("#accept").wait_for()
    show_all(stack, tab)
    strokes = lambda: (stack.status().get("running") or {}).get("strokes")  # noqa: E731
    for index in range(20):
        more = {"pointerId": 100 + index, "pointerType": kind}
        tab.page.evaluate(SEND, line(0.3, 0.4 + 0.01 * index, more))
        wait_for(lambda: strokes() == index)
    # One that is down nowhere does not hold the page.
    tab.page.locator("#cancel").press("Enter")
    tab.page.get_by_text("Cancelled.").wait_for()
    assert tab.page.locator("#link").get_attribute("data-state") == "connected"


def test_more_contacts_than_the_panel_takes(stack, tab):
    """The browser, too, believes that they are down."""
    tab.page.locator("#submit").click()
    tab.page.locator("#accept").wait_for()
    for index in range(40):
        more = {"pointerId": 100 + index, "pointerType": "touch", "isPrimary": index == 0}
        tab.page.evaluate(SEND, line(0.3, 0.4 + 0.005 * index, more))
    tab.page.locator("#cancel").press("Enter")
    tab.page.get_by_text("Cancelled.").wait_for()
    assert tab.page.locator("#link").get_attribute("data-state") == "connected" and tab.faults == []
