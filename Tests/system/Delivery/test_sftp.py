# SPDX-License-Identifier: Apache-2.0
"""The sender and a store that speaks SFTP, which shows half a file while it is written."""

import hashlib
import random
import time
from pathlib import Path

import pytest
from conftest import PANEL, SEED, Sender
from support import breadth

OVERWRITES = {"RCLONE_IMMUTABLE": "false"}


def digests_in(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


# test_s3.py kills it at each commit.
@breadth.long
def test_sender_killed_amid_files(tmp_path, sftp):
    folder, remotes = sftp
    sender = Sender(tmp_path, remotes, OVERWRITES)
    digests = sender.fill(200)
    numbers = random.Random(SEED)
    for _ in range(50):
        there = len(list(folder.rglob("*.*")))
        program = sender.start()
        stop, until = there + numbers.randint(0, 8), time.monotonic() + 30
        while len(list(folder.rglob("*.*"))) < stop and program.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        program.kill()
        program.wait(30)
        waiting, kept = sender.waiting(), digests_in(folder / PANEL)
        assert {name for name, digest in digests.items() if name not in waiting and kept.get(name) != digest} == set()
    assert sender.run() == 0, sender.log
    assert sender.waiting() == set() and digests_in(folder / PANEL) == digests


@pytest.mark.parametrize("changes, status", [({}, False), (OVERWRITES, True)])
def test_half_a_file_in_the_store(tmp_path, sftp, changes, status):
    """What a cut leaves there is completed only if the store may be changed."""
    folder, remotes = sftp
    sender = Sender(tmp_path, remotes, changes)
    digests = sender.fill(2)
    name = sorted(digests)[0]
    half = folder / PANEL / name
    half.parent.mkdir(parents=True)
    half.write_bytes((sender.outbox / name).read_bytes()[:1000])
    assert (sender.run() == 0) == status, sender.log
    assert sender.waiting() == (set() if status else {name})
    assert (digests_in(folder / PANEL) == digests) == status
