# SPDX-License-Identifier: Apache-2.0
"""At most one flip per vblank. Only vkms has a vblank: bochs and virtio-gpu complete a flip at once."""

import math

from harness.look import BLACK_ON_WHITE

HZ = 125
SECONDS = 2


def test_one_flip_per_vblank_while_drawing(vkms):
    touch = vkms.touchscreen(*vkms.size)
    ink = vkms.start_ink(*BLACK_ON_WHITE)
    circle = [
        (round(512 + 200 * math.cos(i / 20)), round(384 + 200 * math.sin(i / 20))) for i in range(HZ * SECONDS)]
    touch.stroke(circle, hz=HZ)
    ink.settle()
    flips = vkms.flips()
    gaps = [b.vblank - a.vblank for a, b in zip(flips, flips[1:])]
    assert all(gap >= 1 for gap in gaps), "two flips in one vblank"
    # A busy emulated processor misses most of the 120 vblanks, but a panel that waits too long never uses two in a row.
    assert gaps.count(1) >= 1, f"no two flips in neighbouring vblanks: {gaps}"
    assert vkms.refusals() == [], "a flip was asked for while another was outstanding"
    ink.terminate()
    counts = ink.summary()
    assert counts["flips"] == len(flips)
    assert (counts["reports"], counts["dropped"], counts["strokes"]) == (len(circle) + 1, 0, 1)
