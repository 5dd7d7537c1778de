# SPDX-License-Identifier: Apache-2.0
"""The shown picture, read from the framebuffer bound to the CRTC."""

import errno
import glob

from drm import Card


def cards() -> list[dict]:
    """Every card with its driver and whether it can set a mode."""
    found = []
    for node in sorted(glob.glob("/dev/dri/card*"), key=lambda name: int(name.removeprefix("/dev/dri/card"))):
        card = Card(node)
        try:
            card.drop_master()
            driver = card.driver()
            try:
                crtcs, connectors = card.resources()
            except OSError as error:
                if error.errno != errno.EOPNOTSUPP:
                    raise
                crtcs, connectors = [], []
        finally:
            card.close()
        found.append({"node": node, "driver": driver, "crtcs": len(crtcs), "connectors": len(connectors)})
    return found


def grab(path: str) -> dict:
    """Writes the rows of the shown framebuffer, without padding, to `path`; returns its size and format."""
    for candidate in cards():
        if not candidate["crtcs"]:
            continue
        card = Card(candidate["node"])
        try:
            card.drop_master()
            for crtc in card.resources()[0]:
                shown = card.crtc(crtc)
                if shown["valid"] and shown["framebuffer"]:
                    return save(card, card.framebuffer(shown["framebuffer"]), path)
        finally:
            card.close()
    raise OSError(errno.ENODEV, "no card shows a framebuffer")


def save(card: Card, framebuffer: dict, path: str) -> dict:
    width, height, pitch = framebuffer["width"], framebuffer["height"], framebuffer["pitch"]
    memory = card.map(framebuffer["handle"], framebuffer["offset"] + pitch * height)
    with open(path, "wb") as file:
        for row in range(height):
            start = framebuffer["offset"] + row * pitch
            file.write(memory[start:start + width * 4])
    memory.close()
    card.close_buffer(framebuffer["handle"])
    return {"width": width, "height": height, "format": framebuffer["format"]}
