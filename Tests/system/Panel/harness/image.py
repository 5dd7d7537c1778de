# SPDX-License-Identifier: Apache-2.0
"""A picture of the screen, as 24-bit RGB rows; needs only Python."""

import re
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

from .failure import PanelFailure


@dataclass(frozen=True)
class Box:
    """Pixels from (left, top) to (right, bottom), both included."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def size(self) -> tuple[int, int]:
        return self.right - self.left + 1, self.bottom - self.top + 1

    def contains(self, other: "Box") -> bool:
        return (
            self.left <= other.left and other.right <= self.right and self.top <= other.top
            and other.bottom <= self.bottom)


class Image:
    """Equal if all pixels are."""

    def __init__(self, width: int, height: int, rgb: bytes):
        assert len(rgb) == width * height * 3, f"{len(rgb)} bytes are not {width}x{height} RGB pixels"
        self.width, self.height, self.rgb = width, height, rgb

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    def __eq__(self, other: "Image") -> bool:
        return isinstance(other, Image) and (self.size, self.rgb) == (other.size, other.rgb)

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        assert 0 <= x < self.width and 0 <= y < self.height, f"({x}, {y}) is outside {self.width}x{self.height}"
        start = (y * self.width + x) * 3
        return tuple(self.rgb[start:start + 3])

    def rows(self, box: Box):
        """The rows of the box, cut to it, with their numbers."""
        for y in range(box.top, box.bottom + 1):
            start = (y * self.width + box.left) * 3
            yield y, self.rgb[start:start + (box.right - box.left + 1) * 3]

    @property
    def whole(self) -> Box:
        return Box(0, 0, self.width - 1, self.height - 1)

    def near(self, x: float, y: float, distance: int) -> Box:
        """The box around a point, cut to the picture."""
        return Box(
            max(0, int(x) - distance), max(0, int(y) - distance),
            min(self.width - 1, int(x) + distance), min(self.height - 1, int(y) + distance))

    def different_from(self, color: tuple, box: Box = None) -> "Difference":
        """The pixels that are not `color`; the ink, if that is the background."""
        box = box or self.whole
        plain = bytes(color) * (box.right - box.left + 1)
        return Difference.of(box, ((y, row, plain) for y, row in self.rows(box)))

    def compare(self, other: "Image") -> "Difference":
        """The pixels in which two pictures of one size differ."""
        assert self.size == other.size, f"pictures of {self.size} and {other.size} cannot be compared"
        rows = zip(self.rows(self.whole), other.rows(other.whole))
        return Difference.of(self.whole, ((y, mine, theirs) for (y, mine), (_, theirs) in rows))

    def only(self, color: tuple) -> bool:
        return self.rgb == bytes(color) * (self.width * self.height)

    def turned_back(self, degrees: int) -> "Image":
        """The upright picture, for a screen that shows it rotated clockwise by these degrees."""
        if degrees == 0:
            return self
        if degrees != 90:
            raise PanelFailure(f"pictures turned by {degrees} degrees are not turned back here")
        turned = bytearray(len(self.rgb))
        for y in range(self.width):
            # A row of the picture is a column of the screen, the first at the right.
            start, row = (self.width - 1 - y) * 3, y * self.height * 3
            for channel in range(3):
                turned[row + channel:row + self.height * 3:3] = self.rgb[start + channel::self.width * 3]
        return Image(self.height, self.width, bytes(turned))

    def png(self) -> bytes:
        def chunk(kind: bytes, content: bytes) -> bytes:
            return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

        rows = b"".join(b"\0" + row for _, row in self.rows(self.whole))
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        return (
            b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))

    def save(self, path: Path) -> None:
        Path(path).write_bytes(self.png())


class Difference:
    """Differing pixels: how many, where, by how much."""

    def __init__(self, count: int, box, largest: int):
        self.count, self.box, self.largest = count, box, largest

    @classmethod
    def of(cls, area: Box, rows) -> "Difference":
        count = largest = 0
        left, top, right, bottom = area.right + 1, area.bottom + 1, -1, -1
        for y, a, b in rows:
            if a == b:
                continue  # most rows: compared at once
            for x in range(len(a) // 3):
                p, q = a[3 * x:3 * x + 3], b[3 * x:3 * x + 3]
                if p != q:
                    count += 1
                    largest = max(largest, *(abs(i - j) for i, j in zip(p, q)))
                    left, right = min(left, area.left + x), max(right, area.left + x)
                    top, bottom = min(top, y), max(bottom, y)
        return cls(count, Box(left, top, right, bottom) if count else None, largest)

    def __bool__(self) -> bool:
        return self.count > 0

    def __repr__(self) -> str:
        if not self.count:
            return "no pixel differs"
        box = self.box
        return (f"{self.count} pixels differ, by up to {self.largest} of 255,"
                f" within x {box.left}...{box.right}, y {box.top}...{box.bottom}")


def read_ppm(content: bytes) -> Image:
    header = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", content)
    if not header:
        raise PanelFailure("the screendump is no PPM with 255 steps of colour")
    return Image(int(header[1]), int(header[2]), content[header.end():])


def from_xrgb(width: int, height: int, xrgb: bytes) -> Image:
    """Rows of 32-bit pixels, blue first, like DRM_FORMAT_XRGB8888."""
    rgb = bytearray(width * height * 3)
    rgb[0::3], rgb[1::3], rgb[2::3] = xrgb[2::4], xrgb[1::4], xrgb[0::4]
    return Image(width, height, bytes(rgb))


def read_png(content: bytes) -> Image:
    """An 8-bit RGB or RGBA picture without interlacing; alpha must be opaque. What `inkpanel render` writes."""
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        raise PanelFailure("not a PNG file")
    at, data, header = 8, b"", None
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    width, height, depth, color, _, _, interlaced = header
    if depth != 8 or color not in CHANNELS or interlaced:
        raise PanelFailure(f"PNG of depth {depth}, colour type {color}, interlacing {interlaced}: not read here")
    return png_image(width, height, CHANNELS[color], zlib.decompress(data))


CHANNELS = {0: 1, 2: 3, 6: 4}


def png_image(width: int, height: int, channels: int, data: bytes) -> Image:
    stride = width * channels
    previous = bytes(stride)
    rows = []
    for y in range(height):
        start = y * (stride + 1)
        previous = unfilter(data[start], bytearray(data[start + 1:start + 1 + stride]), previous, channels)
        rows.append(bytes(previous))
    pixels = b"".join(rows)
    if channels == 1:
        return Image(width, height, bytes(value for value in pixels for _ in range(3)))
    if channels == 4:
        if pixels[3::4].strip(b"\xff"):
            raise PanelFailure("the PNG is transparent in places: render it with a background")
        rgb = bytearray(width * height * 3)
        for i in range(3):
            rgb[i::3] = pixels[i::4]
        pixels = bytes(rgb)
    return Image(width, height, pixels)


def unfilter(kind: int, row: bytearray, above: bytes, step: int) -> bytearray:
    """PNG's five row filters (PNG specification, 9.2)."""
    if kind == 2:
        return bytearray((a + b) & 255 for a, b in zip(row, above))
    if kind == 0:
        return row
    for i in range(len(row)):
        left = row[i - step] if i >= step else 0
        if kind == 1:
            guess = left
        elif kind == 3:
            guess = (left + above[i]) // 2
        else:
            guess = paeth(left, above[i], above[i - step] if i >= step else 0)
        row[i] = (row[i] + guess) & 255
    return row


def paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    distances = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
    return (left, up, corner)[distances.index(min(distances))]
