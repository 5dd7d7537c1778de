# SPDX-License-Identifier: Apache-2.0
"""`inkpanel self-test` on a screen: lines drawn along, the log of results, and records that name the last one."""

import json
import signal

import pytest
from conftest import PAD_SCREENS
from harness import wording
from support.breadth import long

SCREEN = PAD_SCREENS["800x480"]
LINES = [  # as in LineTest.swift
    ((0.08, 0.1), (0.92, 0.1)), ((0.92, 0.1), (0.92, 0.9)), ((0.92, 0.9), (0.08, 0.9)),
    ((0.08, 0.9), (0.08, 0.1)), ((0.08, 0.08), (0.92, 0.36)), ((0.08, 0.36), (0.92, 0.08))]
REPORTS = 60  # a line


def started(pad):
    """A self-test whose first line is on the screen."""
    pad.ink.terminate()
    command = pad.panel.start_inkpanel(
        "self-test", "--config", f"{pad.folder}/inkpanel.toml", "--store", pad.store, "--touch", pad.finger.node, "--json",
        wait=False)
    command.wait_line("self-test of ")
    pad.panel.screen_when(lambda screen: not screen.only((0, 0, 0)))
    return command


def draw(pad, line, until: float = 1.0) -> None:
    (x, y), (to_x, to_y) = line
    shares = [until * number / REPORTS for number in range(REPORTS + 1)]
    width, height = SCREEN.size
    pad.finger.stroke([
        (round((x + (to_x - x) * share) * width), round((y + (to_y - y) * share) * height)) for share in shares], hz=100)


@long
def test_records_name_the_last_self_test_of_their_device(pad_of):
    pad = pad_of(SCREEN)
    command = started(pad)
    draw(pad, LINES[0], until=0.5)
    command.wait_line("Draw the whole line")
    for line in LINES:
        draw(pad, line)
        command.settle()
    # A break is no pass, but late reports of a busy machine are none either.
    assert command.wait() in (0, 1), command.log
    result = json.loads(command.log[command.log.index("{"):command.log.rindex("}") + 1])
    assert result["offset"] < 0.5 and result["largestOffset"] < 1 and result["noise"] < 0.3, result
    (line,) = pad.panel.read_file(f"{pad.store}/self-tests.jsonl").splitlines()
    assert json.loads(line)["selfTest"] == result

    pad.start()
    pad.settled()
    host = pad.ask("--prompt", "Empfang")
    host.wait_line(wording.ASKED)
    pad.settled()
    (x, y), (_, height) = pad.place_to_sign.centre, pad.place_to_sign.size
    pad.draw([[(x + i * 3 - 90, y - height / 3 + i % 5 * 4) for i in range(60)]], hz=100)
    pad.settled()
    pad.touch("accept")
    assert host.wait() == 0, host.log
    record = pad.export(pad.captures[0]["id"], "self-tested.jsonl")
    (device,) = json.loads(record.splitlines()[0])["devices"]
    assert device["selfTest"] == result


@pytest.mark.long
def test_a_self_test_is_aborted_and_leaves_nothing(pad_of):
    pad = pad_of(SCREEN)
    before = pad.panel.glob(f"{pad.store}/self-tests.jsonl")
    command = started(pad)
    draw(pad, LINES[0])
    command.settle()
    command.signal(signal.SIGINT)
    assert command.wait() == 10
    assert "self-test aborted" in command.log and "nothing was written" in command.log
    assert pad.panel.glob(f"{pad.store}/self-tests.jsonl") == before
    pad.start()
