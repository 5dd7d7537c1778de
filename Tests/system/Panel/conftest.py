# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the tests on a real kernel: one boot per display driver, shared by all tests that ask for it."""

import re
import shutil
from pathlib import Path

import pytest
from harness import Pad, PadScreen, Panel, PanelFailure
from harness.program import CHECKOUT
from support.breadth import long

RULE = CHECKOUT / "udev" / "72-inkpanel.rules"
OUT = Path(__file__).resolve().parents[3] / "out" / "panel"
SCREEN_DRIVERS = ["bochs", "virtio-gpu"]
# Densities of real screens with 7, 10.1 and 3.5 inches.
PAD_SCREENS = {
    "800x480": PadScreen(1, (800, 480), dpi=133),
    "800x1280": PadScreen(2, (1280, 800), dpi=149, turned=90),
    "480x320": PadScreen(3, (480, 320), dpi=165),
}


GUESTS = ["booted_screen", "booted_vkms", "booted_late", "booted_pad", "booted_headset", "booted"]

# Before pytest-xdist adds the groups to the names.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Among several workers, the tests of a guest stay together, so that it boots once."""
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        names = [f"{guest}-{parameters.get(guest)}" for guest in GUESTS if guest in item.fixturenames]
        item.add_marker(pytest.mark.xdist_group(names[0] if names else item.name))
        # vkms is the second driver of each commit.
        if parameters.get("booted_screen", SCREEN_DRIVERS[0]) != SCREEN_DRIVERS[0]:
            item.add_marker(long)


@pytest.fixture(scope="session", params=SCREEN_DRIVERS)
def booted_screen(request):
    with Panel(display=request.param) as panel:
        yield panel


@pytest.fixture(scope="session")
def booted_vkms():
    with Panel(display="vkms") as panel:
        yield panel


@pytest.fixture(scope="session")
def booted_udev(booted_vkms):
    # Before udev starts, as at boot: reloading rules is unreliable (test_calibrate.py).
    booted_vkms.write_file(f"/etc/udev/rules.d/{RULE.name}", RULE.read_text())
    booted_vkms.start_udev()
    return booted_vkms


@pytest.fixture(scope="session")
def booted_late():
    """Boots with vgem only, a card without a display. Tests load bochs, whose screen is built in rotated."""
    turned = "video=Virtual-1:panel_orientation=right_side_up"
    with Panel(display="bochs", modules=["vgem"], kernel_arguments=[turned]) as panel:
        yield panel


@pytest.fixture(scope="session")
def booted_pad():
    size, *more = (screen.size for screen in PAD_SCREENS.values())
    with Panel(display="bochs", size=size, more_sizes=more) as panel:
        yield panel


@pytest.fixture
def pad_of(booted_pad):
    """Makes a pad on one of the screens: inkpanel with its own store."""
    booted_pad.reset()
    return lambda screen, **others: Pad(booted_pad, screen, **others)


@pytest.fixture
def pad(pad_of):
    """A pad of 800x480 pixels."""
    return pad_of(PAD_SCREENS["800x480"])


@pytest.fixture
def panel(booted_screen):
    """A panel with a screen, for each driver that QEMU can show. Nothing runs, and no input device is plugged in."""
    booted_screen.reset()
    return booted_screen


@pytest.fixture
def no_screen(booted_late):
    """A guest without a screen, until a test loads bochs: for the first test with this guest."""
    booted_late.reset()
    assert [card["crtcs"] for card in booted_late.cards()] == [0], "bochs is loaded already"
    return booted_late


@pytest.fixture
def turned(booted_late):
    """Two cards: vgem, and bochs with a screen that is built in rotated by 90 degrees."""
    booted_late.load("bochs")
    booted_late.reset()
    return booted_late


@pytest.fixture
def vkms(booted_vkms):
    """A panel on vkms, the only driver with a vblank."""
    booted_vkms.reset()
    return booted_vkms


@pytest.fixture
def udev(booted_udev, vkms):
    """The panel on vkms with the host's udev and our rules."""
    # Otherwise a new device could get the number of an earlier one, with its properties in udev's database.
    vkms.run("/usr/bin/udevadm", "settle", "--timeout=20")
    return vkms


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Reports logs of program and kernel for a failed test, and keeps them and the screen in out/panel."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        panels = {value for value in item.funcargs.values() if isinstance(value, Panel)}
        for panel in panels:
            attach(report, panel, OUT / re.sub(r"[^\w.-]+", "_", item.nodeid.split("/")[-1].split("@")[0]))


def attach(report, panel: Panel, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # from an earlier failure of this test
    folder.mkdir(parents=True)
    try:
        for number, program in enumerate(panel.started, 1):
            name = f"{number}-{Path(program.argv[0]).name}.log"
            (folder / name).write_text(program.log)
            report.sections.append((f"{' '.join(program.argv)}, kept in {folder / name}", program.log[-4000:]))
        kernel = panel.kernel_log
        (folder / "kernel.log").write_text(kernel)
        report.sections.append((f"kernel log, kept in {folder}/kernel.log", "\n".join(kernel.splitlines()[-20:])))
        for screen in panel.screens:
            panel.screendump(screen).save(folder / f"screen-{screen}.png")
        report.sections.append(("screen", f"kept in {folder}/screen-*.png"))
    except PanelFailure as failure:
        report.sections.append(("the guest did not answer any more", str(failure)))
