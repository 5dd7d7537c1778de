# SPDX-License-Identifier: Apache-2.0
"""PDF files that are uploaded, read and signed on a pad by a simulated person, and got signed."""

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from gateway import Gateway, Helper, Panel

sys.path.insert(0, str(Path(__file__).parents[3] / "clients"))
from inkpanel import Inkpanel  # noqa: E402
from support.waiting import wait_for

PDF = {"Content_Type": "application/pdf"}


def contract(size: int = 0, field: bool = False) -> bytes:
    """A page with a text, and so many bytes more that compress to nothing; with `field`, also one to sign in."""
    content = b"BT /F 14 Tf 70 150 Td (Signature of the customer) Tj ET"
    stream = b"<< /Length %d >>\nstream\n%s\nendstream"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R%s >>" % (b" /AcroForm << /Fields [ 7 0 R ] >>" * field), b"<< /Type /Pages /Kids [ 3 0 R ] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents 4 0 R"
        b" /Resources << /Font << /F 5 0 R >> >>%s >>" % (b" /Annots [ 7 0 R ]" * field),
        stream % (len(content), content), b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        stream % (size, random.Random(1).randbytes(size)),
        b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (Customer) /F 4 /Rect [ 70 60 230 110 ] /P 3 0 R >>"]
    file, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return file + b"xref\n0 8\n0000000000 65535 f \n" + table + (
        b"trailer\n<< /Size 8 /Root 1 0 R /ID [ <61> <61> ] >>\nstartxref\n%d\n%%%%EOF\n" % len(file))


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    helper = Helper(folder)
    panel = Panel(folder, more=f'[document]\nsocket = "{helper.path}"')
    gateway = Gateway(folder, panel.socket)
    yield gateway
    gateway.kill()
    panel.stop()
    helper.listener.close()


def upload(gateway, token, document=None, **headers):
    return gateway.request("POST", "/v1/documents", token, contract() if document is None else document,
                           **{**PDF, **headers})


def ended(gateway, token, name: str) -> dict:
    for event, _, capture in gateway.events(token, name):
        if event == "ended" or capture["state"] == "ended":
            return capture
    raise AssertionError("the stream ended before the capture")


def test_a_document_is_read_and_signed(gateway, token):
    document = contract(3_000_000)
    answer = upload(gateway, token, document)
    uploaded = answer.json
    assert answer.status == 201 and answer.headers["Location"] == f"/v1/documents/{uploaded['id']}"
    assert (uploaded["bytes"], uploaded["sha256"]) == (len(document), hashlib.sha256(document).hexdigest())
    request = {"document": {"id": uploaded["id"], "fields": [{"anchor": "Signature of the customer", "offset": [0, -60]}]},
               "questions": [{"name": "mail", "kind": "check", "text": "Send me the receipt by mail",
                             "required": True}],
               "decline": ["Too expensive"]}
    capture = gateway.request("POST", "/v1/captures", token, request).json
    states = []
    for _, _, change in gateway.events(token, capture["id"]):
        states.append(change["state"])
        if change["state"] == "ended":
            break
    assert change["outcome"] == {"result": "accepted"} and change["signed"] is True
    assert {"reading", "answering", "signing", "saving", "ended"} <= set(states)
    assert [answer["name"] for answer in change["answers"]] == ["mail"]
    # It can go as soon as the capture has begun.
    assert gateway.request("DELETE", f"/v1/documents/{uploaded['id']}", token).status == 204
    answer = gateway.request("GET", f"/v1/captures/{capture['id']}/signed.pdf", token)
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/pdf"
    assert answer.body.startswith(document) and b"/ETSI.CAdES.detached" in answer.body[len(document):]
    assert f'filename="{capture["id"]}.pdf"' in answer.headers["Content-Disposition"]
    # Known by its record only.
    gateway.kill()
    gateway.start()
    stored = gateway.request("GET", f"/v1/captures/{capture['id']}", token).json
    assert stored["signed"] is True and stored["outcome"] == {"result": "accepted"}


def test_the_client_uploads_and_gets_it_signed(gateway, token):
    pad = Inkpanel(f"http://127.0.0.1:{gateway.port}", token)
    uploaded = pad.upload(contract())
    document = {"id": uploaded["id"], "fields": [{"page": 1, "rect": [70, 100, 230, 150]}]}
    capture = pad.capture(document=document, people=[{"role": "Customer", "name": "Anna"}], decline=[])
    assert capture["signed"] is True and capture["outcome"]["result"] == "accepted"
    assert pad.file(capture["id"], "signed.pdf").startswith(contract())
    pad.forget(uploaded["id"])
    answer = gateway.request("POST", "/v1/captures", token, {"document": {"id": uploaded["id"]}})
    assert answer.problem == "invalid-parameter" and answer.json["errors"][0]["pointer"] == "/document/id"


def test_ink_of_a_page_without_ink_is_no_fault_of_the_panel(gateway, token):
    gateway.act(token, "leave")
    uploaded = upload(gateway, token).json["id"]
    request = {"document": {"id": uploaded, "fields": [{"page": 1, "rect": [70, 100, 230, 150]}]}}
    capture = gateway.request("POST", "/v1/captures", token, request).json["id"]
    wait_for(lambda: gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "reading")
    for operation in ("accept", "clear"):
        answer = gateway.request("POST", f"/v1/captures/{capture}/{operation}", token)
        assert (answer.status, answer.problem) == (409, "not-signing"), answer
    assert gateway.request("GET", f"/v1/captures/{capture}", token).json["state"] == "reading"
    assert gateway.request("POST", f"/v1/captures/{capture}/cancel", token).status == 200


