# SPDX-License-Identifier: Apache-2.0
"""A picture in 16-bit pixels, dithered with Bayer's matrix; written independently of the program."""

from .image import Image


def bayer(side: int) -> list[list[int]]:
    """M(2n) = [[4M, 4M + 2], [4M + 3, 4M + 1]], M(1) = [[0]]."""
    if side == 1:
        return [[0]]
    half = [[4 * value for value in row] for row in bayer(side // 2)]
    top = [row + [value + 2 for value in row] for row in half]
    return top + [[value + 3 for value in row] + [value + 1 for value in row] for row in half]


MATRIX = bayer(8)


def expanded(level: int, bits: int) -> int:
    """The 8-bit value of a level: its bits, and its upper bits again."""
    return level << (8 - bits) | level >> (2 * bits - 8)


def level(color: int, bits: int, threshold: int) -> int:
    low = max(level for level in range(1 << bits) if expanded(level, bits) <= color)
    if low == (1 << bits) - 1:
        return low
    part = (color - expanded(low, bits)) / (expanded(low + 1, bits) - expanded(low, bits))
    return low + (part > (threshold + 0.5) / 64)


def words(picture: Image, red: int, green: int, blue: int) -> list[int]:
    """The pixels row by row, with the colours at these bit positions."""
    tables = {bits: [[level(color, bits, t) for color in range(256)] for t in range(64)] for bits in (5, 6)}
    result = []
    for y, row in picture.rows(picture.whole):
        for x in range(picture.width):
            threshold = MATRIX[y % 8][x % 8]
            five, six = tables[5][threshold], tables[6][threshold]
            r, g, b = row[3 * x:3 * x + 3]
            result.append(five[r] << red | six[g] << green | five[b] << blue)
    return result
