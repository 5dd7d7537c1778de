# SPDX-License-Identifier: Apache-2.0
"""Framebuffer devices of real drivers: 32 bits (bochs, virtio-gpu), 16 bits (cirrus), and 16 bits in another order with
two alternating pictures (vfb)."""

import struct

import pytest
from harness import Panel, dither
from harness.look import BLACK_ON_WHITE, PAPER
from test_pixels import HEIGHT, WIDTH, record, rendered

pytestmark = pytest.mark.long

# Neither colour can be represented in 16 bits.
COLORED = ("--color", "204081", "--background", "f3f1e9", "--dpi", "150")


def memory(panel, node="/dev/fb0"):
    """The device's description, and the pixels of the shown picture as words."""
    found = panel.machine.call("read_framebuffer", node=node, path="/run/share/framebuffer")
    content = (panel.machine.share / "framebuffer").read_bytes()
    kind = {16: "H", 32: "I"}[found["bits"]]
    words = []
    for y in range(found["y"], found["y"] + found["height"]):
        words += struct.unpack_from(f"<{found['width']}{kind}", content, y * found["line"])
    return found, words


def played(panel, tmp_path, *look, display="fb"):
    """Plays a recording: the program, the touch device, and the recording."""
    touch = panel.touchscreen(WIDTH, HEIGHT)
    recording = tmp_path / "three-strokes.events"
    record(recording, touch)
    ink = panel.start_ink("--display", display, "--pen", "linear", *look)
    touch.play(recording)
    ink.settle()
    return ink, touch, recording


def test_a_framebuffer_shows_what_is_rendered_and_gives_the_console_back(panel, tmp_path):
    before = panel.console()
    ink, touch, recording = played(panel, tmp_path, *BLACK_ON_WHITE)
    assert panel.console() == {"mode": "graphics", "keyboard": "off"}
    expected = rendered(panel, recording, "linear", tmp_path / "expected.png")
    assert expected.different_from(PAPER).count > 2000, "the rendering has hardly any ink"
    # These drivers read the memory a moment later.
    assert not panel.screen_when(lambda screen: screen == expected).compare(expected)
    found, words = memory(panel)
    assert [word & 0xFFFFFF for word in words] == [
        int.from_bytes(expected.rgb[at:at + 3]) for at in range(0, len(expected.rgb), 3)]

    # A write to the last pixel of a row alone is lost on these drivers.
    touch.stroke([(WIDTH - 1, y) for y in range(200, 240, 10)])
    ink.settle()
    _, words = memory(panel)
    width = panel.size[0]
    edge = [word & 0xFFFFFF for word in words[width - 1::width]]
    assert edge.count(0) > 20, "nothing is drawn at the edge"
    seen = panel.screen_when(
        lambda screen: [int.from_bytes(bytes(screen.pixel(width - 1, y))) for y in range(screen.height)] == edge)
    assert [int.from_bytes(bytes(seen.pixel(width - 1, y))) for y in range(seen.height)] == edge

    expected = panel.screendump()
    assert "/dev/fb0" in ink.open_files and not [file for file in ink.open_files if "/dri/" in file]
    panel.write_console("\033[2J\033[H" + "#" * 500)
    panel.sleep(0.5)
    text = panel.screendump().compare(expected)
    assert not text, f"text of the console is on the panel: {text}"

    assert ink.terminate() == 0
    assert panel.console() == before
    text = panel.screen_when(lambda screen: screen.pixel(1000, 700) == (0, 0, 0) and not screen.only((0, 0, 0)))
    assert text.pixel(1000, 700) == (0, 0, 0), "the last frame is still on the screen"
    assert not text.only((0, 0, 0)), "the console's text is not on the screen"


@pytest.fixture(scope="module")
def booted_small():
    """Cirrus has 16 bits per pixel by default; vfb gets them by parameters, with room for two pictures."""
    with Panel(display="cirrus") as panel:
        panel.load("vfb", parameters=["vfb_enable=1", "videomemorysize=4194304", "mode_option=640x480-16"])
        panel.machine.call("double_framebuffer", node="/dev/fb1")
        yield panel


@pytest.fixture
def small(booted_small):
    booted_small.reset()
    return booted_small


def test_16_bits_are_dithered(small, tmp_path):
    ink, _, recording = played(small, tmp_path, *COLORED)
    picture = rendered(small, recording, "linear", tmp_path / "expected.png", COLORED)
    found, words = memory(small)
    assert (found["bits"], found["red"], found["green"], found["blue"]) == (16, [11, 5], [5, 6], [0, 5])
    expected = dither.words(picture, red=11, green=5, blue=0)
    assert words == expected
    assert len(set(words)) > 8, "nothing is dithered"
    assert ink.terminate() == 0


def test_another_order_of_colours_and_two_alternating_pictures(small, tmp_path):
    ink, _, recording = played(small, tmp_path, *COLORED, display="fb:/dev/fb1")
    assert "panning" in ink.log
    picture = rendered(small, recording, "linear", tmp_path / "expected.png", COLORED, size=(640, 480))
    found, words = memory(small, "/dev/fb1")
    assert (found["bits"], found["red"], found["green"], found["blue"]) == (16, [0, 5], [5, 6], [11, 5])
    assert words == dither.words(picture, red=0, green=5, blue=11)
    assert ink.terminate() == 0
    found, _ = memory(small, "/dev/fb1")
    assert found["y"] == 0
    assert not any((small.machine.share / "framebuffer").read_bytes()), "something of the picture is left in memory"


def test_an_unusable_framebuffer_is_reported(small):
    small.touchscreen(WIDTH, HEIGHT)  # opened before the display
    ink = small.start_ink("--display", "fb:/dev/fb9", wait=False)
    # The device may appear later.
    ink.wait_line("waiting for a display: there is no framebuffer device /dev/fb9; there is /dev/fb0, /dev/fb1")
    assert ink.terminate() == 0
    listed = small.start_inkpanel("devices", wait=False)
    assert listed.wait() == 0
    assert "/dev/fb0 (cirrus" in listed.log and "1024x768 RGB565" in listed.log and "kms is better" in listed.log
    assert "/dev/fb1 (Virtual FB): 640x480 BGR565, panning" in listed.log
