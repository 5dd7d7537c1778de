# SPDX-License-Identifier: Apache-2.0
"""Tests of the harness itself, without inkpanel."""

import time
from pathlib import Path

import pytest
from harness import DISPLAYS, Panel, PanelFailure, evemu, image
from support import breadth

PAINT = Path(__file__).parent / "harness" / "guest" / "paint.py"
ABS_MT_TRACKING_ID, ABS_MT_POSITION_X = 0x39, 0x35
SYN_REPORT = (0, 0)
RECORDING = """\
# EVEMU 1.3
N: Recorded panel
I: 0018 1234 5678 0001
P: 02 00 00 00 00 00 00 00
B: 00 0b 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 00 00 00 00 00 00 00
B: 01 00 04 00 00 00 00 00 00
B: 03 03 00 00 00 00 00 00 00
A: 00 0 799 0 0 0
A: 01 0 479 4 0 0
E: 10.000000 0001 014a 0001
E: 10.000000 0003 0000 0100
E: 10.000000 0003 0001 0200
E: 10.000000 0000 0000 0000
E: 10.500000 0003 0001 0202 # within the fuzz
E: 10.500000 0000 0000 0000
E: 10.750000 0001 014a 0000
E: 10.750000 0000 0000 0000
"""


def paint(panel, color, flips=0):
    program = panel.start("/usr/bin/python3", str(PAINT), color.hex(), str(flips))
    program.wait_line(r"^flipped ")
    return program


def test_boots_with_the_display_and_its_driver(panel):
    (card,) = panel.cards()
    assert card["node"] == "/dev/dri/card0"
    assert card["driver"] in ("bochs-drm", "virtio_gpu")
    assert card["crtcs"] == 1 and card["connectors"] == 1
    modules = {line.split()[0] for line in panel.read_file("/proc/modules").splitlines()}
    assert {DISPLAYS[panel.display].module, "uinput", "evdev"} <= modules


def test_screendump_has_the_size_asked_for_and_shows_the_console(panel):
    panel.write_console("\033[2J\033[H" + "#" * 20)
    screen = panel.screen_when(lambda picture: not picture.only((0, 0, 0)))
    assert screen.size == panel.size
    assert not screen.only((0, 0, 0)), "the console's text is not on the screen"


@pytest.mark.parametrize("color", breadth.share([(0x12, 0x80, 0xFE), (0xFF, 0x00, 0x01)], 2), ids=lambda color: bytes(color).hex())
def test_a_screendump_shows_what_a_program_paints(panel, color):
    paint(panel, bytes(color))
    assert not panel.screendump().different_from(color)
    assert not panel.scanout().different_from(color), "the framebuffer read back in the guest is another one"


def test_the_console_is_back_when_the_program_has_ended(panel):
    program = paint(panel, b"\x12\x80\xfe")
    assert program.terminate() == 0
    panel.write_console("#" * 20)
    screen = panel.screen_when(lambda picture: picture.pixel(1000, 700) == (0, 0, 0))
    assert screen.pixel(1000, 700) == (0, 0, 0)


def test_the_kernel_counts_the_flips(panel):
    panel.forget_flips()
    paint(panel, b"\x00\x00\x00", flips=7)
    assert len(panel.flips()) == 7
    assert panel.refusals() == []


def test_vkms_flips_once_a_vblank_and_its_framebuffer_can_be_read(vkms):
    vkms.forget_flips()
    paint(vkms, b"\x12\x80\xfe", flips=30)
    flips = vkms.flips()
    assert len(flips) == 30
    # Count vblanks, not milliseconds: on a busy host emulated timers are late.
    assert all(b.vblank > a.vblank for a, b in zip(flips, flips[1:])), f"two flips within one vblank: {flips}"
    assert flips[-1].time - flips[0].time > 29 / 60 * 0.9
    assert vkms.screendump().size == (1024, 768)
    assert not vkms.screendump().different_from((0x12, 0x80, 0xFE))


def test_a_touch_goes_through_the_kernel(panel):
    touch = panel.touchscreen(width=800, height=480, slots=10)
    assert touch.node in panel.glob("/dev/input/event*")
    events = panel.events(touch.node)
    touch.stroke([(10, 20), (30, 40), (50, 60)], hz=100)
    read = events.read()
    assert [value for _, _, code, value in read if code == ABS_MT_POSITION_X] == [10, 30, 50]
    assert [value for _, kind, code, value in read if (kind, code) == (3, ABS_MT_TRACKING_ID)] == [1, -1]
    reports = [seconds for seconds, kind, code, _ in read if (kind, code) == SYN_REPORT]
    assert len(reports) == 4
    assert reports[-1] - reports[0] == pytest.approx(0.03, abs=0.02)


