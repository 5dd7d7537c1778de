# SPDX-License-Identifier: Apache-2.0
"""`inkpanel document` with records of a simulated person; other programs read what is signed."""

import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

import pikepdf
import pytest
from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp
from pyhanko_certvalidator import ValidationContext
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas
from support import breadth

INKPANEL, DOCUMENT = os.environ["INKPANEL"], os.environ["DOCUMENT"]
TOP = Path(__file__).resolve().parents[3]
CUSTOMER = "page=1 rect=70,100,260,145"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    with Board(tmp_path_factory.mktemp("board")) as board:
        yield board


class Board:
    """A simulated panel, and the program for documents behind a socket, as systemd starts it."""

    def __init__(self, folder: Path, settings: str = "", prefix: tuple[str, ...] = ()):
        """`prefix` is a program that starts both programs."""
        self.folder, self.store, self.prefix = folder, folder / "store", prefix
        folder.mkdir(exist_ok=True)
        self.socket, self.helper = str(folder / "panel.sock"), str(folder / "document.sock")
        self.config = folder / "inkpanel.toml"
        self.config.write_text(
            f'[record]\npanel-name = "Panel 12"\n[document]\nsocket = "{self.helper}"\n{settings}')
        self.kills, self.delay = 0, 0.0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.helper)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()
        log = folder / "log"
        with log.open("wb") as errors:
            self.program = subprocess.Popen(
                [*prefix, INKPANEL, "run", "--simulate", "--display", "headless:800x480", "--config", str(self.config),
                 "--store", str(self.store), "--socket", self.socket], stderr=errors)
        while b"ready" not in log.read_bytes():
            assert self.program.poll() is None, log.read_text()
            time.sleep(0.05)

    def serve(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket):
        with connection:
            time.sleep(self.delay)
            program = subprocess.Popen([*self.prefix, DOCUMENT], stdin=connection, stdout=connection)
            if self.kills > 0:
                self.kills -= 1
                program.kill()
            program.wait()

    def run(self, *words, status=0, helper=None) -> subprocess.CompletedProcess:
        command = [INKPANEL, *map(str, words)]
        if words[0] == "document":
            command += ["--helper-socket", helper or self.helper]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, timeout=120)
        assert done.returncode == status, done.stderr
        return done

    def capture(self, document: Path, *words, status=0) -> subprocess.CompletedProcess:
        return self.run(
            "capture", "--socket", self.socket, "--prompt", "Rental agreement", "--document", document, *words,
            status=status)

    def record(self, document: Path, *words) -> str:
        return self.capture(document, *words).stdout.strip()

    def identity(self) -> list[str]:
        return ["--store", str(self.store), "--config", str(self.config)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.program.send_signal(signal.SIGTERM)
        assert self.program.wait(30) == 0


@pytest.fixture
def contract(tmp_path) -> Path:
    path = tmp_path / "contract.pdf"
    page = canvas.Canvas(str(path), pagesize=A4)
    page.drawString(70, 700, "The tenant accepts the terms.")
    page.drawString(70, 150, "Signature of the customer:")
    page.acroForm.checkbox(name="consent", x=70, y=180, size=14, tooltip="I agree")
    page.showPage()
    page.drawString(70, 300, "Witness here")
    page.drawString(70, 200, "twice twice")
    page.save()
    return path


def judged(board: Board, path: Path, *more: Path) -> list[tuple[str, str]]:
    """The name and the state of each signature, the state in pyHanko's words."""
    trusted = list(load_certs_from_pemder([str(board.store / "certificate.pem"), *map(str, more)]))
    with path.open("rb") as file:
        result = []
        for signature in PdfFileReader(file).embedded_regular_signatures:
            status = validate_pdf_signature(signature, ValidationContext(trust_roots=trusted))
            assert status.bottom_line and status.docmdp_ok
            result.append((signature.field_name, status.summary()))
        return result


def sign(
    board: Board, path: Path, output: Path, *signatures: str, more=("--set", "consent=Yes"), status=0
) -> subprocess.CompletedProcess:
    words = [word for signature in signatures if signature != "--final" for word in ("--signature", signature)]
    words += [word for word in signatures if word == "--final"]
    return board.run(
        "document", "sign", path, *words, *more, *board.identity(), "--output", output, status=status)


def test_two_people_sign_a_contract(board, contract, tmp_path):
    customer = board.record(contract, "--signer", "Anna Müller", "--reason", "Rental")
    witness = board.record(contract, "--signer", "Bert Beispiel")
    output = tmp_path / "signed.pdf"
    done = sign(
        board, contract, output, f"{customer} {CUSTOMER}", f"{witness} size=150,45 offset=0,-50 anchor=Witness here")
    assert done.stdout == f"S01 {customer}\nS02 {witness}\n"
    assert output.read_bytes().startswith(contract.read_bytes()) and output.stat().st_mode & 0o77 == 0
    assert judged(board, output) == [
        ("S01", "INTACT:TRUSTED,EXTENDED_WITH_FORM_FILLING,ACCEPTABLE_MODIFICATIONS"),
        ("S02", "INTACT:TRUSTED,UNTOUCHED")]
    with output.open("rb") as file:
        reader = PdfFileReader(file)
        first = reader.embedded_regular_signatures[0].sig_object
        assert (first["/Name"], first["/Reason"], first["/INKP_Record"]) == ("Anna Müller", "Rental", customer)
        fields = [field.get_object() for field in reader.root["/AcroForm"]["/Fields"]]
        assert [field["/V"] for field in fields if field["/T"] == "consent"] == ["/Yes"]
    said = subprocess.run(["pdfsig", output], capture_output=True, text=True).stdout
    assert said.count("Signature is Valid") == 2 and "ETSI.CAdES.detached" in said
    assert "No syntax or stream encoding errors" in subprocess.run(
        ["qpdf", "--check", output], capture_output=True, text=True).stdout


def test_name_and_date_are_below_the_ink(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    record = board.record(contract, "--signer", "Anna Müller")
    sign(
        board, contract, output, f"{record} offset=0,-60 anchor=Signature of the customer:",
        more=["--set", "consent=Yes", "--caption"])
    assert judged(board, output) == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    picture = subprocess.run(
        ["pdftoppm", "-r", "72", "-l", "1", "-x", "70", "-y", "692", "-W", "160", "-H", "64", "-gray", output],
        capture_output=True, check=True).stdout.split(b"255\n", 1)[1]
    rows = [picture[160 * y:160 * y + 160] for y in range(64)]
    dark = [sum(pixel < 128 for pixel in row) for row in rows]
    # Below the caption, the lower edge of the field stays free for the line of a form.
    assert sum(dark[:50]) > 100 and sum(dark[51:59]) > 100 and sum(dark[60:]) == 0, dark


@pytest.fixture
def order(tmp_path) -> Path:
    """A form with texts, the first of them required."""
    path = tmp_path / "order.pdf"
    page = canvas.Canvas(str(path), pagesize=A4)
    page.acroForm.textfield(name="mail", x=70, y=400, width=200, height=20, fieldFlags="required", borderWidth=0)
    page.acroForm.textfield(
        name="notes", x=70, y=300, width=200, height=60, fieldFlags="multiline", fontSize=10, borderWidth=0)
    page.acroForm.textfield(name="fixed", x=70, y=250, width=200, height=20, fieldFlags="readOnly", value="x")
    page.showPage()
    page.save()
    return path


def test_texts_of_the_form_are_filled(board, order, tmp_path):
    output = tmp_path / "signed.pdf"
    notes = "A scratch at the left door, and one more at the bumper below it.\nPaid."
    sign(
        board, order, output, f"{board.record(order)} {CUSTOMER}",
        more=["--set", "mail=jörg@example.org", "--set", f"notes={notes}"])
    assert judged(board, output) == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    with output.open("rb") as file:
        fields = [field.get_object() for field in PdfFileReader(file).root["/AcroForm"]["/Fields"]]
        values = {field["/T"]: field.get("/V") for field in fields}
    assert values["mail"] == "jörg@example.org" and values["notes"] == notes

    def dark_rows(left, bottom, width, height):
        picture = subprocess.run(
            ["pdftoppm", "-r", "72", "-x", str(left), "-y", str(842 - bottom - height), "-W", str(width), "-H",
             str(height), "-gray", output], capture_output=True, check=True).stdout.split(b"255\n", 1)[1]
        return [min(picture[width * y:width * y + width]) < 140 for y in range(height)]

    # One line in the middle; three lines from the top.
    mail, notes = dark_rows(72, 402, 190, 16), dark_rows(72, 302, 190, 56)
    assert any(mail) and not mail[0] and not mail[-1]
    assert any(notes[:14]) and any(notes[26:40]) and not any(notes[45:]), notes


def words(path: Path) -> str:
    return subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True).stdout


def test_programs_read_the_texts_that_are_drawn(board, order, tmp_path):
    output = tmp_path / "signed.pdf"
    assert "Müller" not in words(order)
    record = board.record(order, "--signer", "Anna Müller")
    sign(board, order, output, f"{record} {CUSTOMER}",
         more=["--set", "mail=jörg@example.org", "--set", "notes=One\nTwo", "--caption"])
    assert judged(board, output) == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    read = words(output)
    for text in ("Anna Müller, 20", "jörg@example.org", "One\nTwo"):
        assert text in read, read
    others = subprocess.run(
        ["mutool", "draw", "-q", "-F", "txt", output], capture_output=True, text=True, check=True).stdout
    assert "Anna Müller" in others and "jörg@example.org" in others
    fonts = subprocess.run(["pdffonts", output], capture_output=True, text=True, check=True).stdout
    assert all("yes" in line for line in fonts.splitlines() if "Type 3" in line) and "Type 3" in fonts


def test_a_choice_is_set_by_its_text(board, tmp_path):
    path, output = tmp_path / "form.pdf", tmp_path / "signed.pdf"
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(595, 842)).obj
    look = pdf.make_stream(b"", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9])
    choice = pdf.make_indirect(pikepdf.Dictionary(
        FT=pikepdf.Name.Btn, Ff=1 << 15 | 1 << 14, T=pikepdf.String("payment"), Opt=["monthly", "yearly"]))
    choice.Kids = pikepdf.Array([
        pdf.make_indirect(pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, F=4, P=page, Parent=choice, AS=pikepdf.Name.Off,
            Rect=[70, 600 - 30 * number, 84, 614 - 30 * number],
            AP=pikepdf.Dictionary(N=pikepdf.Dictionary({f"/{number}": look, "/Off": look}))))
        for number in range(2)])
    page.Annots = choice.Kids
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=[choice])
    pdf.save(path)
    sign(board, path, output, f"{board.record(path)} {CUSTOMER}", more=["--set", "payment=yearly"])
    assert judged(board, output) == [("S01", "INTACT:TRUSTED,UNTOUCHED")]
    with pikepdf.open(output) as signed:
        field = signed.Root.AcroForm.Fields[0]
        assert field.V == pikepdf.Name("/1") and [kid.AS for kid in field.Kids] == ["/Off", "/1"]
    assert 'choice "1" meaning "yearly"' in board.run("document", "inspect", path).stdout


