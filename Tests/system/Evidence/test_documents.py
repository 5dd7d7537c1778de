# SPDX-License-Identifier: Apache-2.0
"""Signed documents and records of several pages: what `inkpanel verify` and docs/examples/verify.py find."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import flows
import pytest
from sealed import PROGRAM, TOP, digest, run, said

VERIFY = TOP / "docs/examples/verify.py"


class Kept:
    """A store with one record of several pages, and what a host has of it."""

    def __init__(self, folder: Path, peer, change=lambda lines: None, recipients: tuple = ()):
        self.folder, self.store = folder, folder / "store"
        key, self.allowed = folder / "key.pem", folder / "allowed_signers"
        text, self.fingerprint = peer.ask("make-key", key)
        self.allowed.write_text(f'till namespaces="inkpanel-seal" {text}\n')
        self.source = folder / "contract.pdf"
        self.source.write_bytes(flows.document())
        lines = flows.contract(self.source.read_bytes(), [flows.picture(self.source, page) for page in (1, 2)])
        change(lines)
        record = folder / "ID.jsonl"
        record.write_bytes(b"".join(map(flows.line, lines)))
        memory = Path(tempfile.mkdtemp(dir="/dev/shm"))
        try:
            (self.id,) = peer.ask("keep", self.store, key, record, self.source, memory / "open", *recipients)
        finally:
            shutil.rmtree(memory)
        captures = self.store / "captures"
        self.record = captures / f"{self.id}.jsonl"
        self.signed = captures / f"{self.id}.pdf"
        (self.seal,) = (self.store / "seals").iterdir()

    @property
    def statement(self) -> dict:
        return json.loads(self.seal.read_bytes().split(b"\n")[0])

    def verify(self, *words) -> tuple[str, str]:
        """What the program says of files, or of the store, and its last word."""
        ended = run(PROGRAM, "verify", *(words or [self.store]), "--allowed-signers", self.allowed)
        assert not ended.stderr, ended
        return ended.stdout, ended.stdout.splitlines()[-1]

    def example(self, *more, options: tuple = (), record: Path | None = None) -> tuple[str, str]:
        """What verify.py says."""
        words = [*options, record or self.record, self.seal, self.seal, self.allowed, *more]
        ended = run(sys.executable, "-B", VERIFY, *words)
        assert not ended.stderr, ended
        return ended.stdout, ended.stdout.splitlines()[-1]


@pytest.fixture
def kept(tmp_path, peer) -> Kept:
    return Kept(tmp_path, peer)


def test_a_record_of_several_pages_fits_with_its_signed_document(kept):
    seal = kept.statement
    assert seal["version"] == 2 and seal["signed"] == digest(kept.signed.read_bytes())
    assert seal["document"] == digest(kept.source.read_bytes())
    text, word = kept.verify()
    assert word == "FITS", text
    for fact in (
            "accepted, with ink in S01, I0, I1, S02", "what it says was read follows from the views",
            "Customer did not see all of the document", "the signed document is the one that was sealed",
            "the signed document begins with the one that people read", "the signed document names the record"):
        assert f"capture {kept.id}: {fact}" in text, text
    # The document is the beginning of the signed one.
    assert "not checked: the document" not in text and "not checked: the signed document" not in text
    text, word = kept.example(kept.signed, kept.source)
    assert word == "FITS", text
    for fact in (
            "what was read follows from the views", "has all that the host demanded", "Customer saw pages [1, 2], not all",
            "Witness saw pages [1, 2], all of them", "consent is True", "way is paper", "stars is 4",
            "Witness signed I1 with the ink of I0", f"{kept.source}: the document",
            f"{kept.signed}: the signed document", f"{kept.signed}: begins with the document"):
        assert fact in text, text


def test_files_alone_fit_as_a_host_has_them(kept, tmp_path):
    data = kept.seal.read_bytes()
    line = data[:data.index(b"\n") + 1]
    seal, signature, record = (tmp_path / name for name in ("ID.seal", "ID.seal.sig", "ID.jsonl"))
    seal.write_bytes(line)
    signature.write_bytes(data[len(line):])
    shutil.copy(kept.record, record)
    text, word = kept.verify(record)
    assert word == "FITS" and f"not checked: the signed document with the SHA-256 {kept.statement['signed']}" in text
    assert f"not checked: the document with the SHA-256 {kept.statement['document']}" in text
    signed = shutil.copy(kept.signed, tmp_path / "signed.pdf")
    text, word = kept.verify(record, signed)
    assert word == "FITS" and "not checked: the signed" not in text and "not checked: the document" not in text
    text, word = kept.verify(record, signed, kept.source)
    assert word == "FITS" and "the document is the one that was sealed" in text
    text, word = kept.verify(record, kept.source)
    assert word == "FITS" and "not checked: the signed document" in text
    text, word = kept.example(record=record)
    assert word == "FITS" and f"not checked: the signed document with the SHA-256 {kept.statement['signed']}" in text


@pytest.mark.parametrize("place", [20, -5])
def test_a_changed_byte_of_the_signed_document_is_found(kept, place):
    data = bytearray(kept.signed.read_bytes())
    data[place] ^= 1
    kept.signed.write_bytes(data)
    text, word = kept.verify()
    assert word == "WRONG" and "the signed document has changed since it was sealed" in text, text
    text, word = kept.example(kept.signed)
    assert word == "WRONG" and "another document" in text, text
    loose = shutil.copy(kept.signed, kept.folder / "signed.pdf")
    text, word = kept.verify(kept.record, kept.seal, loose)
    assert word == "WRONG", text


def test_a_signed_document_that_is_missing_in_its_store_is_found(kept):
    kept.signed.unlink()
    text, word = kept.verify()
    assert word == "WRONG" and "the signed document is missing" in text, text


def test_a_document_of_another_record_does_not_fit(kept, tmp_path_factory, peer):
    other = Kept(tmp_path_factory.mktemp("other"), peer, lambda lines: lines[1].update(t=7))
    shutil.copy(other.signed, kept.signed)
    assert kept.verify()[1] == "WRONG" == kept.example(kept.signed)[1]


def test_a_document_without_a_record_is_found(kept):
    kept.signed.with_name("20260101-1.pdf").write_bytes(b"%PDF-1.4\n")
    text, word = kept.verify()
    assert word == "WRONG" and "20260101-1.pdf: is not checked: no seal of its record is here" in text


@pytest.mark.parametrize("change", [
    lambda end: end["reading"][0].update(toEnd=True), lambda end: end["reading"][0].update(pages=[1]),
    lambda end: end["reading"][1].update(pages=[2])])
def test_a_reading_that_no_view_shows_is_found(tmp_path, peer, change):
    kept = Kept(tmp_path, peer, lambda lines: change(lines[-1]["end"]))
    text, word = kept.verify()
    assert word == "WRONG" and "what it says was read is not what the views show" in text, text
    text, word = kept.example(kept.signed)
    assert word == "WRONG" and "other pages were seen" in text, text


def test_a_required_field_without_ink_is_found(tmp_path, peer):
    def remove(lines):
        lines[:] = [line for line in lines if line.get("accepted") != {"name": "S02"}]

    kept = Kept(tmp_path, peer, remove)
    text, word = kept.verify()
    assert word == "WRONG" and "there is no ink in S02" in text, text
    text, word = kept.example(kept.signed)
    assert word == "WRONG" and "no ink in S02" in text, text


def at(lines: list[dict], kind: str, **members) -> int:
    """The place of a line that has these members."""
    return next(at for at, each in enumerate(lines) if kind in each and members.items() <= each[kind].items())


def done_instead(*changes):
    def change(lines):
        flows.instead(lines)
        for each in changes:
            each(lines)
    return change


def remove(lines: list[dict], kind: str, **members):
    """The lines of a page to write on, or one event."""
    start = at(lines, kind, **members)
    del lines[start:start + (3 if kind == "instead" else 1)]


def repeat_mark(lines: list[dict]):
    """After its witnesses."""
    start, end = at(lines, "instead", part="mark"), at(lines, "instead", part="witness2") + 3
    lines[end:end] = lines[start:start + 3]


def confirm_mark(lines: list[dict]):
    """In place of the mark that was made before."""
    lines.insert(at(lines, "glass"), {"confirmed": {"name": "S01", "words": "I confirm this"}, "t": 14_000})


def type_mark(lines: list[dict]):
    """Likewise."""
    lines.insert(at(lines, "glass"), flows.typed("S01", 14_000))


PARTS = {
    "S01": "S01 of Customer: a mark", "S01/witness1": "S01/witness1 of Customer: a witness of the mark",
    "S01/witness2": "S01/witness2 of Customer: a witness of the mark",
    "S02": "S02 of Witness: confirmed without a signature, after all of the page was read aloud",
    "S03": "S03 of Witness: signed by a representative",
    "S04": "S04 of Witness: a name that staff entered in place of a signature, accepted by the host: "
           '"Maria Huber", because "right arm in plaster"',
    "S05": "S05 of Witness: a name that the person typed in place of a signature, "
           'after all of the page was read aloud: "Maria Huber"'}


@pytest.mark.parametrize("change, told", [
    (None, {}),
    (confirm_mark, {
        "S01": "S01 of Customer: confirmed without a signature", "S01/witness1": None, "S01/witness2": None}),
    (lambda lines: lines[at(lines, "confirmed")]["confirmed"].pop("heard"), {
        "S02": "S02 of Witness: confirmed without a signature"}),
    (type_mark, {
        "S01": "S01 of Customer: a name that staff entered in place of a signature: "
               '"Maria Huber", because "right arm in plaster"',
        "S01/witness1": None, "S01/witness2": None}),
    (lambda lines: lines[at(lines, "typed", name="S05")]["typed"].pop("heard"), {
        "S05": 'S05 of Witness: a name that the person typed in place of a signature: "Maria Huber"'}),
], ids=["all", "mark-confirmed", "not-heard", "mark-typed", "typed-not-heard"])
def test_what_was_done_in_place_of_signatures_is_told(tmp_path, peer, change, told):
    kept = Kept(tmp_path, peer, done_instead(*([change] if change else [])))
    text, word = kept.verify()
    assert word == "FITS", text
    text, word = kept.example(kept.signed)
    assert word == "FITS", text
    found = [line.split("record: ")[1] for line in text.splitlines() if "record: S0" in line]
    assert found == [fact for fact in ({**PARTS, **told}).values() if fact] and " signed S0" not in text, text


@pytest.mark.parametrize("changes, words", [
    ([lambda lines: remove(lines, "instead", part="witness1")], "the mark in S01 lacks its witnesses"),
    ([lambda lines: remove(lines, "instead", part="witness2")], "the mark in S01 lacks its witnesses"),
    ([repeat_mark], "the mark in S01 lacks its witnesses"),
    ([lambda lines: remove(lines, "confirmed")], "no ink in S02"),
    ([lambda lines: remove(lines, "instead", part="representative")], "no ink in S03"),
    ([lambda lines: remove(lines, "typed", name="S04")], "no ink in S04"),
])
def test_what_lacks_in_place_of_signatures_is_found(tmp_path, peer, changes, words):
    kept = Kept(tmp_path, peer, done_instead(*changes))
    text, word = kept.verify()
    assert word == "WRONG" and words in text, text
    text, word = kept.example(kept.signed)
    assert word == "WRONG" and words in text, text


def demand(header, **policy):
    header["flow"]["document"]["policy"] = policy


@pytest.mark.parametrize("change, words", [
    (lambda lines: demand(lines[0], mustSeeAllPages=True), "Customer did not see all pages"),
    (lambda lines: demand(lines[0], minimumSeconds=5.0), "Witness had less time than demanded"),
    (lambda lines: demand(lines[0], requireAnswers=True), "damage is not answered"),
])
def test_a_demand_that_was_not_met_is_found(tmp_path, peer, change, words):
    kept = Kept(tmp_path, peer, change)
    text, word = kept.verify()
    assert word == "WRONG" and words in text, text
    text, word = kept.example(kept.signed)
    assert word == "WRONG" and words in text, text


def test_pages_are_drawn_again(kept, tmp_path):
    for path in (kept.source, kept.signed):
        text, word = kept.example(options=("--document", path))
        assert word == "FITS" and "the pictures of pages [1, 2] are those that were shown" in text, text
        version = subprocess.run(["pdftoppm", "-v"], capture_output=True, text=True).stderr.split()[2]
        assert f"drawn with poppler {version}" in text and "the panel had poppler 22.12.0-2+deb12u3" in text
    other = tmp_path / "other.pdf"
    other.write_bytes(kept.source.read_bytes().replace(b"400 700", b"400 701"))
    text, word = kept.example(options=("--document", other))
    assert word == "WRONG" and "neither is the document nor begins with it" in text, text


def test_a_picture_that_cannot_be_repeated_is_told(tmp_path, peer):
    kept = Kept(tmp_path, peer, lambda lines: lines[3]["page"].update(sha256="ab" * 32))
    text, word = kept.example(options=("--document", kept.source))
    assert word == "FITS" and "the pictures of pages [1] are those that were shown" in text, text
    assert "the pictures of pages [2] could not be repeated here: another program" in text, text


@pytest.mark.parametrize("changed, boxed, words", [
    ({}, False, ""), ({"missingFonts": ["Helvetica"]}, False, "lacks Helvetica"), ({"values": {"mail": "x"}}, False, "the host filled in"),
    ({}, True, "removes ticks"), ({"renderer": "poppler 22.12.0"}, False, "another program"),
])
def test_another_picture_by_the_same_program_is_wrong_unless_it_proves_nothing(tmp_path, peer, changed, boxed, words):
    here = subprocess.run(
        [sys.executable, "-B", "-c", "import verify; print(verify.renderer())"], cwd=TOP / "docs/examples",
        capture_output=True, text=True, check=True).stdout.strip()
    if "freetype" not in here:
        pytest.skip("the versions of packages are not known here")

    def change(lines):
        document = lines[0]["flow"]["document"]
        # A box of the file's own form on page 2.
        box = {**next(field for field in document["fields"] if field["kind"] == "check"), "name": "box", "page": 2}
        document.update({"renderer": here, "missingFonts": [], **changed})
        if boxed:
            document["fields"].append({**box, "field": "box"})
        lines[3]["page"].update(sha256="ab" * 32)

    kept = Kept(tmp_path, peer, change)
    text, word = kept.example(options=("--document", kept.source))
    if words:
        assert word == "FITS" and "pages [2] could not be repeated here: " in text and words in text, text
    else:
        assert word == "WRONG" and "the pictures of pages [2] are others" in text, text


def test_encrypted_documents_are_checked_with_an_identity(tmp_path, peer):
    identity = tmp_path / "court.key"
    (recipient,) = peer.ask("make-identity", identity)
    kept = Kept(tmp_path, peer, recipients=(recipient,))
    names = sorted(path.name for path in (kept.store / "captures").iterdir())
    assert names == [f"{kept.id}.jsonl.age", f"{kept.id}.pdf.age"]
    text, word = kept.verify(kept.store, "--identity", identity)
    assert word == "FITS" and "the signed document begins with the one that people read" in text, text
    assert "the encrypted signed document is the one that was sealed" in text
    text, word = kept.verify()
    assert word == "FITS" and "because no identity opens the encrypted signed document" in text, text
    document = kept.store / "captures" / f"{kept.id}.pdf.age"
    loose = shutil.copy(document, tmp_path / "document.age")
    record = kept.store / "captures" / f"{kept.id}.jsonl.age"
    text, word = kept.verify(record, kept.seal, loose, "--identity", identity)
    assert word == "FITS" and "the signed document names the record" in text, text
    text, word = kept.example(document, record=record)
    assert word == "FITS" and "the encrypted file of the signed document" in text, text
    data = bytearray(document.read_bytes())
    data[-1] ^= 1
    document.write_bytes(data)
    text, word = kept.verify(kept.store)
    assert word == "WRONG" and "the encrypted signed document has changed since it was sealed" in text, text


def test_show_and_export_have_the_fields(kept, tmp_path):
    text = said(PROGRAM, "show", kept.record)
    for words in (
            "person       Anna (Customer)", "person       Witness", "read         Customer: pages 1, 2, not all of them, 12.5 s",
            "read         Witness: all pages, 3.0 s", "answer       consent: yes", "answer       stars: 4",
            "field        S01: signature, Customer, 1 stroke", "field        I1: initials, Witness, the ink of I0"):
        assert words in text, text
    metadata = json.loads(said(PROGRAM, "show", "--json", kept.record))
    assert [field["name"] for field in metadata["fields"]] == ["S01", "I0", "I1", "S02"]
    files = {}
    for name in ("S01", "I0", "I1", "S02", None):
        path = tmp_path / f"{name}.svg"
        said(PROGRAM, "export", kept.record, "--output", path, *(["--field", name] if name else []))
        files[name] = path.read_bytes()
    assert files[None] == files["S01"] and files["I0"] == files["I1"]
    assert len({files["S01"], files["I0"], files["S02"]}) == 3
    for ending in ("png", "inkml", "csv", "json", "iso"):
        said(PROGRAM, "export", kept.record, "--output", tmp_path / f"x.{'iso19794' if ending == 'iso' else ending}",
             "--format", {"json": "signature_pad", "iso": "iso19794"}.get(ending, ending), "--field", "S02")
    refused = run(PROGRAM, "export", kept.record, "--output", tmp_path / "x.svg", "--field", "S03")
    assert refused.returncode and "the record has no ink in a field S03, but in S01, I0, I1, S02" in refused.stderr
    refused = run(PROGRAM, "export", kept.record, "--output", tmp_path / "x.jsonl", "--field", "S01")
    assert refused.returncode == 64 and "--field is for ink" in refused.stderr


@pytest.mark.parametrize("check, words", [
    ({}, ["no second program compared the pages"]),
    ({"second": "mupdf 1.21.1", "redrawn": True}, [
        "a second program, mupdf 1.21.1, drew all pages, too", "the signed file was drawn again, and looked as shown"]),
    ({"second": "mupdf 1.21.1", "differences": [{"page": 2, "rectangle": [1, 2, 3, 4]}] * 2 + [{"page": 1, "rectangle": [1, 2, 3, 4]}]}, [
        "it draws a place on page 1 differently from the screen, which the host allowed",
        "it draws 2 places on page 2 differently from the screen, which the host allowed"]),
    ({"second": "mupdf 1.21.1", "notDrawn": [{"page": 2, "text": "Unknown font tag 'F1'"}]}, [
        "not all of page 2 was drawn: Unknown font tag 'F1'"])])
def test_what_the_panel_found_in_the_pages_is_told(tmp_path, peer, check, words):
    kept = Kept(tmp_path, peer, lambda lines: lines[-1]["end"].update(check=check))
    text, word = kept.verify()
    assert word == "FITS", text
    for fact in words:
        assert f"-        capture {kept.id}: {fact}\n" in text, text
    # verify.py tells the same in its words.
    text, word = kept.example(kept.signed)
    assert word == "FITS" and ("no second engine" in text) == (check == {}), text


def test_of_what_is_no_evidence_there_is_nothing_to_check(kept):
    """Such as a signed document alone, whose signatures verify.html checks."""
    for path in (kept.source, shutil.copy(kept.signed, kept.folder / "signed.pdf")):
        text, word = kept.verify(path)
        assert word == "UNCHECKED" and f"-        {path}: is no record, seal or signature" in text, text
    alone = kept.folder / "alone"
    alone.mkdir()
    shutil.copy(kept.source, alone)
    assert kept.verify(alone)[1] == "UNCHECKED"
    ended = run(sys.executable, "-B", VERIFY, alone, kept.allowed)
    assert ended.returncode == 1 and ended.stdout.endswith("contract.pdf: nothing here to check\nUNCHECKED\n"), ended.stdout
