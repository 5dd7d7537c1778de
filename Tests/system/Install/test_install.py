# SPDX-License-Identifier: Apache-2.0
"""The package on a Debian of its own, from boot to purge. The tests run in order, on one machine.

They change no unit, rule or configuration, and so test what the package does by itself.
"""

import json
import re

import pytest
from harness.handwriting import signature
from harness.image import Box
from harness.page import Page
from harness.panel import SHARE
from installed import PROGRAM, SERVICE, SOCKET
from PIL import Image as Pillow

MOST_EXPOSURE = 1.5  # of systemd-analyze security, on a scale to 10
RECOVERY_SECONDS = 3.0
DPKG_SECONDS = 400  # with ten busy processes on two cores; otherwise about 10
QUIET = {"DEBIAN_FRONTEND": "noninteractive"}
STORE = "/var/lib/inkpanel"
KEY = "/etc/credstore.encrypted/inkpanel.key"
IDENTITY = "inkpanel-identity.service"
# Made by age-keygen, for these tests only.
RECIPIENT = "age1n7qnud3g36hjsjkvhdkl0yunqtch5hxv50zm0xcl5cw076hylu9sgdq9zy"
OPENS = "AGE-SECRET-KEY-10NE4QVTTR0RRD9CGFTSA72MZCDXZ336LF94R85T2CFE7A0UHVPXQT8W22W"
# The kernel's names of a process's capability sets.
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")


@pytest.fixture(scope="module")
def kept():
    """What a test keeps for later ones: the idle page, the touchscreen, the duration of a start."""
    return {}


def is_page(picture) -> bool:
    """Whether it is a page of the pad, in light colours and with text, and not the console."""
    background = picture.pixel(0, 0)
    other = picture.different_from(background)
    return min(background) > 200 and 0 < other.count < picture.width * picture.height / 4


def idle_page(panel):
    """The page of a panel with a touch device; without one, pages say that it starts or is out of order."""
    for _ in range(60):
        if re.search(r"^page +idle$", panel.run(PROGRAM, "status"), re.M):
            break
        panel.sleep(1)
    panel.sleep(1)  # for the frame
    return panel.screen_when(is_page)


def is_idle_again(panel, kept) -> bool:
    return panel.screen_when(lambda picture: picture == kept["idle"], within=60) == kept["idle"]


def test_installing_gave_no_warnings(panel):
    said = (panel.machine.share / "dpkg.log").read_text()
    assert "Setting up inkpanel" in said
    assert not re.search("warning|error|fail", said, re.I), said
    for unit in (SERVICE, SOCKET):
        assert panel.run("/usr/bin/systemctl", "is-enabled", unit).strip() == "enabled"


def test_the_boot_ends_with_a_page(panel, kept):
    now = panel.working()
    picture = panel.screen_when(is_page, within=60)
    assert is_page(picture), panel.journal()
    # The panel has the terminal: no text, no keyboard.
    assert panel.console() == {"mode": "graphics", "keyboard": "off"}
    started, ready = (int(now[name]) / 1e6 for name in (
        "ExecMainStartTimestampMonotonic", "ActiveEnterTimestampMonotonic"))
    kept["start"] = ready - started
    print(f"boot to ready {ready:.1f} s, of these {kept['start']:.2f} s in the program")


def take_signature(panel, touch, prompt: str, *words: str, output=str(SHARE / "signature.png")) -> None:
    host = panel.start(PROGRAM, "capture", "--prompt", prompt, "--output", output, *words, tty=None)
    prompt = panel.screen_when(lambda picture: Page(picture).card, within=60)
    line, below = Page(prompt).line, Page(prompt).card.bottom - Page(prompt).line.bottom
    place = Box(line.left + 20, line.top - 2 * below, line.right - 20, line.top)
    start, frames = 0.0, []
    for stroke in signature(place):
        frames += touch.stroke_frames(stroke, hz=125, start=start)
        start = frames[-1][0] + 0.01
    touch.frames([[seconds, [[*each[:2], round(each[2])] for each in events]] for seconds, events in frames])
    touch.tap(*map(round, Page(prompt).buttons["accept"].centre))
    assert host.wait(120) == 0, host.log


