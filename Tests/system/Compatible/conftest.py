# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a panel with a simulated person, a gateway in front of it, and pages of an application in Chromium."""

import http.server
import math
import os
import ssl
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from support.waiting import wait_for

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "Gateway"), str(TESTS / "Control")]

from gateway import Gateway, Panel  # noqa: E402
from socket_client import WebSocket  # noqa: E402
from virtual_client import VirtualClient  # noqa: E402

ORIGIN = "https://till.example"
SCOPES = ("capture", "record", "panel", "simulate", "mirror:ink")


class Stack:
    """A panel, a gateway, and a back end's token."""

    def __init__(self, folder: Path, origins=(ORIGIN,), unix: bool = False, **panel):
        self.panel = Panel(folder, **panel)
        self.gateway = Gateway(folder / "gateway", self.panel.socket, origins=origins, unix=unix)
        self.token = self.gateway.token("till", SCOPES)
        self.origin = origins[0]

    def session(self, token: str = "", **members) -> str:
        made = self.gateway.request("POST", "/v1/sessions", token or self.token, {"origin": self.origin, **members})
        assert made.status == 201, made
        return made.json["token"]

    def open(self, protocol: str, session: str = "", origin: str | None = ORIGIN, **members) -> WebSocket:
        return WebSocket(self.gateway.port, f"/compat/{protocol}/{session or self.session(**members)}", origin)

    def act(self, act: str) -> None:
        self.gateway.act(self.token, act)

    def status(self) -> dict:
        return self.gateway.request("GET", "/v1/panel", self.token).json

    def wait_for_page(self, *pages: str) -> None:
        wait_for(lambda: self.status()["page"] in pages)

    def rest(self) -> None:
        """Nothing runs, and the simulated person signs."""
        self.act("sign")
        wait_for(lambda: not self.status().get("running") and not self.status()["waiting"])

    def stop(self) -> None:
        self.gateway.kill()
        self.panel.stop()


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    # Short, because the path of a socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="compat-") as folder:
        stack = Stack(Path(folder), mirror="ink")
        yield stack
        stack.stop()
        log = stack.gateway.log.read_text()
        assert "ipt_" not in log and "fault" not in log, log


@pytest.fixture
def stack(shared):
    shared.rest()
    yield shared
    shared.rest()


@pytest.fixture
def own(tmp_path):
    """Starts a panel and a gateway for one test."""
    started = []

    def start(**options) -> Stack:
        started.append(Stack(tmp_path, **options))
        return started[-1]
    yield start
    for stack in started:
        stack.stop()


class Pen:
    """Draws on a panel without a simulated person."""

    def __init__(self, stack: Stack):
        self.stack, self.client = stack, VirtualClient(stack.panel.virtual)

    def sign(self) -> None:
        strokes = self.stack.status()["running"]["strokes"]
        self.client.frames(0.1)
        self.client.draw([(0.25 + 0.005 * step, 0.5 + 0.1 * math.sin(step / 4)) for step in range(90)])
        wait_for(lambda: self.stack.status()["running"]["strokes"] == strokes + 1)


@pytest.fixture
def own_pen(own):
    return Pen(own(simulate=False, mirror="ink"))


# MARK: pages

@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright):
    browser = playwright.chromium.launch(
        executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
        args=["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"])
    yield browser
    browser.close()


class Site:
    """An application's pages, in a folder of its own; with `tls`, a server's context, over https."""

    def __init__(self, tls: ssl.SSLContext | None = None):
        self.files: dict[str, bytes] = {}
        files = self.files

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = files.get(self.path.split("?")[0])
                self.send_response(200 if content is not None else 404)
                kind = "text/javascript" if self.path.endswith(".js") else "text/html; charset=utf-8"
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"{'https://localhost' if tls else 'http://till.test'}:{self.server.server_port}"

    def add(self, path: str, content: str | bytes) -> str:
        self.files["/" + path] = content.encode() if isinstance(content, str) else content
        return f"{self.origin}/{path}"


@pytest.fixture(scope="session")
def web(tmp_path_factory):
    """A site, and a stack that lets its pages in."""
    site = Site()
    with tempfile.TemporaryDirectory(prefix="compat-") as folder:
        stack = Stack(Path(folder), origins=(site.origin,), mirror="ink")
        stack.site = site
        yield stack
        stack.stop()
        assert "ipt_" not in stack.gateway.log.read_text()
    site.server.shutdown()


@pytest.fixture
def application(web, chromium):
    """Opens pages; what they say on their console is in `console`."""
    web.rest()
    context = chromium.new_context()
    console: list[str] = []

    def open_page(url: str):
        page = context.new_page()
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        page.goto(url)
        return page
    open_page.console = console
    yield open_page
    context.close()
    web.rest()
