# SPDX-License-Identifier: Apache-2.0
"""Fixtures: records that OpenSSH seals as a panel would, and verify.html in Debian's Chromium."""

import functools
import http.server
import math
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

TOP = Path(__file__).resolve().parents[3]
# What the evidence tests write without the program.
sys.path.insert(0, str(TOP / "Tests/system/Evidence"))
from flows import contract, digest, document, line  # noqa: E402

PAGE = Path(os.environ["VERIFIER"])
ID = "20261127-150926-0f1e2d3c4b5a6978"
START = 1795788000000000


def run(*words, **options) -> str:
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def record(count: int = 3, samples: int = 60, **request) -> list[dict]:
    """The lines of a record: a pen with pressure writes `count` strokes, undoes one and writes another."""
    axis = {"minimum": 0, "maximum": 10000, "resolution": 100}
    header = {
        "date": {"offsetSeconds": 3600, "text": "27.11.2026", "zone": "Europe/Berlin"},
        "devices": [{"bus": 3, "name": "Pen", "product": 1, "transform": [0.08, 0, 0, 0.048, 0, 0], "vendor": 1, "version": 1,
                     "x": axis, "y": axis, "pressure": {"minimum": 0, "maximum": 2047, "resolution": 0}}],
        "clockSynchronized": True, "clockMaximumError": 12000, "format": "inkpanel-capture", "id": ID, "panel": "till-3",
        "program": "inkpanel 0.1.0",
        "request": {"prompt": ["I have received the delivery."], "rows": [{"label": "Order", "value": "4711"}],
                    "signer": "Anna Müller", "reason": "Proof of delivery", **request},
        "screen": {"clampedLast": True, "height": 480, "pixelsPerMillimetre": 3.7, "signingArea": [40, 180, 720, 200],
                   "width": 800},
        "shows": {"date": True, "prompt": True, "reason": False, "signer": True},
        "startedAt": START, "startedAtDeviceTime": 81250000, "version": 1}
    lines, time = [header], 400_000

    def stroke(left: int):
        nonlocal time
        found = []
        for index in range(samples):
            part = index / samples
            found.append([time, int(left + 2000 * part), int(5800 + 1300 * math.sin(9 * part)), int(500 + 1400 * math.sin(3 * part) ** 2)])
            time += 5000
        lines.append({"stroke": {"device": 0, "pen": "ink", "samples": found, "tool": "pen"}})

    for index in range(count):
        stroke(1000 + 2200 * index % 6000)
        lines.append({"inAir": {"device": 0, "samples": [[time, 3000, 5000], [time + 150_000, 3500, 5200]], "tool": "pen"}})
        time += 200_000
    lines.append({"action": "undo", "t": time})
    time += 300_000
    stroke(6000)
    lines.append({"end": {
        "endedAt": START + time, "outcome": "accepted", "quality": {"drops": 0, "ignoredContacts": 0},
        "shown": {"page": digest(b"page"), "signed": digest(b"signed"), "from": 0, "until": time, "fonts": ["Inter 4.0"]}}})
    return lines


class Sealer:
    """A key, and the files of a record that it has sealed."""

    def __init__(self, folder: Path):
        self.folder = folder
        run("ssh-keygen", "-q", "-t", "ecdsa", "-b", 256, "-N", "", "-C", "", "-f", folder / "key")
        self.key = run("ssh-keygen", "-lf", folder / "key.pub").split()[1]
        public = " ".join((folder / "key.pub").read_text().split()[:2])
        self.allowed = folder / "allowed_signers"
        self.allowed.write_text(f'till-3@example.org namespaces="inkpanel-seal" {public}\n')

    def seal(self, name: str, lines: list[dict], **more) -> list[Path]:
        """Writes record, seal and signature into a folder of that name."""
        folder = self.folder / name
        folder.mkdir()
        [header, end] = lines[0], lines[-1]["end"]
        data = b"".join(map(line, lines))
        value = {
            "at": end["endedAt"] + 1000, "clock": {"maximumError": 12000, "synchronized": True}, "format": "inkpanel-seal",
            "id": header["id"], "key": self.key, "n": 1, "previous": "0" * 64, "program": "inkpanel 0.1.0",
            "record": digest(data), "startedAt": header["startedAt"], "version": 1, **more}
        if "shown" in end:
            value["shown"] = [end["shown"]["page"], end["shown"]["signed"]]
        if "document" in header["request"]:
            value["document"] = header["request"]["document"]["sha256"]
        [path, seal] = folder / f"{header['id']}.jsonl", folder / f"{header['id']}.seal"
        path.write_bytes(data)
        seal.write_bytes(line(value))
        run("ssh-keygen", "-q", "-Y", "sign", "-f", self.folder / "key", "-n", "inkpanel-seal", seal)
        return [path, seal, Path(f"{seal}.sig")]


