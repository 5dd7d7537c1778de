# SPDX-License-Identifier: Apache-2.0
"""inkpanel.js: captures are followed to their end, also by pages over plain http, which are no secure contexts."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "Gateway"))
from flaky import Flaky  # noqa: E402
from support.waiting import wait_for

# Keeps what happens in the page, and shortens the client's pauses.
FOLLOW = """async ([token, action]) => {
    const { Inkpanel } = await import("/inkpanel.js");
    const { setTimeout: real } = window;
    window.pauses = [];
    window.setTimeout = (run, time) => {
        if (time < 40000) window.pauses.push(time);
        return real(run, time < 40000 ? time / 100 : time);
    };
    const pad = new Inkpanel({ token });
    window.controller = new AbortController();
    const options = { signal: window.controller.signal, onChange: (capture) => {
        window.capture = capture;
        if (action === "throw") throw new Error("of the page");
    } };
    window.ended = pad.capture({ prompt: ["Sign here"] }, options).then(
        (capture) => ({ outcome: capture.outcome }), (error) => ({ name: error.name, message: error.message }));
}"""


@pytest.fixture
def plain_page(stack, launch):
    """Opens a page that is no secure context, on an address of the gateway with faults."""
    browser = launch("--host-resolver-rules=MAP pad.test 127.0.0.1")
    opened = []

    def open_page(faults=()):
        flaky = Flaky(stack.port, faults)
        page = browser.new_page()
        page.goto(f"http://pad.test:{flaky.server.server_port}/blank")
        assert not page.evaluate("() => isSecureContext || !!crypto.randomUUID")
        opened.append(flaky)
        return flaky, page
    yield open_page
    browser.close()
    for flaky in opened:
        flaky.stop()


def cancel(stack):
    with stack.service() as service:
        service.Cancel()


def test_following_goes_on_after_whatever_may_pass(stack, plain_page):
    faults = [408, (429, "3"), 500, 502, (503, "2"), 504, "drop", "cut", "drop", 503, 503, 503, 503]
    flaky, page = plain_page(faults)
    page.evaluate(FOLLOW, [stack.token, ""])
    wait_for(lambda: not flaky.faults and page.evaluate("() => window.capture?.state") == "signing")
    cancel(stack)
    assert page.evaluate("() => window.ended") == {"outcome": {"result": "cancelled", "by": "host"}}
    assert flaky.seen[:len(faults)] == faults
    pauses = page.evaluate("() => window.pauses")
    # What the gateway asks for, else twice as long each time.
    assert pauses[:8] == [500, 3000, 2000, 4000, 2000, 8000, 8000, 8000] and max(pauses) <= 8000


def test_an_error_of_the_page_and_a_signal_cancel_the_capture(stack, plain_page):
    _, page = plain_page()
    page.evaluate(FOLLOW, [stack.token, "throw"])
    assert page.evaluate("() => window.ended") == {"name": "Error", "message": "of the page"}
    wait_for(lambda: stack.status().get("running") is None)
    page.evaluate(FOLLOW, [stack.token, ""])
    wait_for(lambda: page.evaluate("() => window.capture?.state") == "signing")
    page.evaluate("() => window.controller.abort()")
    assert page.evaluate("() => window.ended") == {"outcome": {"result": "cancelled", "by": "host"}}


def test_a_refusal_ends_the_following_at_once(stack, plain_page):
    flaky, page = plain_page([403])
    page.evaluate(FOLLOW, [stack.token, ""])
    assert page.evaluate("() => window.ended") == {"name": "InkpanelError", "message": "in vain"}
    assert page.evaluate("() => window.pauses") == []


def test_addresses_and_tokens_that_are_none(stack, plain_page):
    _, page = plain_page()
    reason = """async ([url, token]) => {
        const { Inkpanel } = await import("/inkpanel.js");
        try {
            await new Inkpanel({ url, token }).status();
        } catch (error) {
            return error.reason;
        }
    }"""
    for url in ("pad.local:8443", "pad.local", "ftp://pad.local", "http://127.0.0.1/#token=ipt_a"):
        assert page.evaluate(reason, [url, stack.token]) == "bad-url"
    for token in ("", "ipt_a…", stack.token + "\n"):
        assert page.evaluate(reason, [page.url.removesuffix("/blank"), token]) == "bad-token"
