# SPDX-License-Identifier: Apache-2.0
"""An idle panel causes no wakeups and no flips."""

from harness.look import BLACK_ON_WHITE

IDLE_SECONDS = 5


def test_an_untouched_panel_sleeps(panel):
    touch = panel.touchscreen(*panel.size)
    ink = panel.start_ink(*BLACK_ON_WHITE)
    touch.stroke([(100, 100), (200, 200), (300, 150)])
    # Counting starts soon after the last flip, to catch a timer that outlives it.
    ink.settle(quiet=0.15)
    assert panel.flips(), "the stroke was not flipped to the screen, so the count of flips proves nothing"
    panel.forget_flips()
    wakeups = ink.wakeups
    panel.sleep(IDLE_SECONDS)
    assert ink.wakeups - wakeups == 0
    assert panel.flips() == []
