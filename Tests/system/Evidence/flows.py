# SPDX-License-Identifier: Apache-2.0
"""Records of captures with several pages, written here without the program, and a document of two pages."""

import hashlib
import json
import subprocess
from pathlib import Path

WIDTH, HEIGHT = 300, 424


def line(value: dict) -> bytes:
    """A line in the form of the program."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def document() -> bytes:
    """A PDF file of two pages with lines."""
    drawings = [b"0 0 1 RG 5 w 100 100 m 400 %d l S" % y for y in (700, 300)]
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [ 3 0 R 4 0 R ] /Count 2 >>"]
    for number in (5, 6):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Resources << >> /Contents %d 0 R >>" % number)
    for drawing in drawings:
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing))
    data, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(data)))


def picture(path: Path, page: int) -> str:
    """The digest of a page as poppler draws it here."""
    words = ["pdftoppm", "-q", "-cropbox", "-scale-dimension-before-rotation", "-singlefile", "-f", page, "-l", page,
             "-scale-to-x", WIDTH, "-scale-to-y", HEIGHT, path]
    file = subprocess.run([str(word) for word in words], capture_output=True, check=True).stdout
    start = b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT)
    assert file.startswith(start) and len(file) == len(start) + 3 * WIDTH * HEIGHT
    return digest(file[len(start):])


def contract(source: bytes, pictures: list[str], name: str = "20261127-140000-0123456789abcdef") -> list[dict]:
    """The lines of a record: two people read a document of two pages, tick, write initials and sign.

    The first one does not see all of the second page.
    """
    def field(name, kind, person, page, **more):
        rectangle = [300.5, 100, 460, 150]
        return {"name": name, "kind": kind, "person": person, "page": page, "rectangle": rectangle,
                "required": kind == "signature", **more}

    axis = {"minimum": 0, "maximum": 800, "resolution": 0}
    header = {
        "devices": [{"bus": 3, "name": "Pen", "product": 1, "transform": [1, 0, 0, 1, 0.5, 0.5], "vendor": 1,
                     "version": 1, "x": axis, "y": {**axis, "maximum": 480}}],
        "flow": {
            "declineReasons": ["Too expensive"],
            "document": {
                "bytes": len(source), "pages": 2, "policy": {"mustSeeAllPages": False},
                "fields": [
                    field("S01", "signature", 0, 2, field="S01"), field("S02", "signature", 1, 2, field="S02"),
                    field("I0", "initials", 1, 1), field("I1", "initials", 1, 2),
                    field("consent", "check", 0, 1, value="Yes"), field("way", "choice", 0, 1, value="mail"),
                    field("way", "choice", 0, 1, value="paper"), field("", "date", 0, 2)],
                "renderer": "poppler 22.12.0-2+deb12u3", "missingFonts": ["Helvetica"]},
            "people": [{"name": "Anna", "role": "Customer"}, {"role": "Witness", "sees": "Customer"}],
            "questions": [
                {"kind": "rating", "name": "stars", "person": "Witness", "text": "How was it?"},
                {"choices": ["yes", "no"], "kind": "choice", "name": "news", "text": "News?"},
                {"kind": "note", "name": "damage", "text": "Damage"}]},
        "format": "inkpanel-capture", "id": name, "program": "inkpanel 0.1.0",
        "request": {"document": {"computed": True, "sha256": digest(source)}, "prompt": ["Contract"]},
        "screen": {"clampedLast": True, "height": 480, "pixelsPerMillimetre": 3.7, "signingArea": [40, 180, 720, 200],
                   "width": 800},
        "startedAt": 1795788000000000, "startedAtDeviceTime": 81250000, "version": 2}
    lines, time = [header], 0

    def event(kind, value):
        nonlocal time
        time += 1000
        lines.append({kind: value, "t": time})

    def stroke(x):
        lines.append({"stroke": {"device": 0, "pen": "ink", "samples": [[time, x, 200], [time + 5, x + 60, 200 + x // 10]]}})

    def sheet(name, person):
        event("field", {"name": name, "person": person, "signingArea": [40, 180, 720, 200]})

    event("person", 0)
    for number in (1, 2):
        event("page", {"height": HEIGHT, "number": number, "sha256": pictures[number - 1], "width": WIDTH})
    event("view", {"parts": [{"page": 1, "rect": [0, 0, WIDTH, HEIGHT]}, {"page": 2, "rect": [0, 0, WIDTH, 100]}]})
    event("view", {"parts": [{"page": 2, "rect": [10, 100, WIDTH, HEIGHT]}]})
    event("answer", {"checked": True, "name": "consent"})
    event("answer", {"choice": "paper", "name": "way"})
    event("answer", {"choice": "no", "name": "news"})
    sheet("S01", 0)
    stroke(100)
    stroke(300)
    lines.append({"action": "undo", "t": time})
    event("accepted", {"name": "S01"})
    event("glass", {"fonts": ["Noto Sans 2.001"], "sha256": digest(b"glass")})
    event("spoken", "Contract of sale")
    event("person", 1)
    event("view", {"parts": [{"page": 1, "rect": [0, 0, WIDTH, HEIGHT]}]})
    event("view", {"parts": [{"page": 2, "rect": [0, 0, WIDTH, HEIGHT]}]})
    event("answer", {"name": "stars", "rating": 4})
    sheet("I0", 1)
    stroke(400)
    event("accepted", {"name": "I0"})
    event("accepted", {"name": "I1", "same": "I0"})
    sheet("S02", 1)
    stroke(500)
    event("accepted", {"name": "S02"})
    lines.append({"end": {
        "endedAt": 1795788060000000, "outcome": "accepted", "quality": {"drops": 0, "ignoredContacts": 0},
        "reading": [{"pages": [1, 2], "seconds": 12.5, "toEnd": False},
                    {"pages": [1, 2], "seconds": 3, "toEnd": True}]}})
    return lines


def typed(name: str, time: int, by: str = "staff", **more) -> dict:
    """A line: a name was typed in place of a signature."""
    entered = {"by": by, "name": "Maria Huber"} | ({"reason": "right arm in plaster"} if by == "staff" else {})
    return {"t": time, "typed": {"entered": entered, "name": name, "words": "Typed name: Maria Huber", **more}}


def instead(lines: list[dict]) -> list[dict]:
    """Changes a contract: nobody signs. The first person makes a mark with two witnesses, the second one confirms S02,
    whose page was read aloud, a representative signs S03, staff entered the name in S04, which the host accepted, and
    the person typed the one in S05 after the page was read aloud."""
    flow = lines[0]["flow"]
    fields = flow["document"]["fields"]
    flow["alternatives"] = ["confirmed", "mark", "representative", "typed"]
    fields[2:2] = [{**fields[1], "name": name, "field": name} for name in ("S03", "S04", "S05")]

    def sheet(name: str, part: str, person: int, x: int) -> list[dict]:
        page = {"name": name, "part": part, "person": person, "signingArea": [40, 180, 720, 200]}
        return [
            {"instead": page, "t": x * 1000},
            {"stroke": {"device": 0, "pen": "ink", "samples": [[x * 1000, x, 200], [x * 1000 + 5, x + 60, 220]]}},
            {"accepted": {"name": name}, "t": x * 1000 + 500}]

    def place(kind: str, name: str) -> int:
        return next(at for at, each in enumerate(lines) if each.get(kind, {}).get("name") == name)

    lines[place("field", "S02"):place("accepted", "S02") + 1] = [
        {"confirmed": {"heard": True, "name": "S02", "words": "I confirm this"}, "t": 49_000},
        *sheet("S03", "representative", 1, 50), typed("S04", 52_000, host=True),
        typed("S05", 53_000, "person", heard=True)]
    lines[place("field", "S01"):place("accepted", "S01") + 1] = [
        each for at, part in enumerate(("mark", "witness1", "witness2")) for each in sheet("S01", part, 0, 10 + at)]
    return lines
