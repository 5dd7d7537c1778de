# SPDX-License-Identifier: Apache-2.0
"""Framebuffer devices of real drivers: 32 bits (bochs, virtio-gpu), 16 bits (cirrus), and 16 bits in another order with
two pictures that take turns (vfb)."""

import struct

import pytest
from harness import Panel, dither
from harness.look import BLACK_ON_WHITE, PAPER
from test_pixels import HEIGHT, WIDTH, record, rendered

pytestmark = pytest.mark.long

# Neither is a colour that 16 bits have.
COLORED = ("--color", "204081", "--background", "f3f1e9", "--dpi", "150")


def memory(panel, node="/dev/fb0"):
    """What is in it, and the words of the picture that is shown."""
    found = panel.machine.call("read_framebuffer", node=node, path="/run/share/framebuffer")
    content = (panel.machine.share / "framebuffer").read_bytes()
    kind = {16: "H", 32: "I"}[found["bits"]]
    words = []
    for y in range(found["y"], found["y"] + found["height"]):
        words += struct.unpack_from(f"<{found['width']}{kind}", content, y * found["line"])
    return found, words


def played(panel, tmp_path, *look, display="fb"):
    """A recording written on the panel: the program, what it was written with, and the recording."""
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
    # These drivers fetch what is in the memory a moment later.
    assert not panel.screen_when(lambda screen: screen == expected).compare(expected)
    found, words = memory(panel)
    assert [word & 0xFFFFFF for word in words] == [
        int.from_bytes(expected.rgb[at:at + 3]) for at in range(0, len(expected.rgb), 3)]

    # The last pixel of a row by itself, which these drivers take for nothing when it is written alone.
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
    """Cirrus has 16 bits a pixel by itself; vfb is told to, and to have room for two pictures."""
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


def test_another_order_of_colours_and_two_pictures_that_take_turns(small, tmp_path):
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


def test_what_cannot_be_drawn_on_is_told(small):
    small.touchscreen(WIDTH, HEIGHT)  # is looked for first
    ink = small.start_ink("--display", "fb:/dev/fb9", wait=False)
    # It may come.
    ink.wait_line("waiting for a display: there is no framebuffer device /dev/fb9; there is /dev/fb0, /dev/fb1")
    assert ink.terminate() == 0
    listed = small.start_inkpanel("devices", wait=False)
    assert listed.wait() == 0
    assert "/dev/fb0 (cirrus" in listed.log and "1024x768 RGB565" in listed.log and "kms is better" in listed.log
    assert "/dev/fb1 (Virtual FB): 640x480 BGR565, panning" in listed.log
