# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a virtual panel, a gateway, and Debian's Chromium with the gateway's page."""

import base64
import io
import os
import signal
import socket
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import varlink
from PIL import Image
from playwright.sync_api import sync_playwright
from support.waiting import wait_for

INTERFACE = "org.inkpanel.Panel"


class Stack:
    """A panel and a gateway, which can be killed and started again."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.host = str(folder / "panel.sock")
        self.virtual = str(folder / "virtual.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "document.sock"))
        self.listener.listen()
        threading.Thread(target=self.read_documents, daemon=True).start()
        self.configure()
        self.panel = self.gateway = None
        self.url = ""

    def configure(self, gateway: str = ""):
        """Only this user may use the panel. `gateway`: keys of the table [gateway]."""
        (self.folder / "inkpanel.toml").write_text(
            f'[control]\ngroup = ""\ngateway = ""\n[gateway]\n{gateway}\n[document]\n'
            f'socket = "{self.folder / "document.sock"}"\n')

    def read_documents(self):
        """Starts the program for documents as systemd does, as long as the tests run."""
        while True:
            with self.listener.accept()[0] as connection:
                subprocess.run([os.environ["DOCUMENT"]], stdin=connection, stdout=connection)

    def start_panel(self):
        with (self.folder / "panel.log").open("ab") as log:
            self.panel = subprocess.Popen(
                [os.environ["INKPANEL"], "run", "--virtual", self.virtual, "--config",
                 str(self.folder / "inkpanel.toml"), "--store", str(self.folder / "store"), "--socket", self.host],
                stderr=log)
        wait_for(lambda: os.path.exists(self.virtual) and os.path.exists(self.host))

    def start_gateway(self, port: int = 0):
        with (self.folder / "gateway.log").open("ab") as log:
            self.gateway = subprocess.Popen(
                [os.environ["GATEWAY"], "run", "--loopback", str(port), "--virtual", self.virtual, "--panel", self.host,
                 "--config", str(self.folder / "inkpanel.toml"), "--state", str(self.folder), "--print-url"],
                stdout=subprocess.PIPE, stderr=log, text=True)
        self.url = self.gateway.stdout.readline().strip()
        assert self.url, (self.folder / "gateway.log").read_text()

    @property
    def port(self) -> int:
        return int(self.url.split(":")[2].split("/")[0])

    @property
    def token(self) -> str:
        return self.url.split("#token=")[1]

    def kill_panel(self):
        self.panel.kill()
        self.panel.wait()
        os.unlink(self.virtual)

    def kill_gateway(self):
        self.gateway.kill()
        self.gateway.wait()

    def stop(self):
        for program in (self.gateway, self.panel):
            if program and program.poll() is None:
                program.send_signal(signal.SIGTERM)
                program.wait(30)

    # What a program beside the panel sees.

    @contextmanager
    def service(self):
        with varlink.Client("unix:" + self.host) as client, client.open(INTERFACE) as service:
            yield service

    def status(self) -> dict:
        with self.service() as service:
            return service.Status()["status"]

    def screenshot(self) -> Image.Image:
        with self.service() as service:
            return Image.open(io.BytesIO(base64.b64decode(service.Screenshot()["base64"]))).convert("RGB")


@contextmanager
def started(folder: Path):
    stack = Stack(folder)
    try:
        stack.start_panel()
        stack.start_gateway()
        yield stack
    finally:
        stack.stop()


@pytest.fixture
def stack(tmp_path):
    with started(tmp_path) as stack:
        yield stack


@pytest.fixture(scope="session")
def launch():
    """Starts Chromium with options."""
    with sync_playwright() as playwright:
        yield lambda *options: playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox", *options])


@pytest.fixture(scope="session")
def chromium(launch):
    browser = launch()
    yield browser
    browser.close()


class Tab:
    """The page in a tab, with what its console says."""

    def __init__(self, context, url: str):
        self.context = context
        self.faults: list[str] = []
        self.page = context.new_page()
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.goto(url)
        self.cdp = context.new_cdp_session(self.page)

    def wait_for_link(self, state: str = "connected"):
        self.page.wait_for_selector(f"#link[data-state={state}]", timeout=20000)

    @property
    def box(self) -> dict:
        return self.page.locator("#pad").bounding_box()

    def places(self, fractions) -> list[tuple[float, float]]:
        """The places in the tab of fractions of the pad."""
        box = self.box
        return [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in fractions]

    def place(self, x: float, y: float) -> tuple[float, float]:
        return self.places([(x, y)])[0]

    def picture(self) -> Image.Image:
        """The pixels of the pad, as drawn by the page."""
        data = self.page.evaluate("() => document.getElementById('pad').toDataURL('image/png')")
        return Image.open(io.BytesIO(base64.b64decode(data.split(",")[1]))).convert("RGB")

    def draw(self, places, force=None, pointer: str = "pen"):
        """Draws a line through fractions of the pad; `force` is the pressure, for each place."""
        places = self.places(places)

        def send(kind: str, index: int):
            x, y = places[index]
            event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "pointerType": pointer,
                     "clickCount": 1}
            if force is not None:
                event["force"] = force[index]
            self.cdp.send("Input.dispatchMouseEvent", event)

        send("mousePressed", 0)
        for index in range(1, len(places)):
            send("mouseMoved", index)
        send("mouseReleased", len(places) - 1)

    def touch(self, places, force):
        for index, ((x, y), pressure) in enumerate(zip(self.places(places), force)):
            self.cdp.send("Input.dispatchTouchEvent", {
                "type": "touchMove" if index else "touchStart", "touchPoints": [{"x": x, "y": y, "force": pressure}]})
        self.cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.fixture
def open_tab(chromium, stack):
    """Opens the page. At the end, its console must be empty, or have only what the test has named in `expected`."""
    contexts = []
    tabs = []

    def open_tab(url: str | None = None, context=None, locale: str = "en-US", expected: tuple[str, ...] = (), **options):
        if context is None:
            context = chromium.new_context(locale=locale, viewport={"width": 1440, "height": 900}, **options)
            contexts.append(context)
        tab = Tab(context, url or stack.url)
        tab.expected = expected
        tabs.append(tab)
        return tab

    yield open_tab
    faults = [fault for tab in tabs for fault in tab.faults if not any(part in fault for part in tab.expected)]
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def tab(open_tab):
    tab = open_tab()
    tab.wait_for_link()
    return tab
