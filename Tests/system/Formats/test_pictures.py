# SPDX-License-Identifier: Apache-2.0
"""PNG as Pillow reads it, SVG as librsvg draws it."""

import json
import subprocess
from datetime import datetime, timezone
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops


def coverage(image: Image.Image) -> Image.Image:
    """How much of each pixel is ink, which is black: 0 to 255."""
    if image.mode == "RGBA":
        return image.getchannel("A")
    return ImageChops.invert(image.convert("L"))


def total(image: Image.Image) -> int:
    return sum(value * count for value, count in enumerate(image.histogram()))


def intersection_over_union(one: Image.Image, other: Image.Image) -> float:
    assert one.size == other.size
    return total(ImageChops.darker(one, other)) / total(ImageChops.lighter(one, other))


@pytest.fixture(scope="session")
def drawn(records):
    """Records with ink."""
    drawn = [record for record in records if record.strokes]
    assert len(drawn) > 10
    return drawn


def drawn_by_librsvg(record, kind: str, size: tuple[int, int]) -> Image.Image:
    path = record.path(kind + ".rsvg.png")
    subprocess.run(
        ["rsvg-convert", "--width", str(size[0]), "--height", str(size[1]), "--output", str(path),
         str(record.path(kind + ".svg"))],
        check=True)
    return Image.open(path)


@pytest.mark.parametrize("kind", ["paper", "clear"])
def test_svg_drawn_by_librsvg_is_our_png(drawn, kind):
    for record in drawn:
        ours = Image.open(record.path(kind + ".png"))
        assert ours.mode == ("RGBA" if kind == "clear" else "RGB")
        theirs = drawn_by_librsvg(record, kind, ours.size)
        if kind == "paper":
            theirs = theirs.convert("RGB")
        overlap = intersection_over_union(coverage(ours), coverage(theirs))
        assert overlap > 0.99, f"{record.stem.name}: {overlap}"


def test_svg_four_times_as_large_is_our_png_of_that_size(drawn):
    """SVG is rounded to 1/100 pixel and has fewer vertices: not so that it shows when it is printed larger."""
    large = [record for record in drawn if record.path("large.png").exists()]
    assert len(large) > 5
    for record in large:
        ours = Image.open(record.path("large.png"))
        theirs = drawn_by_librsvg(record, "paper", ours.size).convert("RGB")
        overlap = intersection_over_union(coverage(ours), coverage(theirs))
        assert overlap > 0.99, f"{record.stem.name}: {overlap}"


def test_a_picture_of_another_record_is_no_match(drawn):
    """That the measure can tell ink from ink."""
    pictures = [coverage(Image.open(record.path("clear.png"))) for record in drawn]
    for one, other in zip(pictures, pictures[1:]):
        if one.size != other.size:
            other = other.resize(one.size)
        assert intersection_over_union(one, other) < 0.9


def test_transparent_pictures_are_black_ink_on_clear_white(drawn):
    for record in drawn:
        clear = Image.open(record.path("clear.png"))
        paper = coverage(Image.open(record.path("paper.png")))
        colours = {pixel[:3] for pixel in clear.getdata() if pixel[3] > 0}
        assert colours == {(0, 0, 0)}
        # Programs that drop the alpha channel show paper there.
        assert {pixel for pixel in clear.getdata() if pixel[3] == 0} == {(255, 255, 255, 0)}
        # Strokes over one another are rounded once more.
        assert ImageChops.difference(clear.getchannel("A"), paper).getextrema()[1] <= 2


def test_svg_and_png_state_the_same_size(drawn):
    for record in drawn:
        picture = Image.open(record.path("paper.png"))
        root = ElementTree.parse(record.path("paper.svg")).getroot()
        across, down = picture.info["dpi"]
        for length, pixels, dots in [
                (root.get("width"), picture.width, across), (root.get("height"), picture.height, down)]:
            assert length.endswith("mm")
            assert float(length[:-2]) == pytest.approx(pixels * 25.4 / dots, rel=0.001)


CAPTURE = "{https://inkpanel.org/capture}"


def test_pictures_say_which_capture_they_are_of(drawn):
    assert any(record.data for record in drawn) and not all(record.data for record in drawn)
    for record in drawn:
        moment = datetime.fromtimestamp(record.started // 10**6, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        for kind in ["paper", "clear"]:
            texts = Image.open(record.path(kind + ".png")).text
            assert texts["Outcome"] == "accepted" and texts["Creation Time"] == moment
            assert texts.get("Panel") == record.panel and json.loads(texts.get("Data", "{}")) == record.data
            root = ElementTree.parse(record.path(kind + ".svg")).getroot()
            assert root[0].tag.endswith("}title") and texts["Capture"] in root[0].text == texts["Title"]
            capture = root.find(f".//{CAPTURE}capture")
            assert capture.get("id") == texts["Capture"] and capture.get("startedAt") == moment
            assert capture.get("panel") == record.panel and capture.get("outcome") == "accepted"
            assert {entry.get("key"): entry.text for entry in capture} == record.data
