# SPDX-License-Identifier: Apache-2.0
"""The libraries for other Swift programs: their examples work, and their reference has no warnings."""

import csv
import os
import subprocess
from pathlib import Path

from PIL import Image
from support.breadth import long

TOP = Path(__file__).parents[3]
POINTS = TOP / "Examples/signature.csv"
PROGRAMS = Path(os.environ["CONTROL_PEER"]).parent
PIXELS_PER_MILLIMETRE = 300 / 25.4


def run(*command, status=0) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def draw(points: Path, picture: Path) -> Image.Image:
    run(PROGRAMS / "draw-ink", points, picture)
    return Image.open(picture)


def darkness(picture: Image.Image) -> int:
    """The number of pixels that are more ink than paper."""
    return sum(picture.convert("L").histogram()[:150])


def test_draw_ink(tmp_path):
    picture = draw(POINTS, tmp_path / "a.png")
    assert picture.size == (720, 320) and round(picture.info["dpi"][0]) == 300
    places = [
        (float(row["x"]) * PIXELS_PER_MILLIMETRE, float(row["y"]) * PIXELS_PER_MILLIMETRE)
        for row in csv.DictReader(POINTS.open())]
    assert {picture.convert("RGB").getpixel((int(x), int(y))) for x, y in places[5:-5]} == {(0x1B, 0x2A, 0x6B)}
    # No ink lies far from the points.
    left, top, right, bottom = picture.convert("L").point(lambda value: 255 - value).getbbox()
    assert min(x for x, _ in places) - left < 8 and right - max(x for x, _ in places) < 8
    assert min(y for _, y in places) - top < 8 and bottom - max(y for _, y in places) < 8


def test_draw_ink_shows_pressure(tmp_path):
    light = tmp_path / "light.csv"
    header, *rows = POINTS.read_text().splitlines()
    fields = [row.split(",") for row in rows]
    light.write_text("\n".join([header, *(",".join([*row[:4], f"{float(row[4]) / 2}"]) for row in fields)]))
    heavy = darkness(draw(POINTS, tmp_path / "a.png"))
    assert 0.3 * heavy < darkness(draw(light, tmp_path / "b.png")) < 0.9 * heavy


def test_take_signature(start, tmp_path):
    peer = start("accept")
    said = run(PROGRAMS / "take-signature", peer.socket, tmp_path / "a.png").splitlines()
    # Each stroke is progress, too.
    assert set(said[:-2]) == {"signing"} and said[-2:] == ["saving", f"signed: {peer.records()[0]}"]
    assert Image.open(tmp_path / "a.png").format == "PNG"
    assert run(PROGRAMS / "take-signature", start("cancel").socket, tmp_path / "b.png", status=1).endswith(
        "not signed\n")


def test_the_package_of_the_examples_finds_its_libraries(tmp_path):
    """SwiftPM compares the products; the main package compiles the sources."""
    run("swift", "package", "--package-path", TOP / "Examples", "--scratch-path", tmp_path, "show-dependencies")


@long
def test_the_reference_has_no_warnings(tmp_path):
    run(TOP / "tools/docs", tmp_path)
    names = sorted(path.parent.name for path in TOP.glob("Sources/*/*.docc"))
    assert names == sorted(path.name for path in tmp_path.iterdir()) and len(names) == 6
