# SPDX-License-Identifier: Apache-2.0
"""The screen shows, pixel by pixel, what `inkpanel render` draws for the same samples."""

import subprocess

import pytest
from harness import evemu, image, program, wording
from harness.handwriting import scribble
from harness.look import BLACK_ON_WHITE, PAPER
from harness.program import CHECKOUT
from support import breadth

WIDTH, HEIGHT = 800, 480  # of the digitizer; the screen has other proportions
# Pens whose ink does not depend on time: the kernel gives played reports new timestamps, with jitter.
TIMELESS_PENS = ["linear", "smoothed-bezier", "offset"]
# Recorded from a kernel, and short enough for the kernel's buffer if the reader is late.
REAL_RECORDINGS = ["Atmel maXTouch Touchscreen.4-finger-drag-down", "Wacom Cintiq 13HD touch Pen"]


def record(path, touch):
    """Writes a recording of three strokes and a tap."""
    frames, start = [], 0.0
    for points in [scribble(1, WIDTH, HEIGHT), scribble(2, WIDTH, HEIGHT), [(50, 430)], scribble(3, WIDTH, HEIGHT)]:
        frames += touch.stroke_frames(points, hz=100, start=start)
        start = frames[-1][0] + 0.1
    evemu.write(path, touch.description, frames)


def rendered(panel, recording, pen, output, look=BLACK_ON_WHITE, size=None):
    width, height = size or panel.size
    subprocess.run(
        [program.host_binary(), "render", recording, "--pen", pen, *look, "--size", f"{width}x{height}",
         "--format", "png", "--output", output], check=True, timeout=60)
    return image.read_png(output.read_bytes())


@pytest.mark.parametrize("pen", breadth.share(TIMELESS_PENS, 2))
def test_a_played_recording_is_drawn_as_it_is_rendered(panel, tmp_path, pen):
    touch = panel.touchscreen(WIDTH, HEIGHT)
    recording = tmp_path / "three-strokes.events"
    record(recording, touch)
    ink = panel.start_ink("--pen", pen, *BLACK_ON_WHITE)
    touch.play(recording)
    ink.settle()
    expected = rendered(panel, recording, pen, tmp_path / "expected.png")
    assert expected.different_from(PAPER).count > 2000, "the rendering has hardly any ink"
    assert not panel.screendump().compare(expected)
    ink.terminate()
    counts = ink.summary()
    assert (counts["strokes"], counts["dropped"]) == (4, 0)


def test_ink_written_into_the_frame_on_screen_leaves_the_same_pixels(panel, tmp_path):
    """bochs scans out the buffer in place; virtio-gpu shows a copy, so that the program refuses and says so."""
    touch = panel.touchscreen(WIDTH, HEIGHT)
    recording = tmp_path / "three-strokes.events"
    record(recording, touch)
    ink = panel.start_ink("--latency", "front", "--pen", "offset", *BLACK_ON_WHITE)
    touch.play(recording)
    ink.settle()
    assert not panel.screendump().compare(rendered(panel, recording, "offset", tmp_path / "expected.png"))
    # On a busy machine the strokes above are late, and whole frames catch up faster.
    touch.down(100, 100)
    for x in range(110, 151, 10):
        ink.settle()
        touch.move(x, 100)
    touch.up()
    ink.settle()
    ink.terminate()
    is_in_place = panel.display == "bochs"
    assert (wording.NO_FRONT in ink.log) != is_in_place
    assert ("report to front buffer" in ink.log) == is_in_place


@pytest.mark.parametrize("name, pen", breadth.pairs(REAL_RECORDINGS, ["linear", "offset"]))
def test_a_recording_of_a_real_device_is_drawn_as_it_is_rendered(panel, tmp_path, name, pen):
    recording = CHECKOUT / "Tests" / "data" / "Recordings" / f"{name}.events"
    device = panel.device_of(recording)
    ink = panel.start_ink("--pen", pen, *BLACK_ON_WHITE)
    # Slower, so that the kernel drops no reports on a busy machine.
    device.play(recording, slower=4)
    ink.settle()
    expected = rendered(panel, recording, pen, tmp_path / "expected.png")
    assert expected.different_from(PAPER).count > 250, "the rendering has hardly any ink"
    assert not panel.screendump().compare(expected)
    ink.terminate()
    assert ink.summary()["dropped"] == 0


@pytest.mark.parametrize("pen", ["ink"])
def test_a_replayed_recording_is_drawn_as_it_is_rendered(panel, tmp_path, pen):
    """Uses the recorded times, on which the width and smoothing of this pen depend."""
    recording = tmp_path / "three-strokes.events"
    record(recording, panel.touchscreen(WIDTH, HEIGHT))
    ink = panel.start_ink("--touch", f"replay:{recording}", "--pen", pen, *BLACK_ON_WHITE)
    panel.sleep(evemu.frames(recording)[-1][0] + 0.5)
    ink.settle()
    assert not panel.screendump().compare(rendered(panel, recording, pen, tmp_path / "expected.png"))


def test_a_turned_picture_is_drawn_as_headless(panel, tmp_path):
    touch = panel.touchscreen(WIDTH, HEIGHT)
    recording = tmp_path / "three-strokes.events"
    record(recording, touch)
    look = ["--rotate", "90", "--pen", "linear", *BLACK_ON_WHITE]
    ink = panel.start_ink(*look)
    touch.play(recording)
    ink.settle()
    width, height = panel.size
    output = tmp_path / "expected.png"
    subprocess.run(
        [program.host_binary(), "replay", recording, "--fast", *look, "--display", f"headless:{width}x{height}",
         "--output", output], check=True, timeout=60)
    assert not panel.screendump().compare(image.read_png(output.read_bytes()))
