# SPDX-License-Identifier: Apache-2.0
"""Documents of all kinds to be signed, and the signers' keys."""

import datetime
import io
import struct
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pikepdf
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pikepdf import Array, Dictionary, Name, ObjectStreamMode, String
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

# 2026-09-21 14:13:20 UTC.
TIME = 1790000000
# A letter F of 60 x 90 points with a foot that is red: turned or mirrored, it looks otherwise.
INK = {
    "width": 60.0, "height": 90.0,
    "content": "0 0 1 rg\n0 0 m 12 0 l 12 90 l 0 90 l h 0 78 m 60 78 l 60 90 l 0 90 l h 0 40 m 40 40 l 40 52 l 0 52 l h"
               " f\n1 0 0 rg\n0 0 m 12 0 l 12 12 l 0 12 l h f",
}
NAMES = ["S01", "T02", "U03"]


@dataclass
class Signer:
    name: str
    key: Path
    certificates: Path


@dataclass
class Document:
    """A file, and what the signers find in it."""

    name: str
    data: bytes
    # The signature fields that it has already.
    fields: list[str] = field(default_factory=list)
    values: list[dict] = field(default_factory=list)
    page: int = 1
    # Signatures that it has already, and whether they forbid new fields.
    signatures: int = 0
    certified: bool = False
    # pyHanko wants to be asked twice for such files.
    is_hybrid: bool = False


