# SPDX-License-Identifier: Apache-2.0
"""Captures: a host requests a signature, a person signs, and the host gets the signature or the reason why not."""

import hashlib
import io
import json
import signal

import pytest
from conftest import PAD_SCREENS
from harness import Box, evemu, wording
from harness.handwriting import SIGNATURE, fitted, signature, strokes_of
from harness.page import Page
from harness.panel import SHARE
from harness.system import guest_system
from PIL import Image as Pillow
from support.breadth import long

# Exit statuses of inkpanel capture.
ACCEPTED, CANCELLED, TIMED_OUT, UNAVAILABLE, STORE_FAILED, BUSY = 0, 10, 11, 69, 74, 75
SCREEN = PAD_SCREENS["800x480"]
PROMPT = ("--prompt", "I have received 12 parcels")


def asked(pad, *arguments):
    """A host with a running capture, and the picture of its page."""
    host = pad.ask(*PROMPT, *arguments)
    host.wait_line(wording.ASKED)
    return host, pad.settled()


def lines_of(record: bytes) -> list[dict]:
    return [json.loads(line) for line in record.decode().splitlines()]


def strokes_in(record: bytes) -> list[list]:
    """Each stroke's reports without their times."""
    return [[sample[1:] for sample in line["stroke"]["samples"]] for line in lines_of(record) if "stroke" in line]


def actions_in(record: bytes) -> list[str]:
    return [line.get("action", "stroke") for line in lines_of(record)[1:] if "end" not in line]


def cross(pad) -> list[list]:
    """Two strokes in the signing area that do not touch each other."""
    place = pad.place_to_sign
    (x, y), (width, height) = place.centre, place.size
    first = [(x - width / 3 + i * 4, y - height / 3 + i * 3) for i in range(20)]
    second = [(x + width / 3 - i * 4, y - height / 3 + i * 3) for i in range(20)]
    return [first, second]


def test_a_signature_by_pen_reaches_the_host(pad_of, booted_pad):
    pad = pad_of(SCREEN, device=booted_pad.device_of(SIGNATURE))
    pad.panel.write_file(f"{pad.folder}/delivery.pdf", "12 parcels\n")
    host, prompt = asked(
        pad, "--signer", "Anna Müller", "--reason", "delivery", "--document", f"{pad.folder}/delivery.pdf", "--output",
        SHARE / "signature.png")
    page = Page(prompt)
    axes = [evemu.describe(SIGNATURE)["axes"][axis] for axis in (0, 1)]
    units = [(axis[1] + 1) / side for axis, side in zip(axes, SCREEN.size)]
    played = fitted(evemu.frames(SIGNATURE), pad.place_to_sign, units)
    # No faster than recorded, and slower if all is emulated: a guest that is behind loses reports (SYN_DROPPED).
    pace = 1 if guest_system().is_host else 0.5
    pad.finger.frames([[seconds / pace, events] for seconds, events in played])
    signed = pad.settled()
    ink = Page(signed).ink
    assert page.card.contains(ink)

    x, y = (round(place * unit) for place, unit in zip(page.buttons["accept"].centre, units))
    pad.finger.frames([[0, [[1, 0x140, 1], [3, 0, x], [3, 1, y], [3, 0x18, 2000], [1, 0x14A, 1], [0, 0, 0]]]])
    pad.finger.frames([[0, [[3, 0x18, 0], [1, 0x14A, 0], [0, 0, 0], [1, 0x140, 0], [0, 0, 0]]]])
    assert host.wait() == ACCEPTED, host.log
    capture = host.log.split()[-1]

    record = pad.export(capture, "record.jsonl")
    header, *_, end = lines_of(record)
    assert strokes_in(record) == [list(map(list, stroke)) for stroke in strokes_of(played)]
    assert header["devices"][0]["x"] == {"minimum": 0, "maximum": axes[0][1], "resolution": 100}
    digest = hashlib.sha256(b"12 parcels\n").hexdigest()
    assert header["request"] == {
        "prompt": [PROMPT[1]], "signer": "Anna Müller", "reason": "delivery",
        "document": {"reference": "delivery.pdf", "sha256": digest}}
    left, top, width, height = header["screen"]["signingArea"]
    field = Box(left, top, left + width - 1, top + height - 1)
    assert page.card.contains(field) and field.contains(page.line) and field.contains(ink)
    quality = end["end"]["quality"]
    assert (quality["drops"], quality["ignoredContacts"]) == (0, 0)
    assert quality["reportRate"] > 0 and quality["longestGap"] > 0
    assert 0 < quality["latency"]["p50"] <= quality["latency"]["p95"] <= quality["latency"]["p99"]
    assert pad.panel.read_file(f"{pad.store}/captures/{capture}.jsonl").encode() == record
    assert pad.files == [f"{pad.store}/captures/{capture}.jsonl"]
    # Biometric data: not readable for other users.
    paths = [f"{pad.store}/open", f"{pad.store}/captures", *pad.files]
    assert pad.panel.run("/usr/bin/stat", "--format", "%a", *paths).split() == ["700", "700", "600"]

    (listed,) = pad.captures
    shown = json.loads(pad.command("show", "--json", capture))
    assert listed == shown["summary"]
    assert (listed["id"], listed["outcome"]["result"], listed["byteCount"]) == (capture, "accepted", len(record))
    assert (shown["strokes"], shown["samples"]) == (17, sum(map(len, strokes_in(record))))
    picture = pad.shared("signature.png")
    assert picture == pad.export(capture, "exported.png")
    assert_same_ink(Pillow.open(io.BytesIO(picture)), signed)


