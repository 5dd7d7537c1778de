#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a record, its seal and the chain of seals without Inkpanel; docs/evidence.md describes the formats.

usage: verify.py [-I NAME] [--document FILE] RECORD SEAL SIGNATURE ALLOWED_SIGNERS [SEAL...] [STAMP...] [DOCUMENT...]
       verify.py [-I NAME] FOLDER ALLOWED_SIGNERS

SEAL is a line of JSON, or a file of the panel that also has the signature; SIGNATURE is then the same file. Further
seals are files of the panel; STAMP is a time stamp of one of the seals (RFC 3161). NAME is the panel's name among the allowed signers; without it, a seal of any of them
fits. DOCUMENT is the document, the signed document, or both. With --document, FILE is one of them, too, and its pages
are drawn again with pdftoppm (poppler-utils), in this process's rights: not every renderer withstands every file.
FOLDER is a copy of a panel's directory, or any other folder: each file in it counts (docs/seals.md, "Folders").

Prints one line a fact; the last line is FITS (exit status 0), WRONG (1), UNKNOWN (2: all fits, but nobody knows a key
that sealed it) or UNCHECKED (1: there was nothing to check). Needs the Python package cryptography.
"""

import hashlib
import json
import math
import os
import platform
import re
import subprocess
import sys
import unicodedata
from base64 import b64decode, b64encode
from calendar import timegm
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256

NAMESPACE = "inkpanel-seal"
KEY_TYPE = b"ecdsa-sha2-nistp256"
wrong, unknown, fitting_facts = 0, 0, 0


def fact(fits, fitting, otherwise=""):
    """Prints a fact; `fits` is None for what is not checked."""
    global wrong, fitting_facts
    wrong += fits is False
    fitting_facts += fits is True
    text = otherwise if fits is False else fitting
    print("-     " if fits is None else "ok    " if fits else "WRONG ", text.encode("unicode_escape").decode())


def nobody(text):
    """Prints that nobody here knows a key."""
    global unknown
    unknown += 1
    print("UNKNOWN", text.encode("unicode_escape").decode())


def digest(data):
    return hashlib.sha256(data).hexdigest()


def require(holds, otherwise):
    if not holds:
        raise ValueError(otherwise)


# JSON, in the one way that every reader reads it (docs/record.md, "Reading")

def check_text(text):
    text.encode()  # Fails for half of a surrogate pair.
    marks = 0
    for letter in "" if text.isascii() else text:
        marks = marks + 1 if unicodedata.category(letter)[0] == "M" else 0
        require(marks <= 100, "a text has more than 100 combining marks in a row")


def members(pairs):
    for name, _ in pairs:
        check_text(name)
    names = {unicodedata.normalize("NFC", name) for name, _ in pairs}
    require(len(names) == len(pairs), "a name is there twice in one object")
    return dict(pairs)


def whole_number(text):
    require(len(text) <= 64 and -2**63 <= int(text) < 2**63, "a whole number has more than 64 bits")
    return -0.0 if text == "-0" else int(text)


def other_number(text):
    value = float(text)
    is_zero = not re.search("[1-9]", re.split("[eE]", text)[0])
    require(len(text) <= 64 and math.isfinite(value) and (value != 0 or is_zero), "no double is near a number")
    return value


def no_constant(text):
    raise ValueError(f"{text} is not JSON")


def check_values(value, depth=1):
    require(value is not None, "a value is null")
    require(depth <= 16 or not isinstance(value, (dict, list)), "it is nested deeper than 16")
    if isinstance(value, str):
        check_text(value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        check_values(inner, depth + 1)


def read(line):
    """The object in a line, without its newline."""
    require(line.startswith(b"{") and min(line) >= 0x20, "a line is not one JSON object")
    value = json.loads(
        line.decode(), object_pairs_hook=members, parse_int=whole_number, parse_float=other_number,
        parse_constant=no_constant)
    check_values(value)
    return value


# What a record and a seal have: types, ranges, patterns, lists and members; * may be missing

I32, I64, COUNT = range(-2**31, 2**31), range(-2**63, 2**63), range(1, 2**53)
U16, U32 = range(2**16), range(2**32)
ID = re.compile("[A-Za-z0-9][A-Za-z0-9-]{0,63}")
DIGEST = re.compile("[0-9a-f]{64}")
KEY = re.compile("SHA256:[A-Za-z0-9+/]{43}")
ROLE = {"operator", "gateway", "fleet"}
AXIS = {"minimum": I32, "maximum": I32, "resolution": I32}
TEST = {
    "at": I64, "program": str, "offset": float, "largestOffset": float, "noise": float, "reportRate": float,
    "longestGap": I64, "breaks": I64, "drops": I64}
DEVICE = {
    "name": str, "bus": U16, "vendor": U16, "product": U16, "version": U16, "uniq*": str, "phys*": str,
    "firmware*": str, "x": AXIS, "y": AXIS, "pressure*": AXIS, "distance*": AXIS, "transform": [float],
    "selfTest*": TEST}
LOOK = {"width*": float, "pressure": str, "switches": [str], "panelScatter*": float, "color*": str, "paper*": str}
REQUEST = {
    "prompt": [str], "rows*": [{"label": str, "value": str}], "signer*": str, "reason*": str,
    "document*": {"reference*": str, "sha256*": DIGEST, "computed*": bool}, "data*": dict, "language*": str,
    "operator*": str}
QUESTION = {
    "name": str, "kind": {"check", "choice", "rating", "note"}, "heading*": str, "text": str, "choices*": [str],
    "required*": bool, "person*": str}
FIELD = {
    "name": str, "kind": {"signature", "initials", "check", "choice", "date", "name"}, "person": I64, "page": I64,
    "rectangle": [float], "required": bool, "label*": str, "value*": str, "field*": str}
ORIGINAL = {"bytes": range(1, (48 << 20) + 1), "sha256": DIGEST}
FLOW = {
    "document*": {
        "bytes": range((48 << 20) + 1), "pages": range(1, 501), "renderer": str, "missingFonts*": [str],
        "warnings*": [str], "fields": [FIELD], "values*": dict,
        "pictures*": ORIGINAL, "flattened*": ORIGINAL,
        "policy*": {"mustSeeAllPages*": bool, "minimumSeconds*": float, "requireAnswers*": bool}},
    "questions*": [QUESTION], "people*": [{"role": str, "name*": str, "sees*": str}], "declineReasons*": [str],
    "alternatives*": [{"confirmed", "mark", "representative", "typed"}]}
HEADER = {
    "format": {"inkpanel-capture"}, "version": range(1, 3), "id": ID, "startedAt": I64, "sequence*": COUNT,
    "clockSynchronized*": bool, "clockMaximumError*": I64, "startedAtDeviceTime": I64,
    "date*": {"text": str, "offsetSeconds": I64, "zone*": str}, "program": str, "panel*": str, "devices": [DEVICE],
    "screen": {"width": I64, "height": I64, "pixelsPerMillimetre": float, "clampedLast*": bool,
               "signingArea": [I64], "penLook*": LOOK},
    "request": REQUEST, "missingGlyphs*": [{"text": str, "characters": [str]}], "shows*": {"prompt": bool, "signer": bool, "reason": bool, "date": bool}, "askedBy*": ROLE,
    "machine*": {"boot*": str, "id*": str, "kernel*": str, "key*": str}, "flow*": FLOW}
EDGE = {"t": I64, "x": float, "y": float, "pressure*": float}
TOOL = {"device": I64, "tool*": str, "serial*": U32}
STROKE = {**TOOL, "pen": str, "enters*": EDGE, "leaves*": EDGE, "places*": [[float]]}
ACTION = {"action": {"undo", "redo", "clear"}, "t": I64}
SPOKEN = {"spoken": str, "t": I64}
WITNESSES = ("witness1", "witness2")
# What was done in place of a signature: parts of a page to write on, and confirmations.
INSTEAD = {
    "mark": "a mark", "witness1": "a witness of the mark", "witness2": "a witness of the mark",
    "representative": "signed by a representative", "confirmed": "confirmed without a signature"}
SIDE = range(1, 1_000_001)
EVENTS = {
    "person": I64, "page": {"number": I64, "width": SIDE, "height": SIDE, "sha256": DIGEST},
    "view": {"parts": [{"page": I64, "rect": [I64]}]},
    "answer": {"name": str, "checked*": bool, "choice*": str, "rating*": range(1, 6)},
    "field": {"name": str, "person": I64, "signingArea": [I64]}, "accepted": {"name": str, "same*": str},
    "instead": {
        "name": str, "part": {"mark", *WITNESSES, "representative"}, "words*": str, "person": I64,
        "signingArea": [I64]},
    "confirmed": {"name": str, "words": str, "heard*": bool},
    "typed": {
        "name": str, "words": str, "entered": {"name": str, "by": {"person", "staff"}, "reason*": str}, "heard*": bool,
        "host*": bool},
    "glass": {"sha256": DIGEST, "fonts*": [str]}}
END = {
    "outcome": {"accepted", "cancelled", "timedOut"}, "endedAt": I64,
    "quality": {
        "reportRate*": float, "longestGap*": I64, "drops": I64, "ignoredContacts": I64,
        "latency*": {"p50": float, "p95": float, "p99": float}},
    "shown*": {"page": DIGEST, "signed": DIGEST, "from": I64, "until": I64, "fonts": [str]},
    "reading*": [{"pages": [I64], "toEnd": bool, "seconds": float}],
    "check*": {
        "second*": str, "differences*": [{"page": I64, "rectangle": [float]}], "notDrawn*": [{"page": I64, "text": str}],
        "redrawn*": bool}}
SEAL = {
    "format": {NAMESPACE}, "version": range(1, 3), "n": COUNT, "previous": DIGEST, "key": KEY, "at": range(2**63),
    "clock": {"synchronized": bool, "maximumError": I64}, "boot*": str, "program": str, "id*": ID, "record*": DIGEST,
    "stored*": DIGEST, "document*": DIGEST, "signed*": DIGEST, "signedStored*": DIGEST, "shown*": [DIGEST], "startedAt*": I64, "sequence*": I64, "askedBy*": ROLE,
    "deleted*": ID, "reason*": {"host", "age", "count", "withdrawn"}, "replaces*": KEY, "lost*": bool}


def fits(value, kind):
    if isinstance(kind, range):
        is_whole = type(value) is float and abs(value) <= 2**53 and value.is_integer() and str(value) != "-0.0"
        return (type(value) is int or is_whole) and int(value) in kind
    if kind is float:
        return type(value) is float or type(value) is int and float(value) == value
    if isinstance(kind, re.Pattern):
        return type(value) is str and bool(kind.fullmatch(value))
    if isinstance(kind, set):
        return type(value) is str and value in kind
    if isinstance(kind, list):
        return type(value) is list and all(fits(inner, kind[0]) for inner in value)
    if kind is dict:
        return type(value) is dict and all(type(text) is str for text in value.values())
    if isinstance(kind, dict):
        return type(value) is dict and all(
            fits(value[name.rstrip("*")], inner) if name.rstrip("*") in value else name.endswith("*")
            for name, inner in kind.items())
    return type(value) is kind


def has_other_members(value, kind):
    names = {name.rstrip("*"): inner for name, inner in kind.items()}
    return any(
        name not in names or isinstance(names[name], dict) and has_other_members(inner, names[name])
        for name, inner in value.items())


def check_samples(part, fourth):
    samples = part.get("samples")
    require(type(samples) is list and samples, "a line has no samples")
    for sample in samples:
        require(
            type(sample) is list and 3 <= len(sample) <= 4 and fits(sample[0], I64) and fits(sample[1:], [I32]),
            "a sample is not a time, x, y and optionally a fourth number")
        require(len(sample) == 3 or fourth, "a sample has a fourth number, which its device does not measure")


def check_places(stroke):
    """Where the screen drew the stroke, in its pixels."""
    edges = [stroke[name] for name in ("enters", "leaves") if name in stroke]
    places = stroke.get("places", [])
    require("places" not in stroke or len(places) == len(stroke["samples"]), "not each sample has a place")
    for place in places + [[edge["x"], edge["y"]] for edge in edges]:
        require(len(place) == 2 and all(0 <= number <= 1e6 for number in place), "a place is beyond any screen")
    require(all(0 <= edge.get("pressure", 0) <= 1 for edge in edges), "a pressure is not between 0 and 1")


def same(text):
    """Texts that Unicode counts as the same are one name."""
    return text and unicodedata.normalize("NFC", text)


class Flow:
    """What people were asked, and what has happened so far."""

    def __init__(self, header):
        flow = header["flow"]
        self.document = flow.get("document")
        if self.document:
            # A whole number may be written as 2.0.
            self.document |= {name: int(self.document[name]) for name in ("bytes", "pages")}
        self.roles = [same(person["role"]) for person in flow.get("people", [])]
        self.count = max(len(self.roles), 1)
        self.turn, self.sheet, self.written, self.events = None, None, set(), 0
        self.sizes, self.seen = {}, [{} for _ in range(self.count)]
        self.answers, self.inks = {}, {}
        # What the sheet is in place of a signature, and this turn's signatures that are marks.
        self.part, self.marks, self.has_spoken = None, set(), False
        self.alternatives = flow.get("alternatives", [])
        self.questions = flow.get("questions", [])
        self.check_people(flow)
        # Names to what stands for them: a kind, the person (None for everybody), and the values of a choice.
        self.subjects = {} if self.document else {"signature": ("signature", None, None)}
        names = [] if self.document else ["signature"] + [f"signature:{role}" for role in self.roles[1:]]
        signatures = list(names)
        for question in flow.get("questions", []):
            choices = [same(text) for text in question.get("choices", [])]
            is_choice = question["kind"] == "choice"
            require(is_choice or "choices" not in question, "choices of what is no choice")
            require(not is_choice or 2 <= len(set(choices)) == len(choices) <= 8, "choices are not 2 to 8 texts")
            names.append(same(question["name"]))
            self.subjects[names[-1]] = (question["kind"], self.person(question), choices)
        require(self.document is None or "sha256" in header["request"].get("document", {}),
                "a document to read has no digest")
        places = {}
        for field in self.document["fields"] if self.document else []:
            self.check_field(field)
            name, kind = same(field["name"]), field["kind"]
            if kind in ("date", "name"):
                continue
            # A choice has a field for each of its places.
            if kind not in ("check", "choice") or places.get(name, ())[:2] != (kind, field["person"]):
                names.append(name)
            values = places[name][2] if name in places else []
            places[name] = (kind, field["person"], values + [same(field.get("value"))])
        self.subjects.update(places)
        signatures += [name for name, place in places.items() if place[0] == "signature"]
        if "mark" in self.alternatives:
            names += [f"{name}/{witness}" for name in signatures for witness in WITNESSES]
        require(all(names) and len(set(names)) == len(names), "a name is empty, or stands for two things")

    def check_people(self, flow):
        for index, person in enumerate(flow.get("people", [])):
            before = self.roles[:index]
            require(person["role"] and same(person["role"]) not in before, "two people have a role, or an empty one")
            require(same(person.get("sees")) in before + [None], "a witness saw somebody who comes later")
        for name, most in (("people", 8), ("questions", 32), ("declineReasons", 8)):
            require(len(flow.get(name, [])) <= most, f"{name} are too many")
        words = flow.get("alternatives", ["none"])
        require(0 < len(set(words)) == len(words), "alternatives are missing, or one is there twice")
        document = self.document or {"fields": []}
        require(len(document["fields"]) <= 4000 and document.get("policy", {}).get("minimumSeconds", 0) >= 0,
                "the document is not valid")

    def person(self, question):
        role = same(question.get("person"))
        require(role is None or role in self.roles, "nobody has this role")
        return 0 if role is None else self.roles.index(role)

    def check_field(self, field):
        place = field["rectangle"]
        require(len(place) == 4 and place[0] <= place[2] and place[1] <= place[3], "a field has no place")
        require(0 <= field["person"] < self.count and 1 <= field["page"] <= self.document["pages"],
                "a field has no person or no page")
        require(field["kind"] != "choice" or "value" in field, "a choice has no value")

    def add(self, name, event):
        """Checks that an event follows from those before."""
        require(self.events < 100_000, "there are too many events")
        self.events += 1
        getattr(self, f"add_{name}")(event)

    def add_person(self, number):
        require((-1 if self.turn is None else self.turn) < number < self.count, "this person has no turn now")
        self.turn, self.sheet, self.marks = int(number), None, set()

    def add_page(self, page):
        require(self.document and 1 <= page["number"] <= self.document["pages"] and page["number"] not in self.sizes,
                "there is no such page, or it was shown before")
        self.sizes[page["number"]] = (page["width"], page["height"], page["sha256"])

    def add_view(self, view):
        numbers = [part["page"] for part in view["parts"]]
        require(numbers and numbers == sorted(set(numbers)) and set(numbers) <= self.sizes.keys(),
                "a view is not of pages that were shown, in their order")
        for part in view["parts"]:
            width, height, _ = self.sizes[part["page"]]
            require(len(part["rect"]) == 4, "a part of a page is not four numbers")
            left, top, right, bottom = part["rect"]
            require(0 <= left < right <= width and 0 <= top < bottom <= height, "a part is not within its page")
            if left == 0 and right == width:
                self.seen[self.turn or 0].setdefault(int(part["page"]), []).append((top, bottom))

    def subject(self, name, *kinds):
        kind, person, values = self.subjects.get(same(name), (None, None, None))
        require(kind in kinds and person in (None, self.turn or 0), "this person was not asked that")
        return kind, values

    def add_answer(self, answer):
        kind, values = self.subject(answer["name"], "check", "choice", "rating")
        member = {"check": "checked"}.get(kind, kind)
        require({"checked", "choice", "rating"} & answer.keys() == {member}, "an answer is of another kind")
        require(kind != "choice" or same(answer["choice"]) in values, "an answer is none of the choices")
        self.answers[same(answer["name"])] = answer[member]

    def add_field(self, field):
        self.subject(field["name"], "signature", "initials", "note")
        require(field["person"] == (self.turn or 0) and len(field["signingArea"]) == 4, "a page to sign on is not valid")
        self.sheet, self.part = same(field["name"]), None

    def add_instead(self, field):
        part, is_witness = field["part"], field["part"] in WITNESSES
        self.check_alternative(field, "mark" if is_witness else part)
        require(not is_witness or same(field["name"]) in self.marks, "a witness of a mark that was not accepted")
        self.add_field(field)
        self.part = part

    def check_alternative(self, field, word):
        self.subject(field["name"], "signature")
        require(word in self.alternatives, "the host did not allow this in place of a signature")

    def add_accepted(self, field):
        name, other = same(field["name"]), same(field.get("same"))
        if other is None:
            require(name == self.sheet, "a field was accepted whose page was not shown")
            self.written.add(name)
        else:
            self.subject(name, "initials")
            self.subject(other, "initials")
            require(other != name and other in self.written, "a field has the ink of one without ink")
        self.take(name, self.part if other is None else None, other)

    def add_confirmed(self, field):
        self.take_without_ink(field, "confirmed")

    def add_typed(self, field):
        entered, is_staff = field["entered"], field["entered"]["by"] == "staff"
        require(entered["name"], "a name in place of a signature is empty")
        require(entered.get("reason") or not is_staff, "a name that staff entered without a reason")
        require(is_staff or not field.get("host", False), "the host accepted a name that the person typed")
        self.take_without_ink(field, "typed")

    def take_without_ink(self, field, part):
        self.check_alternative(field, part)
        require(self.has_spoken or not field.get("heard", False), "nothing was read aloud before")
        self.take(same(field["name"]), part, field)

    def take(self, name, part, other=None):
        """What comes last for a name counts, with the witnesses after it: a new mark needs new ones.

        `other`: the field with the ink, or what was confirmed or typed.
        """
        if part in WITNESSES:
            self.inks[name, self.turn or 0][part] = None
        else:
            self.inks[name, self.turn or 0] = {part: other}
            (self.marks.add if part == "mark" else self.marks.discard)(name)
        self.sheet = None

    def add_glass(self, image):
        pass

    def check_end(self, end):
        if not self.document:
            return require(not {"reading", "check"} & end.keys(), "what was read, without a document")
        check = end.get("check", {})
        pages = range(1, self.document["pages"] + 1)
        require(0 < len(check.get("second", "x").encode()) <= 64, "the second engine is not valid")
        for place in check.get("differences", []):
            edges = place["rectangle"]
            require(place["page"] in pages and len(edges) == 4 and all(abs(edge) <= 1e6 for edge in edges)
                    and edges[0] <= edges[2] and edges[1] <= edges[3], "a place of another picture is not valid")
        for message in check.get("notDrawn", []):
            require(message["page"] in pages and len(message["text"].encode()) <= 256, "a message is not valid")
        require(all(len(check.get(name, [])) <= 32 for name in ("differences", "notDrawn")), "the check is too long")
        require("reading" in end or end["outcome"] != "accepted", "what was read is missing")
        require(len(end.get("reading", self.seen)) == self.count, "not each person has read")
        for reading in end.get("reading", []):
            pages = reading["pages"]
            require(pages == sorted(set(pages)) and set(pages) <= set(range(1, self.document["pages"] + 1))
                    and reading["seconds"] >= 0, "what was read is not pages and a time")

    def reading(self):
        """What each person saw: the pages, in their whole width, and whether all of all pages."""
        found = []
        for rows in self.seen:
            def is_whole(page):
                end = 0
                for top, bottom in sorted(rows.get(page, [])):
                    if top <= end:
                        end = max(end, bottom)
                return page in self.sizes and end >= self.sizes[page][1]
            found.append((sorted(rows), all(map(is_whole, range(1, self.document["pages"] + 1)))))
        return found


def read_record(data):
    """The lines of a record: the header, the others, the end or None, and the flow or None."""
    require(len(data) <= 64 << 20, "the record is too long")
    # The last line may be torn: without a newline, or with zero bytes.
    lines = data[:data.rfind(b"\n") + 1].split(b"\n")[:-1]
    if lines and b"\0" in lines[-1]:
        lines.pop()
    require(lines and len(lines[0]) < 256 << 10, "there is no header")
    header, *rest = map(read, lines)
    kinds = {"format", "stroke", "inAir", "action", "spoken", "end"}
    is_flow = header.get("version") == 2
    if is_flow:
        kinds |= EVENTS.keys()
    require(kinds & header.keys() == {"format"} and "t" not in header, "the first line is no header")
    require(fits(header, HEADER), "the header is not valid")
    require(("flow" in header) == is_flow and (is_flow or len(lines[0]) < 64 << 10), "the header is of another version")
    devices = header["devices"]
    require(devices and all(len(device["transform"]) == 6 for device in devices), "a device is not valid")
    require(len(header["screen"]["signingArea"]) == 4, "the signing area is not four numbers")
    flow = Flow(header) if is_flow else None
    for number, (line, text) in enumerate(zip(rest, lines[1:]), 2):
        kind = kinds & line.keys()
        require(len(kind) == 1, f"line {number} is not of one kind")
        (name,) = kind
        require((name in ("action", "spoken") or name in EVENTS) == ("t" in line), f"line {number} has a time, or lacks it")
        if name == "action":
            require(fits(line, ACTION), f"line {number}: an action is not valid")
        elif name == "spoken":
            require(fits(line, SPOKEN) and 0 < len(line["spoken"].encode()) <= 4096,
                    f"line {number}: a text that was read aloud is not valid")
            if flow:
                flow.has_spoken = True
        elif name == "end":
            require(number == len(lines), "there is a line after the end")
            require(len(text) < (24 << 10 if flow else 4 << 10) and fits(line["end"], END), "the end is not valid")
            require(flow or not {"reading", "check"} & line["end"].keys(), "what was read, without a document")
            if flow:
                flow.check_end(line["end"])
        elif name in EVENTS:
            require(fits(line, {"t": I64, name: EVENTS[name]}), f"line {number}: an event is not valid")
            flow.add(name, line[name])
        else:
            require(name != "format", f"line {number}: a second header")
            part, is_stroke = line[name], name == "stroke"
            require(fits(part, STROKE if is_stroke else TOOL), f"line {number} is not valid")
            require(0 <= part["device"] < len(devices), f"line {number}: there is no such device")
            check_samples(part, ("pressure" if is_stroke else "distance") in devices[int(part["device"])])
            if is_stroke:
                check_places(part)
        require(not flow or flow.sheet is not None or name not in ("stroke", "action"),
                f"line {number} is before a page to sign on")
    return header, rest, rest[-1].get("end") if rest else None, flow


def read_seal(line):
    require(len(line) <= 8 << 10 and line.endswith(b"\n"), "a seal is not one line")
    seal = read(line[:-1])
    canonical = json.dumps(seal, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    # A seal has no fractions.
    require(canonical == line and not re.search(rb":-?[0-9]+[.eE]|:-0", re.sub(rb'"[^"]*"', b"", line)),
            "a seal is not in the canonical form")
    require(fits(seal, SEAL) and not has_other_members(seal, SEAL), "a seal is not valid")
    subjects = {"id": "record", "deleted": "reason", "replaces": "replaces"}
    subject = subjects.keys() & seal.keys()
    require(len(subject) == 1 and subjects[min(subject)] in seal, "a seal is not of one record, deletion or key")
    require((seal["version"] == 2) == ("signed" in seal), "a seal is of another version")
    require("signed" not in seal or {"id", "document"} <= seal.keys(), "a signed document is of no document")
    require("signedStored" not in seal or {"signed", "stored"} <= seal.keys(), "an encrypted document is of nothing")
    return seal


# Signatures (OpenSSH, PROTOCOL.sshsig) and keys

ARMOUR = rb"-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/=]+\n)+)-----END SSH SIGNATURE-----\n"


def base64(text):
    """Base64 that has one form only."""
    data = b64decode(text, validate=True)
    require(b64encode(data) == text, "Base64 has another form")
    return data


def strings(data, count):
    """The strings of SSH's wire format: four bytes of length, big-endian, then the bytes."""
    found = []
    while data:
        size = 4 + int.from_bytes(data[:4], "big")
        require(4 <= len(data) and size <= len(data), "a string ends early")
        found.append(data[4:size])
        data = data[size:]
    require(len(found) == count, "there are more or fewer strings")
    return found


