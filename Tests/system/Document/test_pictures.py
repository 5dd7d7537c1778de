# SPDX-License-Identifier: Apache-2.0
"""Pictures in place of a PDF file: each becomes a page."""

import hashlib
import io
import json
import random
import re
import shutil
import struct
import subprocess
import sys
import zlib

import pytest
from conftest import ask, facts, pixel
from PIL import Image
from support import breadth
from test_commands import TOP, board  # noqa: F401

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)
CONVERT = {"do": "convert"}


def file(image: Image.Image, kind: str = "PNG", **options) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def halves(mode: str = "RGB") -> Image.Image:
    """Red above, blue below; upright."""
    image = Image.new("RGB", (400, 600), RED)
    image.paste(BLUE, (0, 300, 400, 600))
    return image.convert(mode)


def converted(pictures: bytes, **options) -> bytes:
    answer = ask(pictures, CONVERT, **options)
    assert answer.error is None, answer
    return answer.body


def drawn(document: bytes, page: int = 1, width: int = 80, height: int = 120) -> list[tuple[int, ...]]:
    """The colours at a quarter and three quarters of the page's height."""
    answer = ask(document, {"do": "render", "page": page, "width": width, "height": height})
    assert answer.error is None, answer
    return [pixel(answer.body, width, width // 2, height * part // 4) for part in (1, 3)]


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, rows: bytes, depth: int = 8, colour: int = 0) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("picture", [
    file(halves()), file(halves("P")), file(halves("RGBA")), file(halves(), "JPEG", quality=95),
    file(halves(), "JPEG", quality=95, progressive=True)], ids=["png", "palette", "alpha", "jpeg", "progressive"])
def test_a_picture_is_a_page_of_297_millimetres(picture, tmp_path):
    document = converted(picture)
    told = facts(document)
    assert [round(told["pages"][0][side]) for side in ("width", "height")] == [561, 842]
    assert told["fields"] == [] and told["warnings"] == [] and told["missingFonts"] == []
    for colour, wanted in zip(drawn(document), (RED, BLUE)):
        assert all(abs(a - b) < 6 for a, b in zip(colour, wanted)), colour
    made = tmp_path / "made.pdf"
    made.write_bytes(document)
    checked = subprocess.run(["qpdf", "--check", made], capture_output=True)
    assert checked.returncode == 0, checked
    assert converted(picture) == document


def test_pictures_have_the_same_bytes_in_the_sandbox():
    for picture in (file(halves()), JPEG):
        assert converted(picture, boxed=True) == converted(picture)


def test_grey_transparent_and_16_bit_pictures():
    grey = converted(file(Image.new("L", (100, 150), 77)))
    assert b"/DeviceGray" in grey and drawn(grey) == [(77, 77, 77)] * 2
    clear = Image.new("RGBA", (100, 150), (0, 0, 0, 0))
    assert drawn(converted(file(clear))) == [WHITE] * 2
    deep = png(10, 15, b"".join(b"\0" + b"\x80\0" * 10 for _ in range(15)), depth=16)
    assert len(facts(converted(deep))["pages"]) == 1
    assert b"/DeviceGray" in converted(file(Image.new("L", (100, 150), 77), "JPEG"))


@pytest.mark.parametrize("turn, kind", breadth.pairs([
    (1, (561, 842), (RED, BLUE)), (3, (561, 842), (BLUE, RED)), (6, (842, 561), None), (8, (842, 561), None),
], ["JPEG", "PNG"]))
def test_a_picture_that_lies_on_its_side_is_turned(turn, kind):
    orientation, page, colours = turn
    exif = Image.Exif()
    exif[0x0112] = orientation
    document = converted(file(halves(), kind, quality=95, exif=exif))
    told = facts(document)["pages"][0]
    assert (round(told["width"]), round(told["height"])) == page
    if colours:
        seen = drawn(document)
    else:
        # Turned clockwise, what was above is on the right.
        answer = ask(document, {"do": "render", "page": 1, "width": 120, "height": 80})
        seen = [pixel(answer.body, 120, 120 * part // 4, 40) for part in (1, 3)]
        colours = (BLUE, RED) if orientation == 6 else (RED, BLUE)
    assert all(abs(a - b) < 6 for one, two in zip(seen, colours) for a, b in zip(one, two)), seen


def segments(jpeg: bytes) -> list[tuple[int, bytes]]:
    """The markers to the first scan, each with its segment."""
    found, place = [], 2
    while not found or found[-1][0] != 0xDA:
        length = struct.unpack(">H", jpeg[place + 2:place + 4])[0]
        found.append((jpeg[place + 1], jpeg[place:place + 2 + length]))
        place += 2 + length
    return found


def jpeg_of(colours: str, names: bytes, *markers: bytes) -> bytes:
    """A picture whose components are RGB or YCbCr and have these names, and which has these markers."""
    whole = file(halves(), "JPEG", quality=95, subsampling=0, keep_rgb=colours == "RGB")
    parts = []
    for marker, segment in segments(whole):
        segment = bytearray(segment)
        for number, name in enumerate(names):
            if marker in (0xC0, 0xDA):
                segment[(10 if marker == 0xC0 else 5) + (3 if marker == 0xC0 else 2) * number] = name
        parts += [segment] * (marker not in (0xE0, 0xEE))
    data = whole[whole.index(segments(whole)[-1][1]) + len(segments(whole)[-1][1]):]
    return whole[:2] + b"".join(markers) + b"".join(parts) + data


JFIF = b"\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0"


def adobe(transform: int) -> bytes:
    return b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0" + bytes([transform])


@pytest.mark.parametrize("colours, names, markers", [
    ("RGB", b"RGB", []), ("RGB", b"RGB", [adobe(0)]), ("RGB", b"\1\2\3", [adobe(0)]),
    ("YCbCr", b"\1\2\3", []), ("YCbCr", b"\0\1\2", []), ("YCbCr", b"YCc", []), ("YCbCr", b"RGB", [JFIF]),
    ("YCbCr", b"RGB", [adobe(1)]), ("YCbCr", b"\1\2\3", [adobe(2)]), ("YCbCr", b"\1\2\3", [JFIF, adobe(1)])])
def test_the_colours_of_a_jpeg_file_are_those_that_other_programs_show(colours, names, markers, tmp_path):
    picture = jpeg_of(colours, names, *markers)
    shown = Image.open(io.BytesIO(picture)).convert("RGB")
    expected = [shown.getpixel((200, 600 * part // 4)) for part in (1, 3)]
    assert expected[0][0] > 240 and expected[1][2] > 240
    document = converted(picture)
    (tmp_path / "made.pdf").write_bytes(document)
    subprocess.run(["mutool", "draw", "-q", "-o", tmp_path / "made.png", "-w", "80", tmp_path / "made.pdf"], check=True)
    other = Image.open(tmp_path / "made.png").convert("RGB")
    for seen in (drawn(document), [other.getpixel((40, 120 * part // 4)) for part in (1, 3)]):
        assert all(abs(a - b) < 6 for one, two in zip(seen, expected) for a, b in zip(one, two)), seen


def test_a_jpeg_file_whose_markers_disagree_is_refused():
    assert ask(jpeg_of("RGB", b"\1\2\3", JFIF, adobe(0)), CONVERT).error == "picture"


def densities(x: int, y: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x011A], exif[0x011B], exif[0x0128] = x, y, 2
    return exif


@pytest.mark.parametrize("picture", [
    file(halves(), "JPEG", quality=95, dpi=(204, 98)), file(halves(), dpi=(204, 98)),
    file(halves(), exif=densities(204, 98)), file(halves(), "JPEG", quality=95, exif=densities(204, 98))],
    ids=["JFIF", "pHYs", "eXIf", "Exif"])
def test_a_page_has_the_shape_of_a_picture_whose_pixels_are_no_squares(picture):
    page = facts(converted(picture))["pages"][0]
    assert page["height"] == 842 and abs(page["width"] / page["height"] - 400 / 204 / (600 / 98)) < 0.001


@pytest.mark.parametrize("dpi", [(0, 98), (72, 72), (1, 3000), (300, 301)])
def test_a_density_that_says_nothing_of_the_pixels_does_not_count(dpi):
    page = facts(converted(file(halves(), "JPEG", quality=95, dpi=dpi)))["pages"][0]
    assert [round(page[side]) for side in ("width", "height")] == [561, 842]


def test_several_pictures_are_pages_in_their_order_and_a_jpeg_file_is_there_as_it_is():
    jpeg = file(Image.new("RGB", (300, 200), BLUE), "JPEG", quality=95)
    document = converted(file(halves()) + jpeg + file(Image.new("L", (10, 10), 9)))
    sizes = [(round(page["width"]), round(page["height"])) for page in facts(document)["pages"]]
    assert sizes == [(561, 842), (842, 561), (842, 842)] and jpeg in document
    assert drawn(document, 3, 50, 50) == [(9, 9, 9)] * 2


def test_a_photograph_of_a_telephone_is_one_page_whatever_it_appends():
    photograph, preview = halves(), Image.new("RGB", (80, 120), BLUE)
    output = io.BytesIO()
    photograph.save(output, "MPO", save_all=True, append_images=[preview])
    whole = output.getvalue()
    (second,) = (match.start() for match in re.finditer(rb"\xff\xd9\xff\xd8", whole))
    first = whole[:second + 2]
    for pictures, count in ((whole, 1), (whole + JPEG, 2), (first, 1), (first + JPEG, 2)):
        document = converted(pictures)
        assert len(facts(document)["pages"]) == count and first in document
        assert whole not in document
        seen = drawn(document)
        assert all(abs(a - b) < 6 for one, two in zip(seen, (RED, BLUE)) for a, b in zip(one, two)), seen


@pytest.mark.parametrize("order", ["<", ">"])
def test_an_orientation_may_be_a_long_number(order):
    data = struct.pack(order + "HIHHHIII", 42, 8, 1, 0x0112, 4, 1, 6, 0)
    exif = b"Exif\0\0" + (b"II" if order == "<" else b"MM") + data
    turned = JPEG[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + JPEG[2:]
    page = facts(converted(turned))["pages"][0]
    assert page["width"] > page["height"]


@pytest.mark.parametrize("exif", [
    b"?", b"II*\0", b"MM\0*\xff\xff\xff\xff", b"MM\0*\0\0\0\x08\xff\xff", b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03"])
def test_exif_data_that_say_nothing_turn_nothing(exif):
    page = facts(converted(file(halves(), "PNG", exif=exif)))["pages"][0]
    assert page["width"] < page["height"]


@pytest.mark.parametrize("kind", ["GIF", "TIFF", "BMP"])
def test_files_of_other_kinds_are_refused_as_such(kind):
    answer = ask(file(halves(), kind), {"do": "inspect"})
    assert answer.error == "damaged" and "no PDF, PNG or JPEG file: convert it" in answer.line["reason"]


def cut(data: bytes, count: int = 30) -> bytes:
    return data[:-count]


def changed(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1:]


JPEG = file(halves(), "JPEG")
EXIF = Image.Exif()
EXIF[0x0112] = 2


@pytest.mark.parametrize("pictures, words", [
    (b"hello", "neither a PNG nor a JPEG"), (file(halves()) + b"more", "picture 2 cannot be shown: the 4 bytes after picture 1"), (cut(file(halves())), "no end"),
    (changed(file(halves()), 60), "damaged"), (changed(file(halves()), 20), "damaged"),
    (png(400, 600, b"\0" * 401 * 300), "damaged"), (png(60_000, 60_000, b"\0" * 1000), "60000x60000 pixels"),
    (png(16_384, 16_384, b""), "pixels"), (png(3000, 100, b"\0" * 3001 * 100), "strip"), (png(0, 5, b""), "damaged"),
    (cut(JPEG), "no end"), (JPEG[:200], "no end"), (JPEG + b"\0", "picture 2"),
    (file(halves("CMYK"), "JPEG"), "4 colours"), (file(halves(), "JPEG", exif=EXIF), "mirrored"), (file(halves(), "PNG", exif=EXIF), "mirrored"),
    (b"\xff\xd8\xff\xd9", "damaged"), (b"\xff\xd8\xff\xc0\x00\x0b\x08\xea\x60\xea\x60\x01\x01\x11\x00", "60000"),
    (b"\xff\xd8\xff\xe0\xff\xff", "no end"), (b"\xff\xd8\xff\xc3\x00\x02", "baseline or progressive")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_a_picture_that_cannot_be_a_page_is_refused_by_name(pictures, words):
    answer = ask(pictures, CONVERT)
    assert (answer.status, answer.error) == (0, "picture") and words in answer.line["reason"], answer


def test_bombs_cost_little_time_and_memory():
    # 16 million white pixels in 20 KB, and pages of them until there is no more room or time.
    bomb = png(4096, 4096, b"".join(b"\0" + b"\xff" * 12288 for _ in range(4096)), colour=2)
    assert len(bomb) < 100_000
    one = ask(bomb, CONVERT)
    assert one.error is None and one.seconds < 10
    many = ask(bomb * 100, CONVERT, "--seconds", "4")
    assert many.error == "tooSlow" and many.seconds < 7
    assert ask(file(Image.new("L", (4, 4))) * 501, CONVERT).error == "tooManyPages"
    noise = Image.frombytes("RGB", (2000, 1500), random.Random(1).randbytes(9_000_000))
    assert ask(file(noise) * 3, CONVERT, "--seconds", "60").error is None


def test_damaged_pictures_are_refused_or_read():
    chance = random.Random(3)
    sources = [file(halves("P")), file(halves("RGBA")), JPEG, file(halves(), "JPEG", progressive=True)]
    errors = set()
    for _ in range(100):
        data = bytearray(chance.choice(sources))
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        answer = ask(bytes(data), CONVERT)
        assert answer.status == 0 and answer.line is not None
        errors.add(answer.error)
        if answer.error is None:
            assert facts(answer.body)["pages"]
    assert errors == {None, "picture"}


def test_people_sign_pictures_and_everybody_finds_what_was_shown(board, tmp_path):
    pages = tmp_path / "pages"
    pages.write_bytes(file(halves()) + JPEG)
    output, made = tmp_path / "signed.pdf", tmp_path / "made.pdf"
    identity = board.run(
        "capture", "--socket", board.socket, "--document", pages, "--prompt", "Delivery", "--output", output,
        "--field", "page=2 rect=100,60,300,130", "--field", "kind=check page=1 rect=20,20,40,40 label=\"All there\"",
        "--see-all-pages").stdout.strip()
    board.run("document", "convert", pages, "--output", made)
    assert output.read_bytes().startswith(made.read_bytes())
    assert "page 2" in board.run("document", "inspect", pages).stdout
    store = shutil.copytree(board.store, tmp_path / "copy")
    record = store / "captures" / f"{identity}.jsonl"
    header = json.loads(record.read_bytes().split(b"\n")[0])
    document = header["flow"]["document"]
    assert document["pictures"] == {"bytes": pages.stat().st_size, "sha256": hashlib.sha256(pages.read_bytes()).hexdigest()}
    assert header["request"]["document"]["sha256"] == hashlib.sha256(made.read_bytes()).hexdigest()
    assert document["bytes"] == made.stat().st_size
    signers = tmp_path / "allowed_signers"
    signers.write_text(
        board.run("identity", "show", "--allowed-signers", "--name", "panel-12", *board.identity()).stdout)
    told = board.run("verify", store, "--allowed-signers", signers).stdout
    assert told.endswith("\nFITS\n"), told
    (seal,) = (path for path in (store / "seals").iterdir() if identity in path.name)
    done = subprocess.run(
        [sys.executable, "-B", TOP / "docs/examples/verify.py", "--document", output, record, seal, seal, signers, output,
         pages], capture_output=True, text=True)
    assert done.stdout.endswith("\nFITS\n"), (done.stdout, done.stderr)
    assert "the pictures of which the panel made the document" in done.stdout
    assert "the pictures of pages [1, 2] are those that were shown" in done.stdout, done.stdout


def test_damaged_pictures_are_refused_before_anybody_sees_a_page(board, tmp_path):
    path = tmp_path / "pages"
    path.write_bytes(cut(JPEG))
    done = board.run(
        "capture", "--socket", board.socket, "--document", path, "--prompt", "Delivery", "--read", "--output",
        tmp_path / "signed.pdf", status=65)
    assert "picture 1 cannot be shown: the JPEG file has no end" in done.stderr
