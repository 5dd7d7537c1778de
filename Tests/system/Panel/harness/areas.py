# SPDX-License-Identifier: Apache-2.0
"""Connected areas of one colour in a picture, by which tests find buttons."""

import re

from .image import Box, Image


def areas(picture: Image, color: tuple, least: int) -> list[Box]:
    """The boxes around areas of exactly that colour with at least that width and height, from top to bottom."""
    boxes: list[list[int]] = []  # left, top, right, bottom of connected runs of pixels
    parents: list[int] = []

    def root(run: int) -> int:
        while parents[run] != run:
            run = parents[run]
        return run

    above: list[tuple[int, int, int]] = []  # runs of the row above: left, right, index of the box
    for y, row in enumerate(rows_of(picture, color)):
        runs = []
        for found in re.finditer(b"\x01+", row):
            left, right, run = found.start(), found.end() - 1, len(boxes)
            boxes.append([left, y, right, y])
            parents.append(run)
            runs.append((left, right, run))
            for above_left, above_right, other in above:
                if above_left <= right and left <= above_right and root(other) != root(run):
                    join(boxes, parents, root(other), root(run))
        above = runs
    whole = [Box(*box) for run, box in enumerate(boxes) if parents[run] == run]
    return sorted((box for box in whole if min(box.size) >= least), key=lambda box: (box.top, box.left))


def join(boxes: list, parents: list, into: int, other: int) -> None:
    parents[other] = into
    a, b = boxes[into], boxes[other]
    boxes[into] = [min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])]


def rows_of(picture: Image, color: tuple):
    """Each row as one byte per pixel: 1 where it has the colour."""
    mask = None
    for channel in range(3):
        is_equal = bytes(value == color[channel] for value in range(256))
        plane = int.from_bytes(picture.rgb[channel::3].translate(is_equal), "big")
        mask = plane if mask is None else mask & plane
    content = mask.to_bytes(picture.width * picture.height, "big")
    return (content[start:start + picture.width] for start in range(0, len(content), picture.width))
