# SPDX-License-Identifier: Apache-2.0
"""Signed documents of all kinds, verified by pyHanko, poppler, MuPDF, qpdf and the code of verify.html."""

import asyncio
import io
import json
import os
import random
import re
import subprocess
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.generic import pdf_string
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.ades.report import AdESPassed
from pyhanko.sign.diff_analysis import ModificationLevel
from pyhanko.sign.fields import FieldMDPAction, MDPPerm
from pyhanko.sign.validation import SignatureCoverageLevel, validate_pdf_signature
from pyhanko.sign.validation.ades import ades_basic_validation
from pyhanko.sign.validation.policy_decl import (
    RevinfoOnlineFetchingRule, RevocationInfoGatheringSpec, SignatureValidationSpec)
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.context import CertValidationPolicySpec
from pyhanko_certvalidator.policy_decl import CertRevTrustPolicy, RevocationCheckingPolicy
from pyhanko_certvalidator.registry import SimpleTrustManager
from support import breadth

from page import page_problems
from signed_files import (  # noqa: F401, the fixture signers, too
    CONTENTS, FORM_VALUES, INK, JUNK, NAMES, TIME, WRITERS, Document, Signer, archival, signers,
    special, signed_by_pyhanko, standard)

# `make document-test-long` takes all files with one to three signers; else each is signed by as many as its turn is.
SEED = 20261127
# The first of each content is for a commit, with the writers in turn.
STANDARD = [
    (content, list(WRITERS)[(index + shift) % len(WRITERS)])
    for index, content in enumerate(CONTENTS) for shift in range(len(WRITERS))]
SPECIAL_COUNT = 23


# MARK: signing


def rectangle(number: int) -> dict:
    """The place of a signer's field: 160 x 90 points, so that the ink has its own size."""
    return {"minX": 72.0, "minY": 100.0 + 110 * number, "maxX": 232.0, "maxY": 190.0 + 110 * number}


def jobs(document: Document, signers: list[Signer], count: int, **changes) -> list[dict]:
    """What `count` signers do: the first creates all fields that are missing, and answers."""
    free = list(document.fields)
    missing = NAMES[:0 if document.certified else max(0, count - len(free))]
    names = (free + missing)[:count]
    return [
        {
            "key": str(signers[number].key), "certificates": str(signers[number].certificates),
            "update": {
                "newFields": [
                    {"name": name, "kind": "signature", "page": document.page, "rectangle": rectangle(index)}
                    for index, name in enumerate(missing)] if number == 0 else [],
                "values": document.values if number == 0 else [],
                "field": name, "ink": INK, "signer": f"Jörg {number}", "reason": "Vertrag / contract (draft)",
                "time": TIME + number, "locksForm": number == 0,
                "marks": [], "record": "20261127-1", "recordSHA256": "ab" * 32, **changes,
            },
        } for number, name in enumerate(names)]


def run_signer(data: bytes, jobs: list[dict], folder: Path) -> subprocess.CompletedProcess:
    (folder / "in.pdf").write_bytes(data)
    return subprocess.run(
        [os.environ["DOCUMENT_SIGNER"], folder / "in.pdf", folder / "out.pdf", *map(json.dumps, jobs)],
        capture_output=True, text=True, timeout=120, check=False)


def sign(data: bytes, jobs: list[dict], folder: Path) -> bytes:
    result = run_signer(data, jobs, folder)
    assert result.returncode == 0, (result.stdout, result.stderr)
    return (folder / "out.pdf").read_bytes()


def refusal(data: bytes, jobs: list[dict], folder: Path) -> str:
    result = run_signer(data, jobs, folder)
    assert result.returncode == 1, (result.returncode, result.stdout, result.stderr)
    return result.stdout


# MARK: what others say


def run(*arguments) -> tuple[int, str]:
    result = subprocess.run(list(map(str, arguments)), capture_output=True, timeout=60, check=False)
    return result.returncode, (result.stdout + result.stderr).decode("utf-8", "replace")


def qpdf_problems(path: Path) -> list[str]:
    status, text = run("qpdf", "--check", path)
    return [] if status == 0 and "WARNING" not in text else [text]


