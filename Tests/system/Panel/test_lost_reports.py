# SPDX-License-Identifier: Apache-2.0
"""Reports dropped by the kernel leave a gap in the ink, never a line across it."""

from harness import Box
from harness.look import BLACK_ON_WHITE, PAPER

# The kernel buffers 512 events of a ten-finger panel per reader; a report of one finger has five.
LOST = [(200, 100 + i % 200) for i in range(300)]


def test_no_line_is_drawn_across_lost_reports(panel):
    touch = panel.touchscreen(*panel.size)
    ink = panel.start_ink("--pen", "linear", *BLACK_ON_WHITE)
    touch.down(100, 100)
    for x in range(110, 201, 10):
        touch.move(x, 100)
    ink.settle()

    ink.stop()
    touch.frames([[0, touch.move_events(x, y, 0)] for x, y in LOST])
    touch.up()
    touch.down(800, 600)
    ink.resume()
    ink.settle()
    for x in range(810, 901, 10):
        touch.move(x, 600)
    touch.up()
    ink.settle()

    screen = panel.screendump()
    assert screen.different_from(PAPER, Box(140, 90, 160, 110)), "the ink from before the gap is gone"
    assert screen.different_from(PAPER, Box(840, 590, 880, 610)), "the stroke after the gap is not drawn"
    between = screen.different_from(PAPER, Box(260, 0, 740, 767))
    assert not between, f"ink between two strokes: {between}"
    ink.terminate()
    counts = ink.summary()
    assert counts["dropped"] == 1
    assert counts["strokes"] == 2
