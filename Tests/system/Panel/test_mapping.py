# SPDX-License-Identifier: Apache-2.0
"""Ink appears under the finger, for every rotation and every range of the digitizer."""

import pytest
from harness.handwriting import places_apart
from harness.look import BLACK_ON_WHITE, PAPER
from support import breadth

TAPS = 10
RADIUS = 20  # in pixels, around a tap; contains no other tap's ink


@pytest.mark.parametrize("rotation", breadth.share([90, 0, 270, 180], 2))
@pytest.mark.parametrize("range", [
    pytest.param((4096, 4096), id="4096x4096"), pytest.param((800, 480), id="800x480", marks=pytest.mark.long)])
def test_taps_draw_under_the_finger(panel, range, rotation):
    touch = panel.touchscreen(*range)
    look = ("--pen", "linear", "--width", "0.85", *BLACK_ON_WHITE)  # 5 pixels wide
    ink = panel.start_ink("--rotate", str(rotation), *look)
    # A digitizer value v is the cell from v to v + 1 of `range` cells; the tap is at its centre.
    wished = places_apart(rotation * range[0], TAPS, panel.size, apart=3 * RADIUS, margin=RADIUS)
    cells = [tuple(int(place * cells / side) for place, cells, side in zip(at, range, panel.size)) for at in wished]
    for x, y in cells:
        touch.tap(x, y)
    ink.settle()
    screen = panel.screendump()
    lit = 0
    for cell in cells:
        x, y = ((value + 0.5) * side / count for value, side, count in zip(cell, panel.size, range))
        dot = screen.different_from(PAPER, screen.near(x, y, RADIUS))
        assert dot, f"no ink where the finger was, at {x:.1f}, {y:.1f}"
        # A pixel's centre is half a pixel from its index.
        middle = tuple(centre + 0.5 for centre in dot.box.centre)
        assert middle == pytest.approx((x, y), abs=1), f"finger at {x:.1f}, {y:.1f}, ink around {middle}"
        lit += dot.count
    assert screen.different_from(PAPER).count == lit, "there is ink where no finger was"
