# SPDX-License-Identifier: Apache-2.0
"""Touch controllers with real HID descriptors, through the kernel's hid-multitouch: inkpanel uses each as a multitouch
screen, and ink appears where it is touched."""

import re

import pytest
from harness.look import BLACK_ON_WHITE, PAPER
from harness.program import CHECKOUT, binary

pytestmark = pytest.mark.long

CONTROLLERS = sorted((CHECKOUT / "Tests" / "system" / "Panel" / "hid").glob("*.hid"))
RADIUS = 16  # in pixels, around a tap; contains no other tap's ink
COLUMNS = 7
TOUCHED = 3  # reports of a short tap at 60 Hz


@pytest.fixture
def hid(vkms):
    """The panel on vkms with the kernel's HID drivers."""
    vkms.load("uhid", "hid-multitouch")
    return vkms


def multitouch_screens(panel) -> list[tuple[str, str]]:
    """Node and name of each device that inkpanel lists."""
    listed = panel.run(binary(), "devices")
    return re.findall(r"^[ *]*(/dev/input/event\d+) \((.*)\): [a-z ]+: a multitouch screen", listed, re.MULTILINE)


def taps(panel, number: int) -> list[tuple[float, float]]:
    """Two positions for each controller, as fractions of the screen."""
    column, row = number % COLUMNS, number // COLUMNS
    rows = -(-len(CONTROLLERS) // COLUMNS)
    return [((column + each) / COLUMNS, (row + 0.5) / rows) for each in (0.3, 0.7)]


def test_every_controller_draws_where_it_is_touched(hid):
    assert len(CONTROLLERS) >= 10
    controllers = [hid.hid_touchscreen(file) for file in CONTROLLERS]
    screens = multitouch_screens(hid)
    nodes = []
    for each in controllers:
        # Their other devices, mice and pens, have longer names.
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
        # A pixel's centre is half a pixel from its index.
        middle = tuple(centre + 0.5 for centre in dot.box.centre) if dot else None
        if middle != pytest.approx((x, y), abs=1):
            missed.append(f"{name} was touched at {x:.1f}, {y:.1f}; ink is around {middle}")
        lit += dot.count if dot else 0
    assert not missed, "\n".join(missed)
    assert screen.different_from(PAPER).count == lit, "there is ink where nobody touched"
    assert ink.terminate() == 0
    # The kernel lifts contacts without reports for 100 ms, which happens on a busy host; they then come down again.
    assert ink.summary()["strokes"] >= len(expected)
