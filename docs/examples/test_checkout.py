# SPDX-License-Identifier: Apache-2.0
"""A web page that lets people sign, tested in a browser with a simulated pad: pytest test_checkout.py

Needs pytest, the Python packages inkpanel and playwright, Chromium, and the programs of the pad (docs/clients.md).
`Shop` stands for your application: its page loads the client from the gateway, its back end makes the sessions.
"""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from inkpanel import Pad, SessionRequest
from inkpanel.simulator import Simulator
from playwright.sync_api import expect, sync_playwright

PAGE = """<!doctype html><html lang="en"><title>Checkout</title><button>Sign</button> <output></output> <img alt="">
<script type="module">
import { Inkpanel } from "%s/inkpanel.js"
const [button, output, image] = document.querySelectorAll("button, output, img")
button.onclick = async () => {
  const { url, token } = await (await fetch("/session", { method: "POST" })).json()
  const pad = new Inkpanel({ url, token })
  const options = { onChange: capture => { output.value = capture.state } }
  const { id, outcome } = await pad.capture({ prompt: ["Order 4711"] }, options)
  output.value = outcome.result
  if (outcome.result === "accepted") image.src = URL.createObjectURL(await pad.file(id, "signature.svg"))
}
</script></html>"""


class Shop(BaseHTTPRequestHandler):
    pad: Pad

    def do_GET(self):
        self.reply("text/html", PAGE % self.pad.client.url.geturl())

    def do_POST(self):
        session = self.pad.session(SessionRequest(origin="http://" + self.headers["Host"]))
        self.reply("application/json", json.dumps({"url": self.pad.client.url.geturl(), "token": session.token}))

    def reply(self, kind: str, text: str):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture(scope="module")
def checkout():
    """The simulator, and the page in a browser."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    shop = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Simulator(origins=[shop]) as simulator, sync_playwright() as playwright:
        Shop.pad = Pad(simulator.url, simulator.token)
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(shop)
        yield simulator, page
        browser.close()
    server.shutdown()


def test_the_customer_signs(checkout):
    _, page = checkout
    page.get_by_role("button").click()
    expect(page.locator("output")).to_have_text("accepted", timeout=20_000)
    page.wait_for_function("document.querySelector('img').naturalWidth > 0")


def test_the_customer_presses_cancel(checkout):
    simulator, page = checkout
    simulator.act("cancel")
    page.get_by_role("button").click()
    expect(page.locator("output")).to_have_text("cancelled", timeout=20_000)
