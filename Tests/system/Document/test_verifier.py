# SPDX-License-Identifier: Apache-2.0
"""verify.html checks signed files that others wrote, and such as were made to deceive it."""

import dataclasses
import datetime
import io
import random
import re
import zlib

import pikepdf
import pytest
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from pyhanko.keys import load_cert_from_pemder
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import signers as pyhanko_signers
from pyhanko.sign import timestamps
from pyhanko.sign.validation import add_validation_info
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.registry import SimpleCertificateStore

from page import dropped, page_reports, report_problems
from signed_files import (  # noqa: F401, the fixture signers, too
    TIME, _name, raw_file, raw_page, signed_by_pyhanko, signers, standard)
from test_signed import SEED, STANDARD, jobs, sign

DIGEST = "ab" * 32


def report(data: bytes, folder, **options) -> dict:
    (folder / "checked.pdf").write_bytes(data)
    result, = page_reports(folder / "checked.pdf", **options)
    return result


def facts(report: dict) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for fact in report["facts"]:
        found.setdefault(fact["code"], []).append(fact["state"])
    return found


@pytest.fixture
def signed(signers, tmp_path) -> bytes:
    """Two people signed it."""
    document = standard("form", "table")
    return sign(document.data, jobs(document, signers, 2), tmp_path)


def test_it_says_who_signed_when_and_what_followed(signers, tmp_path):
    document = standard("plain", "streams")
    signed = sign(document.data, jobs(document, signers, 3), tmp_path)
    result = report(signed, tmp_path)
    reader = PdfFileReader(io.BytesIO(signed))
    for number, (said, theirs) in enumerate(zip(result["signatures"], reader.embedded_regular_signatures, strict=True)):
        start, length, second, count = theirs.byte_range
        assert said["covers"] == second + count and (start, length) == (0, theirs.byte_range[1])
        assert (said["name"], said["signer"], said["at"]) == (theirs.field_name, f"Jörg {number}", TIME + number)
        assert said["subject"] == f"CN=Panel {number + 1}" and said["intact"] and said["record"] == "20261127-1"
        key = serialization.load_pem_private_key(signers[number].key.read_bytes(), None).public_key()
        point = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).split()[1]
        assert said["fingerprint"] == ssh_fingerprint(point)
    assert [said["changedAfter"] for said in result["signatures"]] == ["signed", "signed", "no"]
    assert [said.get("allows") for said in result["signatures"]] == [2, None, None]
    ends = [said["covers"] for said in result["signatures"]]
    assert [(update["from"], update["to"], update["kinds"]) for update in result["updates"]] == [
        (ends[0], ends[1], ["signature"]), (ends[1], ends[2], ["signature"])]
    assert ends[2] == len(signed)


def ssh_fingerprint(key: bytes) -> str:
    import base64
    import hashlib

    return "SHA256:" + base64.b64encode(hashlib.sha256(base64.b64decode(key)).digest()).decode().rstrip("=")


def test_it_compares_key_and_record_with_the_seal(signed, tmp_path):
    first = report(signed, tmp_path)["signatures"][0]["fingerprint"]
    right = facts(report(signed, tmp_path, seal={"id": "20261127-1", "record": DIGEST, "key": first}))
    assert right["pdfKey"] == ["ok", "unchecked"] and right["pdfRecord"] == ["ok", "ok"]
    wrong = facts(report(signed, tmp_path, seal={"id": "20261127-1", "record": "cd" * 32, "key": "SHA256:x"}))
    assert wrong["pdfKey"] == ["unchecked"] * 2 and wrong["pdfRecord"] == ["wrong"] * 2
    other = facts(report(signed, tmp_path, seal={"id": "20261127-2", "record": DIGEST, "key": first}))
    assert "pdfRecord" not in other and other["pdfOtherSignature"] == ["ok"] * 2


