# SPDX-License-Identifier: Apache-2.0
"""Made-up handwriting: the same for the same seed, in the device's own units."""

import math
import random


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
