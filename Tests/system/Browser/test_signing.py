# SPDX-License-Identifier: Apache-2.0
"""Signatures drawn in the browser, from the pointer to the record."""

import asyncio
import base64
import io
import json
import math
import os
import subprocess
import threading

from PIL import Image, ImageChops
from support.waiting import wait_for

STROKE = [(0.3 + 0.4 * index / 80, 0.55 + 0.08 * math.sin(index / 5)) for index in range(81)]
# Exact in the browser's 32 bits.
FORCE = [0.25 + index / 128 for index in range(81)]
ACCEPT = [(0.88, 0.93)]


class Signature:
    """A capture that a host has asked for; it runs until somebody presses Accept."""

    def __init__(self, stack, **request):
        self.stack = stack
        self.request = {"prompt": ["Sign here"]} | request
        self.answers = []
        self.thread = threading.Thread(target=self.follow)
        self.thread.start()
        wait_for(lambda: stack.status()["page"] == "signing")

    def follow(self):
        with self.stack.service() as service:
            for answer in service.Capture(**self.request, _more=True):
                self.answers.append(answer)

    @property
    def strokes(self) -> int:
        return self.answers[-1].get("strokes") or 0

    def wait_for_strokes(self, count: int):
        wait_for(lambda: self.strokes == count)

    def end(self) -> str:
        self.thread.join(20)
        assert self.answers[-1]["outcome"]["result"] == "accepted", self.answers[-1]
        return self.answers[-1]["id"]


def record(stack, name: str) -> list[dict]:
    with stack.service() as service:
        return [json.loads(line) for line in service.Get(id=name, format="record")["text"].splitlines()]


def strokes(stack, name: str) -> list[dict]:
    return [line["stroke"] for line in record(stack, name) if "stroke" in line]


def show_all(stack, tab):
    """Waits until the tab shows what the panel shows."""
    wait_for(lambda: ImageChops.difference(tab.picture(), stack.screenshot()).getbbox() is None)


def raw(place: tuple[float, float]) -> tuple[int, int]:
    """The device's numbers of a place."""
    return int(place[0] * 65536), int(place[1] * 65536)


def assert_places(samples, places):
    """The browser rounds the pointer's place in the window to 1/64 pixel or so: 16 units of the device are 0.2 pixels."""
    assert len(samples) == len(places)
    for (_, x, y, *_), place in zip(samples, places):
        assert abs(x - raw(place)[0]) <= 64 and abs(y - raw(place)[1]) <= 112


def test_a_pen_from_the_page_to_the_record(stack, tab, tmp_path):
    signature = Signature(stack)
    show_all(stack, tab)
    empty = tab.picture()
    tab.draw(STROKE, FORCE)
    signature.wait_for_strokes(1)
    # The page shows the panel's very pixels.
    show_all(stack, tab)
    signed = tab.picture()
    assert tab.page.locator("#pointer").inner_text().startswith("Pen: pressure is measured")
    tab.draw(ACCEPT, [0.5])
    name = signature.end()
    [stroke] = strokes(stack, name)
    device = record(stack, name)[0]["devices"][stroke["device"]]
    assert device["name"] == "browser pen"
    # Every pressure arrives exactly; the last report is the one before the pen was lifted.
    assert_places(stroke["samples"], STROKE)
    assert [sample[3] for sample in stroke["samples"]] == [round(force * 65535) for force in FORCE]
    times = [sample[0] for sample in stroke["samples"]]
    assert times == sorted(set(times))

    # The ink on the page has the very pixels of the picture that the panel makes of the record, and the program makes
    # the same files without the panel.
    file = tmp_path / "record.jsonl"
    with stack.service() as service:
        file.write_text(service.Get(id=name, format="record")["text"])
        picture = base64.b64decode(service.Get(id=name, format="png", dpi=150.0, part="signingArea")["base64"])
    done = subprocess.run(
        [os.environ["INKPANEL"], "export", str(file), "--dpi", "150", "--part", "signing-area", "--format", "png",
         "--output", "-"], capture_output=True)
    assert done.stdout == picture
    assert_same_ink(empty, signed, Image.open(io.BytesIO(picture)).convert("RGB"), record(stack, name)[0])


def assert_same_ink(empty, signed, rendered, header):
    x, y, width, height = header["screen"]["signingArea"]
    box = (x, y, x + width, y + height)
    assert rendered.size == (width, height)
    white, inked = (255, 255, 255), 0
    # Not where the page has its base line.
    for paper, shown, ink in zip(*(picture.getdata() for picture in (empty.crop(box), signed.crop(box), rendered))):
        if paper == white:
            assert shown == ink
            inked += ink != white
    assert inked > 1000