def public_key(blob):
    kind, curve, point = strings(blob, 3)
    require(kind == KEY_TYPE and curve == b"nistp256" and len(point) == 65, "the key is of another type")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def positive(number):
    require(number and number[0] < 0x80 and (number[0] or len(number) > 1 and number[1] >= 0x80), "no positive number")
    return int.from_bytes(number, "big")


def signing_keys(line, armoured):
    """The keys whose signatures fit a line, by their fingerprints."""
    require(re.fullmatch(b"(?:" + ARMOUR + b"){1,2}", armoured), "one or two SSH signatures are missing")
    keys = {}
    for text in re.findall(ARMOUR, armoured):
        blob = base64(text.replace(b"\n", b""))
        key, namespace, reserved, algorithm, signature = strings(blob[10:], 5)
        require(blob[:10] == b"SSHSIG\0\0\0\1" and namespace == NAMESPACE.encode() and not reserved
                and algorithm == b"sha512", f"this is no SSH signature of version 1 for {NAMESPACE}")
        signed = (namespace, reserved, algorithm, hashlib.sha512(line).digest())
        signed = b"SSHSIG" + b"".join(len(part).to_bytes(4, "big") + part for part in signed)
        kind, numbers = strings(signature, 2)
        require(kind == KEY_TYPE, "the signature is of another type")
        r, s = map(positive, strings(numbers, 2))
        public_key(key).verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(SHA256()))
        keys["SHA256:" + b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")] = key
    return keys


# Allowed signers, as ssh-keygen reads them; times in the file count as UTC

OPTION = re.compile(
    r'(?:(cert-authority)|(namespaces|valid-after|valid-before)="((?:[^"\\]|\\"|\\(?!"))*)")(?:,(?=.)|$)', re.I | re.S)
TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:Z|UTC)?", re.I | re.A)