@pytest.fixture(scope="session")
def panel(tmp_path_factory) -> Sealer:
    return Sealer(tmp_path_factory.mktemp("panel"))


@pytest.fixture(scope="session")
def sealed(panel) -> list[Path]:
    """Record, seal and signature, and the list of allowed keys."""
    return [*panel.seal("sealed", record()), panel.allowed]


@pytest.fixture(scope="session")
def flow(panel) -> list[Path]:
    """Of a contract that two people read, answered and signed; and its document."""
    source = panel.folder / "contract.pdf"
    source.write_bytes(document())
    lines = contract(source.read_bytes(), [digest(b"1"), digest(b"2")])
    return [*panel.seal("flow", lines), source, panel.allowed]


@pytest.fixture(scope="session")
def encrypted(panel) -> tuple[list[Path], Path]:
    """As a panel with a recipient stores it, and the secret key."""
    identity = panel.folder / "court.key"
    run("age-keygen", "-o", identity)
    lines = record()
    data = b"".join(map(line, lines))
    stored = panel.folder / f"{ID}.jsonl.age"
    subprocess.run(["age", "-r", run("age-keygen", "-y", identity).strip(), "-o", stored], input=data, check=True)
    [_, seal, signature] = panel.seal("encrypted", lines, stored=digest(stored.read_bytes()))
    return [stored, seal, signature, panel.allowed], identity


def archive(path: Path, files: list[Path]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            packed.write(file, file.name)
    return path


@pytest.fixture(scope="session")
def server():
    """A web server with the page, and the paths that were asked for."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            server.asked.append(self.path)
            super().do_GET()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=PAGE.parent))
    server.asked = []
    server.url = f"http://127.0.0.1:{server.server_port}/verify.html"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


class Tab:
    """The page in a tab, with what its console says and what it asks for."""

    def __init__(self, page, url: str):
        self.page = page
        self.faults: list[str] = []
        self.requests: list[str] = []
        # Machines that build meanwhile are slow.
        page.set_default_timeout(120_000)
        # Chromium gives advice to tests that read pixels.
        page.on("console", lambda message: message.type in ("error", "warning") and "Canvas2D" not in message.text
                and self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(url)
        # Texts are there.
        page.wait_for_selector("#language option", state="attached")

    def give(self, *files: Path):
        """Lists of keys by themselves, as a reader must."""
        lists = [file for file in files if file.name.endswith("signers")]
        for some in ([file for file in files if file not in lists], lists):
            if some:
                verdict = self.drop(*some)
        return verdict

    def drop(self, *files: Path) -> str:
        """All together."""
        self.page.set_input_files("#files", [str(file) for file in files])
        return self.wait()

    def wait(self) -> str:
        """The verdict."""
        self.page.wait_for_selector("#report[aria-busy=false] #verdict", timeout=120_000)
        return self.page.inner_text("#verdict")

    @property
    def text(self) -> str:
        return self.page.inner_text("#report")


@pytest.fixture
def open_tab(chromium):
    contexts, tabs = [], []

    def open_tab(url: str = PAGE.as_uri(), locale: str = "en-US", width: int = 1000, **options) -> Tab:
        contexts.append(chromium.new_context(locale=locale, viewport={"width": width, "height": 900}, **options))
        tabs.append(Tab(contexts[-1].new_page(), url))
        return tabs[-1]

    yield open_tab
    for context in contexts:
        context.close()
    assert [fault for tab in tabs for fault in tab.faults] == []


@pytest.fixture
def tab(open_tab) -> Tab:
    return open_tab()
