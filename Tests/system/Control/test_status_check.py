# SPDX-License-Identifier: Apache-2.0
"""`inkpanel status --check`: everything that can be wrong has a line with what to do; and `config reload`."""

import hashlib
import json
import os
import subprocess
import time

import pytest
import support.panel

PROGRAM = os.environ["INKPANEL"]
DAY = 86400


class Panel(support.panel.Panel):
    """A simulated panel that runs with the settings of its file, and a copy of the files of other programs."""

    def __init__(self, folder):
        super().__init__(folder)
        self.root = folder / "root"
        self.root.mkdir()
        self.configure()

    def configure(self, **tables):
        texts = {"control": f'group = ""\nsocket = "{self.socket}"', "record": f'directory = "{self.folder}/store"',
                 "display": 'output = "headless:800x480"\nrotate = 0', "sketch": f'directory = "{self.folder}/drawings"',
                 "delivery": "enabled = true"}
        for name, text in tables.items():
            texts[name] = texts[name] + "\n" + text if name in texts else text
        self.file.write_text("".join(f"[{name}]\n{text}\n" for name, text in texts.items()))

    @property
    def words(self) -> list:
        return ["run", "--simulate", "--config", self.file]

    def write(self, path: str, content):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def check(self) -> dict[str, list[tuple[str, str]]]:
        """Verdicts and texts, by what they are of; the exit status says whether all is well."""
        end = time.monotonic() + 30
        # The panel answers before it knows its store.
        while True:
            done = self.run("status", "--check", "--config", self.file, "--root", self.root)
            if "it is starting" not in done.stdout or time.monotonic() > end:
                break
            time.sleep(0.1)
        lines = [line.split(None, 2) for line in done.stdout.splitlines()]
        assert done.returncode == any(verdict == "wrong" for verdict, _, _ in lines), done
        found = {}
        for verdict, name, text in lines:
            found.setdefault(name, []).append((verdict, text))
        return found

    def certificate(self, days: int):
        """That of the gateway, with a key that is no panel's."""
        file = self.root / "var/lib/inkpanel-web/tls/certificate.pem"
        file.parent.mkdir(parents=True, exist_ok=True)
        start = ["faketime", "-f", f"{days - 400:+d}d"]
        subprocess.run(
            [*start, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-days", "400",
             "-subj", "/CN=pad", "-out", file], check=True, capture_output=True)


@pytest.fixture
def panel(tmp_path):
    panel = Panel(tmp_path)
    yield panel
    panel.stop()


def test_a_panel_without_faults_has_none(panel):
    found = panel.start().check()
    # The clock is this machine's.
    assert [name for name, lines in found.items() if lines[0][0] == "wrong"] in ([], ["clock"])
    assert {name for name, lines in found.items() if lines[0][0] == "ok"} >= {
        "panel", "screen", "touch", "store", "delivery", "configuration", "version"}
    assert {name for name, lines in found.items() if lines[0][0] == "-"} == {
        "webhooks", "fleet", "certificate", "backup"}
    clock = found["clock"][0]
    assert clock[0] == "ok" and "synchronized, within " in clock[1] or "timedatectl" in clock[1]
    # For people who only look, too.
    assert "\nclock    synchronized, within " in (said := panel.run("status").stdout) or "\nclock    not sync" in said


def test_a_panel_that_does_not_run_is_one_reason_among_others(panel):
    panel.write("run/inkpanel-fleet/state.json", {
        "panel": "p", "broker": "mqtt.example.org:8883", "panelAnswers": False, "fault": "the broker is gone",
        "certificateEnds": int(time.time()) - DAY, "requests": {"accepted": 0, "refused": 0, "ignored": 0}})
    found = panel.check()
    assert found["panel"][0][0] == "wrong" and "systemctl start inkpanel" in found["panel"][0][1]
    assert found["fleet"] == [("wrong", "mqtt.example.org:8883: the broker is gone: inkpanel-fleet status")]
    verdict, text = found["certificate"][0]
    assert verdict == "wrong" and "has ended on" in text and "inkpanel-fleet-certificate renew" in text
    assert found["configuration"][0][0] == "unknown"


def test_an_old_program_and_ends_of_certificates_are_named(panel):
    now = int(time.time())
    state = {"panel": "p", "broker": "b:1", "panelAnswers": True, "connectedSince": now * 1_000_000,
             "certificateEnds": now + 30 * DAY, "brokerCertificateEnds": now + 9 * DAY + 60,
             "requests": {"accepted": 0, "refused": 0, "ignored": 0}, "program": "inkpanel-fleet 0.0.9"}
    panel.write("run/inkpanel-fleet/state.json", state)
    panel.certificate(5)
    panel.start()
    found = panel.check()
    assert found["fleet"][0][0] == "ok"
    whose = {text.split(":")[0]: (verdict, text) for verdict, text in found["certificate"]}
    assert whose["of this panel for the broker"][0] == "ok"
    verdict, text = whose["of the broker"]
    assert verdict == "wrong" and "9 days left" in text and "inkpanel-fleet-certificate broker" in text
    verdict, text = whose["of the gateway"]
    assert verdict == "wrong" and "days left" in text and text.endswith("systemctl start inkpanel-web-renew")
    assert ("wrong", "fleet: inkpanel-fleet 0.0.9 runs, and 0.1.0 is installed: systemctl restart inkpanel-fleet") in \
        found["version"]
    panel.certificate(-3)
    panel.write("etc/inkpanel/tls/certificate.pem", "")
    assert any("has ended on" in text and "/etc/inkpanel/tls" in text for _, text in panel.check()["certificate"])


