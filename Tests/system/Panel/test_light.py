# SPDX-License-Identifier: Apache-2.0
"""The backlight dims and goes off without touches, and a touch restores it."""

import time

import pytest
from harness.look import BLACK_ON_WHITE, PAPER
from support.breadth import long

LOOK = ("--pen", "linear", "--width", "0.7", *BLACK_ON_WHITE)
LIGHT = "/sys/class/backlight/panel-light"
# The maximum brightness in light/panel-light.c.
FULL = 200
CONFIGURATION = "/run/light.toml"
OFF_SOON = "dim-after-s = 0\noff-after-s = 1"
BLACK = (0, 0, 0)
ON, OFF = 0, 4  # FB_BLANK_UNBLANK, FB_BLANK_POWERDOWN


@pytest.fixture
def dark(vkms):
    """A panel whose backlight is added later."""
    light = Light(vkms)
    yield light
    light.remove()


@pytest.fixture
def light(dark):
    dark.add()
    return dark


class Light:
    def __init__(self, panel):
        self.panel = panel
        self.is_there = False

    def add(self):
        self.panel.load("panel-light")
        self.is_there = True

    def remove(self):
        if self.is_there:
            self.panel.unload("panel-light")
        self.is_there = False

    @property
    def state(self) -> tuple[int, int]:
        """Its brightness and its power."""
        return tuple(int(self.panel.read_file(f"{LIGHT}/{name}")) for name in ("brightness", "bl_power"))

    def becomes(self, wanted: tuple[int, int], within: float = 20) -> bool:
        deadline = time.monotonic() + within
        while self.state != wanted:
            if time.monotonic() > deadline:
                return False
            self.panel.sleep(0.05)
        return True


def started(panel, text: str):
    panel.write_file(CONFIGURATION, f"[power]\n{text}\n")
    return panel.start_ink(*LOOK, "--config", CONFIGURATION)


def ink_around(panel, x, y):
    screen = panel.screendump()
    return screen.different_from(PAPER, screen.near(x, y, 8))


def is_seen(panel, condition) -> bool:
    return condition(panel.screen_when(condition, within=20))


def test_it_dims_and_the_touch_that_restores_it_draws(vkms, light):
    touch = vkms.touchscreen(*vkms.size)
    ink = started(vkms, "dim-after-s = 1\ndim-brightness = 10\noff-after-s = 0")
    assert light.becomes((FULL // 10, ON))
    # It stays on while the screen is touched.
    touch.down(100, 100)
    assert light.becomes((FULL, ON))
    touch.up()
    ink.settle()
    assert ink_around(vkms, 100, 100)


def test_it_goes_off_and_the_touch_that_restores_it_does_not_draw(vkms, light):
    touch = vkms.touchscreen(*vkms.size)
    # Long enough that the second touch comes in time on a busy machine.
    ink = started(vkms, "dim-after-s = 0\noff-after-s = 5")
    assert light.becomes((FULL, OFF))
    touch.down(300, 300)
    assert light.becomes((FULL, ON))
    touch.up()
    touch.tap(500, 500)
    ink.settle()
    assert ink_around(vkms, 500, 500)
    assert not ink_around(vkms, 300, 300), "nobody sees what they touch on a dark screen"


@long
def test_while_it_is_off_the_panel_sleeps(vkms, light):
    vkms.touchscreen(*vkms.size)
    ink = started(vkms, OFF_SOON)
    assert light.becomes((FULL, OFF))
    ink.settle()
    vkms.forget_flips()
    wakeups = ink.wakeups
    vkms.sleep(3)
    assert ink.wakeups - wakeups == 0
    assert vkms.flips() == []


@long
def test_a_backlight_that_appears_while_the_screen_is_dark_goes_off(vkms, dark):
    """Its driver may be loaded long after the display's; udev announces it."""
    touch = vkms.touchscreen(*vkms.size)
    started(vkms, OFF_SOON)
    # Without a backlight the picture turns black.
    assert is_seen(vkms, lambda screen: screen.only(BLACK))
    dark.add()
    assert dark.becomes((FULL, OFF))
    touch.down(100, 100)
    assert dark.becomes((FULL, ON))
    assert is_seen(vkms, lambda screen: screen.only(PAPER))


def test_without_a_backlight_the_screen_turns_black_and_comes_back(vkms, light):
    touch = vkms.touchscreen(*vkms.size)
    started(vkms, OFF_SOON)
    light.remove()
    assert is_seen(vkms, lambda screen: screen.only(BLACK))
    touch.down(100, 100)
    assert is_seen(vkms, lambda screen: screen.only(PAPER))


def test_when_the_panel_ends_its_light_is_on(vkms, light):
    vkms.touchscreen(*vkms.size)
    ink = started(vkms, OFF_SOON)
    assert light.becomes((FULL, OFF))
    assert ink.terminate() == 0
    assert light.state == (FULL, ON)
