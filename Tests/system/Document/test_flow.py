# SPDX-License-Identifier: Apache-2.0
"""Documents on the pad: a simulated person reads, answers and signs; other programs read what is signed."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from pyhanko.pdf_utils.reader import PdfFileReader
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas
from support import breadth
from test_commands import TOP, Board, board, judged  # noqa: F401
from test_commands import sign as sign_file
from test_summary import summary
from support.breadth import long

CUSTOMER = "person=Customer anchor=Signature of the customer:"
WITNESS = "person=Witness page=2 rect=300,100,460,150"
PEOPLE = ("--person", "Customer: Anna Müller", "--witness", "Witness: Ben Okafor")


@pytest.fixture
def contract(tmp_path) -> Path:
    """Two pages, a check box and a choice; the customer signs on the first, a witness on the second."""
    path = tmp_path / "contract.pdf"
    page = canvas.Canvas(str(path), pagesize=A4, invariant=1)
    page.drawString(70, 780, "Rental agreement 4711")
    page.acroForm.checkbox(name="consent", x=70, y=600, size=16, tooltip="I agree", fieldFlags="required")
    page.acroForm.radio(name="receipt", value="paper", x=70, y=560, size=16)
    page.acroForm.radio(name="receipt", value="mail", x=120, y=560, size=16)
    page.drawString(70, 300, "Signature of the customer:")
    page.showPage()
    page.drawString(70, 780, "Terms")
    page.save()
    return path


def sign(board: Board, contract: Path, output: Path, *words, status=0) -> subprocess.CompletedProcess:
    return board.run(
        "capture", "--socket", board.socket, "--document", contract, "--prompt", "Rental agreement", "--output",
        output, *words, status=status)


def record(board: Board, done: subprocess.CompletedProcess) -> list[dict]:
    identity = done.stdout.strip()
    lines = board.run("export", identity, "--format", "record", "--socket", board.socket, "--output", "-").stdout
    return [json.loads(line) for line in lines.splitlines()]


def kinds(lines: list[dict]) -> list[str]:
    names = ("person", "page", "view", "answer", "field", "accepted", "glass", "stroke", "end")
    return [next((name for name in names if name in line), "?") for line in lines[1:]]


def test_two_people_read_tick_initial_and_sign(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    done = sign(
        board, contract, output, *PEOPLE, "--field", CUSTOMER, "--field", WITNESS, "--field",
        "kind=initials person=Customer page=1 rect=400,60,480,90", "--field", "kind=date page=1 rect=70,60,160,80",
        "--question", "check news: I want news by mail.", "--see-all-pages", "--caption")
    assert judged(board, output) == [
        ("S01", "INTACT:TRUSTED,EXTENDED_WITH_FORM_FILLING,ACCEPTABLE_MODIFICATIONS"),
        ("S02", "INTACT:TRUSTED,UNTOUCHED")]
    assert output.read_bytes().startswith(contract.read_bytes())
    with output.open("rb") as file:
        fields = [field.get_object() for field in PdfFileReader(file).root["/AcroForm"]["/Fields"]]
    values = {str(field["/T"]): str(field.get("/V")) for field in fields}
    assert values["consent"] == "/Yes"

    lines = record(board, done)
    header, end = lines[0], lines[-1]["end"]
    assert header["version"] == 2 and header["flow"]["document"]["renderer"].startswith("poppler ")
    assert [field["name"] for field in header["flow"]["document"]["fields"]][:2] == ["S01", "S02"]
    assert [line["person"] for line in lines if "person" in line] == [0, 1]
    assert sorted(line["page"]["number"] for line in lines if "page" in line) == [1, 2]
    assert [line["accepted"]["name"] for line in lines if "accepted" in line][-1] == "S02"
    assert {"checked": True, "name": "news"} in [line.get("answer") for line in lines]
    assert [reading["toEnd"] for reading in end["reading"]] == [True, True]
    assert {"page", "view", "field", "stroke", "accepted", "glass"} <= set(kinds(lines))


def test_both_verifiers_find_that_the_record_and_its_document_fit(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    identity = sign(
        board, contract, output, *PEOPLE, "--field", CUSTOMER, "--field", WITNESS, "--see-all-pages").stdout.strip()
    store = shutil.copytree(board.store, tmp_path / "copy")
    signers = tmp_path / "allowed_signers"
    signers.write_text(
        board.run("identity", "show", "--allowed-signers", "--name", "panel-12", *board.identity()).stdout)
    assert (store / "captures" / f"{identity}.pdf").read_bytes() == output.read_bytes()
    told = board.run("verify", store, "--allowed-signers", signers).stdout
    assert told.endswith("\nFITS\n"), told
    for fact in (
            "what it says was read follows from the views", "the signed document is the one that was sealed",
            "the signed document begins with the one that people read", "the signed document names the record"):
        assert f"capture {identity}: {fact}" in told, told
    (seal,) = (path for path in (store / "seals").iterdir() if identity in path.name)
    done = subprocess.run(
        [sys.executable, "-B", TOP / "docs/examples/verify.py", "--document", output,
         store / "captures" / f"{identity}.jsonl", seal, seal, signers, output, contract],
        capture_output=True, text=True)
    assert done.stdout.endswith("\nFITS\n"), (done.stdout, done.stderr)
    # The same poppler draws the same pictures as those that were on the pad.
    assert "the pictures of pages [1, 2] are those that were shown" in done.stdout, done.stdout
    shown = board.run("show", identity, "--socket", board.socket).stdout
    assert f"signed       document of {output.stat().st_size} bytes" in shown
    assert "read         Witness: all pages" in shown and "field        S02: signature, Witness" in shown
    for name in ("S01", "S02"):
        board.run(
            "export", identity, "--socket", board.socket, "--field", name, "--output", tmp_path / f"{name}.svg")
    board.run("export", identity, "--socket", board.socket, "--output", tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == output.read_bytes()


@pytest.fixture
def scan(tmp_path) -> Path:
    """A dark ground, and a light one above it."""
    path = tmp_path / "scan.pdf"
    page = canvas.Canvas(str(path), pagesize=A4)
    page.setFillGray(0.2)
    page.rect(0, 0, 595, 300, fill=1, stroke=0)
    page.setFillGray(0.8)
    page.rect(0, 400, 595, 100, fill=1, stroke=0)
    page.save()
    return path


def check_grounds(output: Path, *fields: tuple) -> None:
    """`fields`: left, low, right, high, the commonest grey of the field, and that beside it."""
    subprocess.run(["pdftoppm", "-r", "72", "-png", "-singlefile", output, output.parent / "page"], check=True)
    picture = Image.open(output.parent / "page.png").convert("L")
    for left, low, right, high, ground, outside in fields:
        part = picture.crop((left + 1, 842 - high + 1, right - 1, 842 - low - 1))
        counts = part.histogram()
        assert counts.index(max(counts)) == ground and part.getextrema()[0] < 110, (left, low)
        assert picture.getpixel((left - 3, 842 - low + 3)) == outside


def test_ink_on_a_dark_ground_has_a_white_plate_and_on_a_light_one_none(board, scan, tmp_path):
    output = tmp_path / "signed.pdf"
    sign(
        board, scan, output, "--signer", "Anna Müller", "--caption", "--field", "page=1 rect=100,200,260,250", "--field",
        "kind=name page=1 rect=300,200,400,220", "--field", "kind=initials page=1 rect=100,420,200,450")
    check_grounds(
        output, (100, 200, 260, 250, 255, 51), (300, 200, 400, 220, 255, 51), (100, 420, 200, 450, 204, 204))


def test_document_sign_gives_ink_on_a_dark_ground_the_same_plate(board, scan, tmp_path):
    output = tmp_path / "signed.pdf"
    dark, light = (board.record(scan, "--signer", "Anna Müller") for _ in range(2))
    sign_file(
        board, scan, output, f"{dark} page=1 rect=100,200,260,250", f"{light} page=1 rect=100,420,200,450", more=())
    check_grounds(output, (100, 200, 260, 250, 255, 51), (100, 420, 200, 450, 204, 204))


def test_a_person_declines_and_nothing_is_kept(board, contract, tmp_path):
    before = board.run("list", "--socket", board.socket).stdout
    subprocess.run(
        [sys.executable, "-c", "import sys, socket\n"
         "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
         "s.sendall(b'{\"method\":\"org.inkpanel.Panel.Simulate\",\"parameters\":{\"act\":\"decline\"}}\\0')\n"
         "s.recv(99)", board.socket], check=True)
    done = sign(
        board, contract, tmp_path / "signed.pdf", "--field", "anchor=Signature of the customer:", "--decline-reason",
        "Too expensive", status=12)
    assert "declined: Too expensive" in done.stderr and not (tmp_path / "signed.pdf").exists()
    assert board.run("list", "--socket", board.socket).stdout == before


@pytest.mark.parametrize("field, words", [
    ("anchor=Not there", "is not in the document"), ("page=9 rect=0,0,100,100", "no page 9"),
    ("page=1 rect=500,800,900,900", "within page 1"), ("field=nobody", "no unsigned signature field"),
])
def test_a_place_that_does_not_fit_is_refused_before_anybody_sees_a_page(board, contract, tmp_path, field, words):
    done = sign(board, contract, tmp_path / "signed.pdf", "--field", field, status=65)
    assert words in done.stderr


def test_a_signature_that_would_lock_the_next_is_found_before_anybody_signs(board, tmp_path):
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj
    lock = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.SigFieldLock, Action=pikepdf.Name.All))
    fields = [pdf.make_indirect(pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Sig, T=pikepdf.String(name), F=4, P=page,
        Rect=[70, y, 230, y + 60])) for name, y in (("chief", 500), ("clerk", 300))]
    fields[0].Lock = lock
    page.Annots = pikepdf.Array(fields)
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array(fields))
    path, output = tmp_path / "locks.pdf", tmp_path / "signed.pdf"
    pdf.save(path)
    people = ("--person", "Chief: Anna", "--person", "Clerk: Ben")
    places = ("--field", "person=Clerk field=clerk", "--field", "person=Chief field=chief")
    done = sign(board, path, output, *people, *places, status=65)
    assert '"clerk" cannot be used: an earlier signature has locked it' in done.stderr
    sign(board, path, output, *people[2:], *people[:2], *places)
    assert [name for name, _ in judged(board, output)] == ["clerk", "chief"]


def form(path: Path, **seed) -> Path:
    """Signature fields of a chief and a clerk, and a box that only looks ticked. `seed`: what the clerk's demands."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj

    def widget(name, y, **more):
        return pdf.make_indirect(pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, T=pikepdf.String(name), F=4, P=page,
            Rect=[70, y, 230, y + 60], **more))

    look = pdf.make_stream(b"", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9])
    chief, clerk = (widget(name, y, FT=pikepdf.Name.Sig) for name, y in (("chief", 500), ("clerk", 300)))
    if seed:
        clerk.SV = pikepdf.Dictionary(Type=pikepdf.Name.SV, **seed)
    box = widget("paid", 100, FT=pikepdf.Name.Btn, AS=pikepdf.Name.Yes, AP=pikepdf.Dictionary(
        N=pikepdf.Dictionary(Yes=look, Off=look)))
    page.Annots = pikepdf.Array([chief, clerk, box])
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=page.Annots)
    pdf.save(path)
    return path