def test_a_touchscreen_plugged_in_later_takes_a_signature(panel, kept):
    before = panel.working()["MainPID"]
    kept["touch"] = panel.touchscreen(*panel.size)
    kept["idle"] = idle_page(panel)
    take_signature(panel, kept["touch"], "12 parcels")
    assert panel.working()["MainPID"] == before, "it had to start again for the device"
    with Pillow.open(panel.machine.share / "signature.png") as png:
        assert png.convert("L").getextrema()[0] < 64, "there is no ink in what the host got"
    assert is_idle_again(panel, kept)


def seals(panel) -> dict:
    """The key, the head and the faults of the chain of seals."""
    return json.loads(panel.run(PROGRAM, "status", "--json"))["store"]["seals"]


def verified(panel, *words) -> str:
    """What `inkpanel verify` prints of the store. It fails if something does not fit."""
    return panel.run(PROGRAM, "verify", STORE, known(panel), *words)


def known(panel) -> str:
    """The panel's own key as one that counts, beside those that it had before."""
    signers = panel.run(PROGRAM, "identity", "show", "--allowed-signers").splitlines()
    if panel.glob("/run/known_signers"):
        signers += panel.read_file("/run/known_signers").splitlines()
    panel.write_file("/run/known_signers", "".join(sorted({line + "\n" for line in signers})))
    return "--allowed-signers=/run/known_signers"


def test_its_record_is_sealed_with_a_key_that_no_file_has_readable(panel, kept):
    state = seals(panel)
    assert state["faults"] == [] and state["head"]["n"] == 1
    kept["key"] = state["key"]
    said = panel.run("/usr/bin/journalctl", "--no-pager", f"--unit={IDENTITY}")
    assert f"the panel's new key is {kept['key']}" in said, said
    assert panel.run("/usr/bin/stat", "--format=%U %a", KEY).strip() == "root 600"
    assert panel.run("/usr/bin/stat", "--format=%U", f"{STORE}/certificate.pem").strip() == "inkpanel"
    assert kept["key"] in panel.run(PROGRAM, "identity")
    found = panel.run("/bin/sh", "-c", f"grep -rl 'PRIVATE KEY' {STORE} {KEY} /run/inkpanel* || true")
    assert found == ""
    said = verified(panel, f"--head=1:{state['head']['digest']}")
    assert f"signed by the key {kept['key']}" in said and "is the one that its holder kept" in said


def test_an_encrypted_record_leaves_nothing_readable(panel, kept):
    configuration = "/etc/inkpanel/inkpanel.toml"
    before = panel.read_file(configuration)
    panel.write_file(configuration, before.replace("#recipients = []", f'recipients = ["{RECIPIENT}"]'))
    panel.run("/usr/bin/systemctl", "restart", SERVICE)
    panel.working()
    assert idle_page(panel) == kept["idle"]
    take_signature(panel, kept["touch"], "A diagnosis")
    assert is_idle_again(panel, kept)
    (record,) = panel.glob(f"{STORE}/captures/*.age")
    journals = panel.glob("/run/inkpanel/open-*")
    assert len(journals) == 1 and panel.glob(f"{journals[0]}/*") == []
    assert panel.run("/usr/bin/stat", "--format=%U %a", journals[0]).strip() == "inkpanel 700"
    found = panel.run("/bin/sh", "-c", f"grep -rl 'A diagnosis' {STORE} /run/inkpanel /var/cache/inkpanel || true")
    assert found == ""
    panel.write_file("/run/opens", OPENS + "\n")
    said = verified(panel, "--identity=/run/opens")
    assert f"capture {record.split('/')[-1].split('.')[0]}: accepted" in said
    panel.write_file(configuration, before)
    panel.run("/usr/bin/systemctl", "restart", SERVICE)
    panel.working()
    assert is_idle_again(panel, kept)


def test_a_key_of_another_machine_does_not_keep_the_panel_from_starting(panel, kept):
    """As after the medium was put into another board."""
    secret = "/var/lib/systemd/credential.secret"
    panel.run("/usr/bin/systemctl", "stop", SERVICE, IDENTITY)
    panel.run("/usr/bin/mv", secret, "/run/secret")
    panel.run("/usr/bin/systemctl", "start", SERVICE)
    panel.working()
    state = seals(panel)
    assert "cannot read the panel's key" in " ".join(state["faults"]) and "key" not in state
    assert panel.glob(f"{KEY}*") == [f"{KEY}.unusable"]
    said = panel.run("/usr/bin/journalctl", "--no-pager", f"--unit={IDENTITY}")
    assert "/usr/lib/inkpanel/identity --lost" in said, said
    panel.run("/usr/bin/systemctl", "stop", SERVICE, IDENTITY)
    panel.run("/usr/bin/mv", "/run/secret", secret)
    panel.run("/usr/bin/systemctl", "start", SERVICE)
    panel.working()
    assert is_idle_again(panel, kept)
    assert seals(panel)["key"] == kept["key"] and seals(panel)["faults"] == []
    assert panel.glob(f"{KEY}*") == [KEY]


