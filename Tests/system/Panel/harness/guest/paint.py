# SPDX-License-Identifier: Apache-2.0
"""Paints the screen in one colour and flips between two buffers, instead of inkpanel in tests of the harness.

    paint.py RRGGBB [flips]    writes "ready" after the first frame, "flipped N" after the flips, ends at SIGTERM
"""

import glob
import os
import select
import signal
import sys

from drm import Card


def open_display() -> tuple[Card, int, int, bytes]:
    for node in sorted(glob.glob("/dev/dri/card*")):
        card = Card(node)
        try:
            crtcs, connectors = card.resources()
        except OSError:
            crtcs, connectors = [], []
        for connector in connectors:
            found = card.connector(connector)
            if found["connected"] and found["modes"]:
                return card, crtcs[0], connector, found["modes"][0]
        card.close()
    sys.exit("paint: no card with a connected display")


def main() -> None:
    color = bytes.fromhex(sys.argv[1])
    flips = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    card, crtc, connector, mode = open_display()
    width, height = int.from_bytes(mode[4:6], "little"), int.from_bytes(mode[14:16], "little")
    framebuffers = []
    for _ in range(2):
        framebuffer, memory, pitch = card.dumb_framebuffer(width, height)
        memory[:pitch * height] = (color[::-1] + b"\0") * (pitch * height // 4)
        framebuffers.append(framebuffer)
    card.set_crtc(crtc, framebuffers[0], connector, mode)
    print(f"ready {width}x{height}", flush=True)
    for number in range(flips):
        card.flip(crtc, framebuffers[(number + 1) % 2])
        select.select([card.fd], [], [], 5)
        os.read(card.fd, 1024)
    print(f"flipped {flips}", flush=True)
    signal.sigwait([signal.SIGTERM])


signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
main()
