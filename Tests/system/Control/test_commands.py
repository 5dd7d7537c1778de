# SPDX-License-Identifier: Apache-2.0
"""The commands of inkpanel that use the host API."""

import hashlib
import json
import os
import pty
import signal
import socket
import subprocess
import threading

import pytest
from PIL import Image
from support import breadth


def run(*words, status=0, **options) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [os.environ["INKPANEL"], *(str(word) for word in words)], capture_output=True, timeout=60, **options)
    assert done.returncode == status, done.stderr
    return done


def text(*words, **options) -> str:
    return run(*words, **options).stdout.decode()


def capture(peer, *words, status=0) -> str:
    return text("capture", "--socket", peer.socket, *words, status=status).strip()


@pytest.mark.parametrize("reason, status", [("cancel", 10), ("timeout", 11), ("fail", 74), ("tiny", 69)])
def test_the_exit_status_is_the_outcome(peer, tmp_path, reason, status):
    done = run("capture", "--socket", peer.socket, "--reason", reason, "--output", tmp_path / "x.png", status=status)
    assert done.stdout == b"" and done.stderr.startswith(b"inkpanel: ") and done.stderr.count(b"\n") == 1
    assert list(tmp_path.glob("*.png")) == []


def test_busy_and_waiting(peer):
    with peer.open() as host:
        signing = host.Capture(prompt=["Sign"], _more=True)
        running = next(signing)["id"]
        done = run("capture", "--socket", peer.socket, "--prompt", "x", status=75)
        assert running.encode() in done.stderr
        waiting = subprocess.Popen(
            [os.environ["INKPANEL"], "capture", "--socket", peer.socket, "--wait", "--reason", "accept"],
            stdout=subprocess.PIPE)
        with peer.open() as operator:
            while operator.Status()["status"]["waiting"] == 0:
                pass
            operator.Cancel(id=running)
        assert waiting.communicate(timeout=30)[0].decode().strip() == peer.records()[0]
        assert waiting.returncode == 0


def test_all_options_are_in_the_record(peer, tmp_path):
    document = tmp_path / "contract.pdf"
    document.write_bytes(os.urandom(3_000_001))
    name = capture(
        peer, "--prompt", "Bitte", "--prompt", "وقّع هنا", "--signer", "Anna Müller", "--reason", "accept",
        "--operator", "Kasse 3", "--document", document, "--document-reference", "C-1",
        "--data", "order=4711", "--data", "a=b=c",
        "--row", "Betrag=12,00 €", "--row", "Nr.=a=b",
        "--language", "de-AT", "--no-undo", "--timeout", "90")
    shown = json.loads(text("show", name, "--json", "--socket", peer.socket))["summary"]
    assert shown["prompt"] == ["Bitte", "وقّع هنا"] and shown["signer"] == "Anna Müller"
    assert shown["operator"] == "Kasse 3"
    assert shown["rows"] == [{"label": "Betrag", "value": "12,00 €"}, {"label": "Nr.", "value": "a=b"}]
    assert shown["document"] == {
        "reference": "C-1", "sha256": hashlib.sha256(document.read_bytes()).hexdigest()}
    assert shown["data"] == {"order": "4711", "a": "b=c"}
    sheet = text("show", name, "--socket", peer.socket)
    assert "row          Betrag: 12,00 €\nrow          Nr.: a=b\n" in sheet
    assert "data         order=4711\n" in sheet and "data         a=b=c\n" in sheet
    assert "operator     Kasse 3\n" in sheet
    assert "Anna Müller" in sheet and "outcome      accepted" in sheet and "language     de\n" in sheet
    # The same from the file, without a panel.
    record = tmp_path / "kept.jsonl"
    run("export", name, "--socket", peer.socket, "--output", record)
    assert record.read_bytes() == (peer.store / "captures" / f"{name}.jsonl").read_bytes()
    assert text("show", record) == sheet


@pytest.mark.parametrize(
    "suffix", breadth.share(["png", "svg", "inkml", "iso19794", "json", "csv", "jsonl"], 3))
