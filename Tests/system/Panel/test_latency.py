# SPDX-License-Identifier: Apache-2.0
"""The program's figure from a report to the screen is that of the kernel: a checksum of each frame that vkms scans out
shows which frame had the ink first, the trace when that was, and uinput when the report came."""

from harness import wording
from harness.look import BLACK_ON_WHITE

TAPS = [(100 + 160 * number, 100 + 90 * number) for number in range(6)]
LATE = 8  # frames
ROUNDING = 0.1  # milliseconds: the kernel's times are in microseconds


def test_the_figure_is_that_of_the_first_frame_with_the_ink(vkms):
    touch = vkms.touchscreen(*vkms.size)
    ink = vkms.start_ink(*BLACK_ON_WHITE)
    checksums = vkms.start_checksums()
    # The first frame must have a checksum before there is ink.
    vkms.sleep(0.2)
    reports = []
    for x, y in TAPS:
        reports.append(touch.tap(x, y)[0])
        ink.settle()
    flips = vkms.flips()
    frames = vkms.stop_checksums(checksums, last=flips[-1].vblank)
    vblanks = vkms.vblanks()
    ink.terminate()

    changed = [number for (_, old), (number, new) in zip(frames, frames[1:]) if old != new]
    inked = [flip.vblank for flip in flips]
    # vkms computes a checksum after its frame. On a busy machine it comes so late that the program has the buffer again
    # and draws in it: then a frame before the flip differs, too.
    extra = [number for number in changed if number not in inked]
    assert set(inked) <= set(changed) and all(any(number < flip <= number + LATE for flip in inked) for number in extra), (
        f"ink was first on screen in {changed}, the kernel reported flips in {inked}; {frames}")
    assert len(inked) == len(TAPS)
    # Between the times before and after the write of the report.
    least = sorted((vblanks[number] - after) / 1e6 for number, (_, after) in zip(inked, reports))
    most = sorted((vblanks[number] - before) / 1e6 for number, (before, _) in zip(inked, reports))
    figure = wording.report_to_screen(ink.log)
    assert least[-1] - ROUNDING <= figure["max"] <= most[-1] + ROUNDING, f"{figure}, {least}, {most}"
    middle = (len(TAPS) + 1) // 2 - 1
    # Percentiles are rounded up by at most a 64th.
    assert least[middle] - ROUNDING <= figure["p50"] <= most[middle] * 65 / 64 + ROUNDING, f"{figure}, {least}, {most}"
