# SPDX-License-Identifier: Apache-2.0
"""`inkpanel health`: figures that are right, in the format that Prometheus reads, with alarms for each of them; and
nothing of what people sign in figures or logs."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import support.panel

TOP = Path(__file__).parents[3]
PROGRAM = os.environ["INKPANEL"]
PROMETHEUS = TOP / "deploy" / "prometheus"
sys.path.insert(0, str(TOP / "Tests" / "system" / "Panel"))

from harness import apt  # noqa: E402
from harness.kernel import cache_folder  # noqa: E402
from support.breadth import long

SECRETS = {
    "prompt": "Zebrafinch Sendung", "signer": "Quentin Querschnitt", "reason": "Umzugsgut", "row": "Nr=Kaleidoskop",
    "data": "order=Vorgang-9981", "operator": "Tresen-Traudl",
}


class Panel(support.panel.Panel):
    def __init__(self, folder: Path):
        super().__init__(folder, "[delivery]\nenabled = true\n")

    def sign(self, *words):
        said = [word for name, value in SECRETS.items() for word in (f"--{name}", value)]
        return self.run("capture", *said, *words)

    def health(self) -> dict:
        return json.loads(self.run("health", "--json").stdout)


@pytest.mark.parametrize("harm", [
    lambda whole: b"", lambda whole: bytes(len(whole)), lambda whole: whole[:len(whole) // 2]],
    ids=["empty", "nul", "cut"])
def test_a_sealed_record_that_a_power_cut_has_damaged_is_a_fault(tmp_path, harm):
    panel = Panel(tmp_path).start()
    assert panel.sign().returncode == 0
    assert not panel.health()["store"]["fault"]
    panel.kill()
    record, = (tmp_path / "store" / "captures").glob("*.jsonl")
    record.write_bytes(harm(record.read_bytes()))
    panel.start()
    try:
        words = f"record {record.stem} is damaged, although its seal says that it was accepted"
        assert words in panel.run("status").stdout
        assert words in panel.run("list").stderr
        assert words in panel.log
        assert "inkpanel_store_fault 1" in panel.run("health").stdout.splitlines()
        # Signatures can be taken all the same.
        assert panel.health()["ready"] and panel.sign().returncode == 0
        assert panel.run("delete", record.stem).returncode == 0
        assert not panel.health()["store"]["fault"] and "damaged" not in panel.run("status").stdout
    finally:
        panel.stop()


@pytest.fixture(scope="module")
def panel(tmp_path_factory):
    panel = Panel(tmp_path_factory.mktemp("health")).start()
    yield panel
    panel.stop()


@pytest.fixture(scope="module")
def promtool():
    """Of Debian's package, which is not installed: it would start a server."""
    folder = cache_folder() / "promtool"
    if not (folder / "promtool").exists():
        folder.mkdir(parents=True, exist_ok=True)
        work = folder / f"work-{os.getpid()}"
        work.mkdir()
        deb = apt.with_new_lists(lambda: apt.download("prometheus", apt.version("prometheus"), work))
        apt.run("dpkg-deb", "-x", str(deb), str(work))
        (work / "usr/bin/promtool").rename(folder / "promtool")
        apt.run("rm", "-rf", str(work))
    return folder / "promtool"


def settled(panel) -> dict:
    """The figures when the picture rests."""
    deadline = time.monotonic() + 30
    while (health := panel.health())["display"].get("pictureFits") is None:
        assert time.monotonic() < deadline, health
        time.sleep(0.1)
    return health


