# SPDX-License-Identifier: Apache-2.0
"""The program inkpanel-document, as the panel starts it: plain, and in bubblewrap's sandbox."""

import io
import json
import os
import subprocess
import time
from dataclasses import dataclass

import pytest
from reportlab.pdfgen import canvas

PROGRAM = os.environ["DOCUMENT"]
A4 = (595.28, 841.89)


def sandbox() -> list[str]:
    """As Sources/Panel/DocumentHelper.swift does it."""
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
             "--setenv", "SWIFT_BACKTRACE", "enable=no", "--dev", "/dev", "--ro-bind", "/usr", "/usr",
             "--size", "101711872", "--tmpfs", "/tmp"]
    for folder in ("/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache", "/var/cache/fontconfig"):
        words += ["--ro-bind-try", folder, folder]
    inside = "/program/inkpanel-document"
    return [*words, "--ro-bind", PROGRAM, inside, "--remount-ro", "/dev", "--remount-ro", "/", "--", inside]


@dataclass
class Answer:
    """`line` is None if there was none."""

    status: int
    line: dict | None
    body: bytes
    seconds: float

    @property
    def error(self) -> str | None:
        return self.line and self.line.get("error")


def ask(
        document: bytes, request: dict | bytes, *options: str, boxed: bool = False, cut: int = 0,
        within: tuple[str, ...] = ()) -> Answer:
    """`within`: a command that starts the program."""
    if isinstance(request, dict):
        request = json.dumps({"size": len(document), **request}).encode()
    sent = request + b"\n" + document
    begin = time.monotonic()
    done = subprocess.run(
        [*within, *(sandbox() if boxed else [PROGRAM]), *options], input=sent[: len(sent) - cut], capture_output=True,
        timeout=60)
    line, end, body = done.stdout.partition(b"\n")
    answer = Answer(done.returncode, json.loads(line) if end else None, body, time.monotonic() - begin)
    if answer.line and answer.line.get("ok"):
        assert answer.line == {"ok": True, "size": len(body)}
    elif answer.line:
        assert set(answer.line) == {"error", "reason"} and answer.line["reason"] and not body
    return answer


def facts(document: bytes) -> dict:
    answer = ask(document, {"do": "inspect"})
    assert answer.error is None, answer
    return json.loads(answer.body)


def pixel(picture: bytes, width: int, x: int, y: int) -> tuple[int, ...]:
    start = len(picture) % (3 * width) + 3 * (width * y + x)
    return tuple(picture[start:start + 3])


def raw_pdf(*objects: bytes) -> bytes:
    """A document of these objects, from 1; the first is the catalogue."""
    out, places = bytearray(b"%PDF-1.7\n"), []
    for number, text in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(out)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def one_page(contents: bytes, *more: bytes, resources: bytes = b"", box: bytes = b"0 0 595 842") -> bytes:
    """A page whose content is object 4; `more` begins at 5."""
    return raw_pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [ 3 0 R ] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [ %s ] /Contents 4 0 R /Resources << %s >> >>" % (box, resources),
        stream(contents), *more)


@pytest.fixture(scope="session")
def contract() -> bytes:
    """Two pages with texts, and a form."""
    file = io.BytesIO()
    page = canvas.Canvas(file, pagesize=A4, invariant=1)
    page.drawString(100, 700, "Please sign here: now")
    page.acroForm.checkbox(name="consent", x=100, y=600, size=20, tooltip="I agree")
    page.acroForm.radio(name="kind", value="a", x=100, y=500)
    page.acroForm.radio(name="kind", value="b", x=150, y=500)
    page.acroForm.textfield(name="mail", x=100, y=400, value="x@y")
    page.showPage()
    page.drawString(72, 72, "two & <three>")
    page.setFillColorRGB(1, 0, 0)
    page.rect(200, 300, 100, 50, stroke=0, fill=1)
    page.showPage()
    page.save()
    return file.getvalue()
