# SPDX-License-Identifier: Apache-2.0
"""Documents that a simulated person reads, fills and signs on the pad; other programs read what is signed."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from conftest import one_page, stream
from pyhanko.pdf_utils.reader import PdfFileReader
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas
from test_commands import Board, judged

SIGNATURE = "offset=0,-60 anchor=Signature of the customer:"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with Board(tmp_path_factory.mktemp("pad"), 'refuse = ["launch"]\nmaximum-pages = 3\n') as board:
        yield board


@pytest.fixture(scope="module")
def contract(tmp_path_factory) -> Path:
    return document(tmp_path_factory.mktemp("contract") / "contract.pdf", 2)


def document(path: Path, pages: int) -> Path:
    page = canvas.Canvas(str(path), pagesize=A4)
    for number in range(1, pages + 1):
        page.drawString(70, 700, f"Page {number}: the tenant accepts the terms.")
        if number == pages:
            page.drawString(70, 150, "Signature of the customer:")
            page.acroForm.checkbox(name="consent", x=70, y=180, size=14, tooltip="I agree")
            page.acroForm.textfield(name="mail", x=300, y=180, width=200, height=20)
        page.showPage()
    page.save()
    return path


def lines(board: Board, record: str) -> list[dict]:
    text = (board.store / "captures" / f"{record}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def files(board: Board) -> list[str]:
    return sorted(path.name for folder in ("open", "captures", "seals") for path in (board.store / folder).glob("*"))


def test_a_scan_without_compression_reaches_the_panel(board, tmp_path):
    """White pixels are slashes in Base64, which some programs write as two characters."""
    size, white = 1600, tmp_path / "white.pdf"
    white.write_bytes(one_page(b"595 0 0 842 0 0 cm /I Do", stream(
        b"\xff" * (size * size // 8), b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray "
        b"/BitsPerComponent 1" % (size, size)), resources=b"/XObject << /I 5 0 R >>"))
    assert white.stat().st_size > 300_000
    assert board.capture(white, "--read").stdout


def test_a_person_reads_fills_and_signs_a_contract(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    done = board.capture(
        contract, "--signer", "Anna Müller", "--reason", "Rental", "--field", SIGNATURE,
        "--field", "kind=initials page=1 rect=450,20,520,50", "--field", "kind=date page=2 rect=300,60,400,76",
        "--field", "kind=name page=2 rect=300,40,400,56", "--set", "mail=anna@example.org", "--caption",
        "--output", output)
    record = done.stdout.split()[0]
    assert output.read_bytes() == (board.store / "captures" / f"{record}.pdf").read_bytes()
    assert output.read_bytes().startswith(contract.read_bytes())
    assert judged(board, output) == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    with output.open("rb") as file:
        reader = PdfFileReader(file)
        signature = reader.embedded_regular_signatures[0].sig_object
        assert (signature["/Name"], signature["/Reason"], signature["/INKP_Record"]) == (
            "Anna Müller", "Rental", record)
        jsonl = (board.store / "captures" / f"{record}.jsonl").read_bytes()
        # Some digests can be read as text, and are then: a string has no type (ISO 32000-2, 7.9.2).
        assert signature.raw_get("/INKP_RecordSHA256").original_bytes == hashlib.sha256(jsonl).digest()
        fields = {str(field.get_object()["/T"]): field.get_object() for field in reader.root["/AcroForm"]["/Fields"]}
        assert fields["consent"]["/V"] == "/Yes" and fields["mail"]["/V"] == "anna@example.org"
        stamps = [
            (number, note.get_object()["/Contents"])
            for number, page in enumerate(reader.root["/Pages"]["/Kids"], 1)
            for note in page.get_object().get("/Annots", []) if note.get_object()["/Subtype"] == "/Stamp"]
        assert [number for number, _ in stamps] == [1, 2, 2]
    seal = (board.store / "seals").glob(f"*-{record}.seal").__next__().read_text()
    assert hashlib.sha256(output.read_bytes()).hexdigest() in seal


def test_the_record_names_what_was_on_the_screen(board, contract):
    record = board.capture(contract, "--field", SIGNATURE).stdout.split()[0]
    header, *entries, end = lines(board, record)
    flow = header["flow"]["document"]
    version = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${Version}", "poppler-utils"], capture_output=True, text=True,
        check=True).stdout
    assert flow["renderer"].startswith(f"poppler {version} (freetype ") and flow["missingFonts"] == ["Helvetica"]
    assert [field["name"] for field in flow["fields"]] == ["S01", "consent"]
    glass = [entry for entry in entries if "glass" in entry]
    # The document, the page to sign on, the document with the ink, and what was accepted.
    assert len(glass) >= 3 and all(len(entry["glass"]["sha256"]) == 64 for entry in glass)
    assert end["end"]["shown"]["page"] == glass[0]["glass"]["sha256"]
    assert end["end"]["shown"]["signed"] == glass[-1]["glass"]["sha256"]
    # Another program draws the same pictures.
    for entry in entries:
        if page := entry.get("page"):
            number, width, height = str(page["number"]), str(page["width"]), str(page["height"])
            picture = subprocess.run(
                ["pdftoppm", "-q", "-cropbox", "-f", number, "-l", number, "-singlefile", "-scale-to-x", width,
                 "-scale-to-y", height, contract], capture_output=True, check=True).stdout
            pixels = picture[-3 * page["width"] * page["height"]:]
            assert hashlib.sha256(pixels).hexdigest() == page["sha256"]


@pytest.mark.parametrize("delay", [0, 0.4])
def test_a_document_is_only_read_and_then_nothing_is_signed(board, tmp_path, delay):
    # The second: the person presses Done before the first picture is there.
    board.delay = delay
    path = tmp_path / "read.pdf"
    page = canvas.Canvas(str(path), pagesize=A4)
    page.drawString(70, 700, "The rules of the house.")
    page.save()
    try:
        record = board.capture(path, "--read").stdout.split()[0]
    finally:
        board.delay = 0
    assert not (board.store / "captures" / f"{record}.pdf").exists()
    assert lines(board, record)[-1]["end"]["reading"][0]["pages"] == [1]


def test_a_signed_document_is_asked_for_in_vain_before_anybody_reads(board, tmp_path):
    path, output = tmp_path / "read.pdf", tmp_path / "out.pdf"
    page = canvas.Canvas(str(path), pagesize=A4)
    page.drawString(70, 700, "The rules of the house.")
    page.save()
    before = files(board)
    done = board.capture(path, "--read", "--output", output, status=65)
    assert "no field for a signature" in done.stderr and not output.exists() and files(board) == before


@pytest.mark.parametrize(
    "words, reason",
    [(("--field", "anchor=Nowhere"), "is not in the document"),
     (("--field", "anchor=signature of costumer"), "did you mean \"Signature of"),
     (("--field", "page=3 rect=70,100,260,145"), "no page 3"),
     (("--field", "page=1 rect=500,100,660,145"), "not within page 1"),
     (("--field", "field=Other"), "no unsigned signature field"),
     (("--field", "kind=check page=1 rect=70,100,90,120"), "add a field of the kind signature"),
     (("--field", SIGNATURE, "--set", "other=Yes"), "has no field"),
     (("--field", SIGNATURE, "--set", "consent=Perhaps"), "has no choice"),
     (("--field", SIGNATURE, "--strict"), "lacks fonts"),
     (("--field", "page=1 rect=70,100,90,114", "--caption", "--signer", "A name that is far too long"), "do not fit")])
def test_what_does_not_fit_is_refused_before_anybody_sees_it(board, contract, words, reason):
    before = files(board)
    done = board.capture(contract, *words, status=65)
    assert reason in done.stderr, done.stderr
    assert files(board) == before


def test_bad_documents_are_refused_as_the_configuration_says(board, contract, tmp_path):
    long = document(tmp_path / "long.pdf", 4)
    assert "4 pages" in board.capture(long, "--read", status=65).stderr
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(contract.read_bytes()[:-200])
    assert board.capture(broken, "--read", status=65).stderr
    launching = tmp_path / "launching.pdf"
    text = contract.read_bytes().replace(b"/Type /Catalog", b"/AA << /WC << /S /Launch >> >> /Type /Catalog", 1)
    launching.write_bytes(text)
    # The table of the file is wrong now, unless qpdf writes it anew.
    subprocess.run(["qpdf", "--replace-input", launching], check=False, capture_output=True)
    assert "start programs" in board.capture(launching, "--read", status=65).stderr


def test_a_helper_that_is_killed_is_asked_again(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    board.kills = 1
    board.capture(contract, "--field", SIGNATURE, "--output", output)
    assert judged(board, output) == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    board.kills = 100
    before = files(board)
    done = board.capture(contract, "--field", SIGNATURE, status=65)
    board.kills = 0
    assert "cannot be read" in done.stderr and files(board) == before


def test_a_certificate_of_another_key_refuses_documents_with_fields(board, contract, tmp_path):
    certificate = board.store / "certificate.pem"
    kept = certificate.read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    board.run("identity", "create", "--store", other, "--config", board.config)
    certificate.write_bytes((other / "certificate.pem").read_bytes())
    try:
        assert "of another key" in board.capture(contract, "--field", SIGNATURE, status=65).stderr
        board.capture(contract, "--read", "--set", "mail=a@b", status=65)
    finally:
        certificate.write_bytes(kept)
    board.capture(contract, "--field", SIGNATURE)
