# SPDX-License-Identifier: Apache-2.0
"""The console is in graphics mode while the panel runs, and restored afterwards."""

import signal

import pytest
from harness.look import BLACK_ON_WHITE, PAPER
from support import breadth


@pytest.mark.parametrize("ending", breadth.share([signal.SIGTERM, signal.SIGINT], 2), ids=lambda ending: ending.name)
def test_the_console_is_taken_and_given_back(panel, ending):
    panel.touchscreen(*panel.size)
    before = panel.console()
    assert before["mode"] == "text"
    ink = panel.start_ink(*BLACK_ON_WHITE)
    assert panel.console() == {"mode": "graphics", "keyboard": "off"}
    panel.write_console("#" * 500)
    panel.sleep(0.5)
    shown = panel.screendump().different_from(PAPER)
    assert not shown, f"text of the console is on the panel: {shown}"

    ink.signal(ending)
    assert ink.wait() == 0
    assert panel.console() == before
    panel.write_console("\033[2J\033[H" + "#" * 40)
    # The kernel clears the screen before it writes the text.
    screen = panel.screen_when(
        lambda picture: picture.pixel(1000, 700) == (0, 0, 0) and not picture.only((0, 0, 0))
    )
    assert screen.pixel(1000, 700) == (0, 0, 0), "the last frame is still on the screen"
    assert not screen.only((0, 0, 0)), "the console's text is not on the screen"
