# SPDX-License-Identifier: Apache-2.0
"""After the first signature no field of the form can change, whatever its name is: each program notices it."""

import io
import re

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.diff_analysis import ModificationLevel
from pyhanko.sign.fields import FieldMDPAction, FieldMDPSpec
from pyhanko.sign.signers import PdfTimeStamper
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

from page import page_reports
from signed_files import Document, signed_by_pyhanko, signers, standard  # noqa: F401, the fixture signers, too
from support import breadth
from test_signed import authority, check, jobs, refusal, run, sign  # noqa: F401, the fixture authority, too
from test_verifier import time_stamper

LOOK = (b"<< /Type /XObject /Subtype /Form /BBox [ 0 0 120 20 ] /Length 24 >>\nstream\n"
        b"1 0 0 rg 0 0 100 20 re f\nendstream")


def text_field(pdf, y: int, **entries):
    look = pdf.make_stream(
        b"/Tx BMC 0 0 100 12 re f EMC", Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 120, 20]))
    widget = pdf.make_indirect(Dictionary(
        Type=Name.Annot, Subtype=Name.Widget, F=4, Rect=Array([200, y, 320, y + 20]), P=pdf.pages[0].obj,
        V=String("900 EUR"), AP=Dictionary(N=look), DA=String("/Helv 12 Tf 0 g"), **entries))
    pdf.pages[0].obj.Annots.append(widget)
    return widget


def text(name: str | None = None) -> dict:
    return {"FT": Name.Tx, **({} if name is None else {"T": String(name)})}


def group(pdf, name: str | None, kids: list, **entries):
    node = pdf.make_indirect(Dictionary(Kids=Array(kids), **entries))
    if name is not None:
        node["/T"] = String(name)
    for kid in kids:
        kid["/Parent"] = node
    return node


FORMS = {
    "named": lambda pdf: [text_field(pdf, 600, **text("rent")), text_field(pdf, 560, **text("deposit"))],
    "empty names": lambda pdf: [text_field(pdf, 600, **text("")), text_field(pdf, 560, **text("rent"))],
    "no names": lambda pdf: [text_field(pdf, 600, **text()), text_field(pdf, 560, **text())],
    "one name twice": lambda pdf: [text_field(pdf, 600, **text("rent")), text_field(pdf, 560, **text("rent"))],
    "one name twice below others": lambda pdf: [
        group(pdf, "rent", [text_field(pdf, 600, **text("a")), text_field(pdf, 560, **text("a"))])],
    "named and unnamed kids": lambda pdf: [
        group(pdf, "rent", [text_field(pdf, 600), text_field(pdf, 560, **text("a"))], FT=Name.Tx)],
    "nodes without names": lambda pdf: [
        group(pdf, None, [group(pdf, None, [text_field(pdf, 600, **text())]), text_field(pdf, 560, **text("a"))])],
    "two widgets": lambda pdf: [
        group(pdf, "rent", [text_field(pdf, 600), text_field(pdf, 560)], FT=Name.Tx)],
    "prefix of a signature's name": lambda pdf: [
        text_field(pdf, 600, **text("T02_rent")), text_field(pdf, 560, **text("T0"))],
    "outside the form": lambda pdf: [text_field(pdf, 600, **text("rent")), text_field(pdf, 560, **text("other"))][:1],
}


def document(kind: str) -> Document:
    with pikepdf.open(io.BytesIO(standard("plain", "table").data)) as pdf:
        pdf.pages[0].obj.Annots = Array([])
        pdf.Root.AcroForm = pdf.make_indirect(Dictionary(
            Fields=Array(FORMS[kind](pdf)), DA=String("/Helv 12 Tf 0 g")))
        output = io.BytesIO()
        pdf.save(output, deterministic_id=True)
        return Document(kind, output.getvalue())


def changed(signed: bytes, number: int) -> bytes:
    """Another value and another look for the text with this number, counted over the widgets of the page."""
    with pikepdf.open(io.BytesIO(signed)) as pdf:
        size = int(pdf.trailer.Size)
        widgets = [note for note in pdf.pages[0].obj.Annots if "/V" in note and note.get("/FT") != Name.Sig]
        widget = widgets[number]
        old = widget.unparse(resolved=True)
    new = re.sub(rb"/V \(900 EUR\)", b"/V (99999 EUR)", old)
    new = re.sub(rb"/AP << /N \d+ 0 R >>", b"/AP << /N %d 0 R >>" % size, new)
    assert new.count(b"99999") == 1 and b"/N %d 0 R" % size in new
    places, data = {}, signed
    for each, content in {widget.objgen[0]: new, size: LOOK}.items():
        places[each] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (each, content)
    table = b"xref\n" + b"".join(b"%d 1\n%010d 00000 n \n" % place for place in sorted(places.items()))
    root = re.findall(rb"/Root (\d+ 0 R)", signed)[-1]
    previous = int(re.findall(rb"startxref\s+(\d+)", signed)[-1])
    return data + table + b"trailer\n<< /Size %d /Root %s /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (
        size + 1, root, previous, len(data))