def poppler_problems(path: Path, count: int) -> list[str]:
    _, text = run("pdfsig", "-nocert", path)
    # Signatures are listed in the order of the fields, so any of them may be the last one.
    last = len(re.findall(r"- Total document signed", text))
    return [] if text.count("Signature is Valid.") == count and last == 1 else [text]


def mupdf_problems(path: Path, count: int) -> list[str]:
    _, text = run("mutool", "sign", "-v", path)
    whole = text.count("The document is unchanged since signing.")
    edited = text.count("The signature is valid but there have been edits since signing.")
    return [] if whole + edited == count and whole >= 1 and "rror: " not in text.replace(
        "Certificate error: ", "") else [text]


def pyhanko_problems(path: Path, count: int, authority, *, in_depth: bool = True, strict: bool = True) -> list[str]:
    reader = PdfFileReader(io.BytesIO(path.read_bytes()), strict=strict)
    signatures = reader.embedded_regular_signatures
    problems = [] if len(signatures) == count else [f"{len(signatures)} signatures, not {count}"]
    for number, signature in enumerate(signatures):
        context = ValidationContext(trust_roots=[authority], allow_fetching=False)
        status = validate_pdf_signature(signature, context)
        is_last = number == len(signatures) - 1
        least = SignatureCoverageLevel.ENTIRE_FILE if is_last else SignatureCoverageLevel.ENTIRE_REVISION
        facts = {
            "bottom line": status.bottom_line, "intact": status.intact, "valid": status.valid,
            "trusted": status.trusted, "coverage": status.coverage >= least,
            "modifications": status.modification_level <= ModificationLevel.FORM_FILLING,
            "docmdp": status.docmdp_ok is not False,
        }
        problems += [f"{signature.field_name}: {fact}: {status.modification_level}" for fact, is_so in facts.items()
                     if not is_so]
        if in_depth and "/INKP_Record" in signature.sig_object:
            problems += pades_problems(signature, authority)
    return problems


def pades_problems(signature, authority) -> list[str]:
    """What is against PAdES baseline B-B (ETSI EN 319 142-1, 6.3)."""
    problems = []
    attributes = {attribute["type"].native for attribute in signature.signer_info["signed_attrs"]}
    if attributes != {"content_type", "message_digest", "signing_certificate_v2"}:
        problems.append(f"signed attributes {attributes}")
    if not isinstance(signature.signer_info["unsigned_attrs"].native, (list, type(None))):
        problems.append("unsigned attributes")
    entries = signature.sig_object
    if entries["/SubFilter"] != "/ETSI.CAdES.detached" or "/M" not in entries or "/Cert" in entries:
        problems.append(f"entries {list(entries)}")
    policy = CertValidationPolicySpec(
        trust_manager=SimpleTrustManager.build([authority]),
        revinfo_policy=CertRevTrustPolicy(RevocationCheckingPolicy.from_legacy("soft-fail")))
    specification = SignatureValidationSpec(
        cert_validation_policy=policy, revinfo_gathering_policy=RevocationInfoGatheringSpec(
            online_fetching_rule=RevinfoOnlineFetchingRule.LOCAL_ONLY))
    result = asyncio.run(ades_basic_validation(
        signature.signed_data, specification, raw_digest=signature.compute_digest()))
    if result.ades_subindic != AdESPassed.OK:
        problems.append(f"AdES: {result.ades_subindic} {result.failure_msg}")
    return problems


@pytest.fixture(scope="session")
def authority(signers):
    return load_cert_from_pemder(str(signers[0].key.parent / "authority.pem"))


def check(data: bytes, count: int, authority, folder: Path, *, strict: bool = True) -> None:
    path = folder / "checked.pdf"
    path.write_bytes(data)
    problems = {
        "qpdf": qpdf_problems(path), "poppler": poppler_problems(path, count),
        "MuPDF": mupdf_problems(path, count), "pyHanko": pyhanko_problems(path, count, authority, strict=strict),
        "verify.html": page_problems(path, count),
    }
    assert not any(problems.values()), "\n".join(
        f"{program}: {line}" for program, lines in problems.items() for line in lines)


@pytest.fixture(scope="session")
def specials(signers) -> list[Document]:
    documents = special(signers)
    assert len(documents) == SPECIAL_COUNT
    return documents


def counts(turn: int) -> list[int]:
    return [1, 2, 3] if breadth.IS_LONG else [1 + turn % 3]


