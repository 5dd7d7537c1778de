# SPDX-License-Identifier: Apache-2.0
"""Handwriting: generated from a seed, in the device's units, and recorded, moved to a place on the screen."""

import math
import random

from . import evemu
from .image import Box
from .program import CHECKOUT
from .touch import ABS_PRESSURE, ABS_X, ABS_Y, BTN_TOUCH, EV_ABS, EV_KEY, EV_SYN

# A person writing with a pen that measures pressure.
SIGNATURE = CHECKOUT / "Tests" / "data" / "Handwriting" / "handwriting.events"


def scribble(seed: int, width: int, height: int, points: int = 60) -> list[tuple[int, int]]:
    """One stroke of loops that stays well inside the device."""
    random_numbers = random.Random(seed)
    wave = [(random_numbers.uniform(1, 6), random_numbers.uniform(0, 6.28)) for _ in range(4)]

    def along(t: float, a: tuple, b: tuple) -> float:
        return 0.5 + 0.2 * (math.sin(a[0] * t * 6.28 + a[1]) + math.sin(b[0] * t * 6.28 + b[1]))

    return [
        (round(along(i / points, wave[0], wave[1]) * (width - 1)), round(along(i / points, wave[2], wave[3]) * (height - 1)))
        for i in range(points)]


def places_apart(seed: int, count: int, size: tuple, apart: int, margin: int) -> list[tuple[float, float]]:
    """Random places on a screen, each `apart` pixels from all others and `margin` from the edges."""
    random_numbers = random.Random(seed)
    places: list[tuple[float, float]] = []
    while len(places) < count:
        place = tuple(random_numbers.uniform(margin, side - margin) for side in size)
        if all(math.dist(place, other) >= apart for other in places):
            places.append(place)
    return places


def fitted(frames: list, place: Box, units: tuple[float, float]) -> list:
    """A pen's recording, moved and resized so that its ink is centred in a place on the screen.

    `frames` are those of evemu.frames(); `units` is the number of device units per pixel.
    """
    at = [(code, value) for _, events in frames for kind, code, value in events if kind == EV_ABS]
    low, high = (
        [limit(value for code, value in at if code == axis) for axis in (ABS_X, ABS_Y)] for limit in (min, max))
    ink = [(b - a) / unit for a, b, unit in zip(low, high, units)]
    scale = min(side / length for side, length in zip(place.size, ink))

    def moved(kind: int, code: int, value: int) -> list[int]:
        if kind != EV_ABS or code not in (ABS_X, ABS_Y):
            return [kind, code, value]
        middle = (low[code] + high[code]) / 2
        return [kind, code, round(place.centre[code] * units[code] + (value - middle) * scale)]

    return [[seconds, [moved(*event) for event in events]] for seconds, events in frames]


def strokes_of(frames: list) -> list[list[tuple[int, int, int]]]:
    """What a program should read from a pen: x, y and pressure of each touch's reports that the kernel passes on."""
    state: dict[tuple[int, int], int] = {}
    strokes: list[list[tuple[int, int, int]]] = []
    was_down = False
    for _, events in frames:
        changed = [event for event in events if event[0] != EV_SYN and state.get(tuple(event[:2]), 0) != event[2]]
        state.update({(kind, code): value for kind, code, value in changed})
        is_down = state.get((EV_KEY, BTN_TOUCH), 0) == 1
        if is_down and not was_down:
            strokes.append([])
        if is_down and changed:
            strokes[-1].append(tuple(state.get((EV_ABS, code), 0) for code in (ABS_X, ABS_Y, ABS_PRESSURE)))
        was_down = is_down
    return strokes


def signature(place: Box) -> list[list[tuple[int, int]]]:
    """A recorded hand's strokes, in pixels of a place on the screen.

    Only every third report, so that they fit the kernel's buffer if the reader is late.
    """
    strokes = []
    for reports in strokes_of(fitted(evemu.frames(SIGNATURE), place, (1, 1))):
        points = [(x, y) for x, y, _ in [*reports[:-1:3], reports[-1]]]
        # The kernel drops reports without a change.
        strokes.append([point for point, last in zip(points, [None, *points]) if point != last])
    return strokes
