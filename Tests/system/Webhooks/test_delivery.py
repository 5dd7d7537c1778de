# SPDX-License-Identifier: Apache-2.0
"""Receivers that fail, wait, go away or never answer; queues that fill; programs that are killed."""

import email.utils
import json
import os
import random
import ssl
import subprocess
import time
from pathlib import Path

import pytest
from support import breadth
from webhooks import PAUSE, SECRET, Receiver
from support.waiting import wait_for



def test_a_failing_receiver_is_tried_again_with_growing_pauses(start, panel):
    receiver = Receiver(lambda id, count: 503 if count < 4 else 200)
    program = start(erp=receiver)
    panel.end("c-1")
    wait_for(lambda: len(receiver.messages) == 1)
    pauses = [b - a for a, b in zip(receiver.times, receiver.times[1:])]
    # 5, 30 and 120 s with a fifth more or less, 20 times faster.
    for pause, expected in zip(pauses, (0.25, 1.5, 6)):
        assert expected * 0.79 < pause < expected * 1.2 + 1
    assert "the receiver answers 503" in program.log.read_text()
    wait_for(lambda: not program.status().get("fault"))
    receiver.stop()


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("says", [
    lambda: "60", lambda: email.utils.formatdate(time.time() + 60, usegmt=True), lambda: "9" * 400])
def test_a_receiver_says_when_to_come_again(start, panel, status, says):
    def overloaded(handler):
        handler.send_response(status)
        handler.send_header("Retry-After", says())
        handler.send_header("Content-Length", "0")
        handler.end_headers()
    receiver = Receiver(lambda id, count: overloaded if count == 1 else 200)
    program = start(erp=receiver)
    panel.end("c-1")
    wait_for(lambda: len(receiver.attempts) == 1)
    panel.end("c-2")
    if len(says()) == 400:
        # Four hours at the most, or until a person wants it.
        time.sleep(4)
        assert len(receiver.attempts) == 1
        assert program.command("redeliver", "msg_ended-c-1").returncode == 0
    wait_for(lambda: set(receiver.first("capture.ended")) == {"c-1", "c-2"})
    if len(says()) < 400:
        # A minute is 3 s here; a date has no parts of a second.
        assert receiver.times[1] - receiver.times[0] > 2.9
    receiver.stop()


@pytest.mark.parametrize("words", [["msg_ended-c-1"], ["--all"]])
def test_what_waits_is_sent_at_once_by_command(start, panel, words):
    answers = [500]
    receiver = Receiver(lambda id, count: answers[0])
    program = start(haste=1, erp=receiver)
    panel.end("c-1", "accepted")
    wait_for(lambda: len(receiver.attempts) == 2)
    answers[0] = 200
    assert program.command("redeliver", *words).returncode == 0
    # Without the command, after 30 s.
    wait_for(lambda: receiver.first("capture.ended") == ["c-1"], 20)
    assert receiver.types == ["record.stored", "capture.ended"]
    receiver.stop()


@pytest.mark.parametrize("answer", [503, PAUSE])
def test_a_message_without_an_answer_keeps_only_its_capture_waiting(start, panel, answer):
    receiver = Receiver(lambda id, count: answer if id == "msg_stored-c-1" else 200)
    program = start(erp=receiver)
    for number in range(1, 4):
        panel.end(f"c-{number}", "accepted")
    wait_for(lambda: receiver.first("capture.ended") == ["c-2", "c-3"], 60)
    wait_for(lambda: program.status()["waiting"] == 2)
    assert "msg_ended-c-1" not in receiver.attempts
    receiver.stop()


def test_a_dead_receiver_is_tried_seldom_and_loses_nothing_that_was_not_tried(start, panel):
    receiver = Receiver(lambda id, count: 503)
    # Three days take 26 s.
    program = start(haste=10_000, erp=receiver)
    for number in range(40):
        panel.end(f"c-{number}")
    wait_for(lambda: program.status().get("givenUp"), 60)
    assert len(receiver.attempts) < 40
    given_up = {name.split(".")[2] for name in program.names("failed")}
    assert given_up and given_up <= set(receiver.attempts)
    receiver.stop()


