# SPDX-License-Identifier: Apache-2.0
"""Pictures of pages as they are to be, under golden/: each pixel of a page must be that of its picture.

The pictures have palettes, so that they are small: for that a colour may be off by `LEVELS`, which nobody sees.

Glyphs come from the machine's fonts and libraries. Where those are of other versions than the pictures were made with
(golden/versions.txt), a page may differ as text does that another version has drawn: see `is_alike`. Layout, colours,
lines, ink and which words are where must still be the same.

    GOLDEN=write     makes the pictures anew; look at each before it is committed
"""

import io
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
# Of `is_alike`. Over 7 x 7 pixels, text that FreeType hints in full differs by up to 54 from the same text hinted
# slightly, and a page from itself a pixel further on by 35, two pixels further on by 60 to 70; a stem that is missing
# makes 77, a word some 120.
BLUR = 3
LARGEST_BLURRED = 60


def check(picture: Image, name: str, keep: Path) -> None:
    """Fails when a page is not the picture of that name; both are left in the folder `keep` then."""
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
    """What the pictures were made with and is of another version here."""
    made_with = dict(line.split() for line in VERSIONS.read_text().splitlines())
    return [
        f"{package} {version} (here {here.get(package, 'none')})" for package, version in made_with.items()
        if here.get(package) != version]


def is_same(shown: Pillow.Image, expected: Pillow.Image) -> bool:
    return shown.size == expected.size and largest(ImageChops.difference(shown, expected)) <= LEVELS


def is_alike(shown: Pillow.Image, expected: Pillow.Image) -> bool:
    """Whether two pages differ by no more than the same text drawn by another version of a library.

    Blurred, a stem that is thicker, or a pixel further on, is hardly another one; a letter that is missing, words that
    are others, or cut, and a button that is elsewhere are.
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
    """Not quantize(), which keeps to no limit: each colour becomes a commoner one that is hardly another."""
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