def sign_and_check(document: Document, turn: int, signers, authority, folder: Path) -> None:
    for count in counts(turn):
        if document.certified:
            count = min(count, len(document.fields))
        signed = sign(document.data, jobs(document, signers, count), folder)
        assert signed.startswith(document.data)
        check(signed, document.signatures + count, authority, folder, strict=not document.is_hybrid)
        changed_bytes_are_found(signed, len(document.data), document.signatures + count, authority, folder, turn)
        answers_are_in_it(signed, document)


def changed_bytes_are_found(signed: bytes, original: int, count: int, authority, folder: Path, turn: int) -> None:
    """Each program finds one changed byte, in the document or in the update."""
    numbers = random.Random(SEED + turn)
    hole = re.search(rb"/Contents <[0-9a-f]{16384}>", signed[original:])
    # Letters of texts: files with changes elsewhere cannot be read, which is no proof.
    places = [
        match.start() + 1 for match in re.finditer(rb"\(\w{4,}\)|/INKP_Record \(2", signed)
        if not original + hole.start() <= match.start() < original + hole.end()]
    place = numbers.choice(places) if places else original + hole.start() - 20
    changed = bytearray(signed)
    changed[place] ^= 1
    path = folder / "changed.pdf"
    path.write_bytes(changed)
    assert poppler_problems(path, count), place
    assert mupdf_problems(path, count), place
    assert page_problems(path, count), place
    try:
        assert pyhanko_problems(path, count, authority, in_depth=False), place
    except AssertionError:
        raise
    except Exception as error:  # pylint: disable=broad-except
        assert "pyhanko" in type(error).__module__, error


def test_openssl_verifies_them(signers, tmp_path):
    """With the attribute of the signing certificate (RFC 5035)."""
    document = standard("plain", "table")
    signed = sign(document.data, jobs(document, signers, 1), tmp_path)
    signature, = PdfFileReader(io.BytesIO(signed)).embedded_regular_signatures
    _, end, start, count = signature.byte_range
    (tmp_path / "content").write_bytes(signed[:end] + signed[start:start + count])
    (tmp_path / "cms").write_bytes(signature.pkcs7_content)
    arguments = [
        "openssl", "cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", tmp_path / "cms", "-content",
        tmp_path / "content", "-CAfile", signers[0].key.with_name("authority.pem"), "-purpose", "any",
        "-out", os.devnull]
    assert run(*arguments) == (0, "CAdES Verification successful\n")
    (tmp_path / "content").write_bytes(signed[:end] + signed[start:start + count] + b"\n")
    assert run(*arguments)[0] != 0


def answers_are_in_it(signed: bytes, document: Document) -> None:
    with pikepdf.open(io.BytesIO(signed)) as pdf:
        for value in document.values:
            if "appearance" in value:
                field = next(field for field in pdf.Root.AcroForm.Fields if str(field.T) == value["field"])
                assert str(field.V) == value["value"]
            if value["field"] not in ("consent", "choice"):
                continue
            field = next(field for field in pdf.Root.AcroForm.Fields if str(field.T) == value["field"])
            assert str(field.V) == "/" + value["value"]
            widgets = list(field.get("/Kids", [field]))
            on = [widget for widget in widgets if "/" + value["value"] in widget.AP.N]
            assert len(on) == 1
            for widget in widgets:
                assert str(widget.AS) == (str(field.V) if widget in on else "/Off")


# MARK: tests


@pytest.mark.parametrize(
    "turn", breadth.share(range(len(STANDARD)), len(WRITERS)), ids=["-".join(kind) for kind in STANDARD])
def test_documents_of_all_kinds_are_validly_signed(turn, signers, authority, tmp_path):
    sign_and_check(standard(*STANDARD[turn]), turn, signers, authority, tmp_path)


@pytest.mark.parametrize("turn", breadth.share(range(SPECIAL_COUNT), 2))
def test_unusual_documents_are_validly_signed(turn, specials, signers, authority, tmp_path):
    sign_and_check(specials[turn], turn, signers, authority, tmp_path)


# MARK: marks

# A kind of file for each way in which annotations are added to pages, and in which updates are written.
MARKED = [
    ("three-pages", "table"), ("turned-90", "streams"), ("cropped-and-turned", "linearized"), ("user-unit", "table"),
    ("direct-annotations", "linearized-streams"), ("indirect-annotations", "table"), ("shared-annotations", "streams"),
    ("form", "table"), ("indirect-form", "streams"),
]
LABEL = "Initials"