def test_a_mouse_has_no_pressure(stack, tab):
    signature = Signature(stack)
    show_all(stack, tab)
    tab.draw(STROKE, pointer="mouse")
    signature.wait_for_strokes(1)
    assert tab.page.locator("#pointer").inner_text().startswith("Mouse: no pressure")
    tab.draw(ACCEPT * 2, pointer="mouse")
    name = signature.end()
    [stroke] = strokes(stack, name)
    assert record(stack, name)[0]["devices"][stroke["device"]]["name"] == "browser mouse"
    assert all(len(sample) == 3 or sample[3] is None for sample in stroke["samples"])
    assert_places(stroke["samples"], STROKE)


def test_a_finger_has_pressure_once_it_was_seen_to_vary(stack, open_tab):
    tab = open_tab(has_touch=True)
    tab.wait_for_link()
    signature = Signature(stack)
    show_all(stack, tab)
    lower = [(x, y + 0.05) for x, y in STROKE]
    tab.touch(STROKE, [0.5] * len(STROKE))
    signature.wait_for_strokes(1)
    tab.touch(lower, FORCE)
    signature.wait_for_strokes(2)
    tab.touch(STROKE, FORCE)
    signature.wait_for_strokes(3)
    tab.touch(ACCEPT * 2, [0.5, 0.6])
    name = signature.end()
    measured = [[len(sample) > 3 and sample[3] is not None for sample in stroke["samples"]]
                for stroke in strokes(stack, name)]
    assert [set(stroke) for stroke in measured] == [{False}, {False}, {True}]


def test_positions_that_the_browser_merged_into_one_event(stack, tab):
    # All positions come at once.
    signature = Signature(stack, policy={"minima": {"duration": 0}})
    show_all(stack, tab)
    tab.page.evaluate("""() => {
        window.sizes = [];
        const pad = document.getElementById("pad");
        pad.addEventListener("pointerrawupdate", (event) => window.sizes.push(event.getCoalescedEvents().length));
    }""")
    # A busy browser takes some one by one.
    for number in range(1, 6):
        burst(tab, STROKE, FORCE)
        signature.wait_for_strokes(number)
        sizes = tab.page.evaluate("() => window.sizes.splice(0)")
        if max(sizes) > 10:
            break
    assert max(sizes) > 10 and sum(sizes) >= len(STROKE) - 1
    tab.draw(ACCEPT, [0.5])
    stroke = strokes(stack, signature.end())[-1]
    assert [sample[3] for sample in stroke["samples"]] == [round(force * 65535) for force in FORCE]
    times = [sample[0] for sample in stroke["samples"]]
    assert times == sorted(times)


def burst(tab, places, force):
    """Sends all moves without waiting, as a fast pen does to a slow page."""
    places = [tab.place(*place) for place in places]
    implementation = tab.cdp._impl_obj
    tab.cdp.send("Input.dispatchMouseEvent", {
        "type": "mousePressed", "x": places[0][0], "y": places[0][1], "button": "left", "buttons": 1,
        "pointerType": "pen", "force": force[0], "clickCount": 1})

    async def send():
        await asyncio.gather(*(
            implementation.send("Input.dispatchMouseEvent", {
                "type": "mouseMoved", "x": x, "y": y, "button": "left", "buttons": 1, "pointerType": "pen",
                "force": pressure}, timeout=None)
            for (x, y), pressure in list(zip(places, force))[1:]))

    tab.cdp._sync(send())
    tab.cdp.send("Input.dispatchMouseEvent", {
        "type": "mouseReleased", "x": places[-1][0], "y": places[-1][1], "button": "left", "buttons": 1,
        "pointerType": "pen", "force": force[-1], "clickCount": 1})


def test_a_cancelled_touch_leaves_nothing(stack, open_tab):
    tab = open_tab(has_touch=True)
    tab.wait_for_link()
    signature = Signature(stack)
    show_all(stack, tab)
    empty = tab.picture()
    x, y = tab.place(0.4, 0.5)
    for kind, points in [
        ("touchStart", [{"x": x, "y": y}]), ("touchMove", [{"x": x + 80, "y": y}]),
        ("touchMove", [{"x": x + 160, "y": y}]), ("touchCancel", []),
    ]:
        tab.cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    show_all(stack, tab)
    wait_for(lambda: ImageChops.difference(tab.picture(), empty).getbbox() is None)
    tab.touch(STROKE, [0.5] * len(STROKE))
    signature.wait_for_strokes(1)
    tab.touch(ACCEPT * 2, [0.5] * 2)
    assert len(strokes(stack, signature.end())) == 1


def test_a_tab_that_is_loaded_anew_in_the_middle(stack, tab):
    signature = Signature(stack)
    show_all(stack, tab)
    tab.draw(STROKE, FORCE)
    signature.wait_for_strokes(1)
    tab.page.reload()
    tab.wait_for_link()
    show_all(stack, tab)
    tab.draw([(x, y + 0.05) for x, y in STROKE], FORCE)
    signature.wait_for_strokes(2)
    tab.draw(ACCEPT, [0.5])
    assert len(strokes(stack, signature.end())) == 2
