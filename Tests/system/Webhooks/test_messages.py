# SPDX-License-Identifier: Apache-2.0
"""What receivers are told, and in which order."""

import json
import stat
import time

import pytest
from standardwebhooks import Webhook
from webhooks import SECRET, Receiver
from support.waiting import wait_for


def test_an_accepted_capture_is_told_as_record_and_as_end(start, panel, receiver):
    start(erp=receiver)
    panel.end("c-1", "accepted", order="4711")
    wait_for(lambda: len(receiver.messages) == 2)
    stored, ended = receiver.messages
    assert stored["type"] == "record.stored" and ended["type"] == "capture.ended"
    assert stored["data"] == {"panel": "panel-1", "capture": "c-1", "result": "accepted", "data": {"order": "4711"}}
    assert ended["data"] == {
        "panel": "panel-1", "capture": "c-1", "outcome": {"result": "accepted"}, "data": {"order": "4711"}}
    assert ended["timestamp"].endswith("Z")
    assert receiver.attempts == ["msg_stored-c-1", "msg_ended-c-1"]


def test_what_was_signed_is_told_only_to_those_that_ask(start, panel, receiver):
    other = Receiver()
    start(erp=receiver, crm={"url": other.url, "request": True})
    panel.end("c-1", "accepted")
    wait_for(lambda: len(receiver.messages) == 2 and len(other.messages) == 2)
    assert not any("Anna" in json.dumps(message) for message in receiver.messages)
    assert [message["data"].get("request", {}).get("signer") for message in other.messages] == ["Anna", None]
    assert not other.faults
    other.stop()


def test_faults_are_told_once_and_their_end(start, panel, receiver):
    start(erp=receiver)
    panel.set_fault("the panel has no touch device")
    panel.set_fault("the panel has no display: unplugged")
    panel.set_fault(None)
    wait_for(lambda: len(receiver.messages) == 2)
    assert receiver.types == ["panel.fault", "panel.recovered"]
    assert receiver.messages[0]["data"]["fault"] == "the panel has no touch device"


def test_a_panel_that_is_gone_is_a_fault_and_not_at_once(start, panel, receiver):
    program = start(erp=receiver, patience=5)
    wait_for(lambda: panel.connections)
    panel.stop()
    wait_for(lambda: "the panel has closed the connection" in program.log.read_text())
    # A short absence, such as for an update, is none.
    panel.start()
    wait_for(lambda: panel.connections)
    panel.end("c-1")
    wait_for(lambda: receiver.types == ["capture.ended"])
    receiver.messages.clear()
    panel.stop()
    wait_for(lambda: receiver.types == ["panel.fault"])
    assert receiver.messages[0]["data"]["fault"] == "the panel does not answer"
    panel.start()
    wait_for(lambda: receiver.types == ["panel.fault", "panel.recovered"])


def test_webhooks_are_told_the_events_that_they_name(start, panel, receiver):
    start(erp={"url": receiver.url, "events": ["record.stored"]})
    panel.end("c-1")
    panel.end("c-2", "accepted")
    panel.end("c-3")
    panel.end("c-4", "accepted")
    wait_for(lambda: len(receiver.messages) == 2)
    assert receiver.types == ["record.stored"] * 2 and receiver.first("record.stored") == ["c-2", "c-4"]


def test_nothing_of_before_the_webhooks_is_told_however_it_ended(start, panel, receiver):
    panel.end("old-1", "accepted")
    for result in ("cancelled", "declined"):
        panel.end(f"old-{result}", result)
    panel.set_fault("the disk is full")
    panel.set_fault(None)
    start(erp=receiver)
    panel.end("c-1", "accepted")
    panel.end("c-2")
    wait_for(lambda: len(receiver.messages) == 3)
    assert receiver.first("record.stored") == ["c-1"] and receiver.first("capture.ended") == ["c-1", "c-2"]
    assert receiver.types.count("panel.fault") == 0


def test_what_happened_while_the_program_was_away_is_told(start, panel, receiver):
    program = start(erp=receiver)
    panel.end("c-1", "accepted")
    panel.end("c-2")
    # Else the last one may come again, because the program has not seen its answer.
    wait_for(lambda: len(receiver.messages) == 3 and program.status().get("waiting") == 0)
    program.stop()
    panel.end("c-3", "accepted", order="3")
    panel.end("c-4", "declined", order="4")
    panel.set_fault("the disk is full")
    with panel.lock:
        panel.store("c-5", "interrupted")
    program.start()
    wait_for(lambda: len(receiver.messages) == 9)
    assert receiver.first("capture.ended") == ["c-1", "c-2", "c-4", "c-3", "c-5"]
    assert receiver.first("record.stored") == ["c-1", "c-3", "c-5"] and receiver.types.count("panel.fault") == 1
    interrupted = [message["data"] for message in receiver.messages[-2:]]
    assert interrupted[0]["result"] == "interrupted" and interrupted[1]["outcome"] == {"result": "interrupted"}
    time.sleep(0.5)
    assert len(receiver.attempts) == len(set(receiver.attempts)), "nothing is told twice"


def test_records_are_found_after_a_restart_of_the_panel(start, panel, receiver):
    start(erp=receiver)
    panel.end("c-1")
    wait_for(lambda: len(receiver.messages) == 1)
    panel.stop()
    panel.store("c-2", "interrupted")
    panel.starting = True
    panel.start()
    wait_for(lambda: panel.connections)
    with panel.lock:
        panel.starting = False
        for connection in panel.connections:
            panel.send(connection, [])
    panel.end("c-3")
    wait_for(lambda: len(receiver.messages) == 4)
    assert receiver.first("record.stored") == ["c-2"] and receiver.first("capture.ended") == ["c-1", "c-2", "c-3"]


def test_texts_arrive_as_they_are(start, panel, receiver):
    start(erp=receiver)
    data = {"zeichen": "ä € 漢字 🖊 \" \\ \u0001 </script>", "lang": "x" * 1024}
    panel.end("c-1", "accepted", **data)
    wait_for(lambda: len(receiver.messages) == 2)
    assert receiver.messages[0]["data"]["data"] == data


@pytest.mark.parametrize("knows_new", [False, True])
def test_old_and_new_secret_sign_while_they_change(start, panel, receiver, knows_new):
    new = "whsec_" + "B" * 44
    if knows_new:
        receiver.verifier = Webhook(new)
    start(erp={"url": receiver.url, "secret": [new, SECRET]})
    panel.end("c-1")
    wait_for(lambda: len(receiver.messages) == 1)


def test_queues_are_private(start, panel, receiver):
    program = start(erp=receiver)
    panel.end("c-1")
    wait_for(lambda: program.names("delivered"))
    for path in [program.state, *program.state.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