def marks(document: Document, *, scale: float = 1) -> list[dict]:
    """Initials on the page of the signatures, and the same ink on the first page."""
    return [
        {"page": page, "rectangle": {"minX": left, "minY": 330.0, "maxX": left + 80 * scale, "maxY": 440.0},
         "ink": INK, "label": LABEL} for page, left in [(document.page, 300.0), (1, 400.0)]]


@pytest.mark.parametrize("kind", breadth.share(MARKED, 2), ids="-".join)
def test_marks_are_covered_by_the_first_signature(kind, signers, authority, tmp_path):
    document = standard(*kind)
    work = jobs(document, signers, 2)
    work[0]["update"]["marks"] = marks(document)
    signed = sign(document.data, work, tmp_path)
    check(signed, 2, authority, tmp_path)
    size = SIZES.get(kind[0], (595, 842))
    for page, left in [(document.page, 310), (1, 410)]:
        for picture in pictures(tmp_path / "out.pdf", page, tmp_path):
            assert not ink_problems(picture, size, left, 340)
    with pikepdf.open(io.BytesIO(signed)) as pdf:
        notes = [note for page in pdf.pages for note in page.obj.get("/Annots", [])]
        stamps = [note for note in notes if note.Subtype == "/Stamp"]
        assert [(str(note.Contents), int(note.F)) for note in stamps] == [(LABEL, 196)] * 2
        # Ink that is the same in pages of one size is in the file once.
        assert len({note.AP.N.objgen for note in stamps}) == 1
    # A byte of the ink, and of the label.
    stream = signed.rindex(b">>\nstream\n", 0, signed.index(b"/Subtype /Stamp"))
    for place in [stream + 30, signed.index(b"(%s)" % LABEL.encode()) + 2]:
        changed = bytearray(signed)
        changed[place] ^= 1
        path = tmp_path / "changed.pdf"
        path.write_bytes(changed)
        assert poppler_problems(path, 2) and mupdf_problems(path, 2)
        assert pyhanko_problems(path, 2, authority, in_depth=False)


@pytest.mark.parametrize("name", ["a hybrid", "a page whose number was used again", "CR", "five updates"])
def test_marks_are_in_unusual_documents(name, specials, signers, authority, tmp_path):
    document, = (document for document in specials if document.name == name)
    work = jobs(document, signers, 2)
    work[0]["update"]["marks"] = marks(document)
    signed = sign(document.data, work, tmp_path)
    check(signed, 2, authority, tmp_path, strict=not document.is_hybrid)
    for picture in pictures(tmp_path / "out.pdf", 1, tmp_path):
        assert not ink_problems(picture, (595, 842), 410, 340)


def test_marks_after_a_signature_are_refused(signers, specials, tmp_path):
    """pyHanko would call them a change."""
    document = standard("plain", "table")
    first, second = jobs(document, signers, 2)
    second["update"]["marks"] = marks(document)
    message = "only its first signature can have marks"
    assert message in refusal(document.data, [first, second], tmp_path)
    for name in ["signed, table", "signed and certified with a field"]:
        earlier, = (document for document in specials if document.name == name)
        work = jobs(earlier, signers, 1)
        work[0]["update"]["marks"] = marks(earlier)
        assert message in refusal(earlier.data, work, tmp_path)


# MARK: the last signature

def final_jobs(document: Document, signers, count: int) -> list[dict]:
    work = jobs(document, signers, count)
    for job in work:
        job["update"]["finalField"] = work[-1]["update"]["field"]
    return work


def later_signature(signed: bytes, signer, field: str | None = None) -> bytes:
    """A signature in a new field, or in one of the file, whatever the others allow."""
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields, signers as pyhanko_signers

    class HeedlessSigner(pyhanko_signers.PdfSigner):
        def _enforce_certification_constraints(self, reader):
            pass

    own = pyhanko_signers.SimpleSigner.load(
        str(signer.key), str(signer.certificates.with_suffix(".own")),
        ca_chain_files=[str(signer.certificates.with_name("authority.pem"))])
    writer = IncrementalPdfFileWriter(io.BytesIO(signed))
    if not field:
        fields.append_signature_field(writer, fields.SigFieldSpec("Later"))
    output = io.BytesIO()
    metadata = pyhanko_signers.PdfSignatureMetadata(field_name=field or "Later", md_algorithm="sha256")
    HeedlessSigner(metadata, own).sign_pdf(writer, output=output)
    return output.getvalue()


