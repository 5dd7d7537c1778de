# SPDX-License-Identifier: Apache-2.0
"""A new touchscreen gets the systemd device unit that starts the service."""

import pytest
from harness.program import CHECKOUT
from support import breadth

UNIT = CHECKOUT / "systemd" / "inkpanel.service.in"
NAME = "/dev/inkpanel-touch"
EV_KEY, EV_ABS = 1, 3
KEY_A, BTN_LEFT, BTN_TOOL_PEN, BTN_TOOL_FINGER, BTN_TOUCH = 30, 0x110, 0x140, 0x145, 0x14A
ABS_X, ABS_Y = 0, 1
INPUT_PROP_POINTER, INPUT_PROP_DIRECT = 0, 1
AXIS = [0, 1023, 0, 0, 10]
KEYBOARD = {
    "name": "Inkpanel test keyboard", "id": [3, 0x1209, 0x4, 1], "properties": [], "codes": {EV_KEY: [KEY_A]}, "axes": {}}
TOUCHPAD = {
    "name": "Inkpanel test touchpad", "id": [0x18, 0x1209, 0x5, 1], "properties": [INPUT_PROP_POINTER],
    "codes": {EV_KEY: [BTN_LEFT, BTN_TOOL_FINGER, BTN_TOUCH], EV_ABS: [ABS_X, ABS_Y]}, "axes": {ABS_X: AXIS, ABS_Y: AXIS}}

PEN = {
    "name": "Inkpanel test pen", "id": [3, 0x1209, 0x6, 1], "properties": [],
    "codes": {EV_KEY: [BTN_TOOL_PEN, BTN_TOUCH], EV_ABS: [ABS_X, ABS_Y]}, "axes": {ABS_X: AXIS, ABS_Y: AXIS}}


def properties(panel, node):
    """A device's properties, once udev has processed it."""
    told = panel.run("/usr/bin/udevadm", "info", "--wait-for-initialization=20", "--query=property", node)
    return dict(line.split("=", 1) for line in told.splitlines())


def test_a_touchscreen_that_appears_starts_the_enabled_service(udev):
    known = properties(udev, udev.touchscreen(800, 480).node)
    assert NAME in known.get("DEVLINKS", "").split()
    # Without the tag, systemd has no unit for the device.
    assert "systemd" in known.get("TAGS", "").split(":")
    # The service is wanted by the unit that systemd makes of this name.
    device = udev.run("/usr/bin/systemd-escape", "--path", "--suffix=device", NAME).strip()
    wanted = [line for line in UNIT.read_text().splitlines() if line.startswith("WantedBy=")]
    assert any(device in line for line in wanted), f"{device} is in none of {wanted}"


@pytest.mark.parametrize("description, kind", breadth.share(
    [(TOUCHPAD, "ID_INPUT_TOUCHPAD"), (KEYBOARD, "ID_INPUT_KEY")], 2, several=True))
def test_other_devices_do_not_start_the_service(udev, description, kind):
    known = properties(udev, udev.device(description).node)
    assert known[kind] == "1"
    assert NAME not in known.get("DEVLINKS", "").split() and "SYSTEMD_WANTS" not in known


@pytest.mark.parametrize("is_direct", [True, False])
def test_a_pen_starts_the_service_if_it_is_used_on_the_screen(udev, is_direct):
    pen = PEN | {"properties": [INPUT_PROP_DIRECT if is_direct else INPUT_PROP_POINTER]}
    known = properties(udev, udev.device(pen).node)
    assert known["ID_INPUT_TABLET"] == "1"
    assert (NAME in known.get("DEVLINKS", "").split()) == is_direct


def test_a_card_starts_the_service_and_its_connectors_do_not(udev):
    card = next(path for path in udev.glob("/dev/dri/card*"))
    udev.run("/usr/bin/udevadm", "trigger", "--settle", "--action=change", card)
    assert "/dev/inkpanel-display" in properties(udev, card).get("SYSTEMD_ALIAS", "").split()
    for connector in udev.glob("/sys/class/drm/card*-*"):
        udev.run("/usr/bin/udevadm", "trigger", "--settle", "--action=change", connector)
        told = udev.run("/usr/bin/udevadm", "info", "--query=property", f"--path={connector}")
        assert "inkpanel-display" not in told