def test_a_file_without_signatures_says_nothing(tmp_path):
    for content, writer in STANDARD[::7]:
        assert report(standard(content, writer).data, tmp_path) == {"facts": [], "signatures": [], "updates": []}
    for data in [b"", b"%PDF-1.7\n", b"no PDF", raw_file(raw_page())[:-9]]:
        assert report(data, tmp_path) == {"facts": [], "signatures": [], "updates": []}


# MARK: changed bytes


def test_changed_bytes_are_found(signers, tmp_path):
    """Also in places that make other readers give up."""
    numbers = random.Random(SEED)
    paths, counts = [], []
    for turn, (content, writer) in enumerate(STANDARD[::5]):
        document = standard(content, writer)
        data = sign(document.data, jobs(document, signers, 1 + turn % 2), tmp_path)
        holes = [match.span() for match in re.finditer(rb"/Contents <[0-9a-f]{16384}>", data)]
        for number in range(80):
            place = numbers.randrange(*((0, len(data)) if number % 2 else (len(document.data), len(data))))
            if any(start < place < end for start, end in holes):
                continue
            changed = bytearray(data)
            changed[place] ^= 1 << numbers.randrange(8)
            paths.append(tmp_path / f"{turn}-{number}-{place}.pdf")
            paths[-1].write_bytes(changed)
            counts.append(1 + turn % 2)
    # Each document has 80, but for those in the holes.
    assert len(paths) > 100
    for path, count, result in zip(paths, counts, page_reports(*paths), strict=True):
        assert report_problems(result, count), path.name


def test_a_file_by_itself_is_changed_if_its_signatures_do_not_fit(signed, tmp_path):
    """What came with the document of a record is no part of its evidence: there it is only told."""
    assert facts(report(signed, tmp_path, alone=True))["pdfOtherSignature"] == ["ok", "ok"]
    changed = signed.replace(b"%PDF-1.", b"%PDF-2.", 1)
    assert facts(report(changed, tmp_path, alone=True))["pdfOtherSignature"] == ["wrong", "wrong"]
    told = facts(report(changed, tmp_path, seal={"id": "another"}))
    assert told["pdfOtherSignature"] == ["unchecked", "unchecked"] and "pdfOtherKind" not in told
    # What is not understood is not changed.
    other = signed.replace(b"/ETSI.CAdES.detached", b"/ETSI.CAdES.detacheX")
    assert set(facts(report(other, tmp_path, alone=True))["pdfOtherKind"]) == {"unchecked"}


def test_a_changed_signature_is_found(signers, tmp_path):
    document = standard("plain", "table")
    data = sign(document.data, jobs(document, signers, 1), tmp_path)
    start = data.index(b"/Contents <") + len(b"/Contents <")
    signature, = PdfFileReader(io.BytesIO(data)).embedded_regular_signatures
    value = signature.signer_info["signature"].native
    attributes = signature.signer_info["signed_attrs"].dump()[10:]
    certificate = signature.signer_cert.dump()
    for part in (value, attributes, certificate):
        place = start + data[start:].index(part.hex().encode())
        for offset in range(0, 2 * len(part), 7):
            changed = bytearray(data)
            changed[place + offset] = ord("0") if changed[place + offset] != ord("0") else ord("1")
            (tmp_path / f"{place + offset}.pdf").write_bytes(changed)
    paths = sorted(tmp_path.glob("[0-9]*.pdf"))
    assert len(paths) > 100
    for path, result in zip(paths, page_reports(*paths), strict=True):
        # Of another algorithm nothing is known.
        # One that names another record is none of the panel.
        said = facts(result)
        states = [said[code] for code in ("pdfSignature", "pdfOtherSignature", "pdfOtherKind") if code in said]
        assert states[0] in (["wrong"], ["unchecked"]), path.name


# MARK: other signers