@pytest.mark.parametrize("kind, count", breadth.pairs([
    ("plain", "table"), ("form", "streams"), ("indirect-form", "linearized"), ("indirect-fields", "table"),
], [1, 2, 3]))
def test_nothing_may_follow_a_final_signature(kind, count, signers, authority, tmp_path):
    document = standard(*kind)
    signed = sign(document.data, final_jobs(document, signers, count), tmp_path)
    check(signed, count, authority, tmp_path)
    *before, last = PdfFileReader(io.BytesIO(signed)).embedded_regular_signatures
    # Only a certification says it by itself; a later one by the lock of its field.
    assert last.docmdp_level.value == 1 and all((one.docmdp_level or MDPPerm.FILL_FORMS).value == 2 for one in before)
    if before:
        assert last.fieldmdp.action == FieldMDPAction.ALL and last.sig_field["/Lock"]["/P"] == 1
    assert "allows no " in refusal(signed, jobs(document, signers, 1), tmp_path)
    # By default a further signature in a plain document is no change that pyHanko minds; here it is one. A form is
    # locked by its first signature.
    path = tmp_path / "later.pdf"
    for closed in [False, True]:
        work = (final_jobs if closed else jobs)(document, signers, count)
        path.write_bytes(later_signature(sign(document.data, work, tmp_path), signers[2]))
        problems = pyhanko_problems(path, count + 1, authority, in_depth=False)
        assert any(problem.startswith(f"{last.field_name}: docmdp") for problem in problems) == (
            closed or count == 1 and bool(document.fields)), problems


def test_a_field_of_the_file_stays_open_for_a_later_signature(signers, authority, tmp_path):
    """The host may sign there with another program."""
    document = standard("indirect-fields", "table")
    path = tmp_path / "later.pdf"
    path.write_bytes(later_signature(
        sign(document.data, jobs(document, signers, 1), tmp_path), signers[2], "group.clerk"))
    assert not pyhanko_problems(path, 2, authority, in_depth=False) and not page_problems(path, 2)


def test_a_field_that_earlier_signatures_cover_cannot_become_final(signers, authority, specials, tmp_path):
    signed, = (document for document in specials if document.name == "signed, with a form")
    message = "older than an earlier signature"
    assert message in refusal(signed.data, final_jobs(signed, signers, 1), tmp_path)
    # A new one can.
    signed.fields.clear()
    signed.values.clear()
    check(sign(signed.data, final_jobs(signed, signers, 1), tmp_path), 2, authority, tmp_path)


# MARK: how it looks

# The sizes of pages as they are shown, in points, where they are not 595 x 842.
SIZES = {
    "turned-90": (842, 595), "turned-270-inherited": (842, 595), "cropped": (495, 770),
    "cropped-and-turned": (770, 495), "user-unit": (1190, 1684),
}


def pictures(path: Path, page: int, folder: Path) -> list[Image.Image]:
    """A page as poppler and MuPDF draw it, about a pixel a point."""
    run("pdftoppm", "-cropbox", "-r", 72, "-f", page, "-l", page, "-singlefile", path, folder / "poppler")
    run("mutool", "draw", "-q", "-r", 72, "-o", folder / "mupdf.ppm", path, page)
    return [Image.open(folder / f"{program}.ppm").convert("RGB") for program in ["poppler", "mupdf"]]


def ink_problems(picture: Image.Image, size, left: float, bottom: float, scale: float = 1) -> list[str]:
    """Whether the ink, an F with a red foot, is there: upright, in its size."""
    zoom = picture.width / size[0]
    assert abs(picture.height / size[1] - zoom) < 0.01 * zoom, (picture.size, size)

    def look(x, y):
        place = (left + x * scale) * zoom, (size[1] - bottom - y * scale) * zoom
        red, green, blue = picture.getpixel((int(place[0]), int(place[1])))
        # The page's own text is grey.
        grey = max(red, green, blue) - min(red, green, blue) < 60
        return "none" if grey else {(True, False): "red", (False, True): "blue"}.get((red > 150, blue > 150), "other")

    expected = {
        (6, 6): "red", (6, 20): "blue", (6, 84): "blue", (50, 84): "blue", (34, 46): "blue", (50, 46): "none",
        (30, 20): "none", (30, 66): "none", (-4, 50): "none", (64, 84): "none", (6, 94): "none", (6, -4): "none",
    }
    return [f"{place}: {look(*place)}, not {colour}" for place, colour in expected.items() if look(*place) != colour]