def test_a_form_that_is_signed_is_signed_again_on_another_day(board, tmp_path):
    """The first signature has locked the box, so nobody is asked for it any more."""
    path, first, second = form(tmp_path / "form.pdf"), tmp_path / "first.pdf", tmp_path / "second.pdf"
    sign(board, path, first, "--field", "field=chief")
    done = sign(board, first, second, "--field", "field=clerk", "--require-answers")
    assert [name for name, _ in judged(board, second)] == ["chief", "clerk"]
    assert [field["name"] for field in record(board, done)[0]["flow"]["document"]["fields"]] == ["clerk"]
    # Another one's box cannot be filled later, either.
    done = sign(board, first, second, "--field", "field=clerk", "--set", "paid=Yes", status=65)
    assert 'has locked the field "paid"' in done.stderr


def test_a_box_that_only_looks_ticked_is_not_ticked_before_a_person_does(board, tmp_path):
    path, output = form(tmp_path / "form.pdf"), tmp_path / "signed.pdf"
    sign(board, path, output, "--field", "field=chief")
    with pikepdf.open(output) as pdf:
        box = pdf.Root.AcroForm.Fields[2]
        assert (box.V, box.AS) == (pikepdf.Name.Off, pikepdf.Name.Off)


@pytest.mark.parametrize("flags", [0, 2])
def test_a_box_in_a_layer_that_can_be_hidden_is_not_offered(board, tmp_path, flags):
    path, output = form(tmp_path / "form.pdf"), tmp_path / "signed.pdf"
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        layer = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name="Layer"))
        pdf.Root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary(OFF=[layer]))
        box = pdf.Root.AcroForm.Fields[2]
        box.OC, box.Ff, box.AS = layer, flags, pikepdf.Name.Off
        pdf.save(path)
    done = sign(board, path, output, "--field", "field=chief", status=65 if flags else 0)
    if flags:
        assert '"paid", which cannot be filled here' in done.stderr
    else:
        assert [field["name"] for field in record(board, done)[0]["flow"]["document"]["fields"]] == ["chief"]


