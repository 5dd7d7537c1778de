# SPDX-License-Identifier: Apache-2.0
"""`inkpanel document summary`: other programs read the page."""

import json
import subprocess
from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from test_commands import Board, CUSTOMER, contract, sign  # noqa: F401, the fixture contract, too

ADDRESS = "https://example.org/copies/7Hq2xK9wLm?language=de"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with Board(tmp_path_factory.mktemp("summaries")) as board:
        yield board


def summary(board: Board, *words, status=0) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [board.program.args[0], "document", "summary", *map(str, words)], capture_output=True, text=True, timeout=120,
        cwd=board.folder)
    assert done.returncode == status, done.stderr
    return done


def picture(path: Path, page: int = 1) -> Image.Image:
    out = path.with_suffix("")
    subprocess.run(
        ["pdftoppm", "-r", "144", "-f", str(page), "-singlefile", "-png", path, out], check=True)
    return Image.open(out.with_suffix(".png")).convert("RGB")


def check(path: Path) -> int:
    """- Returns: the number of pages."""
    said = subprocess.run(["qpdf", "--check", path], capture_output=True, text=True)
    assert said.returncode == 0 and "No syntax or stream encoding errors" in said.stdout, said
    assert len(subprocess.run(["pdffonts", path], capture_output=True, text=True).stdout.splitlines()) == 2
    drawn = subprocess.run(["mutool", "draw", "-q", "-o", path.with_suffix(".ppm"), path], capture_output=True)
    assert drawn.returncode == 0 and b"error" not in drawn.stderr, drawn
    with pikepdf.open(path) as pdf:
        return len(pdf.pages)


def test_the_panel_gives_the_records_to_whoever_may_use_it(board, contract, tmp_path):
    """As other commands, by its socket, without its store and its key."""
    record = board.record(contract, "--signer", "Anna Müller")
    outputs = [tmp_path / "one.pdf", tmp_path / "other.pdf"]
    summary(board, record[:22], "--socket", board.socket, "--output", outputs[0])
    summary(board, record, *board.identity(), "--output", outputs[1])
    assert check(outputs[0]) == 1 and outputs[0].read_bytes() == outputs[1].read_bytes()
    said = summary(board, "20200101-1", "--socket", board.socket, "--output", tmp_path / "no.pdf", status=66).stderr
    assert "there is no capture 20200101-1" in said


def test_the_signatures_of_two_people_are_summed_up(board, contract, tmp_path):
    records = [board.record(contract, "--signer", name, "--reason", "Rental") for name in ("Anna Müller", "Bert")]
    signed, output = tmp_path / "signed.pdf", tmp_path / "summary.pdf"
    sign(board, contract, signed, f"{records[0]} {CUSTOMER}", f"{records[1]} page=2 rect=70,100,260,145")
    words = [*records, "--role", "Tenant", "--document", contract, "--signed", signed, "--qr", ADDRESS, "--qr-label",
             "Your copy", *board.identity()]
    summary(board, *words, "--output", output)
    assert check(output) == 1 and output.stat().st_mode & 0o77 == 0
    with pikepdf.open(output) as pdf:
        assert str(pdf.docinfo.Title) == "Summary of 2 signatures: contract.pdf"
        assert list(map(float, pdf.pages[0].mediabox)) == pytest.approx([0, 0, 595.28, 841.89], abs=0.01)
    page = picture(output)
    code = subprocess.run(["zbarimg", "-q", "--raw", output.with_suffix(".png")], capture_output=True, text=True)
    assert code.stdout.strip() == ADDRESS
    # The boxes of both signatures have ink, and the margins have nothing.
    for top in (160, 290):
        part = page.crop((2 * 56, 2 * top, 2 * 206, 2 * top + 140))
        assert sum(count for count, pixel in part.getcolors(1 << 24) if sum(pixel) < 300) > 300
    white = (255, 255, 255)
    for margin in [(0, 0, 108, 1684), (1082, 0, 1190, 1684), (0, 0, 1190, 106), (0, 1624, 1190, 1684)]:
        assert {pixel for _, pixel in page.crop(margin).getcolors(1 << 24)} == {white}
    again = tmp_path / "again.pdf"
    summary(board, *words, "--output", again)
    assert again.read_bytes() == output.read_bytes()