def test_the_key_is_replaced(panel, kept):
    known(panel)
    panel.run("/usr/bin/systemctl", "stop", SERVICE)
    panel.run("/usr/lib/inkpanel/identity", "--replace")
    panel.run("/usr/bin/systemctl", "start", SERVICE)
    panel.working()
    assert is_idle_again(panel, kept)
    before, kept["key"] = kept["key"], seals(panel)["key"]
    assert before != kept["key"] and seals(panel)["faults"] == []
    said = verified(panel)
    assert "the panel got a new key" in said and f"signed by the key {before}" in said
    assert panel.glob(f"{STORE}/key.pem") == []


def test_records_are_delivered_by_a_user_that_sees_nothing_else(panel, kept):
    """To a directory: rclone's other stores are those of Tests/system/Delivery."""
    configuration, units = "/etc/inkpanel/inkpanel.toml", ("inkpanel-deliver.path", "inkpanel-deliver.timer")
    for unit in units:
        assert panel.start("/usr/bin/systemctl", "is-enabled", unit, tty=None).wait(60) == 1, "enabled by the package"
    before = panel.read_file(configuration)
    panel.write_file(configuration, before.replace("#enabled = false", "enabled = true"))
    panel.write_file("/etc/inkpanel/rclone.conf", "[store]\ntype = alias\nremote = /srv\n")
    panel.run("/usr/bin/chmod", "600", "/etc/inkpanel/rclone.conf")
    panel.run("/usr/bin/chown", "inkpanel-deliver:", "/srv")
    panel.run("/usr/bin/mkdir", "--parents", "/run/systemd/system/inkpanel-deliver.service.d")
    panel.write_file(
        "/run/systemd/system/inkpanel-deliver.service.d/test.conf",
        f"[Service]\nReadWritePaths=/srv\nExecStartPre=/bin/sh -c 'echo it sees: $(ls {STORE})'\n")
    panel.run("/usr/bin/systemctl", "daemon-reload")
    panel.run("/usr/bin/systemctl", "restart", SERVICE)
    panel.working()
    assert is_idle_again(panel, kept)

    def delivery() -> dict:
        return json.loads(panel.run(PROGRAM, "status", "--json"))["store"]["delivery"]

    # Of all captures and changes of the key before.
    sealed = len(panel.glob(f"{STORE}/seals/*.seal"))
    assert delivery()["waiting"] > sealed and "fault" not in delivery()
    stat = panel.run("/bin/sh", "-c", f"stat --format='%U %G %a' {STORE} {STORE}/outbox {STORE}/outbox/seals/0000000001-*.seal")
    assert stat.splitlines() == [
        "inkpanel inkpanel 700", "inkpanel inkpanel-outbox 750", "inkpanel inkpanel-outbox 640"]
    panel.run("/usr/bin/systemctl", "start", "inkpanel-deliver")
    said = panel.run("/usr/bin/journalctl", "--no-pager", "--unit=inkpanel-deliver")
    assert delivery() == {"waiting": 0} and re.search("it sees: outbox$", said, re.M), said
    panel.run("/usr/bin/systemctl", "enable", "--now", *units)
    take_signature(panel, kept["touch"], "14 parcels")
    assert is_idle_again(panel, kept)
    for _ in range(60):
        if len(panel.glob("/srv/inkpanel-test/seals/*.seal")) == sealed + 1 and delivery() == {"waiting": 0}:
            break
        panel.sleep(1)
    copied = panel.run(PROGRAM, "verify", "/srv/inkpanel-test", known(panel), "--identity=/run/opens")
    assert "accepted" in copied and delivery() == {"waiting": 0}, copied
    panel.run("/usr/bin/systemctl", "disable", "--now", *units)
    panel.run("/bin/rm", "-r", "/etc/inkpanel/rclone.conf", "/srv/inkpanel-test")
    panel.write_file(configuration, before)
    panel.run("/usr/bin/systemctl", "restart", SERVICE)
    panel.working()
    assert is_idle_again(panel, kept)


