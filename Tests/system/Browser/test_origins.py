# SPDX-License-Identifier: Apache-2.0
"""Pages of other sites: what the gateway and the browser allow them."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from support import breadth

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


@pytest.mark.parametrize(
    "allowed, granted", [(True, True), (True, False), (False, True), pytest.param(False, False, marks=breadth.long)])
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


FOLLOW = """async ([url, token]) => {
    const { Inkpanel } = await import(url + "/inkpanel.js");
    const onChange = (capture) => { window.state = capture.state; };
    window.ended = new Inkpanel({ url, token }).capture({ prompt: ["Sign here"] }, { onChange }).then(
        (capture) => capture.outcome.result, (error) => { window.failure = error.reason; });
}"""
CLIENT = (Path(__file__).parents[3] / "Sources/Gateway/Web/inkpanel.js").read_text()


@pytest.mark.parametrize("host", breadth.share(["till.test", "localhost"], 2))
def test_a_page_follows_through_lost_connections(stack, launch, site, host):
    """The browser denies them the local network, as all pages without https; but these need no permission."""
    stack.kill_gateway()
    stack.configure(f'origins = ["http://{host}:{site}"]')
    stack.start_gateway()
    browser = launch("--host-resolver-rules=MAP till.test 127.0.0.1")
    page = browser.new_page()
    if host == "localhost":
        page.add_init_script("navigator.permissions.query = async () => ({ state: 'denied' })")
    page.goto(f"http://{host}:{site}/")
    names = "name => navigator.permissions.query({ name }).then(({ state }) => state)"
    assert page.evaluate(names, "local-network") == "denied"
    failures = ["connectionreset", "connectionrefused"]
    page.route("**/events", lambda route: route.abort(failures.pop(0)) if failures else route.continue_())
    page.evaluate(FOLLOW, [f"http://127.0.0.1:{stack.port}", stack.token])
    page.wait_for_function("() => window.state === 'signing' || window.failure")
    assert failures == [] and page.evaluate("() => window.failure") is None
    with stack.service() as service:
        service.Cancel()
    assert page.evaluate("() => window.ended") == "cancelled"
    browser.close()


def test_a_pad_that_is_off_is_not_taken_for_a_permission_that_is_missing(launch, stack, site):
    browser = launch("--host-resolver-rules=MAP till.test 127.0.0.1")
    page = browser.new_page()
    page.goto(f"http://till.test:{site}/")
    stack.kill_gateway()
    page.add_script_tag(type="module", content=CLIENT + "\nwindow.Inkpanel = Inkpanel")
    page.wait_for_function("() => !!window.Inkpanel")
    reason = "url => new Inkpanel({ url, token: 'ipt_x' }).status().catch((error) => error.reason)"
    assert page.evaluate(reason, f"http://127.0.0.1:{stack.port}") == "unreachable"
    browser.close()