def key_pair(kind: str):
    match kind:
        case "rsa" | "pss":
            return rsa.generate_private_key(65537, 2048)
        case "p384":
            return ec.generate_private_key(ec.SECP384R1())
        case "p521":
            return ec.generate_private_key(ec.SECP521R1())
        case "ed25519":
            return ed25519.Ed25519PrivateKey.generate()


@pytest.mark.parametrize("kind", ["rsa", "pss", "p384", "p521", "ed25519"])
def test_other_keys(kind, tmp_path):
    key = key_pair(kind)
    certificate = (
        x509.CertificateBuilder().subject_name(_name("Müller")).issuer_name(_name("Müller"))
        .public_key(key.public_key()).serial_number(7)
        .not_valid_before(datetime.datetime(2020, 1, 1)).not_valid_after(datetime.datetime(2049, 1, 1))
        .sign(key, None if kind == "ed25519" else hashes.SHA256()))
    (tmp_path / "key").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    (tmp_path / "certificate").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    own = pyhanko_signers.SimpleSigner.load(
        str(tmp_path / "key"), str(tmp_path / "certificate"), prefer_pss=kind == "pss")
    output = io.BytesIO()
    algorithm = {"p384": "sha384", "p521": "sha512", "ed25519": "sha512"}.get(kind, "sha256")
    metadata = pyhanko_signers.PdfSignatureMetadata(field_name="Own", md_algorithm=algorithm, reason="yes")
    pyhanko_signers.sign_pdf(
        IncrementalPdfFileWriter(io.BytesIO(standard("plain", "table").data)), metadata, own, output=output)
    result = report(output.getvalue(), tmp_path)
    code, state = ("pdfOtherKind", "unchecked") if kind == "ed25519" else ("pdfOtherSignature", "ok")
    assert facts(result)[code] == [state]
    if state == "ok":
        signature, = result["signatures"]
        assert signature["subject"] == "CN=Müller" and signature["reason"] == "yes" and signature["intact"]
        place = output.getvalue().index(b"BT") if b"BT" in output.getvalue() else 20
        changed = bytearray(output.getvalue())
        changed[place] ^= 1
        # It is no part of our evidence, so it decides nothing.
        said = report(bytes(changed), tmp_path)
        assert not said["signatures"][0]["intact"] and facts(said)["pdfOtherSignature"] == ["unchecked"]


def time_stamper() -> timestamps.DummyTimeStamper:
    # pyHanko's authority for tests has RSA only.
    key = rsa.generate_private_key(65537, 2048)
    certificate = (
        x509.CertificateBuilder().subject_name(_name("Time")).issuer_name(_name("Time")).public_key(key.public_key())
        .serial_number(8).not_valid_before(datetime.datetime(2020, 1, 1)).not_valid_after(datetime.datetime(2049, 1, 1))
        .add_extension(x509.ExtendedKeyUsage([x509.ObjectIdentifier("1.3.6.1.5.5.7.3.8")]), critical=True)
        .sign(key, hashes.SHA256()))
    from asn1crypto.keys import PrivateKeyInfo

    return timestamps.DummyTimeStamper(
        asn1_x509.Certificate.load(certificate.public_bytes(serialization.Encoding.DER)),
        PrivateKeyInfo.load(key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())),
        fixed_dt=datetime.datetime(2026, 11, 27, 12, tzinfo=datetime.timezone.utc),
        certs_to_embed=SimpleCertificateStore())


def test_time_stamps_and_validation_data_may_follow(signed, signers, tmp_path):
    stamper = time_stamper()
    authority = load_cert_from_pemder(str(signers[0].key.parent / "authority.pem"))
    file = io.BytesIO(signed)
    for name in ("customer", "S01"):
        signature, = (one for one in PdfFileReader(file).embedded_regular_signatures if one.field_name == name)
        add_validation_info(signature, ValidationContext(trust_roots=[authority], allow_fetching=False), in_place=True)
    pyhanko_signers.PdfTimeStamper(stamper).timestamp_pdf(IncrementalPdfFileWriter(file), "sha256", in_place=True)
    result = report(file.getvalue(), tmp_path)
    assert not report_problems(result, 3), result
    stamp = result["signatures"][2]
    assert stamp["isTimeStamp"] and stamp["at"] == 1795780800 and stamp["covers"] == len(file.getvalue())
    assert [said["changedAfter"] for said in result["signatures"]] == ["signed", "signed", "no"]
    assert result["updates"][1]["kinds"] == ["timeStamp"]