def test_the_figures_are_those_of_the_panel(panel):
    before = settled(panel)
    assert before["ready"] and before["display"]["connected"] and before["display"]["pictureFits"]
    assert before["ended"] == {"accepted": 0, "cancelled": 0, "declined": 0, "failed": 0, "timedOut": 0}
    assert before["touch"]["devices"] == 1 and before["store"]["captures"] == 0 and "seal" not in before["store"]
    assert 0 < before["uptimeSeconds"] < time.time() - panel.file.stat().st_mtime
    assert panel.sign().returncode == 0
    after = settled(panel)
    assert after["ended"]["accepted"] == 1 and after["store"]["captures"] == 1 and after["store"]["seal"] == 1
    # Nobody delivers here: the record and its seal.
    assert after["delivery"]["waiting"] == 2 and not after["delivery"]["fault"]
    assert 0 <= after["delivery"]["oldestSeconds"] < 60 and "oldestSeconds" not in before["delivery"]
    assert after["store"]["sealFaults"] == 0 and after["store"]["freeBytes"] > 0
    # Less than the test has taken.
    assert 0 <= after["touch"]["secondsSinceReport"] < 30 and 0 <= after["display"]["secondsSinceFlip"] < 30
    shown = subprocess.run(
        [PROGRAM, "config", "show", panel.file], capture_output=True, text=True).stdout
    assert re.fullmatch("[0-9a-f]{64}", after["configuration"]) and shown


def test_prometheus_reads_them(panel, promtool, tmp_path):
    text = panel.run("health").stdout
    checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    assert "inkpanel_up 1\n" in text and "inkpanel_ready 1\n" in text
    file = tmp_path / "inkpanel.prom"
    assert panel.run("health", "--output", file).returncode == 0
    assert file.read_text().count("# TYPE ") == text.count("# TYPE ") and file.stat().st_mode & 0o777 == 0o644
    gone = subprocess.run(
        [PROGRAM, "health", "--socket", tmp_path / "none", "--output", file], capture_output=True, text=True)
    assert gone.returncode == 0 and "no panel answers" in gone.stderr
    assert [line for line in file.read_text().splitlines() if line[0] != "#"] == ["inkpanel_up 0"]


def fleet_figures(folder: Path, promtool, **state) -> str:
    """Of inkpanel-fleet, whose state is in a file; without members, of none that runs."""
    file, output = folder / "state.json", folder / "inkpanel-fleet.prom"
    file.unlink(missing_ok=True)
    if state:
        requests = {"accepted": 0, "refused": 0, "ignored": 0}
        file.write_text(json.dumps({
            "panel": "panel-12", "broker": "localhost:8883", "panelAnswers": True, "certificateEnds": 1,
            "requests": requests, **state}))
    done = subprocess.run(
        [os.environ["FLEET"], "status", "--metrics", "--state-file", file, "--output", output], capture_output=True,
        text=True)
    assert done.returncode == 0 and bool(done.stderr) == (not state), done.stderr
    assert output.stat().st_mode & 0o777 == 0o644
    text = output.read_text()
    checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    return text


def test_the_connection_to_the_broker_has_figures(promtool, tmp_path):
    def figures(**state) -> dict[str, int]:
        lines = [line for line in fleet_figures(tmp_path, promtool, **state).splitlines() if line[0] != "#"]
        return {name.removeprefix("inkpanel_fleet_"): int(value) for name, value in map(str.split, lines)}

    now = int(time.time())
    assert figures() == {"up": 0, "connected": 0}
    ended = figures(connectedUntil=(now - 100) * 1_000_000, certificateEnds=now + 1000)
    assert (ended["up"], ended["connected"]) == (1, 0)
    assert 100 <= ended["disconnected_seconds"] < 130 and 970 < ended["certificate_seconds"] <= 1000
    connected = figures(
        connectedSince=now * 1_000_000, certificateEnds=now - 1000, brokerCertificateEnds=now + 2000)
    assert 1970 < connected["broker_certificate_seconds"] <= 2000 and "broker_certificate_seconds" not in ended
    assert (connected["connected"], connected["disconnected_seconds"]) == (1, 0)
    assert connected["certificate_seconds"] <= -1000
    # It has never been connected, or the clock was set back.
    assert "disconnected_seconds" not in figures(certificateEnds=1)
    assert figures(connectedUntil=(now + 1000) * 1_000_000)["disconnected_seconds"] == 0


