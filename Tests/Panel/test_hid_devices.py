# SPDX-License-Identifier: Apache-2.0
"""Touch controllers by their HID descriptors, through the kernel's hid-multitouch: each is a multitouch screen to
inkpanel, and ink is where it was touched."""

import re

import pytest
from harness.look import BLACK_ON_WHITE, PAPER
from harness.program import CHECKOUT, binary

pytestmark = pytest.mark.long

CONTROLLERS = sorted((CHECKOUT / "Tests" / "Panel" / "hid").glob("*.hid"))
RADIUS = 16  # in pixels, around a tap: no other tap's ink is in there
COLUMNS = 7
TOUCHED = 3  # reports of a tap: a short one at 60 Hz


@pytest.fixture
def hid(vkms):
    """The panel on vkms with the kernel's HID drivers."""
    vkms.load("uhid", "hid-multitouch")
    return vkms


def multitouch_screens(panel) -> list[tuple[str, str]]:
    """Node and name of each, as inkpanel sees them."""
    listed = panel.run(binary(), "devices")
    return re.findall(r"^[ *]*(/dev/input/event\d+) \((.*)\): [a-z ]+: a multitouch screen", listed, re.MULTILINE)


def taps(panel, number: int) -> list[tuple[float, float]]:
    """Two places for each controller, in parts of the screen."""
    column, row = number % COLUMNS, number // COLUMNS
    rows = -(-len(CONTROLLERS) // COLUMNS)
    return [((column + each) / COLUMNS, (row + 0.5) / rows) for each in (0.3, 0.7)]


def test_every_controller_draws_where_it_is_touched(hid):
    assert len(CONTROLLERS) >= 10
    controllers = [hid.hid_touchscreen(file) for file in CONTROLLERS]
    screens = multitouch_screens(hid)
    nodes = []
    for each in controllers:
        # Their other devices, mice and pens, have names that go on.
        mine = [node for node, name in screens if name == each.name or name.startswith(each.name + " ")]
        assert len(mine) == 1, f"{each.name} is {mine} of {screens}"
        nodes += mine
    named = [word for node in nodes for word in ("--touch", node)]
    ink = hid.start_ink(*named, "--prediction", "off", "--pen", "linear", "--width", "0.85", *BLACK_ON_WHITE)
    expected = []
    for number, each in enumerate(controllers):
        for place in taps(hid, number):
            cell = each.cell(*place)
            each.stroke([cell] * TOUCHED)
            expected.append((each.name, [part * side for part, side in zip(each.part(cell), hid.size)]))
    ink.settle()
    screen = hid.screendump()
    missed = []
    lit = 0
    for name, (x, y) in expected:
        dot = screen.different_from(PAPER, screen.near(x, y, RADIUS))
        # A pixel's middle is half a pixel from its number.
        middle = tuple(centre + 0.5 for centre in dot.box.centre) if dot else None
        if middle != pytest.approx((x, y), abs=1):
            missed.append(f"{name} was touched at {x:.1f}, {y:.1f}; ink is around {middle}")
        lit += dot.count if dot else 0
    assert not missed, "\n".join(missed)
    assert screen.different_from(PAPER).count == lit, "there is ink where nobody touched"
    assert ink.terminate() == 0
    # The kernel lifts contacts that say nothing for 100 ms, as on a busy host, and they come down again.
    assert ink.summary()["strokes"] >= len(expected)
