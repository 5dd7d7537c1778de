# SPDX-License-Identifier: Apache-2.0
"""Golden pictures of pages: each pixel of a page must equal that of its picture in golden/.

The pictures have palettes, to be small; therefore a colour may differ by `LEVELS`, which is invisible.

Glyphs depend on the machine's fonts and libraries. If their versions differ from golden/versions.txt, text may differ
as another version would draw it: see `is_alike`. Layout, colours, lines, ink and words must still be the same.

    GOLDEN=write     rewrites the pictures; look at each before you commit it
"""

import os
import warnings
from pathlib import Path

from PIL import Image as Pillow
from PIL import ImageChops, ImageFilter

from . import fonts
from .image import Image

FOLDER = Path(__file__).resolve().parents[1] / "golden"
VERSIONS = FOLDER / "versions.txt"
WRITES = os.environ.get("GOLDEN") == "write"
PALETTE = 256
LEVELS = 3  # of 255
# The limit of `is_alike`, over 7 x 7 pixels. Text with full hinting differs by up to 54 from the same text with slight
# hinting; a page moved by one pixel by 35, by two pixels 60 to 70; a missing stem makes 77, a word about 120.
BLUR = 3
LARGEST_BLURRED = 60


def check(picture: Image, name: str, keep: Path) -> None:
    """Fails if a page differs from its picture, and then leaves both in the folder `keep`."""
    path = FOLDER / f"{name}.png"
    shown = pillow(picture)
    if WRITES:
        FOLDER.mkdir(exist_ok=True)
        with_palette(shown).save(path, "PNG", optimize=True)
        VERSIONS.write_text("".join(f"{package} {version}\n" for package, version in fonts.versions().items()))
    assert path.exists(), f"there is no {path}: make it with GOLDEN=write"
    expected = Pillow.open(path).convert("RGB")
    if is_same(shown, expected):
        return
    changed = changes(fonts.versions())
    if changed and is_alike(shown, expected):
        warnings.warn(f"{name} is alike, not the same: made with {', '.join(changed)}")
        return
    keep.mkdir(parents=True, exist_ok=True)
    shown.save(keep / f"{name}-shown.png")
    expected.save(keep / f"{name}-expected.png")
    raise AssertionError(
        f"{name} {difference(shown, expected)}; both pictures are in {keep}; versions that changed:"
        f" {', '.join(changed) or 'none'}")


def changes(here: dict[str, str]) -> list[str]:
    """The packages whose version here differs from that of the pictures."""
    made_with = dict(line.split() for line in VERSIONS.read_text().splitlines())
    return [
        f"{package} {version} (here {here.get(package, 'none')})" for package, version in made_with.items()
        if here.get(package) != version]


def is_same(shown: Pillow.Image, expected: Pillow.Image) -> bool:
    return shown.size == expected.size and largest(ImageChops.difference(shown, expected)) <= LEVELS


def is_alike(shown: Pillow.Image, expected: Pillow.Image) -> bool:
    """Whether two pages differ at most as the same text drawn by another version of a library.

    Compares blurred pages: a stem that is thicker or a pixel further hardly matters; missing letters, other words and
    moved buttons do.
    """
    if shown.size != expected.size:
        return False
    blurred = ImageChops.difference(*(page.filter(ImageFilter.BoxBlur(BLUR)) for page in (shown, expected)))
    return largest(blurred) <= LARGEST_BLURRED


def difference(shown: Pillow.Image, expected: Pillow.Image) -> str:
    if shown.size != expected.size:
        return f"is {shown.size}, not {expected.size}"
    found = ImageChops.difference(shown, expected)
    return f"differs by up to {largest(found)} of 255, within {found.point(lambda value: value > LEVELS).getbbox()}"


def largest(differences: Pillow.Image) -> int:
    return max(high for _, high in differences.getextrema())


def with_palette(page: Pillow.Image) -> Pillow.Image:
    """Replaces each colour by a more common one within the limit, which quantize() does not guarantee."""
    palette: list[tuple] = []
    number_of: dict[tuple, int] = {}
    for _, color in sorted(page.getcolors(page.width * page.height), reverse=True):
        near = (
            number for number, other in enumerate(palette)
            if all(abs(a - b) <= LEVELS for a, b in zip(color, other)))
        number_of[color] = next(near, len(palette))
        if number_of[color] == len(palette):
            palette.append(color)
    assert len(palette) <= PALETTE, f"{len(palette)} colours are too many for a palette"
    indexed = Pillow.new("P", page.size)
    indexed.putpalette([channel for color in palette for channel in color])
    indexed.putdata([number_of[color] for color in page.getdata()])
    return indexed


def pillow(picture: Image) -> Pillow.Image:
    return Pillow.frombytes("RGB", picture.size, picture.rgb)
