# SPDX-License-Identifier: Apache-2.0
"""The clerk's page /mirror: ink as it is drawn, buttons over the drawn ones, and nothing left at the end."""

import base64
import io
import json
import math

import pytest
from conftest import Tab
from PIL import Image, ImageChops
from support.waiting import wait_for


@pytest.fixture
def watched(stack):
    """A panel that allows the mirror to show ink."""
    stack.stop()
    path = stack.folder / "inkpanel.toml"
    path.write_text(path.read_text().replace("[control]", '[control]\nmirror = "ink"'))
    stack.start_panel()
    stack.start_gateway()
    return stack


def ink(page) -> int:
    """Pixels of the page's canvas with ink."""
    return page.evaluate(
        "() => { const c = document.getElementById('ink'); const d = c.getContext('2d').getImageData(0, 0, c.width,"
        " c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 60; return n }")


def request(page, stack, method: str, path: str, body=None):
    """A request of a host, by the page's own fetch."""
    return page.evaluate(
        "async ([method, path, token, body]) => { const answer = await fetch(path, { method, body, headers: {"
        " authorization: 'Bearer ' + token, ...(body ? { 'content-type': 'application/json' } : {}) } });"
        " return answer.json() }", [method, path, stack.token, body and json.dumps(body)])


@pytest.mark.parametrize("level", ["ink", "presence"])
def test_a_clerk_sees_the_ink_and_accepts(watched, chromium, level):
    clerk = Tab(chromium.new_context(viewport={"width": 1000, "height": 700}), f"http://localhost:{watched.port}/mirror"
                f"?level={level}#token={watched.token}")
    person = Tab(chromium.new_context(), watched.url)
    person.wait_for_link()
    capture = request(clerk.page, watched, "POST", "/v1/captures", {"prompt": ["12 parcels"]})
    clerk.page.wait_for_selector("#buttons button")
    # For who does not see the picture.
    words = clerk.page.locator("#words")
    assert "12 parcels" in words.inner_text() and words.get_attribute("lang") == "en"
    assert ink(clerk.page) == 0
    person.draw([(0.3 + 0.3 * i / 60, 0.5 + 0.08 * math.sin(i / 4)) for i in range(60)])
    wait_for(lambda: ink(clerk.page) > 500)
    if level == "ink":
        # About the panel's ink: both pictures are scaled to the panel's pixels.
        scale = clerk.page.evaluate("() => document.getElementById('ink').width") / watched.status()["screen"]["size"]["width"]
        dark = sum(watched.screenshot().convert("L").crop((300, 200, 1000, 450)).histogram()[:100])
        assert 0.6 < ink(clerk.page) / scale ** 2 / dark < 1.6
    picture = Image.open(io.BytesIO(clerk.page.screenshot()))
    assert picture.size == (1000, 700)
    label = clerk.page.locator("#buttons button[aria-label=Accept]")
    assert label.bounding_box()["width"] > 50, "the button lies over the drawn one"
    label.focus()
    clerk.page.keyboard.press("Enter")
    wait_for(lambda: request(clerk.page, watched, "GET", f"/v1/captures/{capture['id']}")["state"] == "ended")
    end = request(clerk.page, watched, "GET", f"/v1/captures/{capture['id']}")
    assert end["outcome"] == {"result": "accepted"}
    wait_for(lambda: ink(clerk.page) == 0 and clerk.page.locator("#buttons button").count() == 0)
    assert not clerk.page.locator("#backdrop").is_visible()
    # This test reads the canvas often.
    assert [fault for fault in clerk.faults if "readback" not in fault] == []


def test_the_page_needs_a_token_that_may_watch(watched, chromium):
    tab = Tab(chromium.new_context(locale="de-DE"), f"http://localhost:{watched.port}/mirror")
    wait_for(lambda: "Token" in tab.page.inner_text("#state"))
    assert tab.faults == []


def test_the_address_of_make_run_shows_what_the_pad_shows(stack, chromium):
    """With the usual configuration, whose level is lower than the token's. Also after strokes and another load."""
    clerk = Tab(chromium.new_context(viewport={"width": 1000, "height": 700}),
                f"http://localhost:{stack.port}/mirror#token={stack.token}")
    person = Tab(chromium.new_context(), stack.url)
    person.wait_for_link()
    wait_for(lambda: clerk.page.inner_text("#state") == "Nobody is signing.")
    capture = request(clerk.page, stack, "POST", "/v1/captures", {"prompt": ["12 parcels"]})
    clerk.page.wait_for_selector("#buttons button")

    def is_same() -> bool:
        """Whether the mirror's page is the pad's outside of the ink field and of the sign that somebody watches."""
        data = clerk.page.evaluate("""async () => {
            const image = document.getElementById("backdrop");
            if (image.hidden || !image.naturalWidth) return null;
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
            canvas.getContext("2d").drawImage(image, 0, 0);
            return canvas.toDataURL().split(",")[1];
        }""")
        if not data:
            return False
        mirrored = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
        pad = stack.screenshot()
        # Clear, Undo and Accept.
        boxes = [(1130, 180, 1260, 480), (700, 580, 1280, 720), (50, 440, 400, 520)]
        return all(ImageChops.difference(mirrored.crop(box), pad.crop(box)).getbbox() is None for box in boxes)

    wait_for(is_same)
    person.draw([(0.3 + 0.3 * i / 60, 0.5 + 0.08 * math.sin(i / 4)) for i in range(60)])
    wait_for(lambda: stack.status()["running"]["strokes"] == 1)
    wait_for(is_same)
    clerk.page.reload()
    wait_for(is_same)
    request(clerk.page, stack, "POST", f"/v1/captures/{capture['id']}/clear")
    wait_for(is_same)
    request(clerk.page, stack, "POST", f"/v1/captures/{capture['id']}/cancel")
    wait_for(lambda: clerk.page.locator("#buttons button").count() == 0)


def test_it_says_how_many_strokes_and_why_they_are_refused(stack, chromium):
    clerk = Tab(chromium.new_context(), f"http://localhost:{stack.port}/mirror#token={stack.token}")
    person = Tab(chromium.new_context(viewport={"width": 1280, "height": 900}), stack.url)
    person.wait_for_link()
    capture = request(clerk.page, stack, "POST", "/v1/captures", {"prompt": ["12 parcels"]})["id"]
    clerk.page.wait_for_selector("#buttons button")
    request(clerk.page, stack, "POST", f"/v1/captures/{capture}/accept")
    wait_for(lambda: clerk.page.inner_text("#state") == "Not accepted yet: nobody has signed on the line.")
    person.draw([(0.3 + 0.01 * i / 30, 0.5 + 0.01 * math.sin(i / 4)) for i in range(30)])
    wait_for(lambda: clerk.page.inner_text("#state") == "The person is signing. 1 stroke")
    request(clerk.page, stack, "POST", f"/v1/captures/{capture}/accept")
    wait_for(lambda: clerk.page.inner_text("#state") == "Not accepted yet: the ink is very small. 1 stroke")
    request(clerk.page, stack, "POST", f"/v1/captures/{capture}/cancel")
    wait_for(lambda: clerk.page.inner_text("#state") == "Nobody is signing.")