@pytest.mark.parametrize("content", [content for content in CONTENTS if not CONTENTS[content][2].get("fields")])
def test_ink_is_in_its_field_upright_and_in_life_size(content, signers, tmp_path):
    document = standard(content, "table")
    sign(document.data, jobs(document, signers, 2), tmp_path)
    for picture in pictures(tmp_path / "out.pdf", document.page, tmp_path):
        for number in range(2):
            assert not ink_problems(picture, SIZES.get(content, (595, 842)), 122, 100 + 110 * number)


def test_ink_is_in_fields_of_the_document(signers, tmp_path):
    document = standard("indirect-fields", "streams")
    sign(document.data, jobs(document, signers, 2), tmp_path)
    for picture in pictures(tmp_path / "out.pdf", 1, tmp_path):
        assert not ink_problems(picture, (595, 842), 110, 205)
        assert not ink_problems(picture, (595, 842), 110, 65)


def test_texts_are_in_their_fields(signers, tmp_path):
    document = standard("texts", "table")
    sign(document.data, jobs(document, signers, 1), tmp_path)
    for picture in pictures(tmp_path / "out.pdf", 1, tmp_path):
        assert not ink_problems(picture, (595, 842), 330, 500)
        for bottom in (200, 300):
            assert not ink_problems(picture, (595, 842), 300, bottom)
        # The field's background and border.
        red, green, blue = picture.getpixel((310, 842 - 510))
        assert 225 < red < 235 and 225 < green < 235 and blue > 250
        red, green, blue = picture.getpixel((360, 842 - 500 - 1))
        assert green > red + 40 and green > blue + 40


def test_texts_that_a_field_cannot_have_are_refused(signers, tmp_path):
    document = standard("texts", "table")

    def refused(field, text, ink=True):
        work = jobs(document, signers, 1)
        value = {"field": field, "value": text, **({"appearance": INK} if ink else {})}
        work[0]["update"].update(values=[value], locksForm=False)
        return refusal(document.data, work, tmp_path)

    assert "no outlines" in refused("name", "x", ink=False)
    assert "line ends or control characters" in refused("name", "a\nb")
    assert "at most 20 characters" in refused("place", "x" * 21)
    assert "control characters" in refused("place", "a\x07")
    assert "longer than 4096 bytes" in refused("name", "é" * 2049)


def test_ink_that_is_too_large_is_made_smaller(signers, tmp_path):
    document = standard("plain", "table")
    job, = jobs(document, signers, 1)
    job["update"]["newFields"][0]["rectangle"] = {"minX": 200.0, "minY": 100.0, "maxX": 240.0, "maxY": 200.0}
    sign(document.data, [job], tmp_path)
    for picture in pictures(tmp_path / "out.pdf", 1, tmp_path):
        assert not ink_problems(picture, (595, 842), 200, 120, 2 / 3)


# MARK: what is refused