def test_a_program_that_does_not_run_is_unavailable_and_no_mistake_of_whom_asks(tmp_path):
    (tmp_path / "other").write_text("{}")
    for name, status, text in [("missing", 69, "systemctl status inkpanel-fleet"), ("other", 65, "is not a file of")]:
        done = subprocess.run(
            [os.environ["FLEET"], "status", "--state-file", tmp_path / name], capture_output=True, text=True)
        assert done.returncode == status and text in done.stderr and done.stdout == "", done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to unmount /proc")
@pytest.mark.parametrize("name", ["INKPANEL", "GATEWAY", "FLEET"])
def test_without_proc_no_command_passes_for_help(name):
    words = ["unshare", "--mount", "sh", "-c", 'umount --lazy /proc && exec "$@"', "sh", os.environ[name]]
    for command in (["status"], ["run"], ["nonsense"], []):
        done = subprocess.run(words + command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout) == (71, "") and "mount -t proc" in done.stderr, (command, done)


@long
def test_the_alarms_are_right(promtool):
    for words in [["check", "rules", "inkpanel.rules.yml"], ["test", "rules", "inkpanel.tests.yml"]]:
        done = subprocess.run([promtool, *words], cwd=PROMETHEUS, capture_output=True, text=True)
        assert done.returncode == 0 and "SUCCESS" in done.stdout, done.stdout + done.stderr


def test_rules_and_dashboard_name_figures_that_exist(panel, promtool, tmp_path):
    # All but the figures that a panel may lack.
    assert panel.sign().returncode == 0
    settled(panel)
    figures = set(re.findall(r"^# TYPE (\w+)", panel.run("health").stdout, re.M))
    figures |= {"inkpanel_temperature_celsius", "inkpanel_self_test_time_seconds", "inkpanel_clock_error_seconds"}
    figures |= set(re.findall(r"^# TYPE (\w+)", fleet_figures(
        tmp_path, promtool, connectedUntil=1, brokerCertificateEnds=1), re.M))
    # test_status_check.py and Fleet/test_certificates.py have panels and authorities with these.
    for source in ("Sources/inkpanel/Commands/StatusFiles.swift", "deploy/fleet/inkpanel-fleet-certificate"):
        figures |= set(re.findall(r'(?:"|TYPE )(inkpanel_\w+_seconds)\b', (TOP / source).read_text()))
    # Those of webhooks are only in the figures of a gateway that has some.
    webhooks = (TOP / "Sources/Webhooks/WebhookStatus.swift").read_text()
    figures |= set(re.findall(r'add\("(inkpanel_webhook_\w+)"', webhooks))
    dashboard = json.loads((PROMETHEUS / "dashboard.json").read_text())
    expressions = [target["expr"] for shown in dashboard["panels"] for target in shown["targets"]]
    for text in [(PROMETHEUS / "inkpanel.rules.yml").read_text(), *expressions]:
        assert set(re.findall(r"\binkpanel_\w+", text)) <= figures
    rules = "".join(f"  - record: a{n}\n    expr: '{text}'\n" for n, text in enumerate(expressions))
    (tmp_path / "rules.yml").write_text(
        "groups:\n- name: a\n  rules:\n" + rules.replace("$instance", "x"))
    checked = subprocess.run([promtool, "check", "rules", tmp_path / "rules.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_no_text_of_a_capture_is_in_figures_or_logs(panel):
    """Also of those that fail and are refused."""
    assert panel.sign().returncode == 0
    assert panel.sign("--language", "Sindarin").returncode != 0
    # With a letter that no font has, and one that is hidden.
    panel.sign("--prompt", "\U0001f600 Zebrafinch")
    assert panel.sign("--prompt", "\u202e Zebrafinch").returncode != 0
    log = panel.log
    shown = panel.run("health").stdout + panel.run("health", "--json").stdout + log
    for value in SECRETS.values():
        for word in re.findall(r"\w{5,}", value):
            assert word not in shown
    record = next((panel.folder / "store" / "captures").iterdir()).read_text()
    places = {place for sample in re.findall(r"\[\d+,(\d+),(\d+)", record) for place in sample}
    assert len(places) > 100 and not places & set(re.findall(r"\d+", log))