def test_the_delivery_has_its_last_error_and_success(panel):
    panel.start()
    assert panel.run("capture", "--prompt", "a").returncode == 0
    assert panel.check()["delivery"][0][0] == "ok"
    delivered = panel.write("run/inkpanel-deliver/delivered", "")
    os.utime(delivered, (time.time() - 100, time.time() - 100))
    panel.write("run/inkpanel-deliver/failed", "")
    verdict, text = panel.check()["delivery"][0]
    assert verdict == "wrong" and "2 files wait" in text and "last success 20" in text and "last failure 20" in text
    assert "journalctl -u inkpanel-deliver" in text
    # It has succeeded since.
    os.utime(delivered)
    (panel.root / "run/inkpanel-deliver/failed").unlink()
    assert panel.check()["delivery"][0][0] == "ok"


def test_webhooks_have_their_last_error_and_success(panel):
    panel.write("etc/inkpanel/webhooks.toml", "")
    assert "systemctl status inkpanel-webhooks" in panel.check()["webhooks"][0][1]
    hook = {"name": "erp", "waiting": 3, "delivered": 1, "givenUp": 0, "disabled": False,
            "deliveredAt": int((time.time() - DAY) * 1e6)}
    panel.write("run/inkpanel-webhooks/status.json", {"webhooks": [
        hook, hook | {"name": "till", "fault": "503 Service Unavailable"}, hook | {"name": "old", "disabled": True}]})
    found = panel.check()["webhooks"]
    assert [verdict for verdict, _ in found] == ["ok", "wrong", "wrong"]
    assert "3 wait, last success 20" in found[0][1] and "503" in found[1][1] and "enable old" in found[2][1]


def test_files_of_other_programs_are_data(panel):
    """Whoever may write them steers no terminal, and stops no check."""
    panel.write("run/inkpanel-webhooks/status.json", {"webhooks": [], "fault": "\x1b[2J\nok panel fine"})
    panel.write("run/inkpanel-fleet/state.json", '{"broker": 7')
    panel.write("var/lib/inkpanel-backup/last", "done 99999999999999999999")
    panel.write("var/lib/inkpanel-web/tls/certificate.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n")
    done = panel.run("status", "--check", "--config", panel.file, "--root", panel.root)
    assert done.returncode == 1 and "\x1b" not in done.stdout and "\nok panel fine" not in done.stdout
    found = panel.check()
    for name in ("fleet", "backup", "certificate"):
        assert found[name][0][0] == "unknown" and "is damaged" in found[name][0][1]


def test_backups_have_a_figure_and_a_verdict(panel):
    def figures() -> dict[str, int]:
        text = panel.run("health", "--root", panel.root).stdout
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[0] != "#"}

    assert "inkpanel_backup_seconds" not in figures()
    now = int(time.time())
    for word, age, verdict in (("done", DAY, "ok"), ("done", 4 * DAY, "wrong"), ("since", 60, "wrong")):
        panel.write("var/lib/inkpanel-backup/last", f"{word} {now - age}\n")
        assert panel.check()["backup"][0][0] == verdict
        assert age <= figures()["inkpanel_backup_seconds"] < age + 60
    panel.certificate(5)
    left = figures()['inkpanel_certificate_seconds{certificate="gateway"}']
    assert 4 * DAY < left <= 5 * DAY


def test_wrong_files_are_named_one_line_each(panel):
    panel.start()
    panel.configure(pad='theme = "drak"', fleet='broker = "https://mqtt.example.org"')
    lines = panel.check()["configuration"]
    assert [verdict for verdict, _ in lines] == ["wrong", "wrong"] and "did you mean" in lines[0][1]
    assert "remove https://" in lines[1][1]


def test_a_key_that_is_missing_is_named_with_a_remedy(panel):
    panel.configure(evidence=f'key = "{panel.folder}/none.pem"')
    done = subprocess.run([PROGRAM, "config", "check", panel.file], capture_output=True, text=True)
    assert done.returncode == 78 and f"there is no file {panel.folder}/none.pem: `inkpanel identity create`" in done.stderr
    # The panel runs without, and says so.
    panel.start()
    verdict, text = panel.check()["store"][0]
    assert verdict == "wrong" and "none.pem: No such file" in text and text.endswith("identity --lost)")


