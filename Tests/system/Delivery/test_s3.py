# SPDX-License-Identifier: Apache-2.0
"""The sender and a store that speaks S3. Nothing leaves the outbox that the store does not have."""

import hashlib
import random
import signal
import threading

import pytest
from conftest import PANEL, SEED
from support import breadth


def check_nothing_lost(sender, store, digests: dict[str, str]):
    """What no longer waits is in the store."""
    waiting, there = sender.waiting(), store.digests()
    lost = {name for name, digest in digests.items() if name not in waiting and there.get(name) != digest}
    assert lost == set()


def test_sender_is_killed_amid_its_files(sender, store):
    """50 times amid 400 files in long tests: before, while and after the store does what it is asked."""
    digests = sender.fill(breadth.count(30, 200))
    numbers = random.Random(SEED)
    for _ in range(breadth.count(6, 50)):
        reached = threading.Event()
        method, fault = numbers.choice(["PUT", "HEAD"]), numbers.choice([None, "cut", "mute"])
        last = store.proxy.counts.get(method, 0) + numbers.randint(1, 12)

        def fail(asked, number, method=method, fault=fault, last=last, reached=reached):
            if asked != method or number < last:
                return None
            reached.set()
            return fault

        store.proxy.fault = fail
        program = sender.start()
        assert reached.wait(60), sender.log
        program.kill()
        assert program.wait(30) == -signal.SIGKILL
        if breadth.IS_LONG:
            check_nothing_lost(sender, store, digests)
    store.proxy.fault = lambda method, number: None
    assert 0 < len(sender.waiting()) < len(digests), "the kills were not amid the files"
    assert sender.run() == 0, sender.log
    assert sender.waiting() == set() and store.digests() == digests
    assert sorted(store.versions()) == sorted(digests)
    # The panel's own files are as they were.
    assert {name: hashlib.sha256((sender.folder / name).read_bytes()).hexdigest() for name in digests} == digests


@pytest.mark.parametrize("fault", breadth.share(["swallow", "spoil", 503, "cut", 403], 3))
def test_a_file_stays_while_its_upload_fails(sender, store, fault):
    # rclone waits longer after each failure.
    digests = sender.fill(breadth.count(3, 30))
    store.proxy.fault = lambda method, number: fault if method == "PUT" else None
    assert sender.run() != 0
    assert sender.waiting() == set(digests) and store.digests() == {}
    # Now only each third.
    store.proxy.fault = lambda method, number: fault if method == "PUT" and number % 3 == 0 else None
    for _ in range(12):
        status = sender.run()
        check_nothing_lost(sender, store, digests)
        if status == 0:
            break
    assert status == 0, sender.log
    assert sender.waiting() == set() and store.digests() == digests


def test_an_upload_whose_answer_is_lost_is_not_repeated(sender, store):
    digests = sender.fill(5)
    store.proxy.fault = lambda method, number: "mute" if method == "PUT" else None
    sender.run()
    store.proxy.fault = lambda method, number: None
    assert sender.run() == 0, sender.log
    assert sender.waiting() == set() and store.digests() == digests


def test_a_spoilt_copy_that_may_not_be_removed_holds_only_its_file(sender, store):
    """As with a key that cannot delete, or under an object lock."""
    digests = sender.fill(5)
    faults = {("PUT", 1): "spoil"}
    store.proxy.fault = lambda method, number: 403 if method == "DELETE" else faults.get((method, number))
    for _ in range(3):
        assert sender.run() != 0
        check_nothing_lost(sender, store, digests)
    assert len(sender.waiting()) == 1 and "immutable" in sender.log
    # Until somebody removes that copy.
    [name] = sender.waiting()
    store.client.delete_object(Bucket="signatures", Key=f"{PANEL}/{name}")
    assert sender.run() == 0 and store.digests() == digests


def test_the_store_keeps_what_it_has(sender, store):
    digests = sender.fill(3)
    name = sorted(digests)[0]
    store.client.put_object(Bucket="signatures", Key=f"{PANEL}/{name}", Body=b"other bytes")
    assert sender.run() != 0
    assert sender.waiting() == {name} and store.versions().count(name) == 1
    assert store.read(f"{PANEL}/{name}") == b"other bytes"


def test_files_that_are_there_already_are_not_sent_again(sender, store):
    digests = sender.fill(10)
    assert sender.run() == 0
    # A restored panel links everything again.
    assert sender.fill(10) == digests
    puts = store.proxy.counts["PUT"]
    assert sender.run() == 0 and sender.waiting() == set()
    assert store.proxy.counts["PUT"] == puts and sorted(store.versions()) == sorted(digests)