def pyhanko_says(data: bytes, authority) -> list[bool]:
    """Whether pyHanko accepts each signature."""
    found = []
    for signature in PdfFileReader(io.BytesIO(data)).embedded_regular_signatures:
        context = ValidationContext(trust_roots=[authority], allow_fetching=False)
        try:
            status = validate_pdf_signature(signature, context)
        except Exception as error:  # pylint: disable=broad-except
            # It does not read forms with two fields of a name, once they have an update.
            assert "pyhanko" in type(error).__module__, error
            found.append(False)
            continue
        found.append(status.bottom_line and status.modification_level < ModificationLevel.OTHER)
    return found


@pytest.mark.parametrize("kind, count", breadth.pairs(FORMS, [2, 1]))
def test_no_field_can_change_unnoticed(kind, count, signers, authority, tmp_path):  # noqa: F811
    original = document(kind)
    work = jobs(original, signers, count)
    if kind.startswith("one name twice") and count > 1:
        # pyHanko could not verify the second signature.
        assert "another field has its name" in refusal(original.data, work, tmp_path)
        return
    signed = sign(original.data, work, tmp_path)
    check(signed, count, authority, tmp_path)
    first = PdfFileReader(io.BytesIO(signed)).embedded_regular_signatures[0]
    assert first.fieldmdp.action == (FieldMDPAction.ALL if count == 1 else FieldMDPAction.EXCLUDE)
    assert count == 1 or first.fieldmdp.fields == ["T02"]
    for number in range(2):
        path = tmp_path / "changed.pdf"
        path.write_bytes(changed(signed, number))
        # The lock is that of the first signature, and holds after later ones.
        assert not pyhanko_says(path.read_bytes(), authority)[0], number
        assert "Total document signed" not in run("pdfsig", "-nocert", path)[1].replace("Not total", "")
        said, = page_reports(path)
        assert said["signatures"][0]["changedAfter"] in ("forbidden", "unknown"), said["signatures"]
        if kind != "outside the form":
            assert "wrong" in [fact["state"] for fact in said["facts"] if fact["code"] == "pdfAfter"], said


@pytest.mark.parametrize("count", breadth.share([2, 1], 2))
def test_a_locked_form_gets_a_time_stamp(count, signers, authority, tmp_path):  # noqa: F811
    """Its looks are older than the signatures."""
    original = document("named")
    file = io.BytesIO(sign(original.data, jobs(original, signers, count), tmp_path))
    PdfTimeStamper(time_stamper()).timestamp_pdf(IncrementalPdfFileWriter(file), "sha256", in_place=True)
    assert pyhanko_says(file.getvalue(), authority) == [True] * count
    (tmp_path / "stamped.pdf").write_bytes(file.getvalue())
    said, = page_reports(tmp_path / "stamped.pdf")
    assert [one["changedAfter"] for one in said["signatures"]] == ["signed"] * count + ["no"]


@pytest.mark.parametrize("kind, number, expected", [
    ("named", 0, "unknown"), ("named", 1, "forbidden"), ("empty names", 0, "unknown"), ("one name twice", 0, "unknown"),
    ("no names", 0, "unknown"), ("outside the form", 1, "unknown"),
])
def test_a_field_that_a_list_leaves_out_is_more_than_filled(kind, number, expected, signers, tmp_path):  # noqa: F811
    """As Inkpanel first locked forms: by a list of names."""
    lock = FieldMDPSpec(FieldMDPAction.INCLUDE, ["deposit"])
    signed = signed_by_pyhanko(document(kind).data, signers[2], lock=lock)
    path = tmp_path / "changed.pdf"
    path.write_bytes(changed(signed, number))
    said, = page_reports(path)
    assert [one["changedAfter"] for one in said["signatures"]] == [expected]


def test_a_field_that_no_lock_means_is_filled(signers, tmp_path):  # noqa: F811
    path = tmp_path / "changed.pdf"
    path.write_bytes(changed(signed_by_pyhanko(document("named").data, signers[2]), 0))
    said, = page_reports(path)
    assert [one["changedAfter"] for one in said["signatures"]] == ["filled"]
    assert said["updates"][0]["fields"] == ["rent"]