def digest(panel) -> str:
    shown = subprocess.run([PROGRAM, "config", "show", panel.file], capture_output=True).stdout
    return hashlib.sha256(shown).hexdigest()


def test_reload_applies_what_it_can_and_names_the_rest(panel):
    panel.start()
    assert panel.run("config", "reload", panel.file).stdout == "nothing differs\n"
    # A limit of one record, and a minimum that the simulated person does not reach.
    assert panel.run("capture", "--prompt", "a").returncode == 0
    assert panel.run("capture", "--prompt", "b").returncode == 0
    panel.configure(record="maximum-count = 1", capture="inactivity-seconds = 20", pad='theme = "dark"')
    assert "inkpanel config reload" in panel.check()["configuration"][0][1]
    done = panel.run("config", "reload", panel.file)
    assert done.returncode == 0 and done.stdout.splitlines() == [
        "applied  capture.inactivity-seconds", "applied  record.maximum-count",
        "restart  pad.theme: inkpanel: systemctl restart inkpanel"]
    assert "reload: record.maximum-count is applied" in panel.log and "needs a restart: pad.theme" in panel.log
    deadline = time.monotonic() + 30
    while len(list((panel.folder / "store/captures").iterdir())) > 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # Without the setting that needs a restart, it runs with what its files say.
    panel.configure(record="maximum-count = 1", capture="inactivity-seconds = 20")
    assert panel.run("config", "reload", panel.file).stdout == "nothing differs\n"
    assert panel.check()["configuration"][0][0] == "ok"
    assert json.loads(panel.run("status", "--json").stdout)["configuration"] == digest(panel)


def test_options_of_a_run_are_no_difference_of_its_files(panel):
    panel.start("--store", panel.folder / "other", "--width", "0.9")
    assert panel.check()["configuration"][0][0] == "ok"
    panel.configure(capture="inactivity-seconds = 20", ink="width-mm = 0.4")
    assert "inkpanel config reload" in panel.check()["configuration"][0][1]
    # The option stands for the width in any case.
    assert panel.run("config", "reload", panel.file).stdout == "applied  capture.inactivity-seconds\n"
    assert panel.check()["configuration"][0][0] == "ok"
    assert json.loads(panel.run("status", "--json").stdout)["configuration"] == digest(panel)


def test_a_notice_is_shown_until_its_file_is_empty(panel):
    """An address has a QR code, which another program reads from the screen."""
    notice = panel.folder / "notice"

    def shown() -> bytes:
        file = panel.folder / "screen.png"
        assert panel.run("screenshot", file).returncode == 0
        return file.read_bytes()

    def code() -> str:
        shown()
        return subprocess.run(
            ["zbarimg", "-q", "--raw", panel.folder / "screen.png"], capture_output=True, text=True).stdout.strip()

    panel.start("--notice", notice)
    before = shown()
    notice.write_text("https://192.168.1.20:8443")
    assert panel.run("config", "reload", panel.file).stdout == "applied  --notice\n"
    assert code() == "https://192.168.1.20:8443" and shown() != before
    assert panel.run("config", "reload", panel.file).stdout == "nothing differs\n"
    notice.write_text("inkpanel.toml\nline 4: address in [machine]\n")
    assert panel.run("config", "reload", panel.file).stdout == "applied  --notice\n"
    assert code() == "" and shown() != before
    # A capture goes on; the page follows it.
    notice.write_text("")
    assert panel.run("config", "reload", panel.file).stdout == "applied  --notice\n"
    assert shown() == before


def test_reload_of_wrong_files_changes_nothing(panel):
    panel.start()
    before = json.loads(panel.run("status", "--json").stdout)["configuration"]
    panel.configure(capture="undo = 7")
    done = panel.run("config", "reload", panel.file)
    assert done.returncode == 78 and "undo in [capture] is 7" in done.stderr
    # A host that asks the panel itself hears it from there.
    (panel.folder / "other.toml").write_text("")
    done = panel.run("config", "reload", panel.folder / "other.toml")
    assert done.returncode == 69 and "nothing was changed" in done.stderr and "undo in [capture] is 7" in done.stderr
    assert "reload: nothing was changed" in panel.log
    assert json.loads(panel.run("status", "--json").stdout)["configuration"] == before
    assert panel.run("capture", "--prompt", "a").returncode == 0


def test_drop_ins_with_other_names_are_named(panel):
    folder = panel.folder / "inkpanel.toml.d"
    folder.mkdir()
    (folder / "50-theme.conf").write_text('[pad]\ntheme = "dark"\n')
    (folder / ".50-theme.toml.swp").write_text("")
    done = subprocess.run([PROGRAM, "config", "check", panel.file], capture_output=True, text=True)
    words = f"{folder}/50-theme.conf is not read: the names of drop-ins end in .toml"
    assert done.returncode == 0 and words in done.stdout and ".swp" not in done.stdout
    panel.start()
    assert words in panel.log and ".swp" not in panel.log
