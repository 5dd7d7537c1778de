# SPDX-License-Identifier: Apache-2.0
"""The panel reads every report of a fast digitizer while drawing."""

from harness.handwriting import scribble
from harness.look import BLACK_ON_WHITE

HZ = 250
SECONDS = 2
ATTEMPTS = 4


def test_no_report_of_a_fast_digitizer_is_lost(panel):
    points = scribble(7, 4096, 4096, points=HZ * SECONDS)
    assert all(a != b for a, b in zip(points, points[1:])), "the kernel passes on no report in which nothing changed"
    touch = panel.touchscreen(4096, 4096)
    # The kernel buffers 0.4 s of these reports. A busy host can stop a processor of the guest for longer, but hardly each
    # time; a program that reads too late loses reports each time.
    for attempt in range(ATTEMPTS):
        ink = panel.start_ink("--pen", "linear", *BLACK_ON_WHITE)
        touch.stroke(points, hz=HZ)
        ink.settle()
        ink.terminate()
        counts = ink.summary()
        if counts["dropped"] == 0:
            break
    assert (counts["dropped"], counts["strokes"]) == (0, 1)
    assert (counts["reports"], counts["samples"]) == (len(points) + 1, len(points))