def test_what_cannot_be_signed_is_refused_before_anybody_is_asked(gateway, token):
    def refused(document: bytes, **members):
        uploaded = upload(gateway, token, document).json["id"]
        answer = gateway.request("POST", "/v1/captures", token, {"document": {"id": uploaded, **members}})
        assert gateway.request("DELETE", f"/v1/documents/{uploaded}", token).status == 204
        assert (answer.status, answer.problem) == (422, "document-refused"), answer
        return answer.json["detail"]

    assert "damaged" in refused(b"no document")
    assert "Nowhere" in refused(contract(), fields=[{"anchor": "Nowhere"}])
    assert "page 9" in refused(contract(), fields=[{"page": 9, "rect": [0, 0, 99, 99]}])


def test_a_document_that_is_refused_is_signed_as_it_is_drawn(gateway, token, tmp_path):
    damaged = b"\n" * 10 + contract()
    uploaded = upload(gateway, token, damaged).json["id"]
    request = {"document": {"id": uploaded, "fields": [{"page": 1, "rect": [70, 60, 230, 110]}]}}
    assert gateway.request("POST", "/v1/captures", token, request).problem == "document-refused"
    request["document"]["flatten"] = True
    name = gateway.request("POST", "/v1/captures", token, request).json["id"]
    assert ended(gateway, token, name)["signed"] is True
    signed = gateway.request("GET", f"/v1/captures/{name}/signed.pdf", token).body
    header = gateway.request("GET", f"/v1/captures/{name}/record.jsonl", token).body.split(b"\n")[0]
    document = json.loads(header)["flow"]["document"]
    assert document["flattened"] == {"bytes": len(damaged), "sha256": hashlib.sha256(damaged).hexdigest()}
    flat = signed[:document["bytes"]]
    assert hashlib.sha256(flat).hexdigest() == json.loads(header)["request"]["document"]["sha256"]
    words = subprocess.run(["pdftotext", "-", "-"], input=flat, capture_output=True, check=True).stdout.split()
    assert words == b"Signature of the customer".split()


def test_a_capture_without_a_document_has_none_signed(gateway, token):
    name = gateway.capture(token)["id"]
    assert "signed" not in ended(gateway, token, name)
    assert gateway.request("GET", f"/v1/captures/{name}/signed.pdf", token).problem == "not-exportable"
    answer = gateway.request("GET", "/v1/captures/20200101-000000-0000000000000000/signed.pdf", token)
    assert answer.problem == "not-found"


def test_a_document_belongs_to_its_token(gateway, token):
    other, reader = gateway.token("other"), gateway.token("reader", ["record"])
    uploaded = upload(gateway, token).json["id"]
    answer = gateway.request("POST", "/v1/captures", other, {"document": {"id": uploaded}})
    assert answer.problem == "invalid-parameter" and answer.json["errors"][0]["pointer"] == "/document/id"
    assert gateway.request("DELETE", f"/v1/documents/{uploaded}", other).problem == "not-found"
    assert upload(gateway, None).problem == "no-token" and upload(gateway, reader).problem == "missing-scope"
    assert gateway.request("DELETE", f"/v1/documents/{uploaded}", token).status == 204
    assert gateway.request("DELETE", f"/v1/documents/{uploaded}", token).problem == "not-found"


def test_other_bodies_are_refused(gateway, token):
    assert upload(gateway, token, b"").problem == "bad-request"
    assert upload(gateway, token, Content_Type="application/json").problem == "wrong-content-type"
    connection = gateway.connection()
    connection.request("POST", "/v1/documents", headers={
        "Authorization": "Bearer " + token, "Content-Type": "application/pdf", "Content-Length": str((32 << 20) + 1)})
    assert connection.getresponse().status == 413
    # Without a length it is counted while it comes.
    connection = gateway.connection()
    chunk = b"x" * (1 << 20)
    try:
        connection.request("POST", "/v1/documents", iter([chunk] * 33), {
            "Authorization": "Bearer " + token, "Content-Type": "application/pdf"}, encode_chunked=True)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert connection.getresponse().status == 413
    # Half of one, whose host has gone, leaves nothing.
    connection = gateway.connection()
    connection.putrequest("POST", "/v1/documents")
    for name, value in {"Authorization": "Bearer " + token, "Content-Type": "application/pdf",
                        "Content-Length": str(1 << 20)}.items():
        connection.putheader(name, value)
    connection.endheaders(chunk[:1000])
    connection.close()
    assert not list(gateway.state.glob("document*"))


def test_memory_stays_whatever_is_uploaded(gateway, token):
    def peak() -> int:
        status = Path(f"/proc/{gateway.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0])

    before = peak()
    names = [upload(gateway, token, contract(20_000_000)).json["id"] for _ in range(6)]
    # Half of the room is for one token. The gateway says so before the body has come.
    connection = gateway.connection()
    connection.request("POST", "/v1/documents", headers={
        "Authorization": "Bearer " + token, "Content-Type": "application/pdf", "Content-Length": "20000000"})
    answer = connection.getresponse()
    assert answer.status == 429 and b"too-many-documents" in answer.read()
    assert peak() - before < 16 << 10
    for name in names:
        assert gateway.request("DELETE", f"/v1/documents/{name}", token).status == 204
    wait_for(lambda: upload(gateway, token).status == 201)