def test_it_runs_as_a_user_without_privileges(panel):
    process = panel.working()["MainPID"]
    lines = panel.read_file(f"/proc/{process}/status").splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    user = panel.run("/usr/bin/id", "--user", "inkpanel").strip()
    assert user != "0" and status["Uid"].split() == [user] * 4
    assert {name: int(status[name], 16) for name in CAPABILITIES} == dict.fromkeys(CAPABILITIES, 0)
    assert status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2"
    groups = {panel.run("/usr/bin/getent", "group", name).split(":")[2] for name in ("video", "input")}
    assert groups <= set(status["Groups"].split())


def test_its_exposure_is_low(panel):
    said = panel.run("/usr/bin/systemd-analyze", "security", "--no-pager", SERVICE)
    exposure = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", said)[1])
    print(f"exposure {exposure}")
    assert exposure <= MOST_EXPOSURE, said


def test_the_journal_has_fields_and_no_coordinates(panel):
    all_entries = entries(panel)
    own = [entry for entry in all_entries if entry.get("_TRANSPORT") == "journal" and entry.get("_EXE") == PROGRAM]
    assert own and all(entry["SYSLOG_IDENTIFIER"] == "inkpanel" and entry["PRIORITY"] in "3456" for entry in own)
    assert not [entry for entry in all_entries if entry.get("_TRANSPORT") == "stdout" and entry.get("_EXE") == PROGRAM]
    # It has no pairs of coordinates of the signature above.
    assert not [entry["MESSAGE"] for entry in own if re.search(r"\d+(\.\d+)?\s*,\s*\d+(\.\d+)?", entry["MESSAGE"])]


def test_other_users_are_refused(panel):
    asks = ("/usr/bin/setpriv", "--reuid=65534", "--regid=65534")
    group = panel.run("/usr/bin/getent", "group", "inkpanel").split(":")[2]
    assert panel.start(*asks, "--clear-groups", PROGRAM, "status", tty=None).wait() != 0
    assert "Virtual-1" in panel.run(*asks, f"--groups={group}", PROGRAM, "status")


def entries(panel) -> list[dict]:
    return [json.loads(line) for line in panel.journal("--output=json").splitlines()]


def send(panel, signal: str, process: str) -> None:
    # Uses the shell's kill; a small system has no /bin/kill.
    panel.run("/bin/sh", "-c", f"kill -{signal} {process}")


def allowed(kept) -> float:
    """Seconds for a restart; more in proportion if the first start was slow on a busy machine."""
    return max(RECOVERY_SECONDS, 0.5 + 2 * kept["start"])


def test_a_killed_panel_is_restarted(panel, kept):
    before = panel.working()["MainPID"]
    killed = panel.now
    send(panel, "KILL", before)
    again = panel.working(but=before)
    seconds = int(again["ActiveEnterTimestampMonotonic"]) / 1e6 - killed
    print(f"kill -9: ready again after {seconds:.2f} s (a start alone took {kept['start']:.2f} s)")
    for entry in entries(panel):
        if (since := int(entry["__MONOTONIC_TIMESTAMP"]) / 1e6 - killed) > 0:
            print(f"{since:6.2f} s {entry['MESSAGE']}")
    assert is_idle_again(panel, kept)
    assert seconds < allowed(kept)


def test_a_hung_panel_is_restarted(panel, kept):
    before = panel.working()["MainPID"]
    send(panel, "STOP", before)
    again = panel.working(but=before)
    noticed = max(
        int(entry["__MONOTONIC_TIMESTAMP"]) for entry in entries(panel)
        if "Watchdog timeout" in str(entry.get("MESSAGE")))
    seconds = (int(again["ActiveEnterTimestampMonotonic"]) - noticed) / 1e6
    print(f"SIGSTOP: ready again {seconds:.2f} s after the watchdog saw it (a start alone took {kept['start']:.2f} s)")
    assert is_idle_again(panel, kept)
    assert seconds < allowed(kept)


def test_a_stopped_panel_releases_the_terminal_and_a_host_starts_it(panel, kept):
    panel.run("/usr/bin/systemctl", "stop", SERVICE)
    assert panel.console()["mode"] == "text"
    assert panel.properties(SOCKET, "ActiveState")["ActiveState"] == "active"
    assert "Virtual-1" in panel.run(PROGRAM, "status")
    panel.working()
    assert is_idle_again(panel, kept)