def assert_same_ink(picture, signed):
    """Checks that the picture has the ink of the screen: the same proportions, and dark in the same places."""
    box = Page(signed).ink
    ink = picture.convert("L").point(lambda value: 255 * (value < 128))
    found = ink.getbbox()
    wide, high = found[2] - found[0], found[3] - found[1]
    assert wide / high == pytest.approx(box.size[0] / box.size[1], rel=0.03)
    small = ink.crop(found).resize(box.size, Pillow.Resampling.BOX)
    same = sum(
        (small.getpixel((x, y)) > 127) == (sum(signed.pixel(box.left + x, box.top + y)) < 384)
        for x in range(box.size[0]) for y in range(box.size[1]))
    assert same > 0.97 * box.size[0] * box.size[1]


def test_a_tap_and_a_line_are_refused(pad):
    host, prompt = asked(pad)
    x, y = pad.place_to_sign.centre
    for ink, why in ([(x, y)], wording.TOO_SMALL), ([(x - 100 + 5 * i, y) for i in range(40)], wording.STRAIGHT):
        pad.draw([ink])
        drawn = pad.settled()
        pad.touch("accept")
        host.wait_line(wording.REFUSED + ".*" + why)
        refused = pad.picture_when(lambda picture: picture != drawn and Page(picture).is_refused)
        message = refused.compare(drawn)
        assert message.count > 500 and Page(drawn).card.contains(message.box)
        pad.touch("clear")
        pad.picture_when(lambda picture: Page(picture).is_cleared(prompt))
    assert host.is_running


def test_undo_and_clear_remove_ink_and_are_recorded(pad):
    host, prompt = asked(pad)
    first, second = cross(pad)
    pad.draw([first])
    one = pad.settled()
    pad.draw([second])
    pad.settled()
    pad.touch("undo")
    pad.picture_when(lambda picture: picture == one)
    pad.touch("clear")
    pad.picture_when(lambda picture: Page(picture).is_cleared(prompt))
    pad.touch("undo")
    pad.picture_when(lambda picture: picture == one)
    pad.draw([second])
    pad.settled()
    pad.touch("accept")
    assert host.wait() == ACCEPTED, host.log
    record = pad.export(host.log.split()[-1], "record.jsonl")
    assert actions_in(record) == ["stroke", "stroke", "undo", "clear", "undo", "stroke"]
    strokes = [[list(map(round, point)) for point in stroke] for stroke in (first, second, second)]
    assert strokes_in(record) == strokes


def test_a_person_cancels_and_nothing_is_kept(pad):
    idle = pad.settled()
    host, _ = asked(pad, "--output", SHARE / "cancelled.png")
    pad.draw(cross(pad))
    pad.settled()
    pad.touch("cancel")
    assert host.wait() == CANCELLED and wording.BY_PERSON in host.log
    pad.picture_when(lambda picture: picture == idle)
    assert pad.files == []
    assert not (pad.panel.machine.share / "cancelled.png").exists()


# Tests/system/Control does so at each commit, with a display in memory.
@long
def test_a_host_that_is_killed_leaves_nothing_behind(pad):
    idle = pad.settled()
    host = pad.ask(*PROMPT, on_terminal=False)
    pad.picture_when(lambda picture: Page(picture).card)
    pad.draw(cross(pad))
    pad.settled()
    assert pad.files
    host.signal(signal.SIGKILL)
    assert host.wait() == -signal.SIGKILL
    pad.picture_when(lambda picture: picture == idle)
    assert pad.files == []


# Tests/system/Control does so at each commit, with a display in memory.
@long
def test_an_abandoned_capture_times_out_and_leaves_nothing(pad_of):
    pad = pad_of(SCREEN, configuration="[capture]\ninactivity-seconds = 5")
    idle = pad.settled()
    host, _ = asked(pad)
    pad.draw(cross(pad))
    assert host.wait() == TIMED_OUT and wording.NOBODY_TOUCHED in host.log
    pad.picture_when(lambda picture: picture == idle)
    assert pad.files == []