@breadth.long
def test_an_unplugged_device_is_gone(panel):
    touch = panel.touchscreen(width=800, height=480)
    touch.unplug()
    assert touch.node not in panel.glob("/dev/input/event*")


@breadth.long
def test_pen_and_single_touch_deliver_place_and_pressure(panel):
    pen, finger = panel.pen(4096, 4096), panel.single_touch(800, 480)
    read_pen, read_finger = panel.events(pen.node), panel.events(finger.node)
    pen.tap(1000, 2000)
    finger.tap(100, 200)
    assert [(kind, code, value) for _, kind, code, value in read_pen.read()] == [
        (1, 0x140, 1), (1, 0x14A, 1), (3, 0, 1000), (3, 1, 2000), (3, 0x18, 1024), (0, 0, 0),
        (3, 0x18, 0), (1, 0x14A, 0), (1, 0x140, 0), (0, 0, 0)]
    assert [(kind, code, value) for _, kind, code, value in read_finger.read()] == [
        (1, 0x14A, 1), (3, 0, 100), (3, 1, 200), (0, 0, 0), (1, 0x14A, 0), (0, 0, 0)]


@breadth.long
def test_a_recording_is_played_at_its_pace_and_unfiltered(panel, tmp_path):
    recording = tmp_path / "panel.events"
    recording.write_text(RECORDING)
    device = panel.device_of(recording)
    events = panel.events(device.node)
    device.play(recording)
    read = events.read()
    assert [value for _, kind, code, value in read if (kind, code) == (3, 1)] == [200, 202]
    reports = [seconds for seconds, kind, code, _ in read if (kind, code) == SYN_REPORT]
    assert [seconds - reports[0] for seconds in reports] == pytest.approx([0, 0.5, 0.75], abs=0.1)


def test_an_old_recording_finds_the_description_beside_it(tmp_path):
    description, events = RECORDING.split("E:", 1)
    (tmp_path / "Some Panel.desc").write_text(description)
    (tmp_path / "Some Panel.two-taps.events").write_text("E:" + events)
    assert evemu.describe(tmp_path / "Some Panel.two-taps.events")["name"] == "Recorded panel"


@breadth.long
def test_signals_counters_and_log_of_a_program(panel):
    program = panel.start("/bin/sh", "-c", "echo begun >&2; while :; do sleep 0.01; done", tty=None)
    program.wait_line("begun")
    program.stop()
    time.sleep(0.2)
    assert "State:\tT" in program.status
    stopped = program.wakeups
    panel.sleep(0.2)
    assert program.wakeups == stopped
    program.resume()
    panel.sleep(0.2)
    assert program.wakeups > stopped
    assert program.terminate() == -15


@breadth.long
def test_a_program_that_ends_before_its_line_is_reported_with_its_log(panel):
    program = panel.start("/bin/sh", "-c", "echo no panel here; exit 3")
    with pytest.raises(PanelFailure, match="(?s)ended with status 3.*no panel here"):
        program.wait_line("ready", within=10)


@breadth.long
def test_a_program_has_the_terminal_as_its_own(panel):
    program = panel.start("/bin/sh", "-c", "tty; ps -o tty= -p $$")
    assert program.wait_line("^tty1").strip() == "tty1"
    # When it ends, the terminal hangs up: calls on a descriptor opened before fail with EIO.
    assert program.wait() == 0
    assert panel.console() == {"mode": "text", "keyboard": "unicode"}


@breadth.long
def test_the_host_s_files_stay_as_they_are(panel, tmp_path):
    panel.run("/bin/sh", "-c", f"echo written >{tmp_path}/in-the-guest")
    assert panel.read_file(f"{tmp_path}/in-the-guest") == "written\n"
    assert list(tmp_path.iterdir()) == []


def test_a_png_is_read_as_it_was_written():
    picture = image.Image(3, 2, bytes(range(18)))
    assert not image.read_png(picture.png()).compare(picture)
    other = image.Image(3, 2, bytes(range(17)) + b"\xff")
    found = other.compare(picture)
    assert (found.count, found.box, found.largest) == (1, image.Box(2, 1, 2, 1), 255 - 17)


def test_a_display_that_does_not_exist_is_named():
    with pytest.raises(PanelFailure, match="no display hercules: there are bochs"):
        Panel(display="hercules")


def test_udev_recognises_a_touchscreen(udev):
    touch = udev.touchscreen(width=800, height=480)
    assert "ID_INPUT_TOUCHSCREEN=1" in udev.run("/usr/bin/udevadm", "info", "--wait-for-initialization=20", touch.node)
