# SPDX-License-Identifier: Apache-2.0
"""Many captures in a row, with touch device and screen unplugged in between: memory, descriptors, threads, framebuffers
and the card's memory must not grow.

SOAK_CAPTURES and SOAK_UNPLUGS set the numbers; 1000 and 200 take most of an hour.
"""

import os
import re

import pytest
from conftest import PAD_SCREENS
from harness import wording
from harness.page import Page
from harness.panel import Panel

pytestmark = pytest.mark.long

CAPTURES = int(os.environ.get("SOAK_CAPTURES", "120"))
UNPLUGS = int(os.environ.get("SOAK_UNPLUGS", "40"))
SCREEN = PAD_SCREENS["800x480"]
DRIVER = "/sys/bus/pci/drivers/bochs-drm"
# Caches of the allocator, fonts and the renderer fill during the first captures.
WARM_UP = 20
# Tolerance in kilobytes: pages of the allocator, rows of a larger picture.
PLAY = 6 * 1024


def memory(pad) -> int:
    return int(re.search(r"VmRSS:\s+(\d+)", pad.ink.status)[1])


def threads(pad) -> int:
    return int(re.search(r"Threads:\s+(\d+)", pad.ink.status)[1])


def framebuffers(panel) -> int:
    lists = panel.glob("/sys/kernel/debug/dri/*/framebuffer")
    return sum(panel.read_file(path).count("framebuffer[") for path in lists)


def buffers(panel) -> list:
    """Used pages of each card's memory, held by GEM handles, mapped or not (drm_mm_print())."""
    managers = panel.glob("/sys/kernel/debug/dri/*/vram-mm")
    assert managers, "bochs-drm says what of its memory is taken"
    return [re.search(r"used (\d+)", panel.read_file(path))[1] for path in managers]


def state(pad) -> dict:
    pad.ink.settle()
    return {
        "descriptors": len(pad.ink.open_files), "threads": threads(pad), "framebuffers": framebuffers(pad.panel),
        "buffers": buffers(pad.panel), "memory": memory(pad)}


def ready_count(pad) -> int:
    return pad.ink.log.count(": ready: ")


def test_nothing_grows(pad_of, booted_pad: Panel):
    if not booted_pad.glob("/sys/kernel/debug/dri"):
        booted_pad.run("/bin/mount", "-t", "debugfs", "debugfs", "/sys/kernel/debug")
    pad = pad_of(SCREEN, configuration="[record]\nmaximum-count = 10")
    first = next(path for path in booted_pad.glob(DRIVER + "/*") if booted_pad.glob(path + "/drm/card0"))
    device = first.rsplit("/", 1)[-1]
    page = before = None
    unplugged = screens = 0
    for number in range(CAPTURES):
        host = pad.ask("--prompt", f"Parcel {number}")
        host.wait_line(wording.ASKED)
        if page is None:
            page = Page(pad.settled())
            place = pad.place_to_sign
        (x, y), (width, height) = place.centre, place.size
        pad.draw([[(x - width / 3 + i * 4, y - height / 3 + i * 3 + (number % 7)) for i in range(24)],
                  [(x + width / 3 - i * 4, y - height / 3 + i * 3) for i in range(24)]], hz=120)
        pad.ink.settle(quiet=0.1)
        pad.tap(*page.buttons["accept"].centre)
        assert host.wait() == 0, f"capture {number}: {host.log}\n{pad.ink.log[-2000:]}"
        if number * UNPLUGS // CAPTURES > unplugged:
            unplugged += 1
            pad.finger.unplug()
            pad.finger = booted_pad.touchscreen(*SCREEN.size)
        if number % 20 == 19:
            seen = ready_count(pad)
            booted_pad.write_file(DRIVER + "/unbind", device)
            booted_pad.sleep(0.5)
            booted_pad.write_file(DRIVER + "/bind", device)
            for _ in range(300):
                if ready_count(pad) > seen:
                    break
                booted_pad.sleep(0.1)
            assert ready_count(pad) > seen, pad.ink.log[-2000:]
            screens += 1
        if number == WARM_UP - 1:
            before = state(pad)
        if number % 100 == 99:
            print(f"{number + 1} captures", flush=True)
    after = state(pad)
    print(f"\n{CAPTURES} captures, {unplugged} touch devices and {screens} screens unplugged: {before} -> {after}")
    grown = after.pop("memory") - before.pop("memory")
    assert after == before
    assert grown < PLAY, f"{grown} kB more after {CAPTURES - WARM_UP} captures"
    assert len(pad.captures) == 10
    assert pad.ink.terminate() == 0
