# SPDX-License-Identifier: Apache-2.0
"""`inkpanel calibrate` on a screen: the matrix for a miswired digitizer, and the udev rule that sets it."""

import re
import signal

import pytest
from harness.program import binary
from support.breadth import long

RULE = "/etc/udev/rules.d/98-inkpanel-test-calibration.rules"
CROSSES = [(0.12, 0.12), (0.88, 0.12), (0.88, 0.88), (0.12, 0.88), (0.5, 0.3)]
UNITS = 4096
PATIENCE = 60  # seconds
RELOADS = 4


def mirrored(x: float, y: float) -> tuple[int, int]:
    """The report of a digitizer whose x axis runs from right to left and begins at a tenth of its range."""
    return int((1 - x) * 0.9 * UNITS + 0.1 * UNITS), int(y * UNITS)


def started(panel, touch, *others):
    """A calibration whose first cross is on the screen."""
    command = panel.start_inkpanel("calibrate", "--touch", touch.node, *others, wait=False)
    command.wait_line("calibration of ")
    panel.screen_when(lambda screen: not screen.only((0, 0, 0)))
    return command


def told_by_new_rules(panel, node, known_by):
    """A device's properties after udev has reloaded its rules, which set the property `known_by`."""
    for _ in range(RELOADS):
        # udevd drops a request that arrives between its accept() and SO_PASSCRED, and udevadm reports success (systemd
        # 252, udev-ctrl.c). This happens once in a hundred times on two emulated processors.
        panel.run("/usr/bin/udevadm", "control", "--reload")
        panel.run("/usr/bin/udevadm", "trigger", "--settle", "--subsystem-match=input", "--action=change")
        told = panel.run("/usr/bin/udevadm", "info", "--query=property", node).splitlines()
        if any(line.startswith(known_by + "=") for line in told):
            break
    return told


@long
def test_five_touches_make_a_rule_that_udev_applies(udev):
    touch = udev.touchscreen(UNITS, UNITS, name="Inkpanel \"miswired\" panel")
    command = started(udev, touch, "--udev", RULE, "--timeout", str(PATIENCE))
    for x, y in CROSSES:
        touch.tap(*mirrored(x, y))
        command.settle()
    assert command.wait() == 0
    matrix = re.search(r'^LIBINPUT_CALIBRATION_MATRIX="(.*)"$', command.log, re.MULTILINE)[1]
    # x = 1 - (v - 0.1) / 0.9, y = v
    assert [float(each) for each in matrix.split()] == pytest.approx([-1 / 0.9, 0, 1 / 0.9, 0, 1, 0], abs=0.01)
    told = told_by_new_rules(udev, touch.node, "LIBINPUT_CALIBRATION_MATRIX")
    assert f"LIBINPUT_CALIBRATION_MATRIX={matrix}" in told
    # The rule does not match another device.
    other = udev.touchscreen(UNITS, UNITS)
    told = udev.run("/usr/bin/udevadm", "info", "--wait-for-initialization=20", "--query=property", other.node)
    assert "LIBINPUT_CALIBRATION_MATRIX" not in told


def test_a_calibration_is_aborted_and_leaves_nothing(vkms):
    touch = vkms.touchscreen(UNITS, UNITS)
    command = started(vkms, touch, "--udev", "/run/aborted.rules")
    touch.tap(*mirrored(*CROSSES[0]))
    command.settle()
    command.signal(signal.SIGINT)
    assert command.wait() == 10
    assert "nothing was written" in command.log
    assert not vkms.glob("/run/aborted.rules")
    assert vkms.console()["mode"] == "text"


def test_a_device_in_use_is_not_calibrated(vkms):
    touch = vkms.touchscreen(UNITS, UNITS)
    ink = vkms.start_ink("--touch", touch.node)
    ran = vkms.start(binary(), "calibrate", "--touch", touch.node, "--display", "headless:320x200", tty=None)
    assert ran.wait() == 69
    assert "in use by another program" in ran.log
    ink.terminate()