# MARK: keys


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(subject: str, key, issuer: str, issuer_key, is_authority: bool) -> x509.Certificate:
    return (
        x509.CertificateBuilder().subject_name(_name(subject)).issuer_name(_name(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(datetime.datetime(2020, 1, 1))
        .not_valid_after(datetime.datetime(2049, 1, 1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(not is_authority, not is_authority, False, False, False, is_authority,
                                     is_authority, False, False), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
        .sign(issuer_key, hashes.SHA256()))


@pytest.fixture(scope="session")
def signers(tmp_path_factory) -> list[Signer]:
    """Three panels, certified by one authority."""
    folder = tmp_path_factory.mktemp("signers")
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority = _certificate("Authority", authority_key, "Authority", authority_key, True)
    (folder / "authority.pem").write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    signers = []
    for number in range(1, 4):
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _certificate(f"Panel {number}", key, "Authority", authority_key, False)
        signer = Signer(f"Panel {number}", folder / f"{number}.key", folder / f"{number}.pem")
        signer.key.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        own = certificate.public_bytes(serialization.Encoding.PEM)
        signer.certificates.write_bytes(own + authority.public_bytes(serialization.Encoding.PEM))
        signer.certificates.with_suffix(".own").write_bytes(own)
        signers.append(signer)
    return signers


# MARK: how files are written


def _saved(pdf: pikepdf.Pdf, **options) -> bytes:
    output = io.BytesIO()
    pdf.save(output, deterministic_id=True, **options)
    return output.getvalue()


WRITERS = {
    "table": lambda pdf: _saved(pdf, object_stream_mode=ObjectStreamMode.disable),
    "streams": lambda pdf: _saved(pdf, object_stream_mode=ObjectStreamMode.generate),
    "linearized": lambda pdf: _saved(pdf, object_stream_mode=ObjectStreamMode.disable, linearize=True),
    "linearized-streams": lambda pdf: _saved(pdf, object_stream_mode=ObjectStreamMode.generate, linearize=True),
}


def text_pages(count: int = 1, size=(595, 842)) -> bytes:
    output = io.BytesIO()
    pages = canvas.Canvas(output, pagesize=size, invariant=1)
    for number in range(count):
        pages.setFont("Helvetica", 12)
        for line in range(20):
            pages.drawString(72, size[1] - 72 - 18 * line, f"Page {number + 1}, line {line + 1}: the customer agrees.")
        pages.showPage()
    pages.save()
    return output.getvalue()


def raw_file(objects: dict[int, bytes], newline: bytes = b"\n", before: bytes = b"", trailer: bytes = b"",
             generations: dict[int, int] | None = None, end: bytes | None = None) -> bytes:
    """A file with a table, byte by byte. Numbers that are missing are free."""
    data = b"%PDF-1.6" + newline + b"%\xe2\xe3\xcf\xd3" + newline
    offsets = {}
    for number, text in objects.items():
        offsets[number] = len(data)
        data += b"%d 0 obj" % number + newline + text + newline + b"endobj" + newline
    size = max(objects) + 1
    start = len(data)
    entry = newline if len(newline) == 2 else b" " + newline
    data += b"xref" + newline + b"0 %d" % size + newline
    for number in range(size):
        if number in offsets:
            data += b"%010d 00000 n" % offsets[number] + entry
        else:
            data += b"%010d %05d f" % (0, 65535 if number == 0 else 1) + entry
    data += b"trailer" + newline + b"<< /Size %d /Root 1 0 R " % size + trailer + b" >>" + newline
    data += b"startxref" + newline + b"%d" % start + newline + b"%%EOF" + (newline if end is None else end)
    return before + data


def raw_page(newline: bytes = b"\n", page: bytes = b"", catalogue: bytes = b"") -> dict[int, bytes]:
    content = b"BT /F1 24 Tf 72 700 Td (Hello) Tj ET"
    return {
        1: b"<< /Type /Catalog /Pages 2 0 R " + catalogue + b" >>",
        2: b"<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R"
           b" /Resources << /Font << /F1 5 0 R >> >> " + page + b" >>",
        4: b"<< /Length %d >>" % len(content) + newline + b"stream\r\n" + content + newline + b"endstream",
        5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }


def appended(data: bytes, kind: str, note: bytes = b"Note") -> bytes:
    """Another program's update, which adds an object."""
    pdf = pikepdf.open(io.BytesIO(data))
    size, root = int(pdf.trailer.Size), pdf.Root.objgen[0]
    previous = int(data[data.rindex(b"startxref") + 9:].split()[0])
    data += b"%d 0 obj\n(%s)\nendobj\n" % (size, note)
    first = data.rindex(b"%d 0 obj\n(" % size)
    start = len(data)
    if kind == "table":
        data += b"xref\n0 1\n0000000000 65535 f \n%d 1\n%010d 00000 n \n" % (size, first)
        data += b"trailer\n<< /Size %d /Root %d 0 R /Prev %d >>\n" % (size + 1, root, previous)
    else:
        entries = b"".join(b"\x01" + offset.to_bytes(4, "big") + b"\0\0" for offset in [first, start])
        compressed = zlib.compress(entries)
        data += b"%d 0 obj\n<< /Type /XRef /Size %d /Root %d 0 R /Prev %d /W [ 1 4 2 ] /Index [ %d 2 ]" % (
            size + 1, size + 2, root, previous, size)
        data += b" /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (len(compressed), compressed)
    return data + b"startxref\n%d\n%%%%EOF\n" % start


def reused() -> bytes:
    """A file whose page has a number that was free for a while."""
    data = raw_file(raw_page())
    for entries, kids in [(b"3 1\n0000000000 00001 f \n", b""), (b"3 1\n%010d 00001 n \n", b"3 1 R")]:
        previous = int(data[data.rindex(b"startxref") + 9:].split()[0])
        if kids:
            entries %= len(data)
            data += b"3 1 obj\n" + raw_page()[3] + b"\nendobj\n"
        tree = len(data)
        data += b"2 0 obj\n<< /Type /Pages /Kids [ %s ] /Count %d >>\nendobj\n" % (kids, 1 if kids else 0)
        start = len(data)
        data += b"xref\n2 1\n%010d 00000 n \n" % tree + entries
        data += b"trailer\n<< /Size 6 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (previous, start)
    return data


def hybrid() -> bytes:
    """A file whose table has a stream beside it (ISO 32000-1, 7.5.8.4), for an object that old readers do not see."""
    data = raw_file(raw_page(catalogue=b"/INKP_Hidden 7 0 R"))
    data = data[:data.rindex(b"xref\n0 ")]
    inner = b"7 0 (hidden)"
    hidden = len(data)
    data += b"8 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (
        len(inner), inner)
    stream = len(data)
    entries = b"\x02\0\0\0\x08\0\0" + b"".join(
        b"\x01" + offset.to_bytes(4, "big") + b"\0\0" for offset in [hidden, stream])
    data += b"9 0 obj\n<< /Type /XRef /Size 10 /Root 1 0 R /W [ 1 4 2 ] /Index [ 7 3 ] /Length %d >>\nstream\n" % len(
        entries) + entries + b"\nendstream\nendobj\n"
    start = len(data)
    data += b"xref\n0 6\n0000000000 65535 f \n"
    for number in range(1, 6):
        data += b"%010d 00000 n \n" % data.index(b"%d 0 obj" % number)
    data += b"trailer\n<< /Size 10 /Root 1 0 R /XRefStm %d >>\nstartxref\n%d\n%%%%EOF\n" % (stream, start)
    return data


# MARK: what is in them


def _turned(degrees: int, inherited: bool = False):
    def change(pdf):
        page = pdf.pages[0].obj
        page["/Rotate"] = degrees
        if inherited:
            del page["/Rotate"]
            page.Parent["/Rotate"] = degrees
    return change


def _cropped(pdf):
    pdf.pages[0].obj["/CropBox"] = Array([50, 30, 545, 800])


def _negative(pdf):
    pdf.pages[0].obj["/MediaBox"] = Array([-100, -200, 495, 642])


def _unit(pdf):
    pdf.pages[0].obj["/UserUnit"] = 2


def _turned_crop(pdf):
    _cropped(pdf)
    _turned(270)(pdf)


def _note(pdf) -> Dictionary:
    return Dictionary(Type=Name.Annot, Subtype=Name.Square, Rect=Array([20, 20, 60, 60]), F=4)


def _direct_annotations(pdf):
    pdf.pages[0].obj["/Annots"] = Array([pdf.make_indirect(_note(pdf)), _note(pdf)])


def _indirect_annotations(pdf):
    pdf.pages[0].obj["/Annots"] = pdf.make_indirect(Array([pdf.make_indirect(_note(pdf))]))


def _shared_annotations(pdf):
    shared = pdf.make_indirect(Array([pdf.make_indirect(_note(pdf))]))
    for page in pdf.pages:
        page.obj["/Annots"] = shared


def _look(pdf, colour: str):
    return pdf.make_stream(f"{colour} 0 0 10 10 re f".encode(), Type=Name.XObject, Subtype=Name.Form,
                           BBox=Array([0, 0, 10, 10]))


def _widget(pdf, rect, **entries):
    page = pdf.pages[0].obj
    widget = pdf.make_indirect(Dictionary(
        Type=Name.Annot, Subtype=Name.Widget, F=4, Rect=Array(rect), P=page, **entries))
    if "/Annots" not in page:
        page["/Annots"] = Array([])
    page["/Annots"].append(widget)
    return widget


def _check(pdf, name: str, on: str = "/Yes", y: int = 60):
    return _widget(
        pdf, [400, y, 410, y + 10], FT=Name.Btn, T=String(name), AS=Name.Off, V=Name.Off,
        AP=Dictionary(N=Dictionary({on: _look(pdf, "0 g"), "/Off": _look(pdf, "1 g")})))


def _radio(pdf):
    parent = pdf.make_indirect(Dictionary(FT=Name.Btn, Ff=1 << 15, T=String("choice"), V=Name.Off))
    kids = []
    for index, on in enumerate(["/one", "/two words"]):
        kid = _widget(pdf, [400 + 20 * index, 30, 410 + 20 * index, 40], AS=Name.Off, Parent=parent,
                      AP=Dictionary(N=Dictionary({on: _look(pdf, "0 g"), "/Off": _look(pdf, "1 g")})))
        kids.append(kid)
    parent["/Kids"] = Array(kids)
    return parent


def _signature_field(pdf, name: str, rect=(60, 60, 220, 160)):
    return _widget(pdf, rect, FT=Name.Sig, T=String(name))


def _form(direct: bool = True, direct_fields: bool = True, kids: bool = False):
    def change(pdf):
        fields = Array([_signature_field(pdf, "customer"), _check(pdf, "consent"), _radio(pdf)])
        if kids:
            # A signature field with its widget below it, below a node without a type.
            group = pdf.make_indirect(Dictionary(T=String("group")))
            inner = pdf.make_indirect(Dictionary(FT=Name.Sig, T=String("clerk"), Parent=group))
            widget = _widget(pdf, [60, 200, 220, 300], Parent=inner)
            inner["/Kids"] = Array([widget])
            group["/Kids"] = Array([inner])
            fields.append(group)
        if not direct_fields:
            fields = pdf.make_indirect(fields)
        form = Dictionary(Fields=fields, DA=String("/Helv 0 Tf 0 g"))
        pdf.Root["/AcroForm"] = form if direct else pdf.make_indirect(form)
    return change


def _texts(pdf):
    """A text field that is its own widget, with a frame; and one with two widgets and inherited values."""
    frame = Dictionary(BG=Array([0.9, 0.9, 1]), BC=Array([0, 0.5, 0]))
    name = _widget(pdf, [300, 500, 420, 590], FT=Name.Tx, T=String("name"), MK=frame, DA=String("/Helv 0 Tf 0 g"))
    parent = pdf.make_indirect(Dictionary(FT=Name.Tx, T=String("place"), MaxLen=20, Q=2, Ff=1 << 12))
    parent["/Kids"] = Array([
        _widget(pdf, [300, y, 360, y + 90], Parent=parent, V=String("before")) for y in (200, 300)])
    fields = [_signature_field(pdf, "customer"), name, parent]
    pdf.Root["/AcroForm"] = Dictionary(Fields=Array(fields), DA=String("/Helv 12 Tf 0 g"))


TEXT_VALUES = [
    {"field": "name", "value": "Jörg (東京)", "appearance": INK},
    {"field": "place", "value": "Here", "appearance": INK},
]

FORM_VALUES = [{"field": "consent", "value": "Yes"}, {"field": "choice", "value": "two words"}]


def _latin(pdf):
    """Bytes that are no UTF-8, in a string and in the name of a choice."""
    pdf.pages[0].obj["/INKP_Latin"] = String(b"\xe4\xf6\xfc \\ ( \r\n".decode("latin-1"))
    pdf.Root["/INKP_Binary"] = pikepdf.Object.parse(b"<80ff00e4>")


# name: (pages, change, what else is known of it)
CONTENTS = {
    "plain": (1, None, {}),
    "three-pages": (3, None, {"page": 3}),
    "turned-90": (1, _turned(90), {}),
    "turned-180": (1, _turned(180), {}),
    "turned-270-inherited": (1, _turned(270, inherited=True), {}),
    "cropped": (1, _cropped, {}),
    "cropped-and-turned": (1, _turned_crop, {}),
    "negative-origin": (1, _negative, {}),
    "user-unit": (1, _unit, {}),
    "direct-annotations": (1, _direct_annotations, {}),
    "indirect-annotations": (1, _indirect_annotations, {}),
    "shared-annotations": (2, _shared_annotations, {}),
    "form": (1, _form(), {"fields": ["customer"], "values": FORM_VALUES}),
    "indirect-form": (1, _form(False), {"fields": ["customer"], "values": FORM_VALUES}),
    # The first signature makes one object of group.clerk and its widget.
    "indirect-fields": (1, _form(False, False, True), {
        "fields": ["customer", "group.clerk"], "values": FORM_VALUES}),
    "latin": (1, _latin, {}),
    "texts": (1, _texts, {"fields": ["customer"], "values": TEXT_VALUES}),
}


@cache
def standard(content: str, writer: str) -> Document:
    count, change, known = CONTENTS[content]
    with pikepdf.open(io.BytesIO(text_pages(count))) as pdf:
        if change:
            change(pdf)
        return Document(f"{content}, {writer}", WRITERS[writer](pdf), **known)


XMP = b"""<?xpacket begin="\xef\xbb\xbf" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
<pdfaid:part>1</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""


def _srgb() -> bytes:
    """A profile near sRGB, in version 2 of ICC's format, the one that PDF/A-1 knows."""
    def fixed(*values):
        return b"".join(struct.pack(">i", round(value * 65536)) for value in values)

    def text(words):
        return b"desc\0\0\0\0" + struct.pack(">I", len(words) + 1) + words + b"\0" + bytes(78)

    gamma = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256))
    tags = {
        b"desc": text(b"sRGB"), b"cprt": b"text\0\0\0\0None\0", b"wtpt": b"XYZ \0\0\0\0" + fixed(0.9642, 1, 0.8249),
        b"rXYZ": b"XYZ \0\0\0\0" + fixed(0.4361, 0.2225, 0.0139),
        b"gXYZ": b"XYZ \0\0\0\0" + fixed(0.3851, 0.7169, 0.0971),
        b"bXYZ": b"XYZ \0\0\0\0" + fixed(0.1431, 0.0606, 0.7141), b"rTRC": gamma, b"gTRC": gamma, b"bTRC": gamma,
    }
    table, data, start = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    for name, value in tags.items():
        table += name + struct.pack(">II", start + len(data), len(value))
        data += value + bytes(-len(value) % 4)
    head = struct.pack(">I", start + len(data)) + bytes(4) + b"\x02\x10\0\0mntrRGB XYZ "
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + fixed(0.9642, 1, 0.8249)
    return head + bytes(128 - len(head)) + table + data


def archival() -> bytes:
    """PDF/A-1b: an embedded font, an output intent, metadata."""
    pdfmetrics.registerFont(TTFont("DejaVu", "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"))
    output = io.BytesIO()
    page = canvas.Canvas(output, pagesize=(595, 842), invariant=1, pdfVersion=(1, 4))
    page.setFont("DejaVu", 12)
    page.drawString(72, 700, "Für das Archiv")
    page.showPage()
    page.save()
    with pikepdf.open(io.BytesIO(output.getvalue())) as pdf:
        # reportlab puts a standard font on every page.
        fonts = pdf.pages[0].obj.Resources.Font
        for name in list(fonts.keys()):
            if fonts[name].get("/BaseFont") == Name.Helvetica:
                del fonts[name]
        content = pdf.pages[0].Contents.read_bytes()
        pdf.pages[0].Contents = pdf.make_stream(b"\n".join(
            line for line in content.split(b"\n") if b"/F1 " not in line))
        del pdf.pages[0].obj["/Trans"]
        pdf.Root["/OutputIntents"] = Array([Dictionary(
            Type=Name.OutputIntent, S=Name.GTS_PDFA1, OutputConditionIdentifier=String("sRGB"), Info=String("sRGB"),
            RegistryName=String("http://www.color.org"), DestOutputProfile=pdf.make_stream(_srgb(), N=3))])
        for key in list(pdf.docinfo.keys()):
            del pdf.docinfo[key]
        pdf.Root["/Metadata"] = pdf.make_stream(XMP, Type=Name.Metadata, Subtype=Name.XML)
        return _saved(pdf, object_stream_mode=ObjectStreamMode.disable, compress_streams=False, force_version="1.4")


def signed_by_pyhanko(data: bytes, signer: Signer, lock=None, **options) -> bytes:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import fields, signers
    from pyhanko.sign.fields import SigSeedSubFilter

    own = signers.SimpleSigner.load(
        str(signer.key), str(signer.certificates.with_suffix(".own")),
        ca_chain_files=[str(signer.certificates.with_name("authority.pem"))])
    writer = IncrementalPdfFileWriter(io.BytesIO(data))
    for name in options.pop("new_fields", []):
        fields.append_signature_field(writer, fields.SigFieldSpec(name, box=(60, 60, 220, 160)))
    metadata = signers.PdfSignatureMetadata(
        field_name="Earlier", md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES, **options)
    output = io.BytesIO()
    signers.PdfSigner(
        metadata, own, new_field_spec=fields.SigFieldSpec(
            "Earlier", box=(300, 500, 400, 550), field_mdp_spec=lock)
    ).sign_pdf(writer, output=output)
    return output.getvalue()


def special(signers: list[Signer]) -> list[Document]:
    """Files that only some programs write."""
    from pyhanko.sign.fields import MDPPerm

    table, streams = standard("plain", "table").data, standard("plain", "streams").data
    # 6 to 8 are free.
    gap = raw_page()
    gap[9] = b"(the last object)"
    names = raw_page(page=b"/Annots [ 6 0 R ]", catalogue=b"/AcroForm << /Fields [ 6 0 R ] >>")
    # UTF-8 in the name of the choice, and other characters.
    names[6] = (b"<< /Type /Annot /Subtype /Widget /FT /Btn /T (box) /F 4 /Rect [ 400 60 410 70 ] /AS /Off /AP << /N <<"
                b" /J#c3#a4#20#23x 7 0 R /Off 7 0 R >> >> >>")
    names[7] = b"<< /Type /XObject /Subtype /Form /BBox [ 0 0 10 10 ] /Length 1 >>\nstream\nn\nendstream"
    dangling = raw_page(page=b"/INKP_Nothing 40 0 R")
    both = Document("signed and certified with a field", signed_by_pyhanko(
        table, signers[2], certify=True, docmdp_permissions=MDPPerm.FILL_FORMS, new_fields=["customer"]),
        fields=["customer"], signatures=1, certified=True)
    return [
        Document("CR LF", raw_file(raw_page(b"\r\n"), b"\r\n")),
        Document("CR", raw_file(raw_page(b"\r"), b"\r")),
        Document("no end of line", raw_file(raw_page(), end=b"")),
        Document("bytes after the end", raw_file(raw_page(), end=b"\n\n  \n")),
        Document("no identifier", raw_file(raw_page())),
        Document("free numbers", raw_file(gap)),
        Document("a page whose number was used again", reused()),
        Document("odd names", raw_file(names), values=[{"field": "box", "value": "J\u00e4 #x"}]),
        Document("a reference to nothing", raw_file(dangling)),
        Document("a hybrid", hybrid(), is_hybrid=True),
        Document("table, table", appended(table, "table")),
        Document("table, stream", appended(table, "stream")),
        Document("streams, stream", appended(streams, "stream")),
        Document("streams, table", appended(streams, "table")),
        Document("five updates", appended(appended(appended(appended(appended(
            table, "table"), "stream"), "table"), "stream"), "stream")),
        Document("linearized, then updated", appended(standard("plain", "linearized").data, "table")),
        Document("signed, table", signed_by_pyhanko(table, signers[2]), signatures=1),
        Document("signed, streams", signed_by_pyhanko(streams, signers[2]), signatures=1),
        # The radio buttons would be a change that pyHanko cannot explain.
        Document("signed, with a form", signed_by_pyhanko(standard("form", "table").data, signers[2]),
                 fields=["customer"], values=FORM_VALUES[:1], signatures=1),
        Document("signed, with texts", signed_by_pyhanko(standard("texts", "streams").data, signers[2]),
                 fields=["customer"], values=TEXT_VALUES[:1], signatures=1),
        both,
        Document("PDF/A-1b", archival()),
        Document("a large page", text_pages(size=(2384, 3370))),
    ]


# What a program may forget to take off. Readers do not agree where the ranges of signatures begin then.
JUNK = b"HTTP/1.1 200 OK\r\n\r\n"
