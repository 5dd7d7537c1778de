# SPDX-License-Identifier: Apache-2.0
"""What people saw is what is signed: a second engine draws each page, and the signed file is drawn again."""

import io
import subprocess
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas
from test_commands import Board, board  # noqa: F401
from test_flow import record, sign

HERE = "page=1 rect=300,100,460,150"


def page(text: str, box: bool = False) -> bytes:
    file = io.BytesIO()
    drawn = canvas.Canvas(file, pagesize=A4, invariant=1)
    drawn.setFont("Helvetica", 14)
    drawn.drawString(70, 700, text)
    if box:
        drawn.acroForm.checkbox(name="consent", x=70, y=600, size=20, tooltip="I agree", fieldFlags="required")
    drawn.save()
    return file.getvalue()


def with_link(path: Path) -> Path:
    """A link with a picture: poppler draws no picture of a link, MuPDF and PDFium do."""
    with pikepdf.open(io.BytesIO(page("Pay 10"))) as pdf:
        look = pdf.make_stream(b"1 g 0 0 200 40 re f 0 g BT /F 14 Tf 2 12 Td (Pay 9999) Tj ET")
        look.Type, look.Subtype, look.BBox = pikepdf.Name.XObject, pikepdf.Name.Form, [0, 0, 200, 40]
        look.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=pdf.pages[0].Resources.Font["/F1"]))
        pdf.pages[0].Annots = pdf.make_indirect([pdf.make_indirect(pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Link, Rect=[68, 688, 268, 728], F=4,
            AP=pikepdf.Dictionary(N=pdf.make_indirect(look))))])
        pdf.save(path)
    return path


def drawn(path: Path, program: str, at: tuple[int, int, int, int]) -> Image.Image:
    """A part of the first page in grey, in points from the upper left corner, at 144 dpi."""
    if program == "poppler":
        words = ["pdftoppm", "-r", "144", "-gray", "-singlefile", "-f", "1", path, "-"]
        data = subprocess.run(words[:-1], check=True, capture_output=True).stdout
    else:
        words = ["mutool", "draw", "-q", "-r", "144", "-c", "gray", "-F", "pnm", "-o", "-", path, "1"]
        data = subprocess.run(words, check=True, capture_output=True).stdout
    return Image.open(io.BytesIO(data)).convert("L").crop(tuple(2 * edge for edge in at))


def darkness(picture: Image.Image) -> float:
    pixels = list(picture.getdata())
    return sum(255 - pixel for pixel in pixels) / len(pixels) / 255


def check(board: Board, done) -> dict:
    return record(board, done)[-1]["end"]["check"]


def test_a_document_that_engines_draw_alike_is_signed_and_the_record_says_what_was_checked(board, tmp_path):
    path = tmp_path / "plain.pdf"
    path.write_bytes(page("Pay 10"))
    found = check(board, sign(board, path, tmp_path / "signed.pdf", "--field", HERE))
    assert found == {"redrawn": True, "second": found["second"]} and found["second"].startswith("mupdf 1.")
    # Nobody signs.
    found = check(board, board.run("capture", "--socket", board.socket, "--document", path, "--read", "--prompt", "Read"))
    assert "redrawn" not in found and found["second"].startswith("mupdf 1.")


def test_a_document_that_engines_draw_differently_is_signed_only_if_the_host_says_so(board, tmp_path):
    path = with_link(tmp_path / "link.pdf")
    done = sign(board, path, tmp_path / "signed.pdf", "--field", HERE, status=65)
    assert "draws page 1 differently at rect=" in done.stderr and "document flatten" in done.stderr, done.stderr
    assert not (tmp_path / "signed.pdf").exists()
    done = sign(board, path, tmp_path / "signed.pdf", "--field", HERE, "--allow", "notDrawn", status=65)
    assert "draws page 1 differently" in done.stderr
    found = check(board, sign(board, path, tmp_path / "signed.pdf", "--field", HERE, "--allow", "drawnDifferently"))
    (place, *_) = found["differences"]
    assert place["page"] == 1 and 60 < place["rectangle"][0] < 270 and found["redrawn"] is True
    # Who only reads may read anything.
    found = check(board, board.run("capture", "--socket", board.socket, "--document", path, "--read", "--prompt", "Read"))
    assert found["differences"]


def test_the_pads_drawing_of_that_document_is_signed(board, tmp_path):
    path = with_link(tmp_path / "link.pdf")
    found = check(board, sign(board, path, tmp_path / "signed.pdf", "--field", HERE, "--flatten"))
    assert "differences" not in found and found["redrawn"] is True
    one, other = (drawn(tmp_path / "signed.pdf", program, (68, 110, 268, 160)) for program in ("poppler", "mupdf"))
    assert darkness(one) > 0.005 and abs(darkness(one) - darkness(other)) < 0.004


@pytest.mark.parametrize("pictures", ["own", "exchanged", "all empty", "none when off"])
def test_a_ticked_box_looks_in_the_file_as_it_did_on_the_pad_in_every_reader(board, tmp_path, pictures):
    path, output = tmp_path / "box.pdf", tmp_path / "signed.pdf"
    with pikepdf.open(io.BytesIO(page("I agree", box=True))) as pdf:
        looks = pdf.pages[0].Annots[0].AP.N
        if pictures == "exchanged":
            looks.Yes, looks.Off = looks.Off, looks.Yes
        if pictures == "all empty":
            looks.Yes = looks.Off
        if pictures == "none when off":
            del looks.Off
        pdf.save(path)
    words = ("--field", HERE, "--field", "kind=check field=consent", "--require-answers")
    done = sign(board, path, output, *words)
    lines = record(board, done)
    assert {"checked": True, "name": "consent"} in [line.get("answer") for line in lines]
    assert lines[-1]["end"]["check"]["redrawn"] is True
    place = (74, 225, 86, 239)
    before = darkness(drawn(path, "poppler", place))
    for program in ("poppler", "mupdf"):
        after = darkness(drawn(output, program, place))
        assert after > 0.15 and after > before + 0.1 or pictures == "exchanged" and after > 0.15, (program, before, after)
    with pikepdf.open(output) as pdf:
        (field,) = [field for field in pdf.Root.AcroForm.Fields if field.get("/T") == "consent"]
        assert str(field.V) == "/Yes" == str(field.AS)


def test_without_a_second_engine_the_record_and_the_status_say_so(board, tmp_path):
    path = tmp_path / "plain.pdf"
    path.write_bytes(page("Pay 10"))
    missing = ("unshare", "--mount", "sh", "-c", 'mount --bind /dev/null /usr/bin/mutool && exec "$@"', "-")
    with Board(tmp_path / "other", prefix=missing) as other:
        found = check(other, sign(other, path, tmp_path / "signed.pdf", "--field", HERE))
        assert found == {"redrawn": True}
        assert "warning  no second engine draws documents" in other.run("status", "--socket", other.socket).stdout
    assert "warning" not in board.run("status", "--socket", board.socket).stdout