@pytest.mark.parametrize("seed, words", breadth.share([
    ({"MDP": {"P": 0}}, None), ({"MDP": {"P": 3}}, None), ({"MDP": {"P": 1}}, "nothing follows"),
    ({"TimeStamp": {"Ff": 1, "URL": "http://x"}}, "time stamp"), ({"Cert": {"Ff": 2}}, "certificates"),
    ({"Ff": 32, "AddRevInfo": True}, "of its own kind"), ({"Ff": 64, "DigestMethod": ["SHA512"]}, "SHA-256"),
    ({"Ff": 2, "SubFilter": [pikepdf.Name("/adbe.pkcs7.detached")]}, "PAdES"),
    ({"Ff": 8, "Reasons": ["I agree"]}, 'one of the reasons "I agree"'), ({"Ff": 8, "Reasons": ["."]}, None),
    ({"Ff": 64 | 2, "DigestMethod": ["SHA512", "SHA256"], "SubFilter": [pikepdf.Name("/ETSI.CAdES.detached")]}, None),
    ({"MDP": {"P": 2}, "Cert": {"Ff": 0}}, None),
], 3, several=True))
def test_what_a_field_demands_is_met_or_refused_before_anybody_signs(board, tmp_path, seed, words):
    def value(stated):
        if isinstance(stated, dict):
            return pikepdf.Dictionary(**{key: value(each) for key, each in stated.items()})
        return pikepdf.Array(stated) if isinstance(stated, list) else stated

    path, output = form(tmp_path / "form.pdf", **{key: value(each) for key, each in seed.items()}), tmp_path / "out.pdf"
    done = sign(board, path, output, "--field", "field=clerk", status=65 if words else 0)
    if words:
        assert words in done.stderr and not output.exists()
    else:
        assert [name for name, _ in judged(board, output)] == ["clerk"]