def test_other_files_are_refused(signers, tmp_path):
    data = standard("plain", "table").data
    with pikepdf.open(io.BytesIO(data)) as pdf:
        output = io.BytesIO()
        pdf.save(output, encryption=pikepdf.Encryption(owner="x", user=""))
        encrypted = output.getvalue()
        pdf.Root["/AcroForm"] = pikepdf.Dictionary(Fields=pikepdf.Array([]), XFA=pikepdf.String("x"))
        xfa = WRITERS["table"](pdf)
    job = jobs(standard("plain", "table"), signers, 1)
    for wrong, message in [
        (encrypted, "encrypted"), (data[:len(data) // 2], "damaged"),
        (data.replace(b"startxref", b"startxxxx"), "damaged"), (data.replace(b"/Kids", b"/Kidz"), "damaged"),
        (b"", "damaged"), (b"%PDF-1.7\n", "damaged"), (JUNK + data, "does not begin with %PDF-"), (xfa, "XFA"),
    ]:
        assert message in refusal(wrong, job, tmp_path)


def test_what_earlier_signatures_forbid_is_refused(signers, tmp_path):
    from pyhanko.sign.fields import MDPPerm

    plain, form = standard("plain", "table"), standard("form", "table")
    closed = signed_by_pyhanko(plain.data, signers[2], certify=True, docmdp_permissions=MDPPerm.NO_CHANGES)
    assert "its certification allows no signatures" in refusal(closed, jobs(plain, signers, 1), tmp_path)
    filling = signed_by_pyhanko(plain.data, signers[2], certify=True, docmdp_permissions=MDPPerm.FILL_FORMS)
    assert "later updates can add no fields" in refusal(filling, jobs(plain, signers, 1), tmp_path)
    # What we have locked.
    first, second, third = jobs(form, signers, 3)
    third["update"]["values"] = FORM_VALUES[:1]
    assert "an earlier signature has locked it" in refusal(form.data, [first, second, third], tmp_path)
    first["update"]["newFields"], first["update"]["values"] = [], []
    assert "it is signed already" in refusal(form.data, [first, first], tmp_path)


def test_a_place_apart_from_its_field_is_not_signed_after_another_program(signers, tmp_path):
    """pyHanko doubts the earlier signature then. A new field in a rectangle does no harm."""
    with pikepdf.open(io.BytesIO(standard("plain", "table").data)) as pdf:
        page = pdf.pages[0].obj
        field = pdf.make_indirect(pikepdf.Dictionary(FT=pikepdf.Name.Sig, T=pikepdf.String("clerk")))
        widget = pdf.make_indirect(pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, F=4, P=page, Parent=field, Rect=[60, 60, 220, 160]))
        field.Kids, page.Annots = pikepdf.Array([widget]), pikepdf.Array([widget])
        pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[field], SigFlags=3)
        output = io.BytesIO()
        pdf.save(output)
    earlier = signed_by_pyhanko(output.getvalue(), signers[2])
    job = jobs(standard("plain", "table"), signers, 1)[0]
    job["update"]["newFields"], job["update"]["field"], job["update"]["marks"] = [], "clerk", []
    assert "an object of its own" in refusal(earlier, [job], tmp_path)
    job = jobs(standard("plain", "table"), signers, 1)[0]
    (tmp_path / "again.pdf").write_bytes(sign(earlier, [job], tmp_path))
    authority = load_cert_from_pemder(str(signers[0].certificates.with_name("authority.pem")))
    assert not pyhanko_problems(tmp_path / "again.pdf", 2, authority)


@pytest.mark.parametrize("lock, field", [
    (FieldMDPAction.ALL, None), (FieldMDPAction.EXCLUDE, "customer"), (FieldMDPAction.INCLUDE, "S01"),
])
def test_no_field_is_added_that_an_earlier_signature_has_locked(signers, tmp_path, lock, field):
    from pyhanko.sign.fields import FieldMDPSpec

    plain = standard("plain", "table")
    signed = signed_by_pyhanko(plain.data, signers[2], lock=FieldMDPSpec(lock, [field] if field else None))
    assert "an earlier signature has locked the form" in refusal(signed, jobs(plain, signers, 1), tmp_path)


def test_a_field_and_its_widget_become_one_object_with_what_both_have(signers, tmp_path):
    form = standard("indirect-fields", "streams")
    signed = sign(form.data, jobs(form, signers, 1), tmp_path)
    with pikepdf.open(io.BytesIO(signed)) as pdf:
        (group,) = (field for field in pdf.Root.AcroForm.Fields if field.get("/T") == "group")
        (clerk,) = group.Kids
        assert (clerk.T, clerk.FT, clerk.Subtype) == ("clerk", pikepdf.Name.Sig, pikepdf.Name.Widget)
        assert clerk.Parent.objgen == group.objgen and "/Kids" not in clerk
        assert clerk.objgen in [annotation.objgen for annotation in pdf.pages[0].Annots]


