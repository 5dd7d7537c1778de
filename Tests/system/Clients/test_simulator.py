# SPDX-License-Identifier: Apache-2.0
"""The simulated pad for tests of hosts: as a program, in the container's form, and in the examples."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT, run
from inkpanel import CaptureRequest, Pad
from standardwebhooks import Webhook
from support.waiting import wait_for
from support.breadth import long

PROGRAM = ROOT / "clients/python/inkpanel/simulator.py"
REQUEST = CaptureRequest(prompt=["Delivery 4711"])


@pytest.fixture
def place():
    """For sockets, whose paths are short."""
    place = Path(tempfile.mkdtemp(dir="/tmp"))
    yield place
    shutil.rmtree(place)


def started(place: Path, *words: object):
    """The program, and what it says at the start."""
    program = subprocess.Popen(
        [str(word) for word in words], stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(place)})
    return program, dict(program.stdout.readline().strip().split("=", 1) for _ in range(3))


def test_it_says_what_is_missing(tmp_path):
    said = run(["/usr/bin/python3", PROGRAM, "--inkpanel", "/none"], tmp_path, 1)
    assert "no program /none: install the package inkpanel" in said and "Traceback" not in said
    said = run(["/usr/bin/python3", PROGRAM, "--gateway", "/usr/bin/false"], tmp_path, 1)
    assert "does not start" in said and "Traceback" not in said
    said = run(["/usr/bin/python3", PROGRAM, "--listen", "99999"], tmp_path, 1)
    assert "port must be 0-65535" in said and "Traceback" not in said


def test_a_webhook_is_told_how_captures_end(place):
    told = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.append((dict(self.headers), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        program = subprocess.Popen(
            ["/usr/bin/python3", PROGRAM, "--webhook", f"http://127.0.0.1:{server.server_port}/hook"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(place)})
        said = dict(program.stdout.readline().strip().split("=", 1) for _ in range(4))
        assert Pad(said["INKPANEL_URL"], said["INKPANEL_TOKEN"]).capture(REQUEST).outcome.result == "accepted"
        wait_for(lambda: len(told) == 2)
        server.shutdown()
    assert [json.loads(body)["type"] for _, body in told] == ["record.stored", "capture.ended"]
    for headers, body in told:
        headers = {name.lower(): value for name, value in headers.items()}
        Webhook(said["INKPANEL_WEBHOOK_SECRET"]).verify(body, headers)
    program.terminate()
    assert program.wait(20) == 0 and list(place.iterdir()) == []


def test_make_simulate_runs_it(place):
    """The program and the options are those of the make file."""
    line = subprocess.run(
        ["make", "--no-print-directory", "-n", "simulate"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    assert line.split()[2:] == [
        str(PROGRAM.relative_to(ROOT)), "--inkpanel", ".build/release/inkpanel", "--gateway", ".build/release/inkpanel-gateway"]
    program, said = started(place, "/usr/bin/python3", PROGRAM)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", said["INKPANEL_URL"])
    assert said["INKPANEL_PAGE"].startswith(said["INKPANEL_URL"] + "/#token=ipt_")
    assert Pad(said["INKPANEL_URL"], said["INKPANEL_TOKEN"]).capture(REQUEST).outcome.result == "accepted"
    program.send_signal(signal.SIGINT)
    assert program.wait(20) == 0 and not any(place.iterdir())


def test_what_the_container_runs_listens_for_others_and_leaves_nothing(place):
    """Its command and the files that it copies; the container itself is not built."""
    text = (ROOT / "deploy/simulator/Containerfile").read_text()
    source, target = re.search(r"^COPY (\S+\.py) (\S+)$", text, re.M).groups()
    command = eval(re.search(r"^ENTRYPOINT (\[.*\])$", text, re.M)[1])
    assert command[0] == target and os.access(ROOT / source, os.X_OK)
    port = re.search(r"^EXPOSE (\d+)$", text, re.M)[1]
    assert command[1:] == ["--listen", port]
    program, said = started(place, ROOT / source, "--listen", "0", "--name", "pad.test")
    assert Pad(said["INKPANEL_URL"], said["INKPANEL_TOKEN"]).capture(REQUEST).outcome.result == "accepted"
    # A container in the same network has the name that it was given.
    port = said["INKPANEL_URL"].rsplit(":", 1)[1]
    for name, status in [("pad.test", "200"), ("other.test", "421")]:
        assert run(
            ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--resolve", f"{name}:{port}:127.0.0.1", "-H",
             f"Authorization: Bearer {said['INKPANEL_TOKEN']}", f"http://{name}:{port}/v1/panel"], place) == status
    program.send_signal(signal.SIGTERM)
    assert program.wait(20) == 0 and not any(place.iterdir())


def test_nothing_is_left_running_when_it_is_killed(place):
    program, said = started(place, "/usr/bin/python3", PROGRAM)
    folder, = place.glob("inkpanel.*")
    program.kill()
    program.wait()
    wait_for(lambda: subprocess.run(["pgrep", "-f", f"{folder}/"]).returncode == 1)


def test_pytest_finds_the_fixtures(tmp_path):
    (tmp_path / "test_host.py").write_text("""
from inkpanel import CaptureRequest
def test_cancelled(inkpanel_simulator, inkpanel_pad):
    inkpanel_simulator.act("cancel")
    assert inkpanel_pad.capture(CaptureRequest(prompt=["a"])).outcome.by == "person"
def test_left_by_a_test_before(inkpanel_simulator, inkpanel_pad):
    inkpanel_simulator.act("leave")
    for name in ("a", "b", "c"):
        inkpanel_pad.ask(CaptureRequest(prompt=[name], wait=True))
def test_signed(inkpanel_pad):
    assert inkpanel_pad.capture(CaptureRequest(prompt=["d"])).outcome.result == "accepted"
""")
    assert "3 passed" in run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_host.py"], tmp_path)


@long
def test_the_example_with_playwright(tmp_path):
    shutil.copy(EXAMPLES / "test_checkout.py", tmp_path)
    assert "2 passed" in run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_checkout.py"], tmp_path)
