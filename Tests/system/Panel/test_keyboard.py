# SPDX-License-Identifier: Apache-2.0
"""A keyboard or a keypad beside the screen: everything but ink, without a touch."""

import json

import pytest
from conftest import PAD_SCREENS
from harness import Pad, wording
from harness.handwriting import signature
from harness.page import Page

ACCEPTED, CANCELLED = 0, 10


@pytest.fixture
def keyed(booted_pad):
    """A pad of 800x480 pixels, and its keyboard."""
    booted_pad.reset()
    keyboard = booted_pad.keyboard()
    return Pad(booted_pad, PAD_SCREENS["800x480"]), keyboard


def asked(pad, *arguments, says=wording.ASKED):
    host = pad.ask("--prompt", "12 parcels", *arguments)
    host.wait_line(says)
    return host, pad.settled()


def ring(before, after):
    """The place of the ring that has come."""
    return before.compare(after).box


def test_keys_go_round_the_buttons_and_accept_what_a_finger_signed(keyed):
    pad, keyboard = keyed
    host, prompt = asked(pad)
    keyboard.press("tab")
    first = pad.settled()
    assert ring(prompt, first).contains(Page(prompt).buttons["cancel"])
    # A touch takes the ring away.
    pad.draw(signature(pad.place_to_sign))
    signed = pad.settled()
    keyboard.press("shift+tab")
    last = pad.settled()
    assert ring(signed, last).contains(Page(signed).buttons["accept"])
    keyboard.press("enter")
    assert host.wait() == ACCEPTED, host.log
    (capture,) = pad.captures
    record = pad.export(capture["id"], "record.jsonl").decode().splitlines()
    assert not any("action" in json.loads(line) for line in record), "a ring is no action"


def test_a_person_answers_and_cancels_with_a_keypad(keyed):
    pad, keyboard = keyed
    host, question = asked(pad, "--question", "choice way: The receipt? | on paper | by mail", says="answering")
    keyboard.press("keypad 2", "keypad 2", "keypad enter")
    chosen = pad.settled()
    assert question.compare(chosen)
    # The focus stays; up from the first answer is the last button, and Cancel is beside it.
    keyboard.press("keypad 2", "keypad enter")
    assert host.wait() == CANCELLED, host.log


def test_a_scanner_of_bar_codes_presses_nothing(keyed):
    pad, keyboard = keyed
    host, prompt = asked(pad)
    keyboard.press("tab")
    focused = pad.settled()
    assert prompt.compare(focused)
    for _ in range(3):
        keyboard.press("1", "2", "3", "1", "enter", every=0.012)
        assert not focused.compare(pad.settled())
    keyboard.unplug()
    pad.draw(signature(pad.place_to_sign))
    pad.settled()
    pad.touch("accept")
    assert host.wait() == ACCEPTED, host.log


def test_a_person_who_writes_nothing_confirms_with_keys_alone(keyed):
    pad, keyboard = keyed
    host, _ = asked(pad, "--signer", "Ada Lovelace", "--alternative", "confirmed")
    # To the other ways, which are beside Cancel; then the only choice and the last button of each page.
    for keys in (["tab", "tab", "enter"], *[["tab", "enter", "shift+tab", "enter"]] * 2):
        keyboard.press(*keys)
        pad.settled()
    assert host.wait() == ACCEPTED, host.log
    (capture,) = pad.captures
    lines = [json.loads(line) for line in pad.export(capture["id"], "record.jsonl").decode().splitlines()]
    assert [line["confirmed"]["name"] for line in lines if "confirmed" in line] == ["signature"]
    assert not any("stroke" in line for line in lines)