# MARK: deceit


def appended_objects(data: bytes, objects: dict[int, bytes], root: int | None = None) -> bytes:
    """An update with a table that other programs accept."""
    pdf = pikepdf.open(io.BytesIO(data))
    size, old = int(pdf.trailer.Size), pdf.Root.objgen[0]
    previous = int(data[data.rindex(b"startxref") + 9:].split()[0])
    table = b""
    for number, text in sorted(objects.items()):
        table += b"%d 1\n%010d 00000 n \n" % (number, len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    start = len(data)
    data += b"xref\n" + table + b"trailer\n<< /Size %d /Root %d 0 R /Prev %d >>\n" % (
        max(size, *(number + 1 for number in objects)), root or old, previous)
    return data + b"startxref\n%d\n%%%%EOF\n" % start


def page_of(data: bytes) -> tuple[int, bytes]:
    with pikepdf.open(io.BytesIO(data)) as pdf:
        page = pdf.pages[0].obj
        return page.objgen[0], page.unparse(resolved=True)


def test_a_page_that_was_changed_after_signing_is_not_explained(signed, tmp_path):
    """Incremental saving attacks: the signatures fit, what people see is another page."""
    number, page = page_of(signed)
    size = int(pikepdf.open(io.BytesIO(signed)).trailer.Size)
    content = b"<< /Length 9 >>\nstream\n0 0 9 9 re\nendstream".replace(b"Length 9", b"Length 10")
    changed = re.sub(rb"/Contents \d+ 0 R", b"/Contents %d 0 R" % size, page)
    assert changed != page
    attacks = {
        "another content": {number: changed, size: content},
        "the same page with another note": {
            number: page.replace(
                b"/Annots [", b"/Annots [ << /Type /Annot /Subtype /FreeText /Rect [ 0 0 600 800 ] >> ")},
        "its content in its place": {
            int(re.search(rb"/Contents (\d+) 0 R", page)[1]): b"<< /Length 10 >>\nstream\n0 0 9 9 re\nendstream"},
        "another catalogue": {size: b"<< /Type /Catalog /Pages 2 0 R >>"},
    }
    for name, objects in attacks.items():
        result = report(appended_objects(signed, objects, size if name == "another catalogue" else None), tmp_path)
        assert report_problems(result, 2), name
        states = facts(result).get("pdfAfter", ["unchecked"])
        assert "ok" not in states, (name, result)


def test_a_prepared_place_that_is_filled_after_signing_is_not_explained(signers, tmp_path):
    """Shadow attacks: the signed page refers to an object that comes only later."""
    objects = raw_page(page=b"/Annots [ 40 0 R ]")
    from signed_files import Document

    document = Document("shadow", raw_file(objects))
    data = sign(document.data, jobs(document, signers, 1), tmp_path)
    assert not report_problems(report(data, tmp_path), 1)
    note = b"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [ 0 0 600 800 ] >>"
    assert facts(report(appended_objects(data, {40: note}), tmp_path))["pdfAfter"] == ["unchecked"]
    # An object that nothing names is harmless.
    assert facts(report(appended_objects(data, {90: note}), tmp_path))["pdfAfter"] == ["ok"]


@pytest.mark.parametrize("name", ["Metadata", "Info"])
def test_what_a_page_uses_is_not_explained_by_another_name(signers, tmp_path, name):
    """Metadata and the document's information may change after signing, but not what a page has under that name."""
    document = standard("form", "table")
    with pikepdf.open(io.BytesIO(document.data)) as pdf:
        page = pdf.pages[0].obj
        if name == "Metadata":
            pdf.pages[0].contents_coalesce()
            page.Contents = pdf.make_stream(page.Contents.read_bytes(), Type=pikepdf.Name.Metadata)
        else:
            page.Resources = pdf.make_indirect(page.Resources)
            pdf.trailer.Info = page.Resources
        output = io.BytesIO()
        pdf.save(output, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    document = dataclasses.replace(document, data=output.getvalue())
    data = sign(document.data, jobs(document, signers, 1), tmp_path)
    assert not report_problems(report(data, tmp_path), 1)
    with pikepdf.open(io.BytesIO(data)) as pdf:
        number = pdf.pages[0].obj[{"Metadata": "/Contents", "Info": "/Resources"}[name]].objgen[0]
    changed = {
        "Metadata": b"<< /Type /Metadata /Length 10 >>\nstream\n0 0 9 9 re\nendstream", "Info": b"<< >>"}[name]
    assert facts(report(appended_objects(data, {number: changed}), tmp_path))["pdfAfter"] == ["unchecked"]


def test_a_new_field_that_is_seen_is_named(signed, signers, tmp_path):
    """Its picture may cover what was signed, so that others call both signatures valid."""
    data = signed_by_pyhanko(signed, signers[2])
    result = report(data, tmp_path)
    assert [said["changedAfter"] for said in result["signatures"]] == ["filled", "filled", "no"]
    after = [fact for fact in result["facts"] if fact["code"] == "pdfAfter"]
    assert [(fact["state"], fact["values"].get("fields")) for fact in after] == [
        ("unchecked", "Earlier"), ("unchecked", "Earlier"), ("ok", None)]


LOOK = b"<< /Type /XObject /Subtype /Form /BBox [ 0 0 9 9 ] /Length 20 >>\nstream\n1 0 0 rg 0 0 9 9 re f\nendstream"


def with_look(data: bytes, number: int, more: str = "") -> dict[int, bytes]:
    """The field or note with this number shows another picture."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        old, size = pdf.get_object(number, 0).unparse(resolved=True), int(pdf.trailer.Size)
    assert old.endswith(b">>") and b"/AP" not in old
    return {number: old[:-2] + b"/AP << /N %d 0 R >> %s >>" % (size, more.encode()), size: LOOK}


def numbers_of(data: bytes, **entries) -> list[int]:
    with pikepdf.open(io.BytesIO(data)) as pdf:
        return [each.objgen[0] for each in pdf.objects if isinstance(each, pikepdf.Dictionary) and all(
            str(each.get(f"/{name}")) == value for name, value in entries.items())]


def test_ink_that_is_shown_in_a_field_without_a_signature_is_not_explained(signers, tmp_path):
    """Somebody seems to have signed, too."""
    document = standard("indirect-fields", "table")
    data = sign(document.data, jobs(document, signers, 1), tmp_path)
    free, = numbers_of(data, T="clerk", Subtype="/Widget")
    signed, = numbers_of(data, T="customer")
    with pikepdf.open(io.BytesIO(data)) as pdf:
        other = pdf.get_object(signed, 0)["/V"].objgen[0]
    for more in ("", f"/V {other} 0 R", "/V 999 0 R", "/V << /Type /Sig >>"):
        result = report(appended_objects(data, with_look(data, free, more)), tmp_path)
        assert result["signatures"][0]["changedAfter"] == "unknown", (more, result)
        assert "ok" not in facts(result)["pdfAfter"], more


def test_a_note_that_a_new_field_adopts_is_not_explained(signers, tmp_path):
    """A later form calls a note of the signed page a widget of its unseen field, with another picture."""
    document = standard("direct-annotations", "table")
    data = sign(document.data, jobs(document, signers, 1), tmp_path)
    assert not report_problems(report(data, tmp_path), 1)
    note = numbers_of(data, Subtype="/Square")[0]
    objects = with_look(data, note)
    field = max(objects) + 1
    objects[field] = b"<< /FT /Sig /T (later) /Kids [ %d 0 R ] /Rect [ 0 0 0 0 ] >>" % note
    with pikepdf.open(io.BytesIO(data)) as pdf:
        form, fields = pdf.Root.AcroForm, pdf.Root.AcroForm.Fields.unparse()
        objects[form.objgen[0]] = form.unparse(resolved=True).replace(fields, fields[:-1] + b" %d 0 R ]" % field)
    result = report(appended_objects(data, objects), tmp_path)
    assert result["signatures"][0]["changedAfter"] == "unknown" and facts(result)["pdfAfter"] == ["unchecked"], result


def test_bytes_after_the_end_are_not_explained(signed, tmp_path):
    for more in [b"1 0 obj\n<< /Type /Catalog >>\nendobj\n", b"x", b"startxref\n9\n%%EOF\n"]:
        assert report_problems(report(signed + more, tmp_path), 2), more
    # White space changes nothing for anybody.
    assert not report_problems(report(signed + b"\n \n", tmp_path), 2)


def test_signatures_that_do_not_cover_all_bytes_around_themselves_are_wrong(signed, tmp_path):
    """Wrapping and universal forgery: ranges that leave out more than the signature, or miss."""
    match = list(re.finditer(rb"/ByteRange \[0 (\d+) (\d+) (\d+) ?\] *", signed))[-1]
    first, second, rest = map(int, match.groups())

    def with_range(text: bytes) -> bytes:
        return signed[:match.start()] + text.ljust(match.end() - match.start()) + signed[match.end():]

    numbers = [
        (0, first - 1, second, rest), (0, first, second + 1, rest - 1), (0, first, second, rest - 1),
        (0, first, second, rest + 9), (1, first - 1, second, rest), (0, len(signed)), (0, -1, second, rest),
        (0, 0, second, 0)]
    ranges = [b"/ByteRange [ %s ]" % b" ".join(b"%d" % number for number in four) for four in numbers]
    ranges += [b"/ByteRange null", b""]
    for text in ranges:
        assert sorted(facts(report(with_range(text), tmp_path))["pdfSignature"]) == ["ok", "wrong"], text
    for contents in [b"/Contents null ", b"/Contents <>   ", b"/Contents (\0)  "]:
        place = signed.rindex(b"/Contents <")
        said = facts(report(signed[:place] + contents.ljust(9 + 16387) + signed[place + 9 + 16387:], tmp_path))
        assert sorted(said.get("pdfSignature", []) + said.get("pdfReadable", [])) != ["ok", "ok"], contents


def test_hostile_files_end_soon(tmp_path):
    """Deep, wide and looping structures: no file takes longer than the ten seconds of files.mjs."""
    fields = b"/AcroForm << /Fields [ 6 0 R ] >> /ByteRange 0"
    loop = raw_page(catalogue=fields)
    loop[6] = b"<< /T (a) /Kids [ 6 0 R ] >>"
    itself = raw_page(catalogue=fields)
    itself[6] = b"6 0 R"
    deep = raw_page(catalogue=fields)
    deep[6] = b"[" * 100_000
    long = raw_page(catalogue=fields)
    long[6] = b"<< /FT /Sig /V " + b"<< /A " * 50_000
    self_previous = raw_file(raw_page(catalogue=b"/ByteRange 0"), trailer=b"/Prev 0000000000 ")
    start = self_previous[self_previous.rindex(b"startxref") + 9:].split()[0]
    self_previous = self_previous.replace(b"/Prev 0000000000", b"/Prev %010d" % int(start))
    packed = zlib.compress(bytes(300 << 20))
    stream = b"%%PDF-1.7 /ByteRange\n1 0 obj\n<< /Type /XRef /W [ 1 4 2 ] /Size 9999999 /Filter /FlateDecode" \
        b" /Length %d >>\nstream\n%s\nendstream\nendobj\nstartxref\n21\n%%%%EOF\n" % (len(packed), packed)
    many = b"%PDF-1.7 /ByteRange\nxref\n0 99999999\ntrailer\n<< >>\nstartxref\n20\n%%EOF\n"
    files = [raw_file(loop), raw_file(itself), raw_file(deep), raw_file(long), self_previous, stream, many,
             b"%PDF-1.7\n/ByteRange" + b"(" * 1_000_000, b"%PDF-1.7 /ByteRange\nstartxref\n9\n%%EOF"]
    paths = []
    for index, data in enumerate(files):
        paths.append(tmp_path / f"{index}.pdf")
        paths[-1].write_bytes(data)
    for path, result in zip(paths, page_reports(*paths), strict=True):
        assert "code" not in result and set(facts(result)) <= {"pdfReadable"}, (path.name, result)


# MARK: a signed file by itself


def listed(signer, name: str = "till-3@example.org", more: str = "") -> bytes:
    """The line of a list of allowed keys."""
    key = serialization.load_pem_private_key(signer.key.read_bytes(), None).public_key()
    point = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH).decode()
    return f'{name} {more}namespaces="inkpanel-seal" {point}\n'.encode()


def test_a_customers_copy_has_a_verdict_of_its_own(signers, tmp_path):
    """Signed by this panel and unchanged; the record is missing."""
    document = standard("plain", "streams")
    signed = sign(document.data, jobs(document, [signers[0]] * 2, 2), tmp_path)
    own, other = listed(signers[0]), listed(signers[1])
    told = dropped({"signed.pdf": signed, "allowed_signers": own})
    assert told["verdict"] == "copy" and told["key"]["name"] == "till-3@example.org", told
    key = told["key"]["fingerprint"]
    assert not [fact for fact in told["facts"] if fact["state"] == "wrong" or fact.get("needed")]
    # Nobody knows the key until its reader says so, and a list that refuses it counts.
    for more in ({}, {"allowed_signers": other}):
        told = dropped({"signed.pdf": signed, **more})
        assert told["verdict"] == "undecided" and told["needed"] == ["key"] and told["key"]["fingerprint"] == key, told
    assert dropped({"signed.pdf": signed}, confirmed=[key])["verdict"] == "copy"
    old = listed(signers[0], more='valid-before="20200101",')
    assert dropped({"signed.pdf": signed, "allowed_signers": old}, confirmed=[key])["needed"] == ["keyTime"]
    changed = bytearray(signed)
    changed[signed.index(b"\nstream") + 20] ^= 1
    assert dropped({"signed.pdf": bytes(changed), "allowed_signers": own})["verdict"] == "changed"
    # Something else beside it, signatures of two panels, one of nobody's record, and what was added afterwards.
    mixed = sign(document.data, jobs(document, signers, 2), tmp_path)
    foreign = signed_by_pyhanko(document.data, signers[0])
    for files in ({"signed.pdf": signed, "letter.pdf": raw_file(raw_page())}, {"signed.pdf": mixed}, {"signed.pdf": foreign},
                  {"signed.pdf": signed + b"% more\n" + b"1 0 obj\n<< >>\nendobj\n"}):
        told = dropped({**files, "allowed_signers": own + other})
        assert told["verdict"] == "undecided", told


def test_of_what_is_no_evidence_there_is_nothing_to_check():
    for files in ({"contract.pdf": raw_file(raw_page())}, {"a.txt": b"You owe 900.\n", "b.jpg": b"\xff\xd8"}):
        told = dropped(files)
        assert told["verdict"] == "nothing" and not any(fact["state"] == "wrong" for fact in told["facts"]), told
    assert dropped({"a.seal": b"x"})["verdict"] == "changed" and dropped({"a.jsonl.age": b"x"})["verdict"] != "genuine"
