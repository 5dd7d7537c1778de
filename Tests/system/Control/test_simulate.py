# SPDX-License-Identifier: Apache-2.0
"""The simulated person of `inkpanel run --simulate`, through the host API."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import varlink
from support import breadth
from virtual_client import VirtualClient
from support.breadth import long

INTERFACE = "org.inkpanel.Panel"
HAND = "simulated hand"


@pytest.fixture
def start(tmp_path):
    """Starts a panel with options; the socket for its hosts, beside its log."""
    programs = []

    def run(*options: str, config: str = "", status: int = 0, store: Path | None = None) -> str:
        folder = tmp_path / str(len(programs))
        folder.mkdir()
        (folder / "inkpanel.toml").write_text(config)
        log = folder / "log"
        with log.open("w") as errors:
            program = subprocess.Popen(
                [os.environ["INKPANEL"], "run", *options, "--config", str(folder / "inkpanel.toml"), "--store",
                 str(store or folder / "store"), "--socket", str(folder / "panel.sock")], stderr=errors)
        programs.append((program, status))
        for _ in range(600):
            if "ready" in log.read_text() or program.poll() is not None:
                break
            time.sleep(0.05)
        assert (program.poll() or 0) == status, log.read_text()
        return str(folder / "panel.sock")

    def stop():
        for program, status in programs:
            program.send_signal(signal.SIGTERM)
            assert program.wait(timeout=30) == status

    run.stop = stop
    yield run
    stop()


@pytest.fixture
def host():
    """Opens connections to a panel."""
    opened = []

    def connect(path: str):
        opened.append(varlink.Client("unix:" + path).open(INTERFACE))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
def test_it_runs_as_any_user_with_a_socket_of_its_own():
    """Without an account, a group, a configuration and a place: the first line is the path of the socket."""
    # The paths of sockets are short, and other users cannot enter the directories of pytest.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        own = Path(folder) / "run"
        own.mkdir()
        os.chown(own, 65534, 65534)
        inkpanel = shutil.copy(os.environ["INKPANEL"], folder)
        simulate_as_another_user(own, inkpanel)


def simulate_as_another_user(own: Path, inkpanel: str):
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    environment = {"XDG_RUNTIME_DIR": str(own), "PATH": os.environ["PATH"]}
    panel = subprocess.Popen(
        [*user, inkpanel, "run", "--simulate"], env=environment, stdout=subprocess.PIPE, text=True, cwd="/")
    socket = panel.stdout.readline().strip()
    assert Path(socket).parent.parent == own and (Path(socket).parent.stat().st_mode & 0o777) == 0o700
    done = subprocess.run(
        [*user, inkpanel, "capture", "--socket", socket, "--prompt", "Order 4711"], env=environment,
        capture_output=True, text=True, timeout=60, cwd="/")
    assert done.returncode == 0, done.stderr
    name = done.stdout.strip()
    shown = subprocess.run(
        [*user, inkpanel, "show", name[:12], "--json", "--socket", socket], env=environment, capture_output=True,
        text=True, timeout=60, cwd="/")
    assert json.loads(shown.stdout)["summary"]["id"] == name, shown.stderr
    panel.send_signal(signal.SIGTERM)
    assert panel.wait(timeout=30) == 0
    assert list(own.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user")
@pytest.mark.parametrize("place, recipients", breadth.pairs([
    (None, ""), ("XDG_RUNTIME_DIR", ""), ("XDG_RUNTIME_DIR", "/nonexistent"), ("XDG_RUNTIME_DIR", "/root"),
    ("XDG_RUNTIME_DIR", "long"), ("TMPDIR", "long"), ("TMPDIR", "/nonexistent"),
], [False, True]))
def test_it_finds_a_place_in_any_environment(place, recipients):
    variable, value = place
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        inkpanel = shutil.copy(os.environ["INKPANEL"], folder)
        if value == "long":
            value = str(Path(folder) / ("a" * 100))
            Path(value).mkdir()
            os.chown(value, 65534, 65534)
        configuration = Path(folder) / "inkpanel.toml"
        configuration.write_text(
            '[evidence]\nrecipients = ["age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"]\n'
            if recipients else "")
        configuration.chmod(0o644)
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        environment = {"PATH": os.environ["PATH"]} | ({variable: value} if variable else {})
        panel = subprocess.Popen(
            [*user, inkpanel, "run", "--simulate", "--config", str(configuration)], env=environment,
            stdout=subprocess.PIPE, text=True, cwd="/")
        socket = panel.stdout.readline().strip()
        done = subprocess.run(
            [*user, inkpanel, "capture", "--socket", socket, "--prompt", "Order 4711"], env=environment,
            capture_output=True, text=True, timeout=60, cwd="/")
        panel.send_signal(signal.SIGTERM)
        assert panel.wait(timeout=30) == 0 and done.returncode == 0, done.stderr
        assert not Path(socket).parent.exists()


def test_the_line_in_the_document_is_a_test_of_a_host(tmp_path):
    document = (Path(__file__).parents[3] / "docs" / "host-api.md").read_text()
    line, = re.findall(r"^    (inkpanel run --simulate .*)$", document, re.M)
    path = os.path.dirname(os.environ["INKPANEL"]) + ":" + os.environ["PATH"]
    done = subprocess.run(
        ["bash", "-c", line + "; wait"], cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True,
        timeout=60)
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{16}\n", done.stdout), done.stderr
    assert list(tmp_path.iterdir()) == []


def capture(service, **parameters) -> dict:
    """The last answer."""
    return list(service.Capture(_more=True, **({"prompt": ["Order 4711"]} | parameters)))[-1]


def states(answers, until: str) -> list[str]:
    """The states of a capture up to this one, each once."""
    seen = []
    for answer in answers:
        if answer["state"] not in seen[-1:]:
            seen.append(answer["state"])
        if answer["state"] == until:
            return seen
    return seen


def test_each_capture_is_signed_by_a_hand_that_the_record_names(start, host):
    service = host(start("--simulate"))
    assert service.Status()["status"]["touchDevices"] == [HAND]
    for _ in range(2):
        answers = list(service.Capture(prompt=["Sign"], _more=True))
        assert answers[-1]["outcome"] == {"result": "accepted"}
        assert any(answer.get("stroke") for answer in answers)
        name = answers[-1]["id"]
        assert service.Get(id=name, format="metadata")["metadata"]["devices"] == [HAND]
        record = [json.loads(line) for line in service.Get(id=name, format="record")["text"].splitlines()]
        assert [device["name"] for device in record[0]["devices"]] == [HAND]
        samples = [sample for line in record if "stroke" in line for sample in line["stroke"]["samples"]]
        assert len(samples) > 500 and len({sample[3] for sample in samples}) > 50


@long
def test_a_restarted_panel_knows_the_noise_of_its_touch_device(start, host, tmp_path):
    store = tmp_path / "store"
    file = store / "scatter.jsonl"

    def scatters(count: int) -> tuple[list[float | None], str]:
        """What the pen of each capture knew, and the log."""
        path = start("--simulate", "--display", "headless:800x480", store=store)
        service = host(path)
        names = [capture(service)["id"] for _ in range(count)]
        start.stop()
        headers = [json.loads((store / "captures" / f"{name}.jsonl").read_text().split("\n")[0]) for name in names]
        return ([header["screen"]["penLook"].get("panelScatter") for header in headers],
                (Path(path).parent / "log").read_text())

    (cold, warm), log = scatters(2)
    assert cold is None and warm is not None and "noise" not in log
    kept, = map(json.loads, file.read_text().splitlines())
    assert kept["device"]["name"] == HAND and abs(kept["scatter"] - warm) < 0.01
    (again,), log = scatters(1)
    assert again == kept["scatter"] and "noise" not in log
    file.write_text("{")
    (cold,), log = scatters(1)
    assert cold is None and log.count(f"{file} is damaged") == 1
    assert json.loads(file.read_text())["device"] == kept["device"]
    # Neither is anything else in its place an obstacle.
    file.unlink()
    file.mkdir()
    (cold, warm), log = scatters(2)
    assert cold is None and warm is not None
    assert log.count(f"{file} is a directory") == 1 and f"cannot write {file}" in log


@pytest.mark.parametrize("size, config, language", [
    ("800x480", '[pad]\ntheme = "dark"\nlanguage = "ar"\n', None),
    ("480x320", '[pad]\ntheme = "high-contrast"\ngloves = true\n', "de"),
    ("720x1280", '[pad]\npage = "sketch"\nlanguage = "zh-Hans"\n', "he"),
    ("1920x1080", '[capture]\nundo = false\n[touch]\nfilters = []\n[display]\nrotate = 90\ndpi = 250\n', None),
])
def test_the_hand_finds_the_buttons_of_every_page(start, host, size, config, language):
    path = start("--simulate", "--display", f"headless:{size}", config=config)
    service = host(path)
    parameters = {"language": language} if language else {}
    service.Simulate(act="cancel")
    assert capture(service, **parameters)["outcome"] == {"result": "cancelled", "by": "person"}
    service.Simulate(act="refuse")
    answers = service.Capture(prompt=["Sign"], _more=True, **parameters)
    assert states(answers, "refused")[-1] == "refused"
    host(path).Simulate(act="sign")
    assert list(answers)[-1]["outcome"] == {"result": "accepted"}


def test_an_act_is_for_the_next_capture_only(start, host):
    path = start("--simulate", "--display", "headless:800x480")
    service = host(path)
    service.Simulate(act="cancel")
    assert capture(service)["outcome"] == {"result": "cancelled", "by": "person"}
    assert capture(service)["outcome"] == {"result": "accepted"}
    # The last one counts.
    service.Simulate(act="cancel")
    service.Simulate(act="sign")
    assert capture(service)["outcome"] == {"result": "accepted"}


def test_a_refused_signature_is_left_and_the_next_one_accepted(start, host):
    path = start("--simulate", "--display", "headless:800x480")
    service, operator = host(path), host(path)
    service.Simulate(act="refuse")
    answers = service.Capture(prompt=["Sign"], _more=True)
    assert states(answers, "refused") == ["signing", "refused"]
    # The message disappears, and nothing else happens.
    time.sleep(8)
    assert operator.Status()["status"]["page"] == "signing"
    operator.Cancel()
    assert list(answers)[-1]["outcome"] == {"result": "cancelled", "by": "host"}
    assert capture(service)["outcome"] == {"result": "accepted"}


def test_acts_in_the_running_capture(start, host):
    path = start("--simulate", "--display", "headless:800x480")
    service, operator = host(path), host(path)
    operator.Simulate(act="leave")
    answers = service.Capture(prompt=["Sign"], _more=True)
    next(answers)
    time.sleep(2)
    assert operator.Status()["status"]["running"]["strokes"] == 0
    operator.Simulate(act="sign")
    # In the middle of the first stroke, which ends there.
    time.sleep(1.5)
    operator.Simulate(act="leave")
    time.sleep(3)
    status = operator.Status()["status"]
    assert (status["page"], status["running"]["strokes"]) == ("signing", 1)
    operator.Simulate(act="refuse")
    assert states(answers, "refused")[-1] == "refused"
    operator.Simulate(act="sign")
    last = list(answers)[-1]
    assert last["outcome"] == {"result": "accepted"}
    metadata = operator.Get(id=last["id"], format="metadata")["metadata"]
    assert metadata["strokes"] == 2 and metadata["samples"] > 500


def test_a_host_that_cancels_in_a_stroke_leaves_the_next_capture_as_it_should_be(start, host):
    path = start("--simulate", "--display", "headless:800x480")
    service, operator = host(path), host(path)
    answers = service.Capture(prompt=["Sign"], _more=True)
    next(answers)
    time.sleep(1.5)
    operator.Cancel()
    assert list(answers)[-1]["outcome"]["result"] == "cancelled"
    last = capture(service)
    assert last["outcome"] == {"result": "accepted"}
    assert operator.Get(id=last["id"], format="metadata")["metadata"]["strokes"] == 2


def test_waiting_captures_are_signed_one_after_the_other(start, host):
    path = start("--simulate", "--display", "headless:800x480")
    service, operator = host(path), host(path)
    first = service.Capture(prompt=["1"], _more=True)
    next(first)
    second = operator.Capture(prompt=["2"], wait=True, _more=True)
    assert next(second)["state"] == "waiting"
    assert [list(answers)[-1]["outcome"]["result"] for answers in (first, second)] == ["accepted"] * 2


def test_the_ink_can_be_watched_on_a_virtual_panel(start, host, tmp_path):
    virtual = str(tmp_path / "virtual.sock")
    path = start("--simulate", "--virtual", virtual, "--display", "headless:800x480")
    service = host(path)
    client = VirtualClient(virtual)
    client.frames(0.5)
    assert HAND in service.Status()["status"]["touchDevices"]
    answers = service.Capture(prompt=["Sign"], _more=True)
    next(answers)
    before = None
    count = 0
    end = time.monotonic() + 3
    while time.monotonic() < end:
        client.frames(0.1)
        count += bytes(client.pixels) != before
        before = bytes(client.pixels)
    assert count > 10
    assert list(answers)[-1]["outcome"] == {"result": "accepted"}


@pytest.mark.parametrize("options", [
    ["--display", "headless:800x480"], ["--virtual", "virtual.sock", "--display", "headless:800x480"]])
def test_no_other_panel_simulates(start, host, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    service = host(start(*options))
    for act in ("sign", "cancel", "leave", "refuse"):
        with pytest.raises(varlink.VarlinkError) as error:
            service.Simulate(act=act)
        assert error.value.error() == INTERFACE + ".Unavailable"
        assert "inkpanel run --simulate" in error.value.parameters()["reason"]


def test_wrong_acts_and_options(start, host):
    service = host(start("--simulate"))
    for act in ("Sign", ""):
        with pytest.raises(varlink.VarlinkError) as error:
            service.Simulate(act=act)
        assert error.value.error() == "org.varlink.service.InvalidParameter"
        assert error.value.parameters()["parameter"] == "act"
    for options in (["--touch", "/dev/null"], ["--display", "kms"], ["--rotate", "90"], ["--page", "ink"]):
        start("--simulate", *options, status=64)
