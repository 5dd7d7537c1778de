# SPDX-License-Identifier: Apache-2.0
"""The card with a display is found, whatever its number."""

from harness import wording
from harness.look import BLACK_ON_WHITE, PAPER
from support.breadth import long


@long
def test_a_screen_that_comes_later_is_waited_for(no_screen):
    touch = no_screen.touchscreen(*no_screen.size)
    ink = no_screen.start_ink(*BLACK_ON_WHITE, wait=False)
    ink.wait_line("waiting for a display: ")
    ink.settle()
    touch.tap(200, 200)
    no_screen.load("bochs")
    ink.wait_line(wording.READY, within=10)
    touch.tap(500, 400)
    ink.settle()
    screen = no_screen.screendump()
    assert screen.different_from(PAPER, screen.near(500, 400, 8))
    # Touches before the first frame do not count.
    assert not screen.different_from(PAPER, screen.near(200, 200, 8))
    assert ink.terminate() == 0


def test_a_card_that_only_renders_is_skipped_and_closed(turned):
    assert [(card["node"], card["crtcs"]) for card in turned.cards()] == [("/dev/dri/card0", 0), ("/dev/dri/card1", 1)]
    touch = turned.touchscreen(*turned.size)
    ink = turned.start_ink(*BLACK_ON_WHITE)
    touch.tap(500, 400)
    ink.settle()
    screen = turned.screendump()
    assert screen.different_from(PAPER, screen.near(500, 400, 8))
    assert screen.pixel(10, 10) == PAPER
    # The first to open a card becomes its master: an open descriptor would keep others from it.
    assert "/dev/dri/card1" in ink.open_files
    assert "/dev/dri/card0" not in ink.open_files