def test_a_refused_message_keeps_only_its_capture_waiting(start, panel):
    refused = {"msg_stored-c-1"}
    receiver = Receiver(lambda id, count: 400 if id in refused else 200)
    program = start(erp=receiver)
    for number in range(1, 5):
        panel.end(f"c-{number}", "accepted")
    wait_for(lambda: receiver.first("capture.ended") == ["c-2", "c-3", "c-4"])
    wait_for(lambda: program.status()["waiting"] == 2)
    refused.clear()
    wait_for(lambda: len(receiver.messages) == 8)
    assert receiver.first("capture.ended")[-1] == "c-1"
    assert receiver.attempts.index("msg_ended-c-1") > len(receiver.attempts) - 2, "after the record"
    receiver.stop()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(start, panel, receiver, status):
    receiver.tell = lambda id, count: status if count == 1 else 200
    program = start(erp=receiver)
    panel.end("c-1")
    wait_for(lambda: len(receiver.messages) == 1)
    assert f"{status}: change its url" in program.log.read_text()
    assert len(receiver.attempts) == 2


def test_a_slow_or_dead_receiver_delays_no_other(start, panel, receiver):
    slow, dead = Receiver(lambda id, count: PAUSE), Receiver()
    dead.stop()
    program = start(slow=slow, dead=dead, erp=receiver)
    wait_for(lambda: panel.connections)
    panel.end("c-0", "accepted")
    wait_for(lambda: slow.attempts)
    for number in range(1, 5):
        panel.end(f"c-{number}", "accepted")
    wait_for(lambda: len(receiver.messages) == 10)
    # The first attempt is still open.
    assert len(slow.attempts) == 1 and "fault" not in program.status("slow")
    slow.stop()