def test_the_file_is_the_same_from_capture_from_the_panel_and_from_the_record(peer, tmp_path, suffix):
    first, second, third = (tmp_path / f"{name}.{suffix}" for name in "abc")
    name = capture(peer, "--reason", "accept", "--output", first)
    run("export", name, "--socket", peer.socket, "--output", second)
    run("export", peer.store / "captures" / f"{name}.jsonl", "--output", third)
    assert first.read_bytes() == second.read_bytes() == third.read_bytes() != b""


@pytest.mark.parametrize("date", [None, {"text": "15.03.2026", "offsetSeconds": 46800, "zone": "Pacific/Auckland"}])
def test_a_caption_has_the_same_date_wherever_it_is_made(peer, tmp_path, date):
    name = capture(peer, "--reason", "accept")
    header, _, rest = (peer.store / "captures" / f"{name}.jsonl").read_text(encoding="utf-8").partition("\n")
    header = json.loads(header)
    del header["date"]
    header |= {"date": date} if date else {}
    record = tmp_path / "kept.jsonl"
    record.write_text(json.dumps(header) + "\n" + rest, encoding="utf-8")
    # At any time, these are not all the same day.
    pictures = {
        run("export", record, "--caption", "--output", "-", env=os.environ | {"TZ": zone}).stdout
        for zone in ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]}
    assert len(pictures) == 1
    assert ("15.03.2026 (UTC+13:00, Pacific/Auckland)" in text("show", record)) == bool(date)


def test_an_interrupted_record_is_exported_only_on_request(peer, tmp_path):
    name = capture(peer, "--reason", "accept")
    path = peer.store / "captures" / f"{name}.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    target = tmp_path / "a.png"
    for source in [[name, "--socket", peer.socket], [path]]:
        message = run("export", *source, "--output", target, status=65).stderr
        assert b"--interrupted" in message and message.count(b"\n") == 1 and not target.exists()
        run("export", *source, "--interrupted", "--output", target)
        target.unlink()
        run("export", *source, "--output", tmp_path / "a.jsonl")
    captioned = run("export", path, "--interrupted", "--caption", "--transparent", "--output", "-").stdout
    assert captioned.startswith(b"\x89PNG")
    rows = run("export", path, "--interrupted", "--format", "csv", "--output", "-").stdout.decode().splitlines()
    assert rows[0].endswith(",outcome") and {row.rpartition(",")[2] for row in rows[1:]} == {"interrupted"}


def test_options_of_pictures(peer, tmp_path):
    picture = tmp_path / "a.png"
    name = capture(
        peer, "--reason", "accept", "--output", picture, "--size", "400x120", "--transparent", "--part", "signing-area")
    assert Image.open(picture).size == (400, 120) and Image.open(picture).mode == "RGBA"
    written = run("export", name, "--socket", peer.socket, "--output", "-", "--format", "svg", "--dpi", "96").stdout
    assert b"<svg" in written
    assert b'<g fill="#c01020"' in run(
        "export", name, "--socket", peer.socket, "--output", "-", "--format", "svg", "--color", "c01020").stdout
    for words in [("--dpi", "5"), ("--color", "red"), ("--format", "csv", "--color", "c01020"), 
                  ("--dpi", "96", "--size", "9x9"), ("--format", "csv", "--dpi", "96"),
                  ("--format", "svg", "--caption")]:
        run("export", name, "--socket", peer.socket, "--output", "-", *words, status=64)


def test_standard_output_has_only_the_file(peer):
    done = run("capture", "--socket", peer.socket, "--reason", "accept", "--output", "-")
    assert done.stdout.startswith(b"\x89PNG") and peer.records()[0].encode() in done.stderr