def test_a_killed_panel_has_stored_each_finished_stroke(pad):
    host, _ = asked(pad)
    strokes = cross(pad)
    pad.draw(strokes)
    x, y = pad.place_to_sign.centre
    pad.finger.down(round(x), round(y))
    for i in range(1, 20):
        pad.finger.move(round(x) + 3 * i, round(y) + 2 * i)
    pad.ink.settle()
    pad.ink.signal(signal.SIGKILL)
    assert pad.ink.wait() == -signal.SIGKILL
    assert host.wait() == UNAVAILABLE, host.log
    pad.finger.up()

    pad.start()
    (listed,) = pad.captures
    assert listed["outcome"] == {"result": "interrupted"}
    record = pad.export(listed["id"], "record.jsonl")
    assert strokes_in(record) == [[list(map(round, point)) for point in stroke] for stroke in strokes]
    assert pad.files == [f"{pad.store}/captures/{listed['id']}.jsonl"]


def test_a_disk_that_fills_up_keeps_the_running_capture_and_refuses_the_next(pad_of):
    # Without a minimum duration: a busy emulator plays late reports all at once.
    pad = pad_of(SCREEN, disk="8m", configuration="[capture.minima]\nduration-ms = 0")
    idle = pad.settled()
    host, _ = asked(pad)
    # The capture reserved its space at the beginning.
    pad.panel.run("/bin/sh", "-c", f"cat /dev/zero >{pad.store}/ballast || true")
    pad.draw(2 * signature(pad.place_to_sign), hz=250)
    pad.settled()
    pad.touch("accept")
    assert host.wait() == ACCEPTED, host.log

    host = pad.ask(*PROMPT)
    assert host.wait() == STORE_FAILED and wording.NOBODY_ASKED in host.log
    told = pad.picture_when(lambda picture: Page(picture).card is None and picture.compare(idle).count > 500)
    assert told.compare(idle).count > 500
    assert wording.FAULT in pad.command("status")

    pad.panel.run("/bin/rm", f"{pad.store}/ballast")
    host, _ = asked(pad)
    pad.draw(cross(pad))
    pad.settled()
    pad.touch("accept")
    assert host.wait() == ACCEPTED, host.log
    assert [capture["outcome"]["result"] for capture in pad.captures] == ["accepted", "accepted"]
    assert wording.FAULT not in pad.command("status")


# Tests/system/Control does so at each commit, with a display in memory.
@long
def test_a_second_host_is_refused_or_waits(pad):
    first, prompt = asked(pad)
    second = pad.ask("--prompt", "Somebody else")
    assert second.wait() == BUSY, second.log
    third = pad.ask("--prompt", "Another one", "--wait")
    third.wait_line(wording.QUEUED)
    assert pad.settled() == prompt
    pad.touch("cancel")
    assert first.wait() == CANCELLED
    third.wait_line(wording.ASKED)
    assert pad.settled() != prompt
    pad.draw(cross(pad))
    pad.settled()
    pad.touch("accept")
    assert third.wait() == ACCEPTED, third.log
    assert [capture["prompt"] for capture in pad.captures] == [["Another one"]]


def test_palms_and_fingers_beside_a_pen_do_not_sign(pad_of, booted_pad):
    # Two devices of one screen, 160 mm wide: one unit per pixel for the finger, 20 for the pen.
    finger = booted_pad.touchscreen(*SCREEN.size, resolution=5)
    pen = booted_pad.pen(SCREEN.size[0] * 20, SCREEN.size[1] * 20)
    pad = pad_of(SCREEN, device=finger)
    host, prompt = asked(pad)
    first, second = cross(pad)

    # Sizes count after one of a fingertip: those of some drivers have another unit.
    finger.diameter = 9
    pad.draw([[(8, 8), (9, 9), (10, 10)]])
    finger.diameter = 40
    pad.draw([first])
    finger.diameter = 9
    pen.hover(20 * 700, 20 * 200)
    pad.draw([first])
    assert pad.settled() == prompt, "a palm has drawn, or a finger beside a pen that was near"
    x, y = round(first[0][0]), round(first[0][1])
    pen.stroke([(20 * (x + 4 * i) + 10, 20 * (y + 3 * i) + 10) for i in range(20)], hz=125)
    # Fingers may draw some time after the pen has left.
    pad.panel.sleep(1)
    pad.draw([second])
    signed = pad.settled()
    pad.touch("accept")
    assert host.wait() == ACCEPTED, host.log

    record = pad.export(host.log.split()[-1], "record.jsonl")
    header, *entries, end = lines_of(record)
    names = [header["devices"][entry["stroke"]["device"]]["name"] for entry in entries if "stroke" in entry]
    assert names == ["Inkpanel test pen", "Inkpanel test touchscreen"]
    # The pen hovered above the page during the capture.
    in_air = [entry["inAir"] for entry in entries if "inAir" in entry]
    assert header["devices"][in_air[0]["device"]]["name"] == "Inkpanel test pen"
    assert in_air[0]["samples"][0][1:3] == [20 * 700, 20 * 200]
    assert end["end"]["quality"]["ignoredContacts"] == 2
    # Only the pen measures pressure.
    assert [{len(sample) for sample in stroke} for stroke in strokes_in(record)] == [{3}, {2}]
    ink = Page(signed).ink
    assert Box(x - 4, y - 4, SCREEN.size[0], SCREEN.size[1]).contains(ink)