def test_the_file_of_a_record_needs_no_panel(board, contract, tmp_path):
    record = board.record(contract, "--signer", "Anna")
    copy, output = tmp_path / "record.jsonl", tmp_path / "summary.pdf"
    copy.write_bytes((board.store / "captures" / f"{record}.jsonl").read_bytes())
    summary(board, copy, "--output", output)
    assert check(output) == 1


def test_who_only_read_is_summed_up_too(board, contract, tmp_path):
    output = tmp_path / "summary.pdf"
    summary(board, board.record(contract, "--read"), *board.identity(), "--output", output)
    assert check(output) == 1
    with pikepdf.open(output) as pdf:
        assert str(pdf.docinfo.Title) == "Summary: contract.pdf"


def test_the_signatures_of_a_record_are_counted(board, contract, tmp_path):
    output = tmp_path / "summary.pdf"
    people = ["--person", "Customer: Anna", "--person", "Clerk: Bert", "--person", "Guest", "--field",
              "person=Customer page=2 rect=70,100,260,145", "--field", "person=Clerk page=2 rect=300,100,460,145"]
    summary(board, board.record(contract, *people), *board.identity(), "--output", output)
    assert check(output) == 1
    with pikepdf.open(output) as pdf:
        assert str(pdf.docinfo.Title) == "Summary of 2 signatures: contract.pdf"


def test_initials_and_reading_are_no_signatures(board, contract, tmp_path):
    output = tmp_path / "summary.pdf"
    people = ["--person", "Customer: Anna", "--person", "Clerk: Bert", "--person", "Guest: Carl", "--field",
              "person=Customer page=2 rect=70,100,260,145", "--field",
              "kind=initials person=Clerk page=2 rect=300,100,460,145"]
    summary(board, board.record(contract, *people), *board.identity(), "--output", output)
    assert check(output) == 1
    with pikepdf.open(output) as pdf:
        assert str(pdf.docinfo.Title) == "Summary of the signature: contract.pdf"


def test_long_texts_need_more_pages(board, contract, tmp_path):
    record = board.record(contract)
    head, *rest = (board.store / "captures" / f"{record}.jsonl").read_text().splitlines(keepends=True)
    header = json.loads(head)
    header["request"]["prompt"] += ["Whoever has read this far agrees. " * 20] * 20
    header["request"]["signer"] = "\U0010fffd"
    copy, output = tmp_path / "record.jsonl", tmp_path / "summary.pdf"
    copy.write_text(json.dumps(header, separators=(",", ":"), sort_keys=True) + "\n" + "".join(rest))
    summary(board, copy, "--output", output)
    assert check(output) > 2
    assert picture(output, 3).getextrema() != ((255, 255),) * 3


def test_what_cannot_be_summed_up_is_refused(board, contract, tmp_path):
    output = tmp_path / "summary.pdf"
    record = board.record(contract)
    other = tmp_path / "other.pdf"
    other.write_bytes(contract.read_bytes() + b"\n")

    def refused(*words, status):
        done = summary(board, *words, *board.identity(), "--output", output, status=status)
        assert not output.exists()
        return done.stderr.splitlines()[-1] if status != 64 else done.stderr

    assert "another document" in refused(record, "--document", other, status=65)
    assert f"no signature of the record {record}" in refused(record, "--signed", contract, status=65)
    assert "several documents" in refused(record, board.record(other), status=65)
    assert "twice" in refused(record, record, status=64)
    assert "more --role" in refused(record, "--role", "a", "--role", "b", status=64)
    assert "--qr: a text for a QR code has 1 to 320 bytes" in refused(record, "--qr", "a" * 321, status=64)
    assert "--qr-label needs --qr" in refused(record, "--qr-label", "a", status=64)
    assert "there is no capture" in refused("20200101-000000-0000000000000000", status=66)
