# SPDX-License-Identifier: Apache-2.0
"""poppler's drawing of a document as a new file, which every reader draws alike."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys

import pikepdf
import pytest
from conftest import ask, contract, facts, one_page, raw_pdf, stream  # noqa: F401
from pikepdf import Array, Dictionary, Name, String
from PIL import Image, ImageChops, ImageFilter
from signed_files import CONTENTS, Document, special, standard, text_pages
from support import breadth
from test_commands import TOP, board  # noqa: F401
from test_seen import with_link
from test_signed import authority, check, jobs, sign, signers  # noqa: F401

FLATTEN = {"do": "flatten"}
RED, WHITE = (255, 0, 0), (255, 255, 255)


def flat(document: bytes, **options) -> bytes:
    answer = ask(document, FLATTEN, "--seconds", "60", **options)
    assert answer.error is None, answer.line
    return answer.body


def refused(document: bytes) -> tuple[str, str]:
    answer = ask(document, FLATTEN, "--seconds", "60")
    assert answer.status == 0 and answer.error, answer
    return answer.error, answer.line["reason"]


def changed(document: bytes, change) -> bytes:
    output = io.BytesIO()
    with pikepdf.open(io.BytesIO(document)) as pdf:
        change(pdf)
        pdf.save(output, deterministic_id=True)
    return output.getvalue()


def drawn(document: bytes, folder, page: int = 1, program: str = "poppler") -> Image.Image:
    """A page at 72 pixels an inch."""
    (folder / "drawn.pdf").write_bytes(document)
    words = {
        "poppler": ["pdftoppm", "-q", "-cropbox", "-r", "72", "-f", str(page), "-l", str(page), "-singlefile"],
        "MuPDF": ["mutool", "draw", "-q", "-r", "72", "-F", "ppm", "-o", "-"]}[program]
    words += [str(folder / "drawn.pdf")] + ([str(page)] if program == "MuPDF" else [])
    return Image.open(io.BytesIO(subprocess.run(words, capture_output=True, check=True).stdout)).convert("RGB")


def differing(one: Image.Image, other: Image.Image) -> int:
    """How many pixels of one are unlike all neighbours of that in the other: programs smooth edges in their own way."""
    assert all(abs(a - b) <= 1 for a, b in zip(one.size, other.size)), (one.size, other.size)
    size = tuple(map(min, one.size, other.size))
    count = 0
    for a, b in ((one, other), (other, one)):
        a, b = (image.crop((0, 0, *size)).convert("L") for image in (a, b))
        least, most = a.filter(ImageFilter.MinFilter(3)), a.filter(ImageFilter.MaxFilter(3))
        for outside in (ImageChops.subtract(least, b), ImageChops.subtract(b, most)):
            count += sum(outside.histogram()[96:])
    return count


def words(document: bytes) -> list[str]:
    done = subprocess.run(["pdftotext", "-", "-"], input=document, capture_output=True, check=True)
    return sorted(done.stdout.decode().split())


def sizes(document: bytes) -> list[tuple[float, float]]:
    return [(round(page["width"], 2), round(page["height"], 2)) for page in facts(document)["pages"]]


# MARK: what is drawn


@pytest.mark.parametrize("content", breadth.share(CONTENTS, 3))
def test_a_flat_file_looks_like_the_document_and_is_signed(content, signers, authority, tmp_path):  # noqa: F811
    document = standard(content, "streams").data
    made = flat(document)
    told = facts(made)
    assert told["warnings"] == [] and told["fields"] == [] and told["missingFonts"] == []
    assert sizes(made) == sizes(document) and words(made) == words(document)
    for page in range(1, len(told["pages"]) + 1):
        as_it_was = drawn(document, tmp_path, page)
        assert differing(as_it_was, drawn(made, tmp_path, page)) < 10
        assert differing(drawn(made, tmp_path, page), drawn(made, tmp_path, page, "MuPDF").resize(as_it_was.size)) < 60
    check(sign(made, jobs(Document(content, made), signers, 2), tmp_path), 2, authority, tmp_path)


def test_files_that_only_some_programs_write_are_flattened(signers, tmp_path):  # noqa: F811
    for document in breadth.some(special(signers), 3):
        made = flat(document.data)
        assert facts(made)["warnings"] == [] and sizes(made) == sizes(document.data), document.name
        assert differing(drawn(document.data, tmp_path), drawn(made, tmp_path)) < 10, document.name


def test_the_same_document_gives_the_same_bytes_also_in_the_sandbox():
    for document in (text_pages(3), standard("texts", "table").data, standard("latin", "streams").data):
        made = flat(document)
        assert b"CreationDate" not in made
        assert flat(document) == made and flat(document, boxed=True) == made


def test_pages_of_many_sizes_keep_them(tmp_path):
    pages = [
        ("[ 0 0 595.28 841.89 ]", ""), ("[ 0 0 841.89 595.28 ]", ""), ("[ 0 0 595.28 841.89 ]", "/Rotate 90"),
        ("[ 10 20 605.28 861.89 ]", "/Rotate 270 /CropBox [ 50.5 60.25 500.75 700.1 ]"),
        ("[ -100 -50 400 300 ]", ""), ("[ 0 0 200 300 ]", "/UserUnit 2.5"), ("[ 0 0 20.3 31.7 ]", "/Rotate 180"),
        ("[ 0 0 3000 5000.5 ]", "")]
    kids = " ".join(f"{number} 0 R" for number in range(3, 3 + len(pages)))
    document = raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Count {len(pages)} /Kids [ {kids} ] >>".encode(),
        *(f"<< /Type /Page /Parent 2 0 R /MediaBox {box} {more} /Contents {3 + len(pages)} 0 R >>".encode()
          for box, more in pages), stream(b"1 0 0 rg 60 70 90 40 re f"))
    made = flat(document)
    assert sizes(made) == sizes(document) == [
        (595.28, 841.89), (841.89, 595.28), (841.89, 595.28), (639.85, 450.25), (500, 350), (500, 750), (20.3, 31.7),
        (3000, 5000.5)]
    for page in (1, 2, 3, 4, 5, 6):
        assert differing(drawn(document, tmp_path, page), drawn(made, tmp_path, page)) < 10, page


def test_what_poppler_draws_on_paper_in_another_way_is_no_loss(tmp_path):
    """Lines without a width, patterns, blends, masks, letters of drawings."""
    tile = stream(b"1 0 0 rg 0 0 5 5 re f", b"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1"
                  b" /BBox [ 0 0 10 10 ] /XStep 10 /YStep 10 /Resources << >>")
    glyph = stream(b"1000 0 0 0 750 750 d1 0 0 750 750 re f")
    mask = stream(b"0.5 g 0 0 595 842 re f 1 g 100 100 100 100 re f", b"/Type /XObject /Subtype /Form"
                  b" /BBox [ 0 0 595 842 ] /Group << /S /Transparency /CS /DeviceGray >>")
    letters = (b"<< /Type /Font /Subtype /Type3 /FontBBox [ 0 0 750 750 ] /FontMatrix [ .001 0 0 .001 0 0 ] /CharProcs"
               b" << /a 6 0 R >> /Encoding << /Type /Encoding /Differences [ 97 /a ] >> /FirstChar 97 /LastChar 97"
               b" /Widths [ 1000 ] /Resources << >> >>")
    document = one_page(
        b"q 0 w [ 3 2 ] 0 d 60 60 m 500 720 l S Q q /Pattern cs /P scn 50 600 200 150 re f Q BT /T 30 Tf 300 700 Td (aaa) Tj"
        b" ET q /M gs 0 .5 0 rg 50 50 300 300 re f Q q /B gs 1 1 0 rg 300 400 100 100 re f 0 1 1 rg 350 450 100 100 re f Q",
        tile, glyph, mask, letters,
        resources=b"/Pattern << /P 5 0 R >> /Font << /T 8 0 R >> /ExtGState << /M << /SMask << /S /Luminosity /G 7 0 R >> >>"
        b" /B << /BM /Multiply >> >>")
    made = drawn(flat(document), tmp_path)
    for place, colour in {(320, 710): (0, 0, 0), (330, 430): (255, 255, 0), (380, 480): (0, 255, 0),
                          (430, 530): (0, 255, 255), (150, 150): (0, 127, 0), (300, 300): (127, 191, 127),
                          (52, 602): RED, (58, 602): WHITE}.items():
        seen = made.getpixel((place[0], 842 - place[1]))
        assert all(abs(a - b) < 4 for a, b in zip(seen, colour)), (place, seen)


def form_with(*annotations: dict):
    def change(pdf):
        page = pdf.pages[0]
        made = []
        for entries in annotations:
            look = pdf.make_stream(b"1 0 0 rg 0 0 50 50 re f")
            look.Type, look.Subtype, look.BBox = Name.XObject, Name.Form, Array([0, 0, 50, 50])
            made.append(pdf.make_indirect(Dictionary(
                Type=Name.Annot, AP=Dictionary(N=look), **{"Subtype": Name.Stamp, **entries})))
        page.Annots = Array(made)
    return change


def test_what_is_on_the_screen_is_drawn_and_not_what_is_on_paper(tmp_path):
    # Print, Hidden and NoView are 4, 2 and 32.
    flags = [(0, True), (4, True), (2, False), (6, False), (32, False), (36, False), (1, True)]
    document = changed(text_pages(), form_with(*(
        {"Rect": Array([40 + 70 * number, 40, 90 + 70 * number, 90]), "F": flag}
        for number, (flag, _) in enumerate(flags))))
    assert "hiddenAnnotation" in facts(document)["warnings"]
    for file in (document, flat(document)):
        picture = drawn(file, tmp_path)
        seen = [picture.getpixel((65 + 70 * number, 842 - 65)) for number in range(len(flags))]
        assert seen == [RED if shown else WHITE for _, shown in flags]


def test_layers_actions_and_forms_become_what_they_look_like(tmp_path):
    def change(pdf):
        page = pdf.pages[0]
        shown, hidden = (pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(name))) for name in "AB")
        pdf.Root.OCProperties = Dictionary(
            OCGs=Array([shown, hidden]), D=Dictionary(ON=Array([shown]), OFF=Array([hidden]), Order=Array()))
        page.Resources.Properties = Dictionary(A=shown, B=hidden)
        page.contents_add(
            b"/OC /A BDC 1 0 0 rg 40 40 50 50 re f EMC /OC /B BDC 1 0 0 rg 140 40 50 50 re f EMC", prepend=False)
        script = Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))
        pdf.Root.OpenAction = script
        page.AA = Dictionary(O=script)
        field = pdf.make_indirect(Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String("mail"), V=String("anna@example.org"),
            DA=String("/Helv 12 Tf 0 g"), F=0, Rect=Array([72, 200, 300, 220])))
        page.Annots = Array([field])
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        pdf.Root.AcroForm = Dictionary(
            Fields=Array([field]), NeedAppearances=True, DR=Dictionary(Font=Dictionary(Helv=font)),
            XFA=pdf.make_stream(b"<xdp/>"))
    document = changed(text_pages(), change)
    assert ask(document, {"do": "inspect"}).error == "xfa"
    made = flat(document)
    told = facts(made)
    assert told["warnings"] == [] and told["fields"] == []
    picture = drawn(made, tmp_path)
    assert [picture.getpixel((x, 842 - 65)) for x in (65, 165)] == [RED, WHITE]
    assert "anna@example.org" in words(made)
    with pikepdf.open(io.BytesIO(made)) as pdf:
        assert set(pdf.Root.keys()) == {"/Type", "/Pages"} and "/Info" not in pdf.trailer
        assert all("/Annots" not in page for page in pdf.pages)


def test_texts_of_the_flat_file_are_found(contract):  # noqa: F811
    made = flat(contract)
    for text in ("Please sign here: now", "two & <three>"):
        (was,), (now,) = (
            json.loads(ask(file, {"do": "find", "text": text}).body)["hits"] for file in (contract, made))
        assert was[0] == now[0] and all(abs(was[n] - now[n]) < 0.1 for n in (1, 3)), (was, now)
        # Each font says how high it is.
        assert all(abs(was[n] - now[n]) < 1 for n in (2, 4)), (was, now)


def test_a_file_that_needs_no_password_is_flattened():
    output = io.BytesIO()
    with pikepdf.open(io.BytesIO(text_pages())) as pdf:
        pdf.save(output, encryption=pikepdf.Encryption(owner="owner", user="", allow=pikepdf.Permissions(extract=False)))
    assert ask(output.getvalue(), {"do": "inspect"}).error == "encrypted"
    assert words(flat(output.getvalue())) == words(text_pages())
    with pikepdf.open(io.BytesIO(text_pages())) as pdf:
        output = io.BytesIO()
        pdf.save(output, encryption=pikepdf.Encryption(owner="owner", user="user"))
    assert refused(output.getvalue()) == ("encrypted", "the document is encrypted: send it without a password")


# MARK: damage


PLAIN = text_pages(2)
REPAIRED = {
    "no start of the table": re.sub(rb"startxref\n\d+", b"startxref\n0", PLAIN),
    "a wrong start": re.sub(rb"startxref\n\d+", b"startxref\n99999999", PLAIN),
    "wrong places": re.sub(rb"(\d{9})\d 00000 n", rb"\g<1>0 00000 n", PLAIN),
    "bytes before": b"\n" * 10 + PLAIN,
    "short lengths": re.sub(rb"/Length \d+", b"/Length 5", PLAIN),
    "long lengths": re.sub(rb"/Length \d+", b"/Length 999999", PLAIN),
    "no ends of objects": PLAIN.replace(b"endobj", b"", 3),
    "a wrong size": re.sub(rb"/Size \d+", b"/Size 2", PLAIN),
}


@pytest.mark.parametrize("damage", breadth.share(REPAIRED, 3))
def test_a_damaged_file_that_can_be_drawn_is_accepted_when_it_is_flat(damage, signers, authority, tmp_path):  # noqa: F811
    damaged = REPAIRED[damage]
    assert damaged != PLAIN and ask(damaged, {"do": "inspect"}).error == "damaged"
    made = flat(damaged)
    assert facts(made)["warnings"] == [] and words(made) == words(PLAIN)
    for page in (1, 2):
        assert differing(drawn(PLAIN, tmp_path, page), drawn(made, tmp_path, page)) < 60
    check(sign(made, jobs(Document(damage, made), signers, 1), tmp_path), 1, authority, tmp_path)


def test_odd_pages_are_accepted_when_they_are_flat():
    page = b"<< /Type /Page /Parent 2 0 R %s /Contents 4 0 R >>"
    for entries in (b"/MediaBox [ 0 0 595 842 ] /Rotate 90.5", b"", b"/MediaBox [ 0 0 595 842 ] /CropBox [ 0 0 0 0 ]"):
        document = raw_pdf(
            b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>", page % entries,
            stream(b"1 0 0 rg 60 70 90 40 re f"))
        (page_size,) = sizes(flat(document))
        assert page_size == ((595, 842) if entries else (612, 792)), entries


def test_a_damaged_file_is_refused_if_a_note_on_the_screen_is_not_on_paper():
    note = {"Rect": Array([40, 40, 90, 90])}
    for flag in (0, 4):
        document = changed(text_pages(), form_with({**note, "F": flag})) + b"\n"
        damaged = re.sub(rb"startxref\n\d+", b"startxref\n0", document)
        assert ask(damaged, {"do": "inspect"}).error == "damaged"
        if flag:
            flat(damaged)
        else:
            assert refused(damaged) == ("damaged", "the document cannot be flattened: page 1 would look different: print it to "
                                        "a PDF file elsewhere")


def test_what_cannot_be_drawn_completely_is_refused():
    start = PLAIN.index(b"stream\n") + 60
    torn = PLAIN[:start] + bytes(byte ^ 0x15 for byte in PLAIN[start:start + 20]) + PLAIN[start + 20:]
    no_page = re.sub(rb"/Kids \[ (\d+)", rb"/Kids [ 999", PLAIN)
    no_font = re.sub(rb"/F1 \d+ 0 R", b"/F1 99 0 R", PLAIN)
    assert len({PLAIN, torn, no_page, no_font}) == 4
    for document in (torn, no_page, no_font):
        error, reason = refused(document)
        assert error == "damaged" and "the document cannot be flattened: poppler cannot draw all of it (" in reason
        assert reason.endswith(": print it to a PDF file elsewhere")
    error, reason = refused(PLAIN[:-200])
    assert error == "damaged" and "poppler cannot read it (" in reason and reason.endswith("send the whole file")
    assert refused(b"hello") == refused(b"") == (
        "damaged", "the document is damaged, or no PDF, PNG or JPEG file: convert it")


def test_a_page_that_costs_much_ends_in_time():
    names = b" ".join(b"/X%d %d 0 R" % (number, number + 5) for number in range(12))
    forms = [stream((b"/X%d Do " % (number + 1)) * 10 if number < 11 else b"0 0 1 1 re f",
                    b"/Type /XObject /Subtype /Form /BBox [ 0 0 9 9 ] /Resources << /XObject << %s >> >>" % names)
             for number in range(12)]
    answer = ask(one_page(b"/X0 Do", *forms, resources=b"/XObject << %s >>" % names), FLATTEN, "--seconds", "2")
    assert answer.error == "tooSlow" and answer.seconds < 10, answer


@pytest.mark.parametrize("rotation", breadth.share([90, 0], 2))
def test_a_page_that_programs_draw_differently_is_drawn_alike_as_a_picture(tmp_path, rotation):
    def turned(pdf):
        pdf.pages[0].obj.Rotate = rotation

    document = changed(with_link(tmp_path / "link.pdf").read_bytes(), turned)
    assert json.loads(ask(document, {"do": "compare", "page": 1}).body)["differences"]
    answer = ask(document, {"do": "picture", "page": 1})
    assert answer.error is None, answer.line
    found = json.loads(ask(answer.body, {"do": "compare", "page": 1}).body)
    assert found["differences"] == [] and found["complaints"] == [] and found["second"]
    page = facts(document)["pages"][0]
    rendering = {"do": "render", "page": 1} | {side: int(page[side] * 300 / 72) for side in ("width", "height")}
    was, now = (Image.open(io.BytesIO(ask(file, rendering).body)) for file in (document, answer.body))
    assert differing(was.convert("RGB"), now.convert("RGB")) == 0 and was.convert("L").getextrema() == (0, 255)
    assert ask(document, {"do": "picture", "page": 2}).error == "noPage"


# MARK: commands


def test_people_sign_the_drawing_of_a_damaged_file_and_everybody_finds_what_was_shown(board, tmp_path):  # noqa: F811
    damaged, made, signed = tmp_path / "Mietvertrag.pdf", tmp_path / "flat.pdf", tmp_path / "signed.pdf"
    damaged.write_bytes(REPAIRED["wrong places"])
    field = ("--field", "page=2 rect=100,60,300,130", "--see-all-pages")
    done = board.capture(damaged, *field, "--output", signed, status=65)
    assert "is damaged" in done.stderr
    identity = board.record(damaged, *field, "--flatten", "--output", signed)
    board.run("document", "flatten", damaged, made)
    file = made.read_bytes()
    assert signed.read_bytes().startswith(file) and file == flat(damaged.read_bytes())
    board.run("document", "flatten", damaged, "--output", tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == file
    assert "page 2" in board.run("document", "inspect", made).stdout
    store = shutil.copytree(board.store, tmp_path / "copy")
    record = store / "captures" / f"{identity}.jsonl"
    header = json.loads(record.read_bytes().split(b"\n")[0])
    document = header["flow"]["document"]
    assert document["flattened"] == {
        "bytes": damaged.stat().st_size, "sha256": hashlib.sha256(damaged.read_bytes()).hexdigest()}
    assert header["request"]["document"] == {
        "computed": True, "reference": "Mietvertrag.pdf", "sha256": hashlib.sha256(file).hexdigest()}
    assert document["bytes"] == len(file) and "pictures" not in document and "missingFonts" not in document
    allowed = tmp_path / "allowed_signers"
    allowed.write_text(
        board.run("identity", "show", "--allowed-signers", "--name", "panel-12", *board.identity()).stdout)
    told = board.run("verify", store, "--allowed-signers", allowed).stdout
    assert told.endswith("\nFITS\n"), told
    (seal,) = (path for path in (store / "seals").iterdir() if identity in path.name)
    done = subprocess.run(
        [sys.executable, "-B", TOP / "docs/examples/verify.py", "--document", signed, record, seal, seal, allowed,
         signed, damaged], capture_output=True, text=True)
    assert done.stdout.endswith("\nFITS\n"), (done.stdout, done.stderr)
    assert f"{damaged}: the file that the panel has flattened" in done.stdout, done.stdout
    assert "the pictures of pages [1, 2] are those that were shown" in done.stdout, done.stdout


def test_a_capture_of_a_file_that_cannot_be_flattened_is_refused(board, tmp_path):  # noqa: F811
    document = tmp_path / "torn.pdf"
    document.write_bytes(re.sub(rb"/F1 \d+ 0 R", b"/F1 99 0 R", PLAIN))
    words = ("--read", "--flatten", "--output", tmp_path / "signed.pdf")
    assert "poppler cannot draw all of it" in board.capture(document, *words, status=65).stderr
    done = board.run("document", "flatten", document, tmp_path / "flat.pdf", status=65)
    assert "poppler cannot draw all of it" in done.stderr and not (tmp_path / "flat.pdf").exists()
    board.run("document", "flatten", document, status=64)
    board.run("document", "flatten", document, tmp_path / "a.pdf", "--output", tmp_path / "b.pdf", status=64)
