# SPDX-License-Identifier: Apache-2.0
"""The three verifiers on the same files: `inkpanel verify`, docs/examples/verify.py and the worker of verify.html.

Whatever a test here gives to one of them, the other two get, too, and must say the same: `watch` sees each call.
"""

import contextlib
import functools
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from base64 import b64decode, b64encode
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import playwright

TOP = Path(__file__).resolve().parents[3]
VERIFY = TOP / "docs/examples/verify.py"
NODE = Path(playwright.__file__).parent / "driver/node"

# GENUINE: all fits that was checked. UNOPENED: the same, but a record is encrypted, and nobody gave a key that opens it.
# LOOKS_AT_ONE: verify.py is given one record, and says nothing of others.
GENUINE, UNOPENED, NOT_GENUINE, LOOKS_AT_ONE = "genuine", "encrypted", "not genuine", "looks at one record"


class Core:
    """The core of verify.html in one process of Node."""

    def __init__(self):
        self.process = subprocess.Popen(
            [NODE, Path(__file__).with_name("core.mjs"), TOP / "verifier/core"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, command: str, **question):
        """The answer; None if the core refuses to read it."""
        self.process.stdin.write(json.dumps({"command": command, **question}) + "\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        assert "threw" not in told, told["threw"]
        return told.get("answer")

    @staticmethod
    def encoded(data: bytes) -> str:
        return b64encode(data).decode()

    def read(self, command: str, data: bytes, **question):
        return self.ask(command, data=self.encoded(data), **question)


@functools.cache
def core() -> Core:
    return Core()


def second(words: list) -> tuple[int, str]:
    """docs/examples/verify.py in this process: its exit status, and what it printed."""
    out, before = io.StringIO(), sys.argv
    sys.argv = [str(VERIFY), *map(str, words)]
    try:
        with contextlib.redirect_stdout(out):
            exec(program_of_second(), {"__name__": "__main__", "__doc__": ""})
    except SystemExit as ended:
        return ended.code, out.getvalue()
    finally:
        sys.argv = before
    raise AssertionError("verify.py did not end")


@functools.cache
def program_of_second():
    return compile(VERIFY.read_text(), str(VERIFY), "exec")


def verdict_of_program(status: int, text: str) -> str:
    if status:
        # A key that does not open a record is a matter of whoever asks.
        findings = re.findall("^(?:WRONG|DAMAGED) .*", text, re.M)
        return UNOPENED if findings and all("not encrypted to any of these identities" in line for line in findings) else NOT_GENUINE
    return UNOPENED if "not checked: the contents, because no identity" in text else GENUINE


def verdict_of_second(status: int, text: str) -> str:
    if status:
        return NOT_GENUINE
    return UNOPENED if "record: encrypted" in text else GENUINE


def verdict_of_core(told: dict) -> str:
    if told["verdict"] == "undecided" and set(told["needed"]) == {"contents"}:
        return UNOPENED
    return GENUINE if told["verdict"] == "genuine" else NOT_GENUINE


@dataclass
class Case:
    """Files that are checked together."""

    paths: list[Path]
    signers: Path | None = None
    principal: str | None = None
    identities: list[Path] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)

    def files(self, whole: bool = False) -> list[tuple[str, bytes]]:
        """Names and bytes, with those of folders: captures and seals, or all that one can drop."""
        found = []
        for path in self.paths:
            if path.is_dir():
                folders = [path.rglob("*")] if whole else [(path / name).glob("*") for name in ("captures", "seals")]
                inner = [each for folder in folders for each in sorted(folder) if each.is_file()]
                found += [(f"{path.name}/{each.relative_to(path)}", each.read_bytes()) for each in inner]
            else:
                found.append((path.name, path.read_bytes()))
        return found

    def opened(self) -> list[tuple[str, bytes]]:
        """What the identities open, as a person would who drops them on the page."""
        return [(name.removesuffix(".age"), plain) for (name, _), plain in self.openings()]

    def openings(self) -> list[tuple[tuple[str, bytes], bytes]]:
        """The encrypted files that the identities open, and what is in them."""
        found = []
        for name, data in self.files():
            if data.startswith(b"age-encryption.org/"):
                for identity in self.identities:
                    ended = subprocess.run(["age", "-d", "-i", identity], input=data, capture_output=True)
                    if ended.returncode == 0:
                        found.append(((name, data), ended.stdout))
        return found


def keys_in(data: bytes) -> list[str]:
    """Fingerprints that the seals in a file name."""
    return [key.decode() for key in re.findall(rb'"(?:key|replaces)":"(SHA256:[A-Za-z0-9+/]+)"', data[:16384])]


def ask_core(case: Case) -> dict:
    """The worker of the page, as people have it; its core for what the page has no place for."""
    files = case.files(whole=True)
    named = sorted({key for _, data in files + case.opened() for key in keys_in(data)})
    if not case.principal:
        asked = [{"name": name, "data": core().encoded(data)} for name, data in files]
        if case.signers:
            asked.append({"name": "allowed_signers", "data": core().encoded(case.signers.read_bytes())})
        identity = "\n".join(path.read_text() for path in case.identities)
        # Without signers, `inkpanel verify` leaves it to people whose key it is.
        confirmed = [] if case.signers else named
        return core().ask("page", files=asked, identity=identity, heads=case.heads, confirmed=confirmed)
    asked = [{"name": name, "data": core().encoded(data)} for name, data in files + case.opened()]
    asked.append({"name": "allowed_signers", "data": core().encoded(case.signers.read_bytes())})
    return core().ask("check", files=asked, options={"heads": case.heads, "panel": case.principal})


# verify.py takes one record and says which file is what

def kind(name: str, data: bytes) -> str:
    if is_for_people(name, data):
        return "other"
    line = data.split(b"\n", 1)[0] if data.startswith(b"{") else b""
    of_contents = (
        ("seal", b'"format":"inkpanel-seal"' in line), ("record", b'"format":"inkpanel-capture"' in line),
        ("encrypted", data.startswith(b"age-encryption.org/")), ("signature", data.startswith(b"-----BEGIN SSH")))
    of_name = (("seal", ".seal"), ("record", ".jsonl"), ("encrypted", ".jsonl.age"), ("signature", ".sig"))
    found = [each for each, holds in of_contents if holds] + [each for each, ending in of_name if name.endswith(ending)]
    return (found + ["other"])[0]


def members(line: bytes) -> dict:
    try:
        value = json.loads(line.split(b"\n", 1)[0])
        return value if isinstance(value, dict) else {}
    except ValueError:
        return {}


def stem_of(name: str) -> str:
    """A name without its ending and, of a seal, its number: the id of a capture."""
    return re.sub(r"^[0-9]{10}-", "", Path(name).name.split(".")[0])


def signers_for(files: list[tuple[str, bytes]]) -> bytes:
    """Lines that allow each key that signed something here: `inkpanel verify` without signers asks no more."""
    lines = b""
    for _, data in files:
        for text in re.findall(rb"-----BEGIN SSH SIGNATURE-----\n(.*?)-----END", data, re.S):
            with contextlib.suppress(ValueError):
                blob = b64decode(text)[10:]
                key = blob[4:4 + int.from_bytes(blob[:4], "big")]
                lines += b'* namespaces="inkpanel-seal" ecdsa-sha2-nistp256 ' + b64encode(key) + b"\n"
    return lines


def ask_second(case: Case, scratch: Path) -> str:
    """verify.py on each record with its seal, all other seals, and the documents."""
    # A copy is the same file, unless it has the name of another capture.
    files = list({(name.split("/")[-1], data): (name, data) for name, data in reversed(case.files())}.values())
    names = {name for name, _ in files}
    # An opened record is checked in place of its encrypted file.
    openings = case.openings()
    shut = [each for each, plain in openings if kind("", plain) == "record"]
    files = [each for each in files if each not in shut] + [
        (name.removesuffix(".age"), plain) for (name, _), plain in openings]
    seals = [(name, data) for name, data in files if kind(name, data) == "seal"]
    sealed = {value for _, data in seals for key, value in members(data).items() if key in ("document", "signed", "signedStored")}
    # A document may have the name of a seal.
    seals = [each for each in seals if each[1].startswith(b"{") or hashlib.sha256(each[1]).hexdigest() not in sealed]
    documents = [each for each in files if hashlib.sha256(each[1]).hexdigest() in sealed
        or kind(*each) == "other" and not is_for_people(*each)]
    records = [each for each in files if kind(*each) in ("record", "encrypted") and each not in documents]
    if not records or not seals:
        return LOOKS_AT_ONE
    paths = {}
    for number, (name, data) in enumerate(files):
        paths[name, data] = scratch / f"{number}-{Path(name).name}"
        paths[name, data].write_bytes(data)
    signers = case.signers or scratch / "signers"
    if not case.signers:
        signers.write_bytes(signers_for(files))
    stems = {stem_of(name) for name, _ in records}
    # What no seal names somebody claims all the same.
    claimed = [each for each in documents if hashlib.sha256(each[1]).hexdigest() not in sealed
        and not any(Path(each[0]).name.startswith(stem) for stem in stems)]
    claimed += [each for each in seals if not each[1].startswith(b"{")]
    verdicts = set()
    for name, data in records:
        digest, stem = hashlib.sha256(data).hexdigest(), stem_of(name)
        of_record = [each for each in seals if digest in (members(each[1]).get("record"), members(each[1]).get("stored"))]
        ids = {stem, members(data).get("id")} - {None}
        of_name = [each for each in seals if members(each[1]).get("id") in ids]
        # A name that is the id of a capture says whose record this is; of copies, the one with a signature.
        of_name.sort(key=lambda each: (
            members(each[1]).get("id") != stem, b"BEGIN SSH" not in each[1] and f"{each[0]}.sig" not in names))
        seal = (of_name + of_record + (seals if len(records) == 1 else []) + [None])[0]
        if not seal:
            is_interrupted = "captures/" in name and kind(name, data) == "record" and b'\n{"end":' not in data
            verdicts.add(GENUINE if is_interrupted else NOT_GENUINE)
            continue
        inside = seal[1].count(b"\n") > 1 or b"BEGIN SSH" in seal[1]
        own = [each for each in files if kind(*each) == "signature" and each not in documents]
        others = {f"{name}.sig" for name, _ in seals}
        free = [each for each in own if each[0] not in others]
        own = [each for each in own if each[0] == f"{seal[0]}.sig"] or free or own[:1]
        signatures = [seal] if inside or not own else own
        whole = list({each[1]: each for each in chain_of(seal, seals) if each[1] != seal[1] and each not in documents and b"BEGIN SSH" in each[1]}.values())
        # Documents of other seals are for those.
        others = {value for each in seals if each != seal for key, value in members(each[1]).items() if key in ("document", "signed", "signedStored")}
        is_alone = len(records) == 1 or "document" in members(seal[1])
        mine = [
            each for each in documents if is_alone and hashlib.sha256(each[1]).hexdigest() not in others
            and ("captures/" not in each[0] or Path(each[0]).name.startswith(stem))]
        mine += [each for each in claimed if each not in mine]
        # A person would see by its name which of the signatures belongs to the seal, or try them.
        for signature in signatures:
            words = ["-I", case.principal] if case.principal else []
            words += [paths[name, data], paths[seal], paths[signature], signers]
            status, text = second(words + [paths[other] for other in whole + mine])
            if status == 0:
                break
        verdicts.add(NOT_GENUINE if any(head not in text for head in case.heads) else verdict_of_second(status, text))
    return next(each for each in (NOT_GENUINE, UNOPENED, GENUINE) if each in verdicts)


# Nobody would give these to verify.py, if they are what their names say.
FOR_PEOPLE = {
    r"README\.txt": rb"Evidence of the capture [^\0]*", r"verify\.html": rb"<!DOCTYPE html>.*made by tools/build-verifier.*",
    r"(.*\.)?(allowed_)?signers": rb"(([^\r\n]* (ecdsa-sha2-|ssh-|sk-)\S+ AAAA[^\r\n]*|#[^\r\n]*|\s*)(\n|\r|$))+",
    r"signature(-\d+)?\.png": rb"\x89PNG\r\n\x1a\n.*", r"\._.+": rb"\0\x05\x16\x07.*",
    r"\.DS_Store": rb"\0\0\0\x01Bud1.*"}


def is_for_people(name: str, data: bytes) -> bool:
    return b"%PDF-" not in data[:1024] and any(
        re.fullmatch(names, Path(name).name) and re.fullmatch(contents, data, re.S) for names, contents in FOR_PEOPLE.items())


def chain_of(seal: tuple[str, bytes], seals: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """The seals of the same panel: verify.py checks the chain of one record. A panel's directory has one."""
    found, keys = [seal], set()
    while True:
        keys |= {members(data).get(name) for _, data in found for name in ("key", "replaces")} - {None}
        folders = {name.rsplit("/", 1)[0] for name, _ in found if "seals/" in name}
        more = [each for each in seals if each not in found and (
            keys & {members(each[1]).get("key"), members(each[1]).get("replaces")} or each[0].rsplit("/", 1)[0] in folders
            or not isinstance(members(each[1]).get("key"), str))]
        if not more:
            return found
        found += more


# What only a verifier of whole folders can see.
MISSING = re.compile(
    "the record of seal \\d+ is missing|has no seal|the signed document is missing|is missing, but its holder|is a signature, but its seal|is not checked, because .* is of the same capture")


@dataclass
class Row:
    test: str
    verdicts: tuple[str, str, str]
    told: str

    @property
    def agree(self) -> bool:
        return len(set(self.verdicts) - {LOOKS_AT_ONE}) == 1


def judge(case: Case, status: int, text: str, scratch: Path) -> Row:
    """Compares the verdict of `inkpanel verify` with those of the others."""
    # Without a list of keys, `inkpanel verify` says that it knows none; the others are told which to believe.
    ours = verdict_of_program(0 if status == 2 and not case.signers else status, text)
    twin = ask_second(case, scratch)
    findings = [line for line in text.splitlines() if line.startswith(("WRONG  ", "DAMAGED  "))]
    if ours == NOT_GENUINE != twin and all(MISSING.search(line) for line in findings):
        twin = LOOKS_AT_ONE
    told = ask_core(case)
    if ours == GENUINE and ": accepted, with " not in text and told["needed"] == ["noRecord"]:
        # Seals that fit show no record as genuine, but nothing is wrong with them.
        return Row("", (ours, twin, GENUINE), text)
    facts = [fact for fact in told["facts"] if fact["state"] == "wrong" or fact.get("needed")]
    return Row("", (ours, twin, verdict_of_core(told)), f"{text}\n{json.dumps(facts, indent=1)}")


# Watching the tests

def case_of_program(words: list[str], folder: Path, text: str) -> Case | None:
    """The case of `inkpanel verify`; None if it is not of files alone."""
    case, words = Case([]), list(words)
    while words:
        word, *words = words
        name, _, value = word.partition("=")
        if name in ("--allowed-signers", "--principal", "--identity", "--head") and not value:
            value, *words = words
        if name == "--allowed-signers":
            case.signers = folder / value
        elif name == "--principal":
            case.principal = value
        elif name == "--identity":
            case.identities.append(folder / value)
        elif name == "--head":
            case.heads.append(value)
        elif name.startswith("--"):
            return None
        else:
            case.paths.append(folder / word)
    for path in re.findall(r"^-        (.*): lies beside, and is checked, too$", text, re.M):
        case.paths.append(folder / path)
    return case


def case_of_second(words: list[str], folder: Path) -> Case | None:
    principal = None
    if words[:1] == ["-I"]:
        principal, words = words[1], words[2:]
    if words[:1] == ["--document"] or len(words) < 4:
        return None
    record, seal, signature, signers, *more = (folder / word for word in words)
    paths = list(dict.fromkeys([record, seal, signature, *more]))
    return Case(paths, signers, principal)


class Watch:
    """Sees what tests give to a verifier, asks the others, too, and keeps the table."""

    def __init__(self, folder: Path, table: Path):
        self.folder, self.table = folder, table
        self.test, self.seen = "", set()

    def __call__(self, words: list[str], ended: subprocess.CompletedProcess, cwd: Path) -> None:
        is_program = words[:2] == [os.environ["INKPANEL"], "verify"] and ended.returncode in (0, 1, 2, 65)
        is_second = len(words) > 2 and str(VERIFY) in words[1:3] and ended.returncode in (0, 1, 2)
        if not is_program and not is_second:
            return
        case = case_of_program(words[2:], cwd, ended.stdout) if is_program else case_of_second(
            words[words.index(str(VERIFY)) + 1:], cwd)
        if case is None or not all(path.exists() for path in case.paths):
            return
        if is_second and case.paths[0].name.startswith("20") and case.paths[0].name.split(".")[0] not in case.paths[1].name:
            # verify.py is told to take another seal than the one whose name the record has.
            return
        mark = repr((sorted((name, hashlib.sha256(data).digest()) for name, data in case.files()), case.principal,
                     case.signers and case.signers.read_bytes(), case.identities, case.heads))
        if (self.test, mark) in self.seen:
            return
        self.seen.add((self.test, mark))
        scratch = self.folder / f"{len(self.seen)}"
        scratch.mkdir()
        status, text = ended.returncode, ended.stdout
        if is_second:
            status, text = self.program(case, scratch)
        row = judge(case, status, text, scratch)
        self.add(row)

    def program(self, case: Case, scratch: Path) -> tuple[int, str]:
        """`inkpanel verify` on copies, beside which nothing else lies."""
        paths = []
        for number, path in enumerate(case.paths):
            folder = scratch / "0"
            if (folder / path.name).exists():
                folder = scratch / f"{number}"
            folder.mkdir(exist_ok=True)
            paths.append(folder / path.name)
            paths[-1].write_bytes(path.read_bytes())
        words = [f"--allowed-signers={case.signers}"] + ([f"--principal={case.principal}"] if case.principal else [])
        ended = subprocess.run([os.environ["INKPANEL"], "verify", *words, *paths], capture_output=True, text=True)
        return ended.returncode, ended.stdout

    def add(self, row: Row) -> None:
        row.test = row.test or self.test
        with self.table.open("a") as table:
            table.write("\t".join((row.test, *row.verdicts)) + "\n")
        if os.environ.get("VERDICTS_SURVEY"):
            if not row.agree:
                with Path(os.environ["VERDICTS_SURVEY"]).open("a") as survey:
                    survey.write(f"=== {row.test} {row.verdicts}\n{row.told}\n")
            return
        assert row.agree, f"inkpanel verify, verify.py and verify.html: {row.verdicts}\n{row.told}"


def table(folder: Path) -> list[str]:
    """Each case once, with the number of its files, and whether all agree."""
    lines = [line.split("\t") for path in sorted(folder.glob("*.tsv")) for line in path.read_text().splitlines()]
    if not lines:
        return []
    counts = Counter((re.sub("^test_[a-z_]*\\.py::(test_)?", "", test), *verdicts) for test, *verdicts in lines)
    rows = ["", "| case | files | `inkpanel verify` | verify.py | verify.html |", "|---|---|---|---|---|"]
    rows += [f"| {test} | {count} | {' | '.join(each)} |" for (test, *each), count in sorted(counts.items())]
    differing = sum(count for (_, *each), count in counts.items() if len(set(each) - {LOOKS_AT_ONE}) > 1)
    return rows + ["", f"{len(lines)} sets of files; the three verifiers differ on {differing}."]
