# SPDX-License-Identifier: Apache-2.0
"""The page around the pad: connections that end, tabs, tokens, languages, and what its responses forbid."""

import http.client

from PIL import ImageChops
from support.waiting import wait_for

FAILED = "WebSocket connection to"


def shows_all(stack, tab) -> bool:
    return ImageChops.difference(tab.picture(), stack.screenshot()).getbbox() is None


def test_a_panel_that_is_killed_and_started_again(stack, open_tab):
    tab = open_tab(expected=(FAILED, "503"))
    tab.wait_for_link()
    stack.kill_panel()
    tab.wait_for_link("waiting")
    tab.page.get_by_text("The panel’s program does not run.").wait_for()
    stack.start_panel()
    tab.wait_for_link()
    assert tab.page.locator("#notice").is_hidden()
    wait_for(lambda: shows_all(stack, tab))


def test_a_gateway_that_is_killed_and_started_again(stack, open_tab):
    # The end of the stream that tells the places of buttons is an error, too.
    tab = open_tab(expected=(FAILED, "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING"))
    tab.wait_for_link()
    port, url = stack.port, stack.url
    stack.kill_gateway()
    tab.page.get_by_text("The gateway does not run.").wait_for()
    stack.start_gateway(port)
    # The token is kept, so open pages go on.
    assert stack.url == url
    tab.wait_for_link()


def test_the_tab_that_was_opened_last_has_the_panel(stack, open_tab):
    first = open_tab()
    first.wait_for_link()
    second = open_tab()
    second.wait_for_link()
    first.wait_for_link("replaced")
    second.page.get_by_text("This tab has taken over the panel").wait_for()
    assert first.page.locator("#taken-over").is_hidden()
    assert "taken over" in first.page.locator("#notice").inner_text()
    # By the keyboard, too.
    first.page.locator("#take-back").press("Enter")
    first.wait_for_link()
    second.wait_for_link("replaced")
    first.page.get_by_text("This tab has taken over the panel").wait_for()
    assert second.page.locator("#taken-over").is_hidden()
    assert first.page.evaluate("() => document.activeElement.id") == "pad"
    wait_for(lambda: shows_all(stack, first))


def test_addresses_without_a_token_and_with_a_wrong_one(stack, open_tab):
    tab = open_tab(stack.url.split("#")[0])
    tab.page.get_by_text("The address has no token.").wait_for()
    tab = open_tab(stack.url[:-1] + ("A" if stack.url[-1] != "A" else "B"), expected=("401",))
    tab.page.get_by_text("This address is from an earlier start.").wait_for()
    tab.wait_for_link("refused")
    # It tries no more: the gateway would refuse the right token, too.
    tab.page.wait_for_timeout(1500)
    assert len(tab.faults) == 1
    open_tab().wait_for_link()


def test_the_token_leaves_the_address_and_stays_in_the_tab(stack, tab):
    assert tab.page.url == f"http://127.0.0.1:{stack.port}/"
    tab.page.reload()
    tab.wait_for_link()


def test_german(open_tab):
    tab = open_tab(locale="de-AT")
    tab.wait_for_link()
    assert tab.page.locator("#link").inner_text() == "Verbunden"
    assert tab.page.locator("#submit").inner_text() == "Unterschrift anfordern"
    assert tab.page.evaluate("() => document.documentElement.lang") == "de"
    assert '"language": "de"' in tab.page.locator("#snippet").inner_text()


def test_all_texts_are_in_both_languages(open_tab):
    for locale in ("en-GB", "de-DE", "fr-FR"):
        tab = open_tab(locale=locale)
        tab.wait_for_link()
        assert "undefined" not in tab.page.locator("body").inner_text()
        assert tab.page.evaluate("""() => [...document.querySelectorAll("[data-text]")]
            .filter((element) => !element.textContent).map((element) => element.dataset.text)""") == []


def test_it_fits_narrow_and_wide_windows(open_tab):
    tab = open_tab()
    tab.wait_for_link()
    for width, height in [(320, 640), (390, 844), (768, 1024), (1024, 768), (1440, 900), (2560, 1440)]:
        tab.page.set_viewport_size({"width": width, "height": height})
        assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= width
        box = tab.box
        assert abs(box["width"] / box["height"] - 1280 / 720) < 0.01
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        if width <= 820:
            # As wide as the window, and all that fingers press has 44 pixels: of a check box, all of its label.
            assert box["width"] == width
            small = tab.page.evaluate("""() => [...document.querySelectorAll("main button, main a, main input:not(.tick input), main select, .tick")]
                .filter((element) => element.offsetParent && !element.closest(".over"))
                .filter((element) => element.getBoundingClientRect().height < 44).map((element) => element.id)""")
            assert small == []


def test_the_keyboard_reaches_all_controls(open_tab):
    tab = open_tab()
    tab.wait_for_link()
    reached = []
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        name = tab.page.evaluate("() => document.activeElement.id || document.activeElement.name || document.activeElement.className")
        if name in reached and name not in ("remove", ""):
            break
        reached.append(name)
        # What has the focus is visible.
        assert not name or tab.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") != "none"
    for name in ("prompt", "add-row", "signer", "reason", "submit", "tab-curl", "copy", "snippet"):
        assert name in reached
    tab.page.locator("#tab-curl").focus()
    tab.page.keyboard.press("ArrowRight")
    assert tab.page.locator("#tab-javascript").get_attribute("aria-selected") == "true"
    assert "await pad.capture" in tab.page.locator("#snippet").inner_text()


def test_snippets_follow_the_form(open_tab):
    tab = open_tab()
    tab.wait_for_link()
    tab.page.locator("[name=prompt]").fill("It's \"here\"\nsecond line")
    assert r"""        "It'\''s \"here\"",""" in tab.page.locator("#snippet").inner_text()
    tab.page.locator("#tab-python").click()
    assert r'"It\'s \"here\""'.replace("\\'", "'") in tab.page.locator("#snippet").inner_text()


def get(stack, path: str, method: str = "GET", **headers) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=10)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    return response, response.read()


def test_files_forbid_what_they_do_not_need(stack):
    for path in ("/", "/style.css", "/page.js", "/pad.js", "/icon.svg"):
        response, body = get(stack, path)
        assert response.status == 200 and body
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert response.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert response.headers["Cross-Origin-Embedder-Policy"] == "require-corp"
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        tag = response.headers["ETag"]
        response, body = get(stack, path, If_None_Match=f'"other", {tag}')
        assert (response.status, body, response.headers["ETag"]) == (304, b"", tag)
        assert get(stack, path, Host="attacker.example")[0].status == 421
        assert get(stack, path, "POST")[0].status == 405