def test_answers_without_end_use_no_memory_and_count(start, panel):
    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(bytes(1 << 16))
        except OSError:
            pass

    def silent(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.flush()
        time.sleep(30)

    receiver = Receiver(lambda id, count: endless if "c-1" in id else silent)
    program = start(erp=receiver)
    panel.end("c-1")
    panel.end("c-2")
    wait_for(lambda: program.status().get("delivered") == 2, 60)
    assert receiver.attempts == ["msg_ended-c-1", "msg_ended-c-2"]
    status = Path(f"/proc/{program.process.pid}/status").read_text()
    assert int(status.split("VmHWM:")[1].split()[0]) < 64 << 10
    receiver.stop()


@pytest.mark.parametrize("answer", [b"", b"\0" * 100, b"HTTP/1.1 9999 x\r\n\r\n", b"HTTP/1.1 200 " + b"x" * 500_000],
                         ids=["none", "zeros", "status", "long"])
def test_what_is_not_http_is_tried_again(start, panel, answer):
    def odd(handler):
        try:
            handler.wfile.write(answer)
        except OSError:
            pass

    receiver = Receiver(lambda id, count: odd if count == 1 else 200)
    start(erp=receiver)
    panel.end("c-1")
    wait_for(lambda: len(receiver.messages) == 1)
    receiver.stop()


def test_410_disables_a_webhook_until_it_is_enabled_or_has_another_address(start, panel):
    receiver = Receiver(lambda id, count: 410)
    program = start(erp=receiver)
    panel.end("c-1", "accepted")
    wait_for(lambda: program.status().get("disabled"))
    panel.end("c-2")
    wait_for(lambda: program.status()["givenUp"] == 2 and program.names("waiting") == [])
    assert receiver.attempts == ["msg_stored-c-1"], "and nothing more"
    assert "410" in program.status()["fault"] and "tried again" not in program.log.read_text()
    program.command("enable", "erp")
    wait_for(lambda: not program.status()["disabled"])
    assert "fault" not in program.status(), "nothing was tried since"
    panel.end("c-2a")
    wait_for(lambda: program.status().get("disabled"))
    program.stop()
    program.start()
    program.ready()
    assert program.status()["disabled"]
    receiver.tell = lambda id, count: 200
    assert program.command("enable", "erp").returncode == 0
    wait_for(lambda: not program.status()["disabled"])
    panel.end("c-3")
    wait_for(lambda: receiver.first("capture.ended") == ["c-3"])
    receiver.tell = lambda id, count: 410
    panel.end("c-4")
    wait_for(lambda: program.status().get("disabled"))
    program.stop()
    receiver.tell = lambda id, count: 200
    program.write({"erp": {"url": receiver.url + "/new"}})
    program.start()
    program.ready()
    panel.end("c-5")
    wait_for(lambda: receiver.first("capture.ended")[-1] == "c-5")
    receiver.stop()


def test_a_message_is_given_up_after_three_days_and_sent_again_by_command(start, panel):
    answers = [500]
    receiver = Receiver(lambda id, count: answers[0])
    # Three days take 5.2 s.
    program = start(haste=50_000, erp=receiver)
    panel.end("c-1", "accepted")
    wait_for(lambda: "msg_stored-c-1 was given up after 3 days" in program.log.read_text())
    wait_for(lambda: program.status()["givenUp"] == 2)
    assert 3 < len(receiver.attempts) < 60
    listed = program.command("list").stdout.splitlines()
    assert [line.split("\t")[1:2] + line.split("\t")[3:] for line in listed] == [
        ["given-up", "record.stored", "msg_stored-c-1"], ["given-up", "capture.ended", "msg_ended-c-1"]]
    answers[0] = 200
    assert program.command("redeliver", "--all").stdout == "2 messages\n"
    wait_for(lambda: len(receiver.messages) == 2)
    wait_for(lambda: program.command("list").stdout == "")
    # What was delivered, too.
    assert "msg_ended-c-1" in program.command("list", "--delivered").stdout
    assert program.command("redeliver", "msg_ended-c-1", "--webhook", "erp").returncode == 0
    wait_for(lambda: len(receiver.messages) == 3)
    wrong = program.command("redeliver", "msg_ended-c-1", "msg_x")
    assert wrong.returncode != 0 and "no such message: msg_x" in wrong.stderr
    time.sleep(0.3)
    assert len(receiver.messages) == 3, "all or none"
    receiver.stop()


def test_messages_are_not_given_up_while_the_panel_is_off(start, panel):
    receiver = Receiver(lambda id, count: 500)
    program = start(haste=10_000, erp=receiver)
    panel.end("c-1")
    wait_for(lambda: len(receiver.attempts) > 3)
    program.stop()
    # Three days by the clock on the wall, and by the names of files.
    for path in (program.state / "queues/erp/waiting").iterdir():
        os.utime(path, (1, 1))
    program.start()
    program.ready()
    time.sleep(1)
    assert "given up" not in program.log.read_text() and program.status()["waiting"] == 1
    receiver.stop()


def test_a_full_queue_gives_up_the_oldest_and_says_so(start, panel):
    receiver = Receiver(lambda id, count: 503)
    program = start("--queue-limit", "5", erp=receiver)
    for number in range(8):
        panel.end(f"c-{number}")
    wait_for(lambda: program.status().get("givenUp") == 3)
    assert [name.split(".")[2] for name in program.names("waiting")] == [f"msg_ended-c-{n}" for n in range(3, 8)]
    assert [name.split(".")[2] for name in program.names("failed")] == [f"msg_ended-c-{n}" for n in range(3)]
    assert program.log.read_text().count("as many as may") == 1
    receiver.stop()


def test_only_the_last_delivered_messages_are_kept(start, panel, receiver):
    program = start(erp=receiver)
    for number in range(160):
        panel.end(f"c-{number}")
    wait_for(lambda: len(receiver.messages) == 160, 60)
    wait_for(lambda: len(program.names("delivered")) <= 100)
    assert program.names("delivered")[-1].split(".")[2] == "msg_ended-c-159"
    # Also after a new start, when nothing waits.
    program.stop()
    program.start()
    program.ready()
    panel.end("c-160")
    wait_for(lambda: program.status().get("delivered") == 1)
    wait_for(lambda: len(program.names("delivered")) == 100)
    assert program.names("delivered")[-1].split(".")[2] == "msg_ended-c-160"


def test_certificates_are_verified(start, panel, tmp_path):
    def certificate(name):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-keyout", tmp_path / f"{name}.key", "-out", tmp_path / f"{name}.pem", "-subj", "/CN=receiver", "-addext",
             "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / f"{name}.pem", tmp_path / f"{name}.key")
        return context

    known, unknown = Receiver(context=certificate("known")), Receiver(context=certificate("unknown"))
    program = start(
        known={"url": known.url, "ca-file": f"{tmp_path}/known.pem"},
        unknown={"url": unknown.url, "ca-file": f"{tmp_path}/known.pem"}, system={"url": unknown.url})
    panel.end("c-1")
    wait_for(lambda: len(known.messages) == 1)
    wait_for(lambda: "fault" in program.status("unknown") and "fault" in program.status("system"))
    for name in ("unknown", "system"):
        assert program.status(name)["fault"] == "the receiver's certificate is not valid here"
    assert not unknown.attempts and not known.faults
    known.stop()
    unknown.stop()


def test_no_message_is_lost_or_out_of_order_when_the_program_is_killed_again_and_again(start, panel):
    chance = random.Random(20261127)
    receivers = [Receiver(lambda id, count: chance.choice([200, 200, 200, 200, 500, 503])) for _ in range(2)]
    program = start(haste=1000, a=receivers[0], b=receivers[1])
    wait_for(lambda: (program.state / "records").exists())
    expected, kills = [], 0
    count = breadth.count(80, 400)
    for number in range(count):
        result = chance.choice(["accepted", "cancelled", "declined"])
        expected.append((f"c-{number}", result))
        panel.end(f"c-{number}", result, order=str(number))
        if chance.random() < 0.5:
            time.sleep(chance.random() * 0.15)
            program.kill()
            kills += 1
            program.start()
            # Events of captures without a record are kept for 128 of them.
            time.sleep(chance.random() * 0.1)
    assert kills > count // 3
    program.ready()
    ended, stored = {id for id, _ in expected}, {id for id, result in expected if result == "accepted"}
    for receiver in receivers:
        wait_for(lambda: set(receiver.first("capture.ended")) == ended, 60)
        wait_for(lambda: set(receiver.first("record.stored")) == stored, 60)
        assert receiver.faults == []
        order = [(message["data"].get("capture"), message["type"]) for message in receiver.messages]
        for id in stored:
            assert order.index((id, "record.stored")) < order.index((id, "capture.ended"))
    wait_for(lambda: program.status("a").get("waiting") == 0 and program.status("b").get("waiting") == 0)
    for receiver in receivers:
        receiver.stop()


def test_a_full_disk_loses_nothing(start, panel, receiver):
    program = start(erp=receiver)
    panel.end("c-1")
    # Otherwise it would come again.
    wait_for(lambda: program.names("delivered"))
    waiting = program.state / "queues/erp/waiting"
    # Root writes to folders that forbid it, so the folder is gone.
    waiting.rename(waiting.with_name("away"))
    panel.end("c-2")
    panel.end("c-3", "accepted")
    wait_for(lambda: "events wait at the panel" in program.log.read_text())
    waiting.with_name("away").rename(waiting)
    program.stop()
    program.start()
    wait_for(lambda: len(receiver.messages) == 4)
    assert receiver.first("capture.ended") == ["c-1", "c-2", "c-3"]


def test_a_queue_that_cannot_be_written_keeps_no_other_waiting(start, panel):
    receivers = {"broken": Receiver(), "erp": Receiver()}
    program = start(haste=100, **receivers)
    panel.end("c-0")
    wait_for(lambda: program.names("delivered") and program.names("delivered", "broken"))
    waiting = program.state / "queues/broken/waiting"
    waiting.rename(waiting.with_name("away"))
    expected = ["c-0"]
    for number in range(1, 5):
        panel.end(f"c-{number}", "accepted" if number % 2 else "cancelled")
        panel.set_fault("the disk is full")
        panel.set_fault(None)
        expected.append(f"c-{number}")
        wait_for(lambda: set(receivers["erp"].first("capture.ended")) == set(expected))
    connections = len(panel.connections)
    wait_for(lambda: len(panel.connections) > connections + 3)
    assert len(receivers["broken"].attempts) == 1
    waiting.with_name("away").rename(waiting)
    wait_for(lambda: set(receivers["broken"].first("capture.ended")) == set(expected))
    panel.end("c-9")
    for receiver in receivers.values():
        wait_for(lambda: receiver.first("capture.ended")[-1] == "c-9")
        assert len(receiver.attempts) == len(set(receiver.attempts)), "nothing is told twice"
        receiver.stop()
    assert receivers["erp"].types.count("panel.fault") == receivers["erp"].types.count("panel.recovered") >= 4


def test_a_message_that_cannot_be_read_now_waits(start, panel, receiver, tmp_path):
    program = start(erp={"url": receiver.url})
    panel.end("c-0")
    wait_for(lambda: program.names("delivered"))
    receiver.tell = lambda id, count: 503
    panel.end("c-1")
    wait_for(lambda: len(receiver.attempts) == 2)
    path = program.state / "queues/erp/waiting" / program.names("waiting")[0]
    kept, link = tmp_path / "kept", tmp_path / "link"
    # A folder in its place, at once: it cannot be read, and is not missing.
    kept.hardlink_to(path)
    link.symlink_to(tmp_path)
    link.replace(path)
    wait_for(lambda: program.status().get("fault") == "a message cannot be read")
    assert program.status()["waiting"] == 1
    kept.replace(path)
    receiver.tell = lambda id, count: 200
    assert program.command("enable", "erp").returncode == 0
    wait_for(lambda: len(receiver.messages) == 2)


def test_a_message_that_the_disk_has_damaged_is_not_signed(start, panel, receiver):
    program = start(erp=receiver)
    program.stop()
    waiting = program.state / "queues/erp/waiting"
    for number, body in enumerate((b"", b"\0" * 100, b'{"type": "record.st')):
        (waiting / f"00000000000{number + 1}.1.msg_stored-c-{number}.json").write_bytes(body)
    program.start()
    program.ready()
    panel.end("c-9")
    wait_for(lambda: receiver.first("capture.ended") == ["c-9"])
    assert len(receiver.attempts) == 1 and len(program.names("failed")) == 3
    assert program.log.read_text().count("is damaged on the disk") == 3


def test_the_status_that_all_may_read_has_no_address(start, panel):
    dead = Receiver()
    dead.stop()
    program = start(erp=dead, name={"url": "https://no-such-name.invalid/path-secret"})
    panel.end("c-1")
    wait_for(lambda: "fault" in program.status() and "fault" in program.status("name"))
    assert program.status()["fault"] == "the receiver cannot be reached"
    text = program.status_file.read_text()
    assert "invalid" not in text and "127.0.0.1" not in text and str(dead.port) not in text
    assert "127.0.0.1" in program.log.read_text(), "the log says it"


def test_damaged_files_of_its_own_stop_nothing(start, panel, receiver):
    program = start(erp=receiver)
    panel.end("c-1", "accepted")
    wait_for(lambda: len(receiver.messages) == 2)
    program.kill()
    (program.state / "notes.json").write_bytes(b"{\0")
    (program.state / "clock").write_bytes(b"x")
    (program.state / "requests/send.no").write_bytes(b"")
    folder = program.state / "queues/erp/waiting"
    (folder / "junk").write_bytes(b"x")
    (folder / "000000000999.5.msg_ended-c-9.json").write_bytes(b"\xff" * (300 << 10))
    program.start()
    panel.end("c-2")
    wait_for(lambda: receiver.first("capture.ended") == ["c-1", "c-2"])
    assert "cannot be read" in program.log.read_text()
    wait_for(lambda: "000000000999.5.msg_ended-c-9.json" in program.names("failed"))


def test_an_idle_program_wakes_never(start, panel, receiver):
    program = start(erp=receiver, other=receiver)
    panel.end("c-1")
    wait_for(lambda: len(receiver.messages) == 2 and program.status()["waiting"] == 0)
    time.sleep(1)

    def switches():
        return sum(
            int(line.split()[1]) for task in Path(f"/proc/{program.process.pid}/task").iterdir()
            for line in (task / "status").read_text().splitlines() if "ctxt_switches" in line)

    before = switches()
    time.sleep(5)
    assert switches() == before


def test_two_programs_do_not_share_a_queue(start, panel, receiver):
    program = start(erp=receiver)
    second = subprocess.run(
        [os.environ["GATEWAY"], "webhooks", "run", "--webhooks", program.file, "--panel", panel.path, "--config",
         program.config, "--state", program.state, "--status-file", program.folder / "x"],
        capture_output=True, text=True, timeout=20)
    assert second.returncode != 0 and "another program uses" in second.stderr


def test_the_status_says_what_waits_and_why(start, panel):
    receiver = Receiver(lambda id, count: 418)
    program = start(erp=receiver)
    panel.end("c-1")
    wait_for(lambda: "fault" in program.status())
    shown = program.command("status", "--status-file", str(program.status_file), state=False)
    assert "1 wait" in shown.stdout and "the receiver answers 418" in shown.stdout and shown.returncode != 0
    shown = program.command("status", "--json", "--status-file", str(program.status_file), state=False)
    assert json.loads(shown.stdout)["webhooks"][0]["waiting"] == 1
    program.stop()
    shown = program.command("status", "--status-file", str(program.status_file), state=False)
    assert shown.returncode != 0 and "do not run" in shown.stderr
    receiver.stop()


@pytest.mark.parametrize("text, part", [
    ("", "there is no webhook: begin one"),
    ("ca-file = \"/nonexistent.pem\"", "[erp]: ca-file: /nonexistent.pem: No such")])
def test_check_finds_what_cannot_work(tmp_path, text, part):
    file = tmp_path / "webhooks.toml"
    file.write_text(f"[erp]\nurl = \"https://a.example\"\nsecret = \"{SECRET}\"\n{text}\n" if text else "# None.\n")
    file.chmod(0o600)
    words = [os.environ["GATEWAY"], "webhooks", "check", "--webhooks", file]
    checked = subprocess.run(words, capture_output=True, text=True)
    assert checked.returncode != 0 and part in checked.stderr
