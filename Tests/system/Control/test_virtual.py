# SPDX-License-Identifier: Apache-2.0
"""Captures signed through the socket of a virtual panel."""

import json
import math
import os
import signal
import socket
import stat
import struct
import subprocess
import time

import pytest
import varlink
from PIL import Image, ImageChops
from virtual_client import DOWN, MOUSE, PEN, TOUCH, VirtualClient

STROKE = [(0.3 + 0.4 * i / 100, 0.5 + 0.08 * math.sin(i / 5)) for i in range(100)]
ACCEPT = (0.88, 0.93)


def screenshot(host: str, *words, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [os.environ["INKPANEL"], "screenshot", *map(str, words), "--socket", host], capture_output=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done


# No names of the system.
GROUP, GATEWAY, CLERK = 54321, 65533, 65532


@pytest.fixture
def start(tmp_path):
    """Starts a virtual panel; the sockets for its clients and hosts. Its log is in the folder."""
    virtual, host, log = (str(tmp_path / name) for name in ("virtual.sock", "panel.sock", "log"))
    programs = []

    def run(config: str = "") -> tuple[str, str]:
        (tmp_path / "inkpanel.toml").write_text(config)
        with open(log, "w") as errors:
            programs.append(subprocess.Popen(
                [os.environ["INKPANEL"], "run", "--virtual", virtual, "--display", "headless:800x480", "--config",
                 str(tmp_path / "inkpanel.toml"), "--store", str(tmp_path / "store"), "--socket", host],
                stderr=errors))
        for _ in range(600):
            if "ready" in open(log).read() or programs[0].poll() is not None:
                break
            time.sleep(0.05)
        assert programs[0].poll() is None, open(log).read()
        return virtual, host

    yield run
    for program in programs:
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=30) == 0
        assert not os.path.exists(virtual)


@pytest.fixture
def panel(start):
    return start()


# A pressure that never changes is not measured.
@pytest.mark.parametrize("kind, pressures, is_measured", [
    ("mouse", None, False), ("touch", None, False), ("pen", None, False), ("pen", [0.5] * len(STROKE), False),
    ("pen", [0.25 + 0.5 * number / len(STROKE) for number in range(len(STROKE))], True)])
def test_a_signature_from_the_client_to_the_record(panel, kind, pressures, is_measured):
    number = {"mouse": MOUSE, "touch": TOUCH, "pen": PEN}[kind]
    client = VirtualClient(panel[0])
    assert (client.width, client.height) == (800, 480)
    client.frames(0.5)
    with varlink.Client("unix:" + panel[1]) as hosts, hosts.open("org.inkpanel.Panel") as service:
        answers = service.Capture(prompt=["Sign"], _more=True)
        name = next(answers)["id"]
        client.frames(0.5)
        before = bytes(client.pixels)
        client.draw(STROKE, number, pressures)
        client.frames(0.5)
        assert bytes(client.pixels) != before
        client.draw([ACCEPT] * 3, number, pressures)
        assert list(answers)[-1]["outcome"]["result"] == "accepted"
        record = [json.loads(line) for line in service.Get(id=name, format="record")["text"].splitlines()]
        stroke = record[1]["stroke"]
        device = record[0]["devices"][stroke.get("device", 0)]
        assert (device["name"], device["bus"]) == (f"browser {kind}", 6)
        assert service.Get(id=name, format="metadata")["metadata"]["devices"] == [f"browser {kind}"]
        samples = stroke["samples"]
        wanted = [[round(pressure * 65535)] for pressure in pressures] if is_measured else [[]] * len(STROKE)
        assert [sample[3:] for sample in samples] == wanted
        assert [sample[1:3] for sample in samples] == [[int(x * 65536), int(y * 65536)] for x, y in STROKE]