def test_signatures_say_who_why_and_which_record(signers, tmp_path):
    document = standard("form", "streams")
    signed = sign(document.data, jobs(document, signers, 2), tmp_path)
    reader = PdfFileReader(io.BytesIO(signed))
    first, second = reader.embedded_regular_signatures
    assert first.sig_object["/Name"] == "Jörg 0" and first.sig_object["/Reason"] == "Vertrag / contract (draft)"
    assert first.sig_object["/M"] == "D:20260921141320Z"
    assert first.sig_object["/INKP_Record"] == "20261127-1"
    assert bytes(first.sig_object.raw_get("/INKP_RecordSHA256").original_bytes) == b"\xab" * 32
    assert first.docmdp_level.value == 2 and second.docmdp_level is None
    assert (first.fieldmdp.action, first.fieldmdp.fields) == (FieldMDPAction.EXCLUDE, ["S01"])
    # All fields are there from the first signature on.
    end = first.byte_range[2] + first.byte_range[3]
    with pikepdf.open(io.BytesIO(signed[:end])) as pdf:
        assert [str(field.T) for field in pdf.Root.AcroForm.Fields] == ["customer", "consent", "choice", "S01"]


def test_no_other_field_of_the_form_can_change_after_a_signature(signers, authority, tmp_path):
    """A list, which nobody fills on the pad, and a text that is hidden."""
    pdf = pikepdf.open(io.BytesIO(standard("plain", "table").data))
    fields = [pdf.make_indirect(pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, Rect=[60, 600, 160, 620], F=flags, P=pdf.pages[0].obj,
        FT=kind, T=pikepdf.String(name), V=pikepdf.String("a"), DA=pikepdf.String("/Helv 12 Tf 0 g")))
        for name, kind, flags in [("list", pikepdf.Name.Ch, 4), ("hidden", pikepdf.Name.Tx, 2)]]
    pdf.pages[0].obj.Annots = pikepdf.Array(fields)
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pikepdf.Array(fields))
    output = io.BytesIO()
    pdf.save(output)
    document = Document("list", output.getvalue())
    signed = sign(document.data, jobs(document, signers, 1), tmp_path)
    check(signed, 1, authority, tmp_path)
    for name in ("list", "hidden"):
        writer = IncrementalPdfFileWriter(io.BytesIO(signed))
        (field,) = (each for each in writer.root["/AcroForm"]["/Fields"] if each.get_object()["/T"] == name)
        field.get_object()["/V"] = pdf_string("b")
        writer.mark_update(field)
        changed = io.BytesIO()
        writer.write(changed)
        (signature,) = PdfFileReader(changed).embedded_regular_signatures
        status = validate_pdf_signature(signature, ValidationContext(trust_roots=[authority], allow_fetching=False))
        assert not status.bottom_line, name


def test_the_same_update_has_the_same_bytes(signers, tmp_path):
    document = standard("plain", "streams")
    one, two = (sign(document.data, jobs(document, signers, 1), tmp_path) for _ in range(2))
    blank = re.compile(rb"/Contents <[0-9a-f]{16384}>")
    assert one != two and blank.sub(b"", one) == blank.sub(b"", two)


# MARK: archives

PREFLIGHT = [f"/usr/share/java/{name}.jar" for name in (
    "preflight", "pdfbox2", "fontbox2", "xmpbox", "commons-logging", "commons-io", "javax.activation", "jaxb-api")]


# Needs Java.
@breadth.long
def test_archival_documents_stay_archival(signers, tmp_path):
    """PDF/A-1b by PDFBox's Preflight."""
    def problems(path):
        status, text = run(
            "java", "-cp", ":".join(PREFLIGHT), "org.apache.pdfbox.preflight.Validator_A1b", path)
        return [] if status == 0 and "is a valid PDF/A-1b file" in text else [text]

    document = Document("PDF/A-1b", archival())
    (tmp_path / "before.pdf").write_bytes(document.data)
    assert not problems(tmp_path / "before.pdf")
    for count in [1, 2, 3]:
        work = jobs(document, signers, count)
        work[0]["update"]["marks"] = marks(document)
        work[0]["update"]["ink"] = {**INK, "texts": [
            {"text": "Anna Müller, 2026-11-28", "x": 0, "y": 0, "width": 60, "height": 8}]}
        sign(document.data, work, tmp_path)
        assert not problems(tmp_path / "out.pdf")
        assert "Anna Müller, 2026-11-28" in run("pdftotext", tmp_path / "out.pdf", "-")[1]
