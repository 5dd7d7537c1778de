# SPDX-License-Identifier: Apache-2.0
"""Digitizers other than multitouch panels: a resistive one, and a pen that hovers."""

from harness.look import BLACK_ON_WHITE, PAPER
from harness.program import Inkpanel, binary
from harness.wording import READY

LOOK = ("--pen", "linear", "--width", "0.7", *BLACK_ON_WHITE)


def ink_around(screen, x, y):
    return screen.different_from(PAPER, screen.near(x, y, 8))


def test_a_single_touch_stroke_draws(panel):
    touch = panel.single_touch(*panel.size)
    ink = panel.start_ink(*LOOK)
    touch.stroke([(x, 200) for x in range(100, 301, 20)])
    touch.tap(600, 500)
    ink.settle()
    screen = panel.screendump()
    assert ink_around(screen, 100, 200) and ink_around(screen, 200, 200) and ink_around(screen, 300, 200)
    assert ink_around(screen, 600, 500)
    between = ink_around(screen, 450, 350)
    assert not between, f"ink between the stroke and the tap: {between}"
    ink.terminate()
    assert ink.summary()["strokes"] == 2


def test_a_pen_draws_from_its_touch_to_its_lift_and_never_while_it_hovers(panel):
    pen = panel.pen(*panel.size)
    ink = panel.start_ink(*LOOK)
    for x in range(100, 301, 20):
        pen.hover(x, 100)
    ink.settle()
    early = panel.screendump().different_from(PAPER)
    assert not early, f"a hovering pen drew: {early}"

    pen.hover(100, 400)
    pen.down(100, 400)
    for x in range(120, 301, 20):
        pen.move(x, 400)
    pen.lift()
    for x in range(350, 901, 50):
        pen.hover(x, 400)
    ink.settle()
    screen = panel.screendump()
    assert ink_around(screen, 100, 400) and ink_around(screen, 200, 400) and ink_around(screen, 300, 400)
    late = screen.different_from(PAPER, screen.near(600, 400, 280))
    assert not late, f"a lifted pen drew: {late}"
    ink.terminate()
    assert ink.summary()["strokes"] == 1


def test_a_pen_in_range_silences_fingers_until_it_is_unplugged(panel):
    touch = panel.touchscreen(*panel.size)
    pen = panel.pen(*panel.size)
    ink = panel.start_ink(*LOOK)
    touch.stroke([(x, 100) for x in range(100, 301, 20)])
    touch.down(100, 250)
    touch.move(200, 250)
    pen.hover(500, 500)
    touch.move(300, 250)
    touch.up()
    pen.hover(501, 500)
    touch.tap(600, 250)
    pen.stroke([(x, 400) for x in range(100, 301, 20)])
    ink.settle()  # the kernel discards unread reports with the device
    pen.unplug()
    # Longer than fingers stay silent after a pen has left.
    panel.sleep(0.5)
    touch.tap(600, 550)
    ink.settle()
    screen = panel.screendump()
    assert ink_around(screen, 200, 100) and ink_around(screen, 200, 400) and ink_around(screen, 600, 550)
    for x, y, what in [(150, 250, "the hand's stroke"), (300, 250, "its rest"), (600, 250, "a finger beside the pen")]:
        left = ink_around(screen, x, y)
        assert not left, f"{what} drew: {left}"
    assert ink.terminate() == 0
    assert "continuing with" in ink.log
    assert ink.summary()["strokes"] == 3


def test_devices_are_opened_once_their_permissions_allow_it(panel):
    nobody = ("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    card = next(path for path in panel.glob("/dev/dri/card*"))
    touch = panel.touchscreen(*panel.size)
    for node in card, touch.node:
        panel.run("/bin/chmod", "0600", node)
    try:
        ink = panel.start(*nobody, binary(), "run", "--page", "ink", *LOOK, tty=None, kind=Inkpanel)
        ink.wait_line(rf"waiting for a display: {card}: Permission denied: only its owner root may open it")
        ink.wait_line(rf"cannot open {touch.node}: Permission denied: only its owner root may open it")
        panel.run("/bin/chgrp", "65534", card, touch.node)
        panel.run("/bin/chmod", "0660", card, touch.node)
        ink.wait_line(READY)
        ink.wait_line("now in use|touch .*event")
        touch.stroke([(x, 200) for x in range(100, 301, 20)])
        ink.settle()
        assert ink_around(panel.screendump(), 200, 200)
        ink.terminate()
    finally:
        panel.run("/bin/chgrp", "0", card)