@pytest.mark.parametrize("lag", [3, 60, 3600])
def test_ink_has_times_after_its_page_though_the_clients_clock_stood_still(panel, monkeypatch, lag):
    client = VirtualClient(panel[0])
    client.frames(0.5)
    # The computer has slept, and its clock with it.
    monkeypatch.setattr(VirtualClient, "now", staticmethod(lambda: time.monotonic_ns() // 1000 - lag * 1_000_000))
    with varlink.Client("unix:" + panel[1]) as hosts, hosts.open("org.inkpanel.Panel") as service:
        answers = service.Capture(prompt=["Sign"], _more=True)
        name = next(answers)["id"]
        client.frames(0.5)
        client.draw(STROKE, PEN)
        client.frames(0.5)
        client.draw([ACCEPT] * 3, PEN)
        assert list(answers)[-1]["outcome"]["result"] == "accepted"
        record = [json.loads(line) for line in service.Get(id=name, format="record")["text"].splitlines()]
    # Microseconds since the capture began.
    times = [sample[0] for sample in record[1]["stroke"]["samples"]]
    assert len(times) == len(STROKE) and 0 < times[0] < 10_000_000 and times == sorted(times)


def test_a_screenshot_shows_what_the_client_sees(panel, tmp_path):
    client = VirtualClient(panel[0])
    with varlink.Client("unix:" + panel[1]) as hosts, hosts.open("org.inkpanel.Panel") as service:
        answers = service.Capture(prompt=["Sign"], _more=True)
        next(answers)
        client.frames(0.5)
        client.draw(STROKE)
        client.frames(0.5)
        screenshot(panel[1], tmp_path / "x.png")
        # Only the owner may read a signature.
        assert stat.S_IMODE(os.stat(tmp_path / "x.png").st_mode) == 0o600
        shown = Image.open(tmp_path / "x.png").convert("RGB")
        seen = Image.frombytes("RGB", (client.width, client.height), bytes(client.pixels), "raw", "BGRX")
        assert ImageChops.difference(shown, seen).getbbox() is None
        assert screenshot(panel[1], "-").stdout == (tmp_path / "x.png").read_bytes()
    assert b"end the name with .png" in screenshot(panel[1], tmp_path / "x.jpg", status=64).stderr
    refused = screenshot(panel[1], tmp_path / "none" / "x.png", status=73).stderr
    assert b"choose another path, in a directory" in refused
    assert b"no panel answers" in screenshot(str(tmp_path / "none.sock"), tmp_path / "y.png", status=69).stderr


def test_a_client_that_vanishes_presses_nothing_and_the_next_one_goes_on(panel):
    client = VirtualClient(panel[0])
    client.frames(0.5)
    with varlink.Client("unix:" + panel[1]) as hosts, hosts.open("org.inkpanel.Panel") as service:
        answers = service.Capture(prompt=["Sign"], _more=True)
        next(answers)
        client.draw(STROKE)
        client.sample(DOWN, *ACCEPT)
        client.frames(0.3)
        client.socket.close()
        time.sleep(0.5)
        assert varlink.Client("unix:" + panel[1]).open("org.inkpanel.Panel").Status()["status"].get("running")
        client = VirtualClient(panel[0])
        client.frames(0.5)
        client.draw([ACCEPT] * 3)
        assert list(answers)[-1]["outcome"]["result"] == "accepted"


def greeting(path: str, user: int, groups: list[int]) -> str:
    """What a client of this user gets: `hello`, `end`, or the error."""
    script = """if True:
        import socket, sys
        client = socket.socket(socket.AF_UNIX)
        try:
            client.connect(sys.argv[1])
        except OSError as error:
            sys.exit(type(error).__name__)
        sys.exit("hello" if len(client.recv(24)) == 24 else "end")
        """
    done = subprocess.run(
        ["/usr/bin/python3", "-c", script, path], user=user, group=user, extra_groups=groups, cwd="/",
        capture_output=True, text=True, timeout=30)
    return done.stderr.strip()


def open_to_others(folder):
    for parent in [folder, *folder.parents]:
        if os.stat(parent).st_uid == os.geteuid() and "pytest" in str(parent):
            os.chmod(parent, 0o755)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_users_of_the_host_api_may_be_clients_and_others_not(start, tmp_path):
    path, host = start(f"[control]\ngroup = \"{GROUP}\"\ngateway = \"{GATEWAY}\"\n")
    open_to_others(tmp_path)
    for name in (path, host):
        status = os.stat(name)
        assert (stat.S_IMODE(status.st_mode), status.st_gid) == (0o660, GROUP)
    assert greeting(path, GATEWAY, [GROUP]) == "hello"
    assert greeting(path, CLERK, [GROUP]) == "hello"
    assert greeting(path, CLERK, []) == greeting(path, GATEWAY, []) == "PermissionError"
    assert greeting(path, 0, []) == "hello"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_without_its_gateway_no_member_of_the_group_may_be_a_client(start, tmp_path):
    path, _ = start(f"[control]\ngroup = \"{GROUP}\"\ngateway = \"no-such-user\"\n")
    open_to_others(tmp_path)
    client = VirtualClient(path)
    client.frame()
    assert greeting(path, CLERK, [GROUP]) == "end"
    assert f"user {CLERK} (process" in (tmp_path / "log").read_text()
    # The refused one replaces nobody.
    client.draw([(0.5, 0.5)])
    client.frames(0.3)


def test_clients_that_come_in_a_loop_do_not_keep_the_panel_busy(panel):
    """They get at most four pictures a second, hosts are served, and the last client gets the panel."""
    greeted = 0
    with varlink.Client("unix:" + panel[1]) as hosts, hosts.open("org.inkpanel.Panel") as service:
        # It is ready before the store has answered.
        for _ in range(500):
            if service.Status()["status"]["page"] != "starting":
                break
            time.sleep(0.01)
        begin = time.monotonic()
        while time.monotonic() - begin < 2:
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(0.002)
            try:
                client.connect(panel[0])
                greeted += len(client.recv(24)) == 24
            # Also because many clients wait.
            except (TimeoutError, BlockingIOError):
                pass
            client.close()
            assert service.Status()["status"]["page"] == "idle"
    assert 0 < greeted <= 4 * (time.monotonic() - begin) + 1
    time.sleep(0.5)
    client = VirtualClient(panel[0])
    client.frame()
    assert len(set(struct.unpack(f"<{800 * 480}I", client.pixels))) > 1
