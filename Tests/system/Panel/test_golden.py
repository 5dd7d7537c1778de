# SPDX-License-Identifier: Apache-2.0
"""Which differences the comparison with golden pictures accepts. Needs no guest."""

import pytest
from harness import golden
from PIL import Image, ImageChops, ImageDraw

LANGUAGES = ["en", "ar", "zh", "hi"]


def page(name):
    return Image.open(golden.FOLDER / f"{name}.png").convert("RGB")


def test_a_picture_is_the_same_only_as_itself():
    prompt = page("800x480-en-prompt")
    assert golden.is_same(prompt, prompt)
    assert not golden.is_same(ImageChops.offset(prompt, 1, 0), prompt)
    assert not golden.is_same(prompt.crop((0, 0, 799, 480)), prompt)
    changed = prompt.copy()
    red, *others = changed.getpixel((400, 200))
    changed.putpixel((400, 200), (red - golden.LEVELS - 1, *others))
    assert not golden.is_same(changed, prompt)
    assert "differs by up to 4 of 255, within (400, 200, 401, 201)" in golden.difference(changed, prompt)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_moved_by_a_pixel_is_alike_and_other_text_is_not(language):
    for name in ("idle", "prompt", "refused", "thanks"):
        shown = page(f"800x480-{language}-{name}")
        assert golden.is_alike(ImageChops.offset(shown, 1, 0), shown)
        assert not golden.is_alike(ImageChops.offset(shown, 3, 0), shown)
        for other in LANGUAGES:
            assert (other == language) == golden.is_alike(page(f"800x480-{other}-{name}"), shown)
    assert not golden.is_alike(page(f"800x480-{language}-refused"), page(f"800x480-{language}-prompt"))
    assert not golden.is_alike(page(f"800x480-{language}-signed"), page(f"800x480-{language}-prompt"))


def test_a_letter_that_is_missing_is_seen():
    prompt = page("800x480-en-prompt")
    without = prompt.copy()
    first_letter = (22, 24, 33, 56)  # an I, a single stem
    assert without.crop(first_letter).getcolors() is None or len(without.crop(first_letter).getcolors()) > 2
    ImageDraw.Draw(without).rectangle(first_letter, fill=prompt.getpixel((0, 0)))
    assert not golden.is_alike(without, prompt)


def test_palettes_keep_colours_within_the_limit():
    ramp = Image.new("RGB", (256, 3))
    ramp.putdata([(x, 255 - x // 2, y * x // 3) for y in range(3) for x in range(256)])
    assert golden.is_same(golden.with_palette(ramp).convert("RGB"), ramp)


def test_different_versions_are_named():
    made_with = dict(line.split() for line in golden.VERSIONS.read_text().splitlines())
    assert golden.changes(made_with) == []
    assert golden.changes({**made_with, "libpango-1.0-0": "0"}) == [
        f"libpango-1.0-0 {made_with['libpango-1.0-0']} (here 0)"]