def test_progress_is_shown_on_a_terminal_only(peer):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [os.environ["INKPANEL"], "capture", "--socket", peer.socket, "--reason", "refuse"], stderr=theirs,
        stdout=subprocess.PIPE)
    os.close(theirs)
    lines = b""
    try:
        while part := os.read(ours, 4096):
            lines += part
    except OSError:
        pass  # Linux's error when the other end of a terminal is closed
    assert process.wait(30) == 0
    for words in [
            b"waiting for the signature", b"2.5 mm in size, 6.0 are required", b"signing: 1 stroke\r", b"storing"]:
        assert words in lines
    assert run("capture", "--socket", peer.socket, "--reason", "refuse").stderr == b""


def test_ending_the_command_cancels_the_capture(peer):
    # Background jobs of a shell, and their children, ignore SIGINT.
    process = subprocess.Popen(
        [os.environ["INKPANEL"], "capture", "--socket", peer.socket, "--prompt", "x"],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    with peer.open() as panel:
        while panel.Status()["status"]["page"] == "idle":
            pass
        process.send_signal(signal.SIGINT)
        process.wait(30)
        while panel.Status()["status"]["page"] != "idle":
            pass
    assert peer.records() == []


def test_list_delete_status(peer):
    assert text("list", "--socket", peer.socket) == "ID  STARTED  OUTCOME  SIGNER  FOR\n"
    names = [capture(peer, "--reason", "accept", "--signer", signer) for signer in ["Anna", "王小明"]]
    table = text("list", "--socket", peer.socket)
    assert all(name in table for name in names) and "Anna" in table and "王小明" in table
    listed = json.loads(text("list", "--json", "--socket", peer.socket))
    assert {capture["id"] for capture in listed["captures"]} == set(names)
    assert "2 captures" in text("status", "--socket", peer.socket)
    assert json.loads(text("status", "--json", "--socket", peer.socket))["store"]["captures"] == 2
    run("delete", *names, "--socket", peer.socket)
    assert peer.records() == []
    assert b"there is no capture" in run("delete", names[0], "--socket", peer.socket, status=66).stderr
    # A failure does not stop the others.
    left = capture(peer, "--reason", "accept")
    done = run("delete", "nope", left, "neither", "--socket", peer.socket, status=66)
    assert [line.split()[5] for line in done.stderr.splitlines()] == [b"nope;", b"neither;"]
    assert peer.records() == []
    (peer.store / "captures" / "torn.jsonl").write_text("{}\n")
    assert b"torn" in run("list", "--socket", peer.socket).stderr


def test_the_beginning_of_an_id_is_enough_where_it_is_the_only_one(peer, tmp_path):
    names = [capture(peer, "--reason", "accept", "--signer", signer) for signer in ["Anna", "Ben"]]
    apart = next(index for index, (a, b) in enumerate(zip(*names)) if a != b)
    for name in names:
        start = name[: apart + 1]
        assert name in text("show", start, "--socket", peer.socket)
        text("export", start, "--output", tmp_path / f"{name}.png", "--socket", peer.socket)
    for command in (["show"], ["export", "--output", tmp_path / "x.png"], ["delete"]):
        said = run(*command, names[0][:apart], "--socket", peer.socket, status=64).stderr.decode()
        assert "begins the IDs of 2 captures" in said and all(name in said for name in names), said
    run("delete", names[0][: apart + 1], "--socket", peer.socket)
    assert peer.records() == [names[1]]
    assert names[1] in text("list", "--signer", "ben", "--since", "2026-03-14", "--socket", peer.socket)
    assert names[1] not in text("list", "--signer", "anna", "--socket", peer.socket)


def test_errors_are_one_line(peer, tmp_path):
    none = tmp_path / "none.sock"
    assert b"is inkpanel running?" in run("status", "--socket", none, status=69).stderr
    asking = ["capture", "--socket", peer.socket, "--prompt", "x"]
    run(*asking, "--document", tmp_path / "none.pdf", status=66)
    run(*asking, "--output", tmp_path / "none" / "a.png", status=73)
    run(*asking, "--output", tmp_path, status=73)
    run(*asking, "--timeout", "0", status=64)
    run(*asking, "--format", "svg", status=64)
    assert b"signer; expected a text without U+000A" in run(*asking, "--signer", "a\nb", status=64).stderr
    (tmp_path / "notes.jsonl").write_text("hello\n")
    run("export", tmp_path / "notes.jsonl", "--output", "-", status=65)
    run("export", "no-such-id", "--socket", peer.socket, "--output", "-", status=66)
    assert peer.records() == []


STEERING = "\x1b]0;x\x07\x9b2J\u202e\u2066\u200f\u061c\x7f\r\n"


@pytest.mark.parametrize("words, answer, status", [
    (["status"], {"error": "org.inkpanel.Panel.Unavailable", "parameters": {"reason": STEERING + "inkpanel: ok"}}, 69),
    (["list"], {"error": "org.inkpanel.Panel." + STEERING}, 76),
    (["list"], {"parameters": {"captures": [], "unreadable": [STEERING]}}, 0),
    (["list", "--json"], {"parameters": {"captures": [], "unreadable": [STEERING]}}, 0),
    (["delete", "a"], {"error": "org.inkpanel.Panel.NoSuchCapture", "parameters": {"id": STEERING}}, 66),
    (["capture", "--prompt", "x"], {"parameters": {
        "id": "a-1", "state": "ended", "outcome": {"result": "failed", "reason": STEERING}}}, 74),
    (["status"], {"parameters": {"status": {
        "program": STEERING, "page": "idle", "waiting": 0, "touchDevices": [STEERING],
        "screen": {"name": STEERING, "size": {"width": 1, "height": 1}, "pixelsPerMillimetre": 1},
        "store": {"path": STEERING, "captures": 0, "freeBytes": 0, "fault": STEERING}}}}, 0),
])
def test_control_characters_from_a_panel_are_not_printed(tmp_path, words, answer, status):
    path = str(tmp_path / "p.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def serve():
        connection, _ = listener.accept()
        while not connection.recv(1 << 16).endswith(b"\0"):
            pass
        connection.sendall(json.dumps(answer).encode() + b"\0")

    thread = threading.Thread(target=serve)
    thread.start()
    done = run(*words, "--socket", path, status=status)
    thread.join()
    shown = (done.stdout + done.stderr).decode()
    assert "2J" in shown
    assert not set(shown) & set(STEERING[:-1]) - set("]0;x2J"), shown
    if status:
        assert done.stderr.count(b"\n") == 1
    if "--json" in words:
        assert json.loads(done.stdout) == answer["parameters"]


@pytest.mark.parametrize("words", [
    ["captur", "--prompt", "x"], ["frobnicate"], ["help", "captur"], ["run", "--rotate", "45"], ["export", "x"],
    ["capture"], ["capture", "--row", "Amount"], ["capture", "--format", "gif"], ["config", "chek"],
    ["demo", "--size", "10x10"],
    ["capture", "--prompt", "x", "--output", "signed.pdf"], ["export", "x", "--output", "signed.docx"],
    ["render", "x", "--output", "x.jpg"], ["replay", "x", "--output", "x.jpg"],
])
def test_a_wrong_command_line_is_one_line_and_status_64(words, tmp_path):
    done = run(*words, status=64, cwd=tmp_path)
    lines = [line for line in done.stderr.splitlines() if b": ready: " not in line]
    assert len(lines) == 1 and lines[0].startswith(b"inkpanel: "), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_help_and_version_succeed():
    for words in [["--help"], ["help", "config", "check"], ["--version"], ["capture", "--help"], []]:
        done = run(*words)
        assert done.stdout and not done.stderr


def test_no_capture_starts_if_its_file_cannot_be_written(start, tmp_path):
    peer = start("accept")
    asking = ["capture", "--socket", peer.socket, "--prompt", "x"]
    assert b"signed document" in run(*asking, "--output", tmp_path / "signed.pdf", status=64).stderr
    assert peer.records() == [] and list(tmp_path.glob("signed*")) == []
    run(*asking, "--output", tmp_path / "signed.pdf", "--format", "svg")
    assert (tmp_path / "signed.pdf").read_text().startswith("<")
