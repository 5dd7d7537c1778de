# SPDX-License-Identifier: Apache-2.0
"""Which contacts draw."""

from harness import Box
from harness.look import BLACK_ON_WHITE, PAPER


def start(panel):
    return panel.start_ink("--pen", "linear", "--width", "0.7", *BLACK_ON_WHITE)


def ink_around(screen, x, y):
    return screen.different_from(PAPER, screen.near(x, y, 8))


def test_only_the_first_of_two_fingers_draws(panel):
    touch = panel.touchscreen(*panel.size)
    ink = start(panel)
    touch.down(100, 100, slot=0)
    touch.down(100, 600, slot=1)
    for x in range(120, 301, 20):
        touch.move(x, 100, slot=0)
        touch.move(x, 600, slot=1)
    touch.up(slot=0)
    for x in range(320, 501, 20):
        touch.move(x, 600, slot=1)
    touch.up(slot=1)
    ink.settle()
    screen = panel.screendump()
    assert ink_around(screen, 200, 100), "the first finger drew nothing"
    second = screen.different_from(PAPER, Box(0, 300, 1023, 767))
    assert not second, f"the second finger drew: {second}"
    ink.terminate()
    assert ink.summary()["strokes"] == 1


def test_a_touch_at_the_position_of_the_last_one_draws(panel):
    """The kernel then sends only the tracking id: the position is the slot's previous one."""
    touch = panel.touchscreen(*panel.size)
    ink = start(panel)
    touch.tap(300, 300)
    touch.tap(300, 300)
    touch.down(300, 300)
    touch.move(400, 300)
    touch.up()
    ink.settle()
    screen = panel.screendump()
    assert ink_around(screen, 300, 300) and ink_around(screen, 350, 300)
    elsewhere = screen.different_from(PAPER, Box(0, 0, 1023, 280))
    assert not elsewhere, f"ink away from the touches: {elsewhere}"
    ink.terminate()
    assert ink.summary()["strokes"] == 3


def test_a_finger_that_was_down_before_the_start_draws_after_it_has_lifted(panel):
    touch = panel.touchscreen(*panel.size)
    touch.down(100, 100)
    ink = start(panel)
    for x in range(120, 301, 20):
        touch.move(x, 100)
    ink.settle()
    early = panel.screendump().different_from(PAPER)
    assert not early, f"a finger that was down before the start drew: {early}"
    touch.up()
    touch.stroke([(100, 400), (200, 400), (300, 400)])
    ink.settle()
    assert ink_around(panel.screendump(), 200, 400)
    ink.terminate()
    assert ink.summary()["strokes"] == 1


def test_unplugging_the_digitizer_finishes_the_stroke(panel):
    """The kernel sends no release when a device goes."""
    touch = panel.touchscreen(*panel.size)
    ink = start(panel)
    places = [(x, 100) for x in range(100, 301, 20)]
    touch.down(*places[0])
    for place in places[1:]:
        touch.move(*place)
    ink.settle()  # the kernel discards unread reports with the device
    touch.unplug()
    ink.wait_line("waiting for a touch device", within=10)
    assert ink.terminate() == 0
    counts = ink.summary()
    assert (counts["strokes"], counts["samples"]) == (1, len(places))