def options_end(text):
    """Where the options end: at white space outside of quotes."""
    index, is_quoted = 0, False
    while index < len(text) and (is_quoted or text[index] not in " \t"):
        if text.startswith('\\"', index):
            index += 1
        elif text[index] == '"':
            is_quoted = not is_quoted
        index += 1
    require(not is_quoted and index < len(text), "a quotation mark or a key is missing")
    return index


def seconds(text):
    match = TIME.fullmatch(text)
    require(match, "no time")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    require(year >= 1970 and 1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 62, "no time")
    # A day or second that does not exist counts on from the last one, as in C.
    time = timegm((year, month, day, hour, minute, second))
    require(time > 0, "no time")
    return time


def parse_options(text):
    options, index = {}, 0
    while index < len(text):
        if text[index] == "," and index + 1 < len(text):
            index += 1
            continue
        match = OPTION.match(text, index)
        require(match, "no option")
        flag, name, value = match.groups()
        name = (flag or name).lower()
        require(flag or name not in options, "an option is there twice")
        value = value and value.replace('\\"', '"')
        options[name] = True if flag else seconds(value) if name.startswith("valid") else value
        index = match.end()
    times = [options[name] for name in ("valid-after", "valid-before") if name in options]
    require(times == sorted(set(times)), "valid-before is not after valid-after")
    return options


