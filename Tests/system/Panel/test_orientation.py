# SPDX-License-Identifier: Apache-2.0
"""The picture is rotated by the kernel's "panel orientation"."""

import pytest
from harness import wording
from harness.look import BLACK_ON_WHITE, PAPER
from support import breadth


def test_devices_shows_the_orientation(turned):
    turned.touchscreen(*turned.size)
    told = turned.start_inkpanel("devices", wait=False, tty=None)
    assert told.wait() == 0
    assert "mounted rotated, picture 90 degrees clockwise" in told.log


def test_the_picture_follows_the_orientation(turned):
    touch = turned.touchscreen(*turned.size)
    ink = turned.start_ink(*BLACK_ON_WHITE)
    assert wording.degrees_turned(ink.log) == 90
    touch.tap(200, 600)
    ink.settle()
    screen = turned.screendump()
    assert screen.different_from(PAPER, screen.near(200, 600, 8)), "the finger's place was turned away from the finger"


@pytest.mark.parametrize("degrees", breadth.share([180, 0], 2))
def test_a_configured_rotation_overrides_the_orientation(turned, degrees):
    turned.touchscreen(*turned.size)
    ink = turned.start_ink("--rotate", str(degrees))
    assert wording.degrees_turned(ink.log) == degrees