def test_a_touchscreen_starts_a_stopped_panel(panel, kept):
    kept.pop("touch").unplug()
    panel.run("/usr/bin/systemctl", "stop", SERVICE)
    touch = kept["touch"] = panel.touchscreen(*panel.size)
    panel.working()
    assert panel.run("/usr/bin/readlink", "--canonicalize", "/dev/inkpanel-touch").strip() == touch.node
    assert is_idle_again(panel, kept)


def test_an_upgrade_restarts_it(panel, deb, kept):
    before = panel.working()["MainPID"]
    panel.run("/usr/bin/dpkg", "--install", f"/run/host{deb}", env=QUIET, within=DPKG_SECONDS)
    panel.working(but=before)
    assert is_idle_again(panel, kept)
    assert seals(panel)["key"] == kept["key"] and seals(panel)["faults"] == []


def test_without_a_store_it_starts_and_shows_the_fault(panel, kept):
    panel.run("/usr/bin/systemctl", "stop", SERVICE)
    folders = (STORE, "/var/cache")
    for folder in folders:
        panel.run("/usr/bin/mount", "--types", "tmpfs", "--options", "ro", "none", folder)
    panel.run("/usr/bin/systemctl", "start", SERVICE)
    panel.working()
    assert "Read-only file system" in panel.run(PROGRAM, "status")
    picture = panel.screen_when(lambda picture: is_page(picture) and picture != kept["idle"], within=60)
    assert is_page(picture) and picture != kept["idle"], panel.journal()
    assert panel.start(PROGRAM, "capture", "--prompt", "12 parcels", tty=None).wait(60) == 74
    for folder in folders:
        panel.run("/usr/bin/umount", folder)
    panel.run("/usr/bin/systemctl", "restart", SERVICE)
    panel.working()
    assert is_idle_again(panel, kept)
    assert "fault" not in panel.run(PROGRAM, "status")


def test_removal_keeps_configuration_and_records(panel):
    panel.run("/usr/bin/dpkg", "--remove", "inkpanel", within=DPKG_SECONDS)
    state = panel.properties(SERVICE, "LoadState", "ActiveState")
    assert state == {"LoadState": "not-found", "ActiveState": "inactive"}
    assert panel.properties(SOCKET, "ActiveState")["ActiveState"] == "inactive"
    assert panel.console() == {"mode": "text", "keyboard": "unicode"}
    assert panel.properties("getty@tty1.service", "ActiveState")["ActiveState"] == "active"
    assert panel.glob(f"{PROGRAM}*") == []
    assert panel.glob("/etc/inkpanel/inkpanel.toml") and panel.glob(f"{STORE}/*/*.jsonl")
    assert panel.glob(f"{STORE}/seals/*.seal") and panel.glob(KEY)


def left(panel) -> list[str]:
    """The machine's files with the package's name, except records."""
    found = panel.run("/usr/bin/find", "/", "-xdev", "-name", "*inkpanel*", "-not", "-path", "/tmp/*").split()
    return [path for path in found if path != STORE and not path.startswith(STORE + "/")]


def test_a_purge_keeps_only_records_and_their_key(panel):
    panel.run("/usr/bin/dpkg", "--purge", "inkpanel", within=DPKG_SECONDS)
    assert left(panel) == [KEY]
    assert panel.glob(f"{STORE}/*/*.jsonl") and panel.glob(f"{STORE}/seals/*.seal")


def test_a_purge_removes_records_if_debconf_says_so(panel, deb, kept):
    panel.run("/usr/bin/dpkg", "--install", f"/run/host{deb}", env=QUIET, within=DPKG_SECONDS)
    panel.working()
    assert is_idle_again(panel, kept)
    assert seals(panel)["key"] == kept["key"] and seals(panel)["faults"] == []
    panel.write_file("/run/answer", "inkpanel inkpanel/purge-records boolean true\n")
    panel.run("/usr/bin/debconf-set-selections", "/run/answer", env=QUIET)
    panel.run("/usr/bin/dpkg", "--purge", "inkpanel", env=QUIET, within=DPKG_SECONDS)
    assert panel.glob(STORE) == []
    assert left(panel) == []
    # Later tests have their own.
    kept.pop("touch").unplug()