def key_at(text):
    """The key at the start of a text, or None."""
    match = re.match(KEY_TYPE.decode() + r"[ \t]+([^ \t]+)", text)
    if match:
        key = base64(re.sub("[\v\f\r]", "", match[1]).encode())
        public_key(key)
        return key


def signer(line):
    """Names, key and options of a line, in which a character stands for a byte."""
    line = line.split("\0")[0].lstrip(" \t")
    require(line and not line.startswith("#"), "no signer")
    names = re.match(r'([^ \t\r"]*)(?:"([^"]*)"|[ \t\r])[ \t\r]*', line)
    require(names, "no key")
    rest = line[names.end():]
    key, options = key_at(rest), {}
    if not key:
        end = options_end(rest)
        options, key = parse_options(rest[:end]), key_at(rest[end:].lstrip(" \t"))
    return names[1] + (names[2] or ""), key, options


def is_like(text, pattern):
    """Whether a pattern has a text: * is any text, ? any character. No pattern takes long."""
    ends = {0}  # Where the text may be after the pattern so far.
    for letter in pattern:
        if letter == "*" and ends:
            ends = set(range(min(ends), len(text) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(text) and letter in ("?", text[end])}
    return len(text) in ends


def matches(text, patterns):
    """Whether a list of patterns has a text; one with ! excludes it."""
    found = False
    for pattern in patterns.split(","):
        if is_like(text, pattern.removeprefix("!")):
            if pattern.startswith("!"):
                return False
            found = True
    return found


def is_allowed(key, microseconds, signers, name=None):
    """Whether a key may sign seals at a time; None if no line has it. A line that cannot be used allows nobody."""
    now, found = microseconds // 1_000_000, None
    name = name and os.fsencode(name).decode("latin-1")
    for line in signers.split(b"\n"):
        try:
            names, listed, options = signer(line.decode("latin-1"))
        except ValueError:
            continue
        if (listed and listed == key and not options.get("cert-authority")
                and matches(NAMESPACE, options.get("namespaces", "*")) and (name is None or matches(name, names))):
            found = found or options.get("valid-after", 0) <= now <= options.get("valid-before", now)
    return found


# Time stamps of seals (RFC 3161)

def elements(data):
    """The tags and contents of DER, one after the other."""
    while data:
        length, start = data[1], 2
        if length >= 128:
            start += length - 128
            length = int.from_bytes(data[2:start], "big")
        require(start + length <= len(data), "DER is cut")
        yield data[0], data[start:start + length]
        data = data[start + length:]


def stamped(data):
    """The SHA-256 digest and the time of a time stamp; None for any other file."""
    try:
        require(data[:1] == b"\x30" and len(data) <= 64 << 10, "no time stamp")
        [(_, response)] = elements(data)
        (_, status), (_, token) = elements(response)
        require(next(elements(status))[1] in (b"\0", b"\1"), "it was not granted")
        _, (_, signed) = elements(token)
        [(_, signed)] = elements(signed)
        _, _, (_, content), *rest = elements(signed)
        require(len(rest) > 1 and len(list(elements(rest[-1][1]))) == 1, "no signer or certificate")
        _, (_, wrapped) = elements(content)
        [(_, octets)] = elements(wrapped)
        [(_, info)] = elements(octets)
        _, _, (_, imprint), _, (_, at), *_ = elements(info)
        (_, algorithm), (_, message) = elements(imprint)
        # 2.16.840.1.101.3.4.2.1, SHA-256.
        require(next(elements(algorithm))[1] == bytes.fromhex("608648016503040201"), "another digest")
        return message.hex(), re.fullmatch(r"(\d{14})(\.\d+)?Z", at.decode())[1]
    except (ValueError, IndexError, TypeError, StopIteration):
        return None


def check_stamp(path, data, n):
    """Checks the signature of a time stamp of seal `n`, but not whose it is."""
    at = stamped(data)[1]
    text = f"{path}: seal {n} existed at {at} UTC, says a time stamp; check whose it is (openssl ts -verify)"
    try:
        token = subprocess.run(
            ["openssl", "ts", "-reply", "-in", "/dev/stdin", "-token_out"], input=data, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, check=True).stdout
        verified = subprocess.run(
            ["openssl", "cms", "-verify", "-noverify", "-inform", "DER", "-out", "/dev/null"], input=token,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return fact(None, f"{text}; its signature was not checked, because there is no openssl here")
    except subprocess.CalledProcessError:
        verified = None
    is_intact = verified is not None and verified.returncode == 0
    fact(None if is_intact else False, text, f"{path}: the signature of this time stamp does not fit")


# The facts

def check_seal(line, armoured, signers, principal, old, old_line, complete=range(0)):
    """Checks a seal, and that it follows the seal `old`, which is None for the first one that was given.

    Between two numbers of `complete`, as in a panel's directory, none may be missing.
    """
    seal = read_seal(line)
    name = f"seal {seal['n']}:"
    keys = signing_keys(line, armoured)
    for key in {seal["key"], seal["key"] if seal.get("lost") else seal.get("replaces", seal["key"])}:
        fact(key in keys, f"{name} signed by {key}", f"{name} no signature of {key}")
        allowed = is_allowed(keys.get(key), seal["at"], signers, principal)
        if allowed is None:
            nobody(f"{name} the key {key} is not among the allowed signers")
        else:
            fact(allowed, f"{name} allowed signer", f"{name} key not allowed then")
    if line == old_line:
        return seal  # The panel's file and a host's copy.
    if not old and seal["n"] == 1:
        fact(seal["previous"] == "0" * 64, f"{name} the first", f"{name} the first one, but it names one before it")
    if old:
        is_gap = seal["n"] > old["n"] + 1
        if is_gap and not (old["n"] in complete and seal["n"] in complete):
            fact(None, f"{name} the seals before it, from {old['n'] + 1}, are not here")
        else:
            fact(seal["n"] == old["n"] + 1, f"{name} next after {old['n']}", f"{name} the seal before it is missing")
            previous = "0" * 64 if seal.get("lost") else digest(old_line)
            fact(seal["previous"] == previous, f"{name} follows", f"{name} names another seal before it")
        fact(old["key"] == seal.get("replaces", seal["key"]), f"{name} key known", f"{name} another key than before it")
        if seal["at"] < old["at"]:
            fact(None, f"{name} its clock is before that of seal {old['n']}")
    return seal


def check_record(data, seal):
    """- Returns: the flow, or None."""
    if data.startswith(b"age-encryption.org/"):
        fact(digest(data) == seal.get("stored"), "record: the encrypted file is the sealed one", "record: another file")
        return fact(None, "record: encrypted; run age -d -i IDENTITY RECORD > ID.jsonl, and check ID.jsonl")
    fact(digest(data) == seal.get("record"), "record: it is the sealed one", "record: changed, or another one")
    header, lines, end, flow = read_record(data)
    fact(header["id"] == seal.get("id"), f"record: of capture {header['id']}", "record: of another capture")
    fact(end is not None and end["outcome"] == "accepted", "record: accepted", "record: nobody accepted it")
    times = [sample[0] for line in lines if "stroke" in line for sample in line["stroke"]["samples"]]
    fact(min(times, default=0) >= -1_000_000, "record: no ink before the page", "record: ink before the page")
    shown = end and end.get("shown")
    named = {
        "document": header["request"].get("document", {}).get("sha256"), "startedAt": header["startedAt"],
        "sequence": header.get("sequence"), "askedBy": header.get("askedBy"),
        "shown": [shown["page"], shown["signed"]] if shown else None}
    for name, value in named.items():
        fact(value == seal.get(name), f"record: {name} as in the seal", f"record: {name} is another than in the seal")
    if flow and end:
        check_flow(flow, end)
    return flow


def unmet_demands(flow, end):
    """What the host wanted and the record does not have. The pad ends no turn before its demands are met."""
    policy = (flow.document or {}).get("policy", {})
    wants_all = policy.get("requireAnswers", False)
    inks = {name for name, _ in flow.inks}

    def is_answered(name):
        return flow.answers.get(name, False) is not False

    for field in flow.document["fields"] if flow.document else []:
        name, kind = same(field["name"]), field["kind"]
        if kind in ("signature", "initials") and field["required"] and name not in inks:
            yield f"no ink in {field['name']}"
        if kind in ("check", "choice") and (field["required"] or wants_all and kind == "choice"):
            if not is_answered(name):
                yield f"{field['name']} is not answered"
    for question in flow.questions:
        name, kind = same(question["name"]), question["kind"]
        if question.get("required", False) or wants_all and kind != "check":
            if not (name in inks if kind == "note" else is_answered(name)):
                yield f"{question['name']} is not answered"
    for (name, person), parts in flow.inks.items():
        if "mark" in parts and not parts.keys() >= set(WITNESSES):
            role = f":{flow.roles[person]}" if person and not flow.document else ""
            yield f"the mark in {name}{role} lacks its witnesses"
    times = [reading["seconds"] for reading in end.get("reading", [])]
    for person, (_, is_whole) in enumerate(flow.reading() if flow.document else []):
        who = flow.roles[person] if flow.roles else "the person"
        if policy.get("mustSeeAllPages", False) and not is_whole:
            yield f"{who} did not see all pages"
        if (times[person] if person < len(times) else 0) < policy.get("minimumSeconds", 0):
            yield f"{who} had less time than demanded"


def check_flow(flow, end):
    unmet = sorted(set(unmet_demands(flow, end)))
    fact(not unmet, "record: has all that the host demanded", f"record: {'; '.join(unmet)}")
    if flow.document:
        stated = [(reading["pages"], reading["toEnd"]) for reading in end.get("reading", [])]
        fact(stated == flow.reading(), "record: what was read follows from the views", "record: other pages were seen")
        if (check := end.get("check")) is not None:
            fact(None, f"record: all pages were drawn by {check['second']}, too" if "second" in check
                 else "record: no second engine has drawn the pages")
            for place in check.get("differences", []):
                fact(None, f"record: page {place['page']} is drawn differently at {place['rectangle']}")
            for message in check.get("notDrawn", []):
                fact(None, f"record: a part of page {message['page']} was not drawn: {message['text']}")
            if check.get("redrawn", False):
                fact(None, "record: the signed file was drawn again, and looked as shown")
        for person, (pages, is_whole) in enumerate(flow.reading()):
            who = flow.roles[person] if flow.roles else "the person"
            fact(None, f"record: {who} saw pages {pages}, {'all of them' if is_whole else 'not all'}")
    for name, answer in flow.answers.items():
        fact(None, f"record: {name} is {answer}")
    for (name, person), parts in flow.inks.items():
        who = flow.roles[person] if flow.roles else "the person"
        for part, other in parts.items():
            ink = f"{name}/{part}" if part in WITNESSES else name
            fact(None, f"record: {ink} of {who}: {instead(part, other)}" if part
                 else f"record: {who} signed {name}" + (f" with the ink of {other}" if other else ""))


def instead(part, field):
    """What was done in place of a signature, in words; `field` if it was confirmed or typed."""
    words = INSTEAD.get(part)
    if part == "typed":
        how = "staff entered" if field["entered"]["by"] == "staff" else "the person typed"
        words = f"a name that {how} in place of a signature"
        words += ", accepted by the host" if field.get("host", False) else ""
    words += ", after all of the page was read aloud" if field and field.get("heard", False) else ""
    if part == "typed":
        # What the host has sent is in quotes and last: it cannot say more than the record does.
        name, reason = field["entered"]["name"], field["entered"].get("reason")
        words += f": {quoted(name)}" + (f", because {quoted(reason)}" if reason is not None else "")
    return words


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def check_document(path, data, sealed, flow):
    """A file that is neither a record nor a seal."""
    for name, words in (
            ("pictures", "the pictures of which the panel made the document"),
            ("flattened", "the file that the panel has flattened")):
        if flow and flow.document and digest(data) == flow.document.get(name, {}).get("sha256"):
            return fact(True, f"{path}: {words}")
    if digest(data) == sealed.get("document"):
        return fact(True, f"{path}: the document")
    if digest(data) == sealed.get("signedStored"):
        return fact(True, f"{path}: the encrypted file of the signed document; open it with age -d")
    fact(digest(data) == sealed.get("signed"), f"{path}: the signed document", f"{path}: another document")
    if digest(data) == sealed.get("signed") and flow and flow.document:
        begins = digest(data[:flow.document["bytes"]]) == sealed.get("document")
        fact(begins, f"{path}: begins with the document", f"{path}: does not begin with the document")
        # Its signatures have the digest of the record. Without a signature that was demanded, there may be none.
        names = sealed["record"].encode() in data[flow.document["bytes"]:]
        must = any(field["kind"] == "signature" and field["required"] for field in flow.document["fields"])
        if begins and (names or must):
            fact(names, f"{path}: names the record", f"{path}: does not name the record")


def renderer():
    """What draws pages here, as records name it; None without pdftoppm."""
    try:
        told = subprocess.run(["pdftoppm", "-v"], capture_output=True, text=True).stderr
    except FileNotFoundError:
        return None
    found = re.search(r"pdftoppm version (\S+)", told)
    version = found[1] if found else "unknown"
    form = "${db:Status-Status} ${Package} ${Architecture} ${Version}\n"
    try:
        listed = subprocess.run(
            ["dpkg-query", "-W", "-f", form, "poppler-utils", "libfreetype6"], capture_output=True, text=True).stdout
    except FileNotFoundError:
        listed = ""
    found = re.search(r"^installed poppler-utils (\S+) (\S+)$", listed, re.M)
    processor, package = found.groups() if found else ("", "")
    # The library may be installed for other processors, too.
    found = re.search(rf"^installed libfreetype6 {processor} (\S+)$", listed, re.M)
    freetype = found[1] if found else ""
    if not re.fullmatch(rf"(\d+:)?{re.escape(version)}(-[^-]*)?", package):
        return f"poppler {version}"
    return f"poppler {package}" + (f" (freetype {freetype}, {platform.machine()})" if freetype else "")


def undecided(number, here, document):
    """Why another picture of a page proves nothing; None if it does."""
    if here != document["renderer"] or "freetype" not in here:
        return "another program or library may draw other pixels"
    if document.get("missingFonts"):
        return f"the document lacks {', '.join(document['missingFonts'])}, for which each system takes other fonts"
    if document.get("values"):
        return "the host filled in values, and the bytes that were drawn are not kept"
    if any(field["page"] == number and field["kind"] in ("check", "choice") and "field" in field
           for field in document["fields"]):
        return "the pad removes ticks that the file has, and the bytes that were drawn are not kept"
    return None


def draw_again(path, sealed, flow):
    """Draws the pages of a document as the panel did, and compares their digests with the recorded ones."""
    if not flow or not flow.document:
        return fact(False, "", f"{path}: the record has no document that was read")
    data = Path(path).read_bytes()[:flow.document["bytes"]]
    if digest(data) != sealed.get("document"):
        return fact(False, "", f"{path}: neither is the document nor begins with it")
    here = renderer()
    if not here:
        return fact(None, f"{path}: not drawn again, because there is no pdftoppm (poppler-utils) here")
    fact(None, f"{path}: drawn with {here}; the panel had {flow.document['renderer']}")
    repeated, reasons = set(), {}
    for number, (width, height, sha256) in sorted(flow.sizes.items()):
        words = ["pdftoppm", "-q", "-cropbox", "-scale-dimension-before-rotation", "-singlefile",
                 "-f", str(int(number)), "-l", str(int(number)),
                 "-scale-to-x", str(int(width)), "-scale-to-y", str(int(height)), "-"]
        try:
            picture = subprocess.run(words, input=data, stdout=subprocess.PIPE, timeout=60).stdout
        except subprocess.TimeoutExpired:
            picture = b""
        start = f"P6\n{int(width)} {int(height)}\n255\n".encode()
        if picture.startswith(start) and digest(picture[len(start):]) == sha256:
            repeated.add(int(number))
    if repeated:
        fact(True, f"{path}: the pictures of pages {sorted(repeated)} are those that were shown")
    for number in sorted(int(number) for number in flow.sizes if number not in repeated):
        reasons.setdefault(undecided(number, here, flow.document), []).append(number)
    for reason, pages in reasons.items():
        fact(None if reason else False, f"{path}: the pictures of pages {pages} could not be repeated here: {reason}",
             f"{path}: the pictures of pages {pages} are others, and what drew them is the same")


# A folder (docs/seals.md, "Folders")

PLACES = {
    "seal": r"seals/([^/]+)\.seal", "record": r"captures/([^/]+)\.jsonl", "encrypted": r"captures/([^/]+)\.jsonl\.age",
    "signed": r"captures/([^/]+)\.pdf", "encrypted signed": r"captures/([^/]+)\.pdf\.age"}
OWN = re.compile(
    r"(scatter|self-tests|sketch(-[^/]*)?)\.jsonl|certificate\.pem|(inkpanel\.key|key\.pem)(\.[a-z]+)?|"
    r"(open|outbox|linked|\.backup\.[^/]*)/.+|\.backup\.lock|\.restored|\.restoring(\.part)?|"
    r"(captures/|seals/)?\.inkpanel\.[0-9a-f]+\.part")
DEEPEST = 8
# Files that archives have for people and systems put beside others: the name, and how the contents begin.
BESIDE = (
    (r"README\.txt", rb"Evidence of the capture [^\0]*"), (r"signature(-[0-9]+)?\.png", rb"\x89PNG\r\n\x1a\n.*"),
    (r"verify\.html", rb"<!DOCTYPE html>.{0,1000}made by tools/build-verifier.*"), (r"\._.+", rb"\0\x05\x16\x07.*"),
    (r"\.DS_Store", rb"\0\0\0\x01Bud1.*"), (r"Thumbs\.db", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1.*"),
    (r"(?i:desktop\.ini)", rb"(\xff\xfe)?\s*\[\0?\.\0?S\0?h\0?e\0?l\0?l\0?C\0?l\0?a\0?s\0?s\0?I\0?n\0?f\0?o\0?\].*"))
KEY_LINE = re.compile(rb"[^#].*AAAA.*")
BARE_KEY = re.compile(rb"\S+[ \t]+(\S+[ \t]+)?(ecdsa-sha2-|ssh-|sk-)\S+[ \t]+AAAA\S+([ \t]+\S+)?[ \t]*")
IDENTITY = re.compile(rb"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}|# (created: [-+:0-9TZ]+|public key: age1[a-z0-9]+)")


def is_key_list(name, data):
    lines = [line for line in re.split(rb"\r\n|\n|\r", data) if line.strip()]
    if name in ("allowed_signers", "signers"):
        return any(map(KEY_LINE.fullmatch, lines))
    may_be = "." not in name or re.search(r"\.(txt|pub|signers|allowed_signers)$", name)
    return bool(may_be and lines and all(map(BARE_KEY.fullmatch, lines)))


class File:
    """A file of a folder, and what it is: by its place in a panel's directory, its contents and, last, its name."""

    def __init__(self, path, data, stores):
        self.path, self.data, self.digest, self.name = path, data, digest(data), path.split("/")[-1]
        self.place, self.id = None, None
        for store in stores:
            rest = path.removeprefix(store) if path.startswith(store) else ""
            for kind, pattern in PLACES.items():
                if match := re.fullmatch(pattern, rest):
                    self.place, self.kind, self.id = store, kind, match[1]
                    return
            if OWN.fullmatch(rest):
                self.kind = "own"
                return
        self.kind = self.of_contents()

    def of_contents(self):
        start = self.data[:262144]
        line = start.split(b"\n")[0] if start.startswith(b"{") else b""
        if start.startswith(b"age-encryption.org/"):
            return "encrypted"
        if start.startswith(b"-----BEGIN SSH SIGNATURE-----"):
            return "signature"
        if b'"format":"inkpanel-seal"' in line[:8192]:
            return "seal"
        if b'"format":"inkpanel-capture"' in line:
            return "record"
        if b"%PDF-" in start[:1024]:
            return "other"
        for names, contents in BESIDE:
            if re.fullmatch(names, self.name) and re.fullmatch(contents, self.data, re.S):
                return "beside"
        for ending, kind in ((".seal.sig", "signature"), (".seal", "seal"), (".jsonl", "record")):
            if self.name.endswith(ending):
                return kind
        if is_key_list(self.name, self.data):
            return "list"
        lines = [line for line in self.data.splitlines() if line.strip()]
        return "identity" if lines and all(map(IDENTITY.fullmatch, lines)) else "other"

    def stem(self):
        """The name without its ending and, of a seal, its number."""
        base = re.sub(r"\.(jsonl\.age|pdf\.age|jsonl|seal\.sig|seal|pdf)$", "", self.name)
        return re.sub(r"^[0-9]{10}-", "", base) if ".seal" in self.name else base


class Folder:
    def __init__(self, folder):
        root = Path(folder)
        paths = sorted(Path(place, name) for place, _, names in os.walk(root, followlinks=True) for name in names)
        deep = [path for path in paths if len(path.relative_to(root).parts) > DEEPEST]
        if deep:
            fact(False, "", f"{deep[0]}: not checked, as it lies too deep in folders")
        data = {str(path.relative_to(root)): path.read_bytes() for path in paths if path not in deep}
        stores = sorted({m[1] for m in (re.fullmatch(r"((?:.*/)?)seals/[^/]+\.seal", path) for path in data) if m})
        self.files = [File(path, contents, stores) for path, contents in data.items()]
        self.is_store = bool(stores)
        # Seals with their files: [seal, file, line, signatures]
        self.seals = [read for file in self.of("seal") if (read := self.read_seal(file))]
        self.recognise()
        self.seals = [each for each in self.seals if each[1].kind == "seal"]
        # Time stamps of these seals, with the numbers of the seals.
        numbers = {digest(line): seal["n"] for seal, _, line, _ in self.seals}
        self.stamps = [(file, numbers[stamp[0]]) for file in self.of("other")
                       if (stamp := stamped(file.data)) and stamp[0] in numbers]
        for file, _ in self.stamps:
            file.kind = "time stamp"
        self.seals.sort(key=lambda each: each[0]["n"])
        self.by_id = {}
        for each in self.seals:
            if "id" in each[0]:
                self.by_id.setdefault(each[0]["id"], each)

    def of(self, *kinds):
        return [file for file in self.files if file.kind in kinds]

    def read_seal(self, file):
        try:
            require(len(file.data) <= 16 << 10, "it has more than 16 KiB")
            line = file.data[:file.data.find(b"\n") + 1]
            return [read_seal(line), file, line, file.data[len(line):]]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            return fact(False, "", f"{file.path}: is no seal: {error}")

    def recognise(self):
        """What a seal names by its digest is that, whatever its form and name."""
        named, documents = {}, {}
        for seal, file, _, _ in self.seals:
            for member, kind in (("record", "record"), ("stored", "encrypted"), ("signedStored", "encrypted signed")):
                named.setdefault(seal.get(member), kind)
            for member in ("document", "signed"):
                documents.setdefault(seal.get(member), []).append(file)
        digests, own = {file.digest for file in self.files}, {id(each[1]): each[0] for each in self.seals}
        for file in self.files:
            if file.place is not None:
                continue
            if file.digest in named and file.kind != "seal":
                file.kind = named[file.digest]
            elif file.kind == "encrypted" and file.name.endswith(".pdf.age"):
                file.kind = "encrypted signed"
            seal = own.get(id(file), {})
            is_evidence = file.digest in named or digests & {seal.get("record"), seal.get("stored")} or (
                file.kind == "signature" and any(other.path + ".sig" == file.path for other in self.files))
            if any(other is not file for other in documents.get(file.digest, [])) and not is_evidence:
                file.kind = "document"

    def sign(self):
        """Gives loose seals the signatures beside them."""
        loose = [each for each in self.seals if each[1].place is None and not each[3]]
        own = {each[1].path + ".sig": each for each in loose}
        known = {text for each in self.seals for text in re.findall(ARMOUR, each[3])}
        signatures = sorted(self.of("signature"), key=lambda file: file.path not in own)
        for file in signatures:
            # The last newline may be missing.
            armour = file.data.removesuffix(b"\n") + b"\n"
            texts = set(re.findall(ARMOUR, armour))
            seal = own.get(file.path)
            if not seal and texts and texts <= known:
                continue
            known |= texts
            if not seal:
                fitting = loose if len(loose) == 1 else [each for each in loose if is_signed(each[2], armour)]
                seal = (fitting + [None])[0]
            inside = any(each[1].path + ".sig" == file.path and each[3] and each not in loose for each in self.seals)
            if seal:
                seal[3] += armour
            elif not inside:
                fact(False, "", f"{file.path}: the seal of this signature is missing")
        # A copy of a seal may lack the signature.
        for each in loose:
            each[3] = each[3] or next((other[3] for other in self.seals if other[2] == each[2] and other[3]), b"")

    def chains(self):
        """A chain is of one key and those that replaced it, or in one panel's directory."""
        chains = []
        for each in self.seals:
            names = {each[0]["key"], each[0].get("replaces", each[0]["key"])}
            names |= {f"in {each[1].place}"} if each[1].place is not None else set()
            same = [chain for chain in chains if chain[0] & names]
            chains = [chain for chain in chains if chain not in same]
            chains.append((names.union(*(chain[0] for chain in same)), sum((chain[1] for chain in same), []) + [each]))
        return [sorted(chain[1], key=lambda each: each[0]["n"]) for chain in chains]

    def owner(self, file, digests):
        """The seal of a record: by its place, or its name, its digest, its header, or because there is only one."""
        if file.place is not None:
            return self.by_id.get(file.id)
        for name in (file.stem(), header_id(file.data)):
            if name in self.by_id:
                return self.by_id[name]
        found = [each for each in self.by_id.values() if file.digest in map(each[0].get, digests)]
        found += [each for each in self.by_id.values() if File.stem(each[1]) == file.stem()]
        alone = len(self.by_id) == 1 and len([other for other in self.of(file.kind) if other.place is None]) == 1
        return (found + (list(self.by_id.values()) if alone else []) + [None])[0]


def header_id(data):
    try:
        value = json.loads(data[:262144].split(b"\n")[0])
        return value.get("id") if isinstance(value, dict) and isinstance(value.get("id"), str) else None
    except ValueError:
        return None


def is_signed(line, armour):
    try:
        return bool(signing_keys(line, armour))
    except (ValueError, InvalidSignature):
        return False


def guarded(path, check, *arguments):
    """What cannot be read is wrong, and the rest is checked all the same."""
    try:
        return check(*arguments)
    except InvalidSignature:
        fact(False, "", f"{path}: the signature of a seal does not fit")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        fact(False, "", f"{path}: cannot be used: {error!r}")


def check_folder(path, allowed, principal=None):
    folder, signers = Folder(path), Path(allowed).read_bytes()
    if Path(path).resolve() in Path(allowed).resolve().parents:
        fact(None, f"{allowed}: not used: whoever made the folder could have made this list, too")
        signers = b""
    folder.sign()
    for chain in folder.chains():
        old = [None, None, None]
        placed = [each[0]["n"] for each in chain if each[1].place is not None]
        complete = range(placed[0], placed[-1] + 1) if placed else range(0)
        for each in chain:
            guarded(each[1].path, check_seal, each[2], each[3], signers, principal, old[0], old[2], complete)
            old = each
        head = f"{old[0]['n']}:{digest(old[2])}"
        fact(None, f"chain: it ends with {head}; compare it with the head that you kept")
    lines = {each[2] for each in folder.seals if "id" in each[0]}
    if len(lines) != len(folder.by_id):
        fact(False, "", "a record was sealed twice")
    owned = {id(each): [] for each in folder.seals}
    for file in folder.of("record", "encrypted", "encrypted signed"):
        names = {"record": ["record"], "encrypted": ["stored"], "encrypted signed": ["signedStored"]}[file.kind]
        if seal := folder.owner(file, names):
            owned[id(seal)].append(file)
        else:
            check_unowned(file)
    deleted = {each[0].get("deleted") for each in folder.seals}
    has_present = any(file.kind != "encrypted signed" for files in owned.values() for file in files)
    used = set()
    for name, each in folder.by_id.items():
        flow, mine = None, owned[id(each)]
        for file in mine:
            if file.kind == "encrypted signed":
                same = file.digest == each[0].get("signedStored")
                fact(same, f"{file.path}: the encrypted signed document", f"{file.path}: another file")
            elif file.kind == "encrypted" and not file.data.startswith(b"age-encryption.org/"):
                fact(False, "", f"{file.path}: is not the encrypted record that was sealed")
            else:
                flow = guarded(file.path, check_record, file.data, each[0]) or flow
        if not any(file.kind in ("record", "encrypted") for file in mine):
            is_open = name in deleted or not folder.is_store and has_present
            fact(None if is_open else False, f"{name}: its record is not here", f"{name}: its record is missing")
        used |= documents_of(folder, name, each[0], flow, name in deleted, mine)
    for file in folder.of("signed"):
        if file.id not in folder.by_id:
            fact(False, "", f"{file.path}: no seal of its record is here")
    for file, n in folder.stamps:
        check_stamp(file.path, file.data, n)
    for file in folder.of("own", "beside", "list", "identity"):
        if file.digest not in used:
            fact(None, f"{file.path}: not checked, and nothing rests on it")
    is_nothing = not folder.of("seal", "signature", "record", "encrypted", "signed", "encrypted signed")
    for file in folder.of("other", "document"):
        if file.digest not in used:
            fact(None if is_nothing else False, f"{file.path}: nothing here to check", f"{file.path}: no seal names it")


def check_unowned(file):
    is_interrupted = False
    if file.kind == "record" and re.search(r"(^|/)captures/[^/]+\.jsonl$", file.path):
        try:
            _, _, end, _ = read_record(file.data)
            is_interrupted = end is None
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            pass
    fact(None if is_interrupted else False, f"{file.path}: was interrupted", f"{file.path}: has no seal")


def documents_of(folder, name, seal, flow, is_deleted, mine):
    """Checks the documents of a seal. - Returns: the digests of those that belong to it."""
    loose = {file.digest: file for file in folder.of("other", "document", "beside")}
    found = {seal.get("document"), seal.get("signed")} & loose.keys()
    meant = [file for file in folder.of("signed") if file.id == name]
    if "signed" in seal:
        meant += [file for file in folder.of("other") if file.name == f"{name}.pdf" and file.digest not in found]
    with_document = [each for each in folder.by_id.values() if "document" in each[0]]
    named = {each[0].get(member) for each in with_document for member in ("document", "signed")}
    others = {file.digest for file in folder.of("other") if file.digest not in named and file not in meant}
    has_signed = seal.get("signed") in found or meant
    if len(others) == 1 and len(with_document) == 1 and "document" in seal and (
            "signed" in seal and not has_signed or seal["document"] not in found):
        meant.append(loose[others.pop()])
    for file in meant + [loose[digest] for digest in sorted(found)]:
        if file.kind == "signed":
            same = file.digest == seal.get("signed")
            fact(same, f"{file.path}: the sealed one", f"{file.path}: not the signed document")
        guarded(file.path, check_document, file.path, file.data, seal, flow)
    if "signed" in seal and not has_signed and not any(file.kind == "encrypted signed" for file in mine):
        is_needed = folder.is_store and not is_deleted
        what = f"{name}: the signed document is"
        fact(False if is_needed else None, f"{what} not here", f"{what} missing")
    return found | {file.digest for file in meant}


def main(record, seal, signature, allowed, *more, principal=None, document=None):
    files = {path: Path(path).read_bytes() for path in (seal, *more)}
    data = files[seal]
    sealed = read_seal(data[:data.find(b"\n") + 1])
    # Another seal may be the document.
    lines = {
        path: data[:data.find(b"\n") + 1] for path, data in files.items()
        if path == seal or data.startswith(b"{") and b'"inkpanel-seal"' in data[:8192].split(b"\n")[0]
        and digest(data) not in (sealed.get("document"), sealed.get("signed"))}
    armours = {path: files[path][len(line):] for path, line in lines.items()}
    if signature != seal:
        require(not armours[seal], "something follows the line of the seal")
        # The last newline may be missing.
        armours[seal] = Path(signature).read_bytes().removesuffix(b"\n") + b"\n"
    old, old_line = None, None
    signers = Path(allowed).read_bytes()
    for path, line in sorted(lines.items(), key=lambda item: read_seal(item[1])["n"]):
        old, old_line = check_seal(line, armours[path], signers, principal, old, old_line), line
    flow = check_record(Path(record).read_bytes(), sealed)
    numbers = {digest(line): read_seal(line)["n"] for line in lines.values()}
    for path in sorted(files.keys() - lines.keys()):
        if (stamp := stamped(files[path])) and stamp[0] in numbers:
            check_stamp(path, files[path], numbers[stamp[0]])
        else:
            check_document(path, files[path], sealed, flow)
    if document:
        draw_again(document, sealed, flow)
    if "signed" in sealed and sealed["signed"] not in map(digest, files.values()):
        fact(None, f"not checked: the signed document with the SHA-256 {sealed['signed']}")
    fact(None, f"chain: it ends with {old['n']}:{digest(old_line)}; compare it with the head that you kept")


if __name__ == "__main__":
    words, options = sys.argv[1:], {}
    while len(words) > 1 and words[0] in ("-I", "--document"):
        options["principal" if words[0] == "-I" else "document"] = words[1]
        words = words[2:]
    is_folder = len(words) == 2 and "document" not in options and Path(words[0]).is_dir()
    if len(words) < 4 and not is_folder:
        sys.exit(__doc__)
    try:
        (check_folder if is_folder else main)(*words, **options)
    except InvalidSignature:
        fact(False, "", "the signature of a seal does not fit")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, RecursionError) as error:
        fact(False, "", f"a file cannot be used: {error!r}")
    word, status = ("WRONG", 1) if wrong else ("UNKNOWN", 2) if unknown else ("FITS", 0)
    if word == "FITS" and not fitting_facts:
        word, status = "UNCHECKED", 1
    print(word)
    sys.exit(status)