def test_a_damaged_document_is_refused_by_name(board, tmp_path):
    path = tmp_path / "damaged.pdf"
    path.write_bytes(b"%PDF-1.7\nnothing")
    done = sign(board, path, tmp_path / "signed.pdf", "--read", status=65)
    assert "damaged" in done.stderr


def test_check_boxes_together_are_answers_of_their_own(board, tmp_path):
    boxes = [word for name in ("mail", "call", "letter", "visit") for word in (
        "--question", f"check {name}{' required' if name == 'call' else ''}: May we write? | By {name}")]
    done = board.run("capture", "--socket", board.socket, "--prompt", "Return", *boxes)
    lines = record(board, done)
    assert {question["heading"] for question in lines[0]["flow"]["questions"]} == {"May we write?"}
    assert [line["answer"] for line in lines if "answer" in line] == [
        {"checked": True, "name": name} for name in ("mail", "call", "letter", "visit")]
    # One page for all of them, and one to sign on.
    assert len([line for line in lines if "glass" in line]) == 3
    output = tmp_path / "summary.pdf"
    summary(board, done.stdout.strip(), "--output", output, *board.identity())
    drawn = subprocess.run(["pdftoppm", "-r", "100", "-png", "-singlefile", output, tmp_path / "summary"], check=True)
    assert drawn.returncode == 0 and (tmp_path / "summary.png").stat().st_size > 10_000


def test_questions_without_a_document(board, tmp_path):
    done = board.run(
        "capture", "--socket", board.socket, "--prompt", "Return", "--question", "choice size required: Which? | S | M",
        "--question", "rating stars: How was it?", "--question", "note damage: Damage?")
    answers = [line["answer"] for line in record(board, done) if "answer" in line]
    assert answers == [{"choice": "S", "name": "size"}, {"name": "stars", "rating": 5}]
    assert [line["accepted"]["name"] for line in record(board, done) if "accepted" in line] == ["damage", "signature"]


@long
def test_a_document_of_many_pages_is_signed_and_takes_little_memory(board, tmp_path):
    path = tmp_path / "long.pdf"
    page = canvas.Canvas(str(path), pagesize=A4)
    for number in range(50):
        page.drawString(70, 700, f"Page {number + 1}")
        page.showPage()
    page.save()

    def memory() -> int:
        status = Path(f"/proc/{board.program.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1])

    before = memory()
    sign(board, path, tmp_path / "signed.pdf", "--field", "page=50 rect=100,100,260,150")
    assert judged(board, tmp_path / "signed.pdf") == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    assert memory() - before < 64 << 10, f"{before} kB before, {memory()} kB after"
