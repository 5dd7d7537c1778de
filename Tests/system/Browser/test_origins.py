# SPDX-License-Identifier: Apache-2.0
"""Pages of other sites: what the gateway and the browser allow them."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

FETCH = """async ([url, token]) => {
    try {
        const answer = await fetch(url, { headers: { Authorization: "Bearer " + token } });
        return answer.status;
    } catch (error) {
        return error.name;
    }
}"""
WEBSOCKET = """([url, token]) => new Promise((done) => {
    const socket = new WebSocket(url, ["inkpanel.v1", "inkpanel.token." + token]);
    socket.onmessage = () => done("message");
    socket.onclose = (event) => done(event.code);
})"""


class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Till</title>")

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    """A site of its own, which the browser is told to take for a public one."""
    server = HTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


def call(stack, page) -> tuple:
    web = f"http://127.0.0.1:{stack.port}/v1/panel"
    socket = f"ws://127.0.0.1:{stack.port}/v1/virtual"
    return page.evaluate(FETCH, [web, stack.token]), page.evaluate(WEBSOCKET, [socket, stack.token])


@pytest.mark.parametrize("granted", [False, True])
@pytest.mark.parametrize("allowed", [False, True])
def test_a_public_page_needs_the_gateway_and_the_user(stack, launch, site, allowed, granted):
    if allowed:
        stack.kill_gateway()
        stack.configure(f'origins = ["http://localhost:{site}"]')
        stack.start_gateway()
    browser = launch(f"--ip-address-space-overrides=127.0.0.1:{site}=public")
    context = browser.new_context()
    if granted:
        context.grant_permissions(["local-network-access"])
    page = context.new_page()
    page.goto(f"http://localhost:{site}/")
    assert call(stack, page) == ((200, "message") if allowed and granted else ("TypeError", 1006))
    browser.close()