def test_texts_that_are_missing_or_do_not_fit_are_refused(board, order, tmp_path):
    output = tmp_path / "signed.pdf"
    record = board.record(order)

    def refused(*values):
        words = [word for value in values for word in ("--set", value)]
        done = sign(board, order, output, f"{record} {CUSTOMER}", more=words, status=65)
        assert not output.exists()
        return done.stderr.splitlines()[-1]

    assert "demands a text in \"mail\": add --set" in refused()
    assert "demands a text" in refused("mail=")
    assert "several lines" in refused("mail=a\nb")
    assert "does not fit" in refused("mail=" + 90 * "long ")
    assert "no font" in refused("mail=a\U0010fffd")
    assert "no field" in refused("mail=a", "other=x")
    assert "no field" in refused("mail=a", "fixed=y")


def test_a_final_signature_allows_no_other(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    records = [board.record(contract) for _ in range(2)]
    sign(board, contract, output, f"{records[0]} {CUSTOMER}", f"{records[1]} page=2 rect=70,100,260,145", "--final")
    assert judged(board, output) == [
        ("S01", "INTACT:TRUSTED,EXTENDED_WITH_FORM_FILLING,ACCEPTABLE_MODIFICATIONS"),
        ("S02", "INTACT:TRUSTED,UNTOUCHED")]
    with output.open("rb") as file:
        levels = [one.docmdp_level.value for one in PdfFileReader(file).embedded_regular_signatures]
    assert levels == [2, 1]
    done = sign(board, output, tmp_path / "again.pdf", f"{board.record(output)} {CUSTOMER}", status=65)
    assert "allows no changes" in done.stderr


def test_what_cannot_be_signed_is_refused(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    record = board.record(contract)

    def refused(place, *more, path=contract):
        done = sign(board, path, output, f"{record} {place}", more=more, status=65)
        assert not output.exists()
        return done.stderr.splitlines()[-1]

    answer = ("--set", "consent=Yes")
    assert "demands a value" in refused(CUSTOMER)
    assert "not in the document" in refused("anchor=Nowhere", *answer)
    assert "2 times" in refused("anchor=twice", *answer)
    assert "no page 9" in refused("page=9 rect=1,2,99,98", *answer)
    assert "not within page 1" in refused("page=1 rect=500,2,999,98", *answer)
    assert "no unsigned signature field" in refused("field=Kunde", *answer)
    assert "fonts" in refused(CUSTOMER, *answer, "--strict")
    assert "no field" in refused(CUSTOMER, *answer, "--set", "x=y")
    assert "Nope" in refused(CUSTOMER, "--set", "consent=Nope")
    assert "demands a value" in refused(CUSTOMER, "--set", "consent=Off")
    signed = tmp_path / "before.pdf"
    sign(board, contract, signed, f"{record} {CUSTOMER}")
    assert "certified" in refused("page=2 rect=70,100,260,145", path=signed)
    locked = tmp_path / "locked.pdf"
    subprocess.run(["qpdf", "--encrypt", "a", "b", "256", "--", contract, locked], check=True)
    assert "encrypted" in refused(CUSTOMER, *answer, path=locked)
    (tmp_path / "text.pdf").write_text("no document")
    assert "damaged" in refused(CUSTOMER, *answer, path=tmp_path / "text.pdf")


def test_answers_are_locked_by_the_first_signature(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    sign(board, contract, output, f"{board.record(contract)} {CUSTOMER}")
    with output.open("rb") as file:
        reference = PdfFileReader(file).embedded_regular_signatures[0].sig_object["/Reference"]
        locks = [entry["/TransformParams"] for entry in reference if entry["/TransformMethod"] == "/FieldMDP"]
        # All, whatever their names; the file has no signature field that is still empty.
        assert [(lock["/Action"], lock.get("/Fields")) for lock in locks] == [("/All", None)]


def test_only_records_of_this_file_and_this_panel_are_used(board, contract, tmp_path):
    output = tmp_path / "signed.pdf"
    other = tmp_path / "other.pdf"
    other.write_bytes(contract.read_bytes() + b"\n")

    def refused(*signatures, status=65):
        done = sign(board, contract, output, *signatures, status=status)
        assert not output.exists()
        return done.stderr.splitlines()[-1]

    assert "another document" in refused(f"{board.record(other)} {CUSTOMER}")
    plain = board.run("capture", "--socket", board.socket, "--prompt", "No document").stdout.strip()
    assert "names no document" in refused(f"{plain} {CUSTOMER}")
    assert "there is no capture" in refused(f"20200101-000000-0000000000000000 {CUSTOMER}", status=66)
    record = board.record(contract)
    assert "twice" in refused(f"{record} {CUSTOMER}", f"{record} page=2 rect=70,100,260,145", status=64)
    lines = (board.store / "captures" / f"{record}.jsonl").read_bytes()
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(lines)
    assert "twice" in refused(f"{record} {CUSTOMER}", f"{copy} page=2 rect=70,100,260,145", status=64)
    copy.write_bytes(lines.replace(b'"samples":[[', b'"samples":[[1', 1))
    assert "not one that this panel has sealed" in refused(f"{copy} {CUSTOMER}")
    copy.write_bytes(lines)
    sign(board, contract, output, f"{copy} {CUSTOMER}")


def test_without_the_program_the_feature_is_refused_by_name(board, contract, tmp_path):
    alone = tmp_path / "inkpanel"
    shutil.copy(INKPANEL, alone)
    environment = {**os.environ, "PATH": "/nowhere"}
    done = subprocess.run([alone, "document", "inspect", contract], capture_output=True, text=True, env=environment)
    assert done.returncode == 69 and "install inkpanel-document" in done.stderr, done
    done = board.run("document", "inspect", contract, helper=str(tmp_path / "none"), status=69)
    assert f"{tmp_path}/none" in done.stderr


def test_pages_fields_and_texts_are_told(board, contract, tmp_path):
    told = board.run("document", "inspect", contract).stdout
    assert "page 2   595.3 x 841.9 points" in told and 'check "consent" page 1 rect=70,180,84,194' in told
    facts = json.loads(board.run("document", "inspect", contract, "--json").stdout)
    assert len(facts["pages"]) == 2 and facts["warnings"] == ["fontsNotEmbedded"]
    assert board.run("document", "inspect", contract, "--find", "Witness here").stdout.startswith("page 2 rect=70,29")
    picture = tmp_path / "page.png"
    board.run("document", "render", contract, "--page", "2", "--width", "300", "--output", picture)
    size = picture.read_bytes()[16:24]
    assert (int.from_bytes(size[:4]), int.from_bytes(size[4:])) == (300, 424)


def test_an_organisation_stands_behind_the_panel(board, contract, tmp_path):
    """Its authority signs the panel's request; readers need only to trust the authority."""
    request = tmp_path / "panel.csr"
    request.write_text(board.run("identity", "--csr", "--organization", "Rental Ltd", *board.identity()).stdout)

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=tmp_path, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key",
            "-out", "ca.crt", "-days", "30", "-subj", "/CN=Rental authority", "-addext",
            "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    (tmp_path / "ext").write_text(
        "basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature,nonRepudiation\n")
    openssl("x509", "-req", "-in", "panel.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "20",
            "-extfile", "ext", "-out", "panel.crt")
    certificate = board.store / "certificate.pem"
    own = certificate.read_bytes()
    try:
        certificate.write_bytes((tmp_path / "panel.crt").read_bytes() + (tmp_path / "ca.crt").read_bytes())
        output = tmp_path / "signed.pdf"
        sign(board, contract, output, f"{board.record(contract)} {CUSTOMER}")
        # Another key's is refused.
        certificate.write_bytes((tmp_path / "ca.crt").read_bytes())
        record = board.record(contract)
        done = sign(board, contract, tmp_path / "never.pdf", f"{record} {CUSTOMER}", status=65)
        assert "certificate" in done.stderr
    finally:
        certificate.write_bytes(own)
    trusted = list(load_certs_from_pemder([str(tmp_path / "ca.crt")]))
    with output.open("rb") as file:
        (signature,) = PdfFileReader(file).embedded_regular_signatures
        status = validate_pdf_signature(signature, ValidationContext(trust_roots=trusted))
        assert status.bottom_line and "Rental Ltd" in status.signing_cert.subject.human_friendly


@pytest.fixture
def time_stamps(tmp_path):
    """The address and the certificate of an authority for time stamps (RFC 3161) of openssl."""
    folder = tmp_path / "tsa"
    folder.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
         "tsa.key", "-out", "tsa.crt", "-days", "30", "-subj", "/CN=Time", "-addext",
         "extendedKeyUsage=critical,timeStamping", "-addext", "keyUsage=critical,digitalSignature"],
        cwd=folder, check=True, capture_output=True)
    (folder / "serial").write_text("01\n")
    (folder / "ts.cnf").write_text(
        "[tsa]\ndefault_tsa = one\n[one]\nserial = ./serial\ndefault_policy = 1.2.3.4\ndigests = sha256\n"
        "signer_digest = sha256\ness_cert_id_alg = sha256\n")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            (folder / "query").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            subprocess.run(
                ["openssl", "ts", "-reply", "-config", "ts.cnf", "-section", "one", "-queryfile", "query", "-signer",
                 "tsa.crt", "-inkey", "tsa.key", "-out", "reply"], cwd=folder, check=True, capture_output=True)
            self.send_response(200)
            self.send_header("Content-Type", "application/timestamp-reply")
            self.end_headers()
            self.wfile.write((folder / "reply").read_bytes())

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", folder / "tsa.crt"
    server.shutdown()


@pytest.mark.parametrize("final", breadth.share([["--final"], []], 2), ids=["final", ""])
def test_the_recipe_makes_the_signatures_last(board, contract, tmp_path, time_stamps, final):
    address, authority = time_stamps
    signed, long = tmp_path / "signed.pdf", tmp_path / "long.pdf"
    sign(board, contract, signed, f"{board.record(contract)} {CUSTOMER}",
         f"{board.record(contract)} page=2 rect=70,100,260,145", *final)
    subprocess.run(
        [os.sys.executable, TOP / "docs/examples/lengthen.py", signed, long, "--tsa", address, "--trust",
         board.store / "certificate.pem", "--trust", authority], check=True, capture_output=True)
    assert long.read_bytes().startswith(signed.read_bytes())
    names = [name for name, _ in judged(board, long, authority)]
    assert names == ["S01", "S02"]
    trusted = list(load_certs_from_pemder([str(authority)]))
    with long.open("rb") as file:
        reader = PdfFileReader(file)
        (stamp,) = reader.embedded_timestamp_signatures
        status = validate_pdf_timestamp(stamp, ValidationContext(trust_roots=trusted))
        assert status.intact and status.valid and status.trusted
        assert "/DSS" in reader.root
