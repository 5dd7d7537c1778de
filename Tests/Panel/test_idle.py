# SPDX-License-Identifier: Apache-2.0
"""While nothing happens, nothing happens: no wakeup of any thread and no flip."""

from harness.look import BLACK_ON_WHITE

IDLE_SECONDS = 5


def test_nothing_wakes_the_panel_while_nobody_touches_it(panel):
    touch = panel.touchscreen(*panel.size)
    ink = panel.start_ink(*BLACK_ON_WHITE)
    touch.stroke([(100, 100), (200, 200), (300, 150)])
    # Counted from soon after the last flip, so that a timer that outlives its flip is seen too.
    ink.settle(quiet=0.15)
    assert panel.flips(), "the stroke was not flipped to the screen, so the count of flips proves nothing"
    panel.forget_flips()
    wakeups = ink.wakeups
    panel.sleep(IDLE_SECONDS)
    assert ink.wakeups - wakeups == 0
    assert panel.flips() == []
