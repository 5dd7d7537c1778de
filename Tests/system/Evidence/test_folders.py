# SPDX-License-Identifier: Apache-2.0
"""What in a folder counts (docs/seals.md, "Folders"): the same for `inkpanel verify`, verify.py and verify.html."""

import json
import random
import subprocess
from pathlib import Path

import flows
import pytest
from conftest import SEED
from flows import digest
from sealed import PROGRAM
from support import breadth
from test_exemptions import COMPANIONS, Sealer, record
from verdicts import (
    GENUINE, NOT_GENUINE, UNOPENED, Row, core, second, verdict_of_core, verdict_of_program, verdict_of_second)

IDS = [f"20260314-150926-000000000000000{number}" for number in range(10)]
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def spaced(data: bytes) -> bytes:
    """A record as another program would write it: with white space, which changes no reading."""
    return b"".join(json.dumps(json.loads(line)).encode() + b"\n" for line in data.splitlines())


class Made:
    """The files of a panel's directory with five captures and a deletion, made without the program; and an archive's."""

    def __init__(self, panel: Sealer, other: Sealer):
        self.panel, self.document = panel, flows.document()
        self.previous, self.count = "0" * 64, 0
        self.store, self.archive = {}, {}
        flow = flows.contract(self.document, [digest(b"1"), digest(b"2")], IDS[2])
        data = b"".join(map(flows.line, flow))
        self.signed = self.document + f"% {digest(data)}\n".encode()
        for id, contents in ((IDS[1], record(id=IDS[1])), (IDS[3], spaced(record(id=IDS[3])))):
            self.store[f"captures/{id}.jsonl"] = contents
            self.seal(contents, id)
        self.store |= {f"captures/{IDS[2]}.jsonl": data, f"captures/{IDS[2]}.pdf": self.signed}
        [_, line, signature] = self.seal(data, IDS[2], version=2, signed=digest(self.signed))
        self.archive |= {
            f"{IDS[2]}.jsonl": data, f"{IDS[2]}.pdf": self.signed, f"{IDS[2]}.seal": line, f"{IDS[2]}.seal.sig": signature,
            "allowed_signers": other.line.encode(), "contract.pdf": self.document, **COMPANIONS}
        self.seal(record(id=IDS[4]), IDS[4])
        self.deletion(IDS[4])
        interrupted = record(id=IDS[5])
        self.store |= {
            f"captures/{IDS[5]}.jsonl": interrupted[:interrupted.index(b'{"end"')],
            "scatter.jsonl": b"{}\n", "certificate.pem": b"-----BEGIN CERTIFICATE-----\n", "outbox/captures/x": b"x",
            "seals/.inkpanel.0123456789abcdef.part": b"{"}
        self.foreign = {path.name: path.read_bytes() for path in other.seal(record(id=IDS[6]))}
        self.encrypted = dict(self.store)
        stored = subprocess.run(
            ["age", "-r", "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"], input=record(id=IDS[7]),
            capture_output=True, check=True).stdout
        before, self.store = self.store, self.encrypted
        self.store[f"captures/{IDS[7]}.jsonl.age"] = stored
        self.seal(record(id=IDS[7]), IDS[7], stored=digest(stored))
        self.store = before

    def sign(self, name: str, line: bytes) -> bytes:
        signature = self.panel.sign(line)
        self.store[f"seals/{self.count:010d}-{name}.seal"] = line + signature
        self.previous = digest(line)
        return signature

    def seal(self, data: bytes, id: str, **members) -> list[bytes]:
        self.count += 1
        [path, seal, _] = self.panel.seal(data, n=self.count, previous=self.previous, **members)
        line = seal.read_bytes()
        return [path.read_bytes(), line, self.sign(id, line)]

    def deletion(self, id: str) -> None:
        self.count += 1
        seal = {
            "format": "inkpanel-seal", "version": 1, "n": self.count, "previous": self.previous, "key": self.panel.key,
            "program": "test 1", "at": 1_773_500_972_018_220, "clock": {"synchronized": False, "maximumError": 0},
            "deleted": id, "reason": "host"}
        self.sign(f"{id}.deleted", flows.line(seal))


class Signing(Sealer):
    def sign(self, line: bytes) -> bytes:
        message = self.folder / "message"
        message.write_bytes(line)
        (self.folder / "message.sig").unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", "inkpanel-seal", "-f", self.folder / "key", message],
                       capture_output=True, check=True)
        return (self.folder / "message.sig").read_bytes()


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Made:
    folder = tmp_path_factory.mktemp("made")
    return Made(Signing(folder / "till"), Signing(folder / "other"))


def judged(files: dict[str, bytes], signers: str, folder: Path, test: str = "folder") -> Row:
    """What the three say of a folder with these files."""
    root = folder / "folder"
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    root.mkdir(exist_ok=True)
    (folder / "own_signers").write_text(signers)
    ended = subprocess.run(
        [PROGRAM, "verify", "--allowed-signers", folder / "own_signers", root], capture_output=True, text=True)
    assert ended.returncode in (0, 1, 2, 65), ended
    twin = second([root, folder / "own_signers"])
    given = [{"name": f"folder/{name}", "data": core().encoded(data)} for name, data in files.items()]
    given.append({"name": "allowed_signers", "data": core().encoded(signers.encode())})
    told = core().ask("page", files=given, identity="", confirmed=[])
    of_core = verdict_of_core(told)
    # Seals that fit show no record as genuine, but nothing is wrong with them.
    if told["needed"] in (["noRecord"], ["noRecord", "noRecord"]) and not any(fact["state"] == "wrong" for fact in told["facts"]):
        of_core = GENUINE
    wrong = [fact for fact in told["facts"] if fact["state"] == "wrong" or fact.get("needed")]
    verdicts = (verdict_of_program(ended.returncode, ended.stdout), verdict_of_second(*twin), of_core)
    return Row(test, verdicts, "\n".join((ended.stdout, twin[1], json.dumps(wrong, indent=1))))


def expect(made: Made, watch, tmp_path: Path, verdict: str, files: dict[str, bytes], name: str = "1") -> Row:
    row = judged(files, made.panel.line, tmp_path / name)
    watch.add(row)
    assert row.verdicts[0] == verdict, row.told
    return row


def test_a_panels_directory_and_an_unpacked_archive_are_genuine(made, watch, tmp_path):
    expect(made, watch, tmp_path, GENUINE, made.store, "store")
    expect(made, watch, tmp_path, UNOPENED, made.encrypted, "encrypted")
    # A list of keys in it is not the reader's.
    expect(made, watch, tmp_path, GENUINE, made.archive, "archive")


def moved(files: dict, old: str, new: str) -> dict:
    return {new if name == old else name: data for name, data in files.items()}


PLACED = {
    "a record copied under another id": lambda made, files: files | {
        f"captures/{IDS[8]}.jsonl": files[f"captures/{IDS[1]}.jsonl"]},
    "a record renamed": lambda made, files: moved(files, f"captures/{IDS[1]}.jsonl", f"captures/{IDS[8]}.jsonl"),
    "a signature beside the seal": lambda made, files: beside(files),
    "the unsigned document in place of the signed one": lambda made, files: files | {
        f"captures/{IDS[2]}.pdf": made.document},
    "the same, and the signed one elsewhere": lambda made, files: files | {
        f"captures/{IDS[2]}.pdf": made.document, "signed.pdf": made.signed},
    "no signed document": lambda made, files: {
        name: data for name, data in files.items() if name != f"captures/{IDS[2]}.pdf"},
    "an empty seal": lambda made, files: files | {"seals/x.seal": b""},
    "an empty seal elsewhere": lambda made, files: files | {"x.seal": b""},
    "a file that no seal names": lambda made, files: files | {"letter.pdf": b"%PDF-1.4\n"},
    "the same among the captures": lambda made, files: files | {"captures/letter.pdf": b"%PDF-1.4\n"},
    "the same among the seals": lambda made, files: files | {"seals/letter.pdf": b"%PDF-1.4\n"},
    "a contract with a system's name": lambda made, files: files | {"Thumbs.db": b"%PDF-1.4\n", "captures/Thumbs.db": b"x"},
    "a record of nobody": lambda made, files: files | {f"captures/{IDS[8]}.jsonl": record(id=IDS[8])},
    "a record of another panel": lambda made, files: files | made.foreign,
}


def beside(files: dict) -> dict:
    name = next(name for name in files if name.startswith("seals/") and IDS[1] in name)
    line, rest = files[name].split(b"\n", 1)
    return files | {name: line + b"\n", f"{name}.sig": rest}


@pytest.mark.parametrize("case", PLACED)
def test_places_and_names_count_in_a_panels_directory(made, watch, tmp_path, case):
    expect(made, watch, tmp_path, NOT_GENUINE, PLACED[case](made, made.store))


@pytest.mark.parametrize("more", [
    {"Thumbs.db": OLE + bytes(500)}, {"captures/Thumbs.db": OLE}, {"desktop.ini": b"\xff\xfe" + "[.ShellClassInfo]\r\n".encode("utf-16-le")},
    {"desktop.ini": b"[.ShellClassInfo]\r\nIconResource=x\r\n"}, {".DS_Store": b"\0\0\0\1Bud1"}, {"key.pem": b"x"}, {"open/x": b"x"},
    {"sub/README.txt": COMPANIONS["README.txt"]}], ids=lambda more: f"{min(more)} {len(more[min(more)])}")
def test_what_systems_and_panels_put_beside_changes_nothing(made, watch, tmp_path, more):
    expect(made, watch, tmp_path, GENUINE, made.store | more)


def test_copies_are_the_same_files(made, watch, tmp_path):
    more = {"contract.pdf": made.document, "copy/signed.pdf": made.signed, "copy.jsonl": made.store[f"captures/{IDS[1]}.jsonl"]}
    expect(made, watch, tmp_path, GENUINE, made.store | more)


def test_a_record_is_what_a_seal_names_whatever_its_form(made, watch, tmp_path):
    """The panel's key sealed a record with white space in it, and its text is looked at after its digest."""
    line, signature = made.store[f"seals/0000000002-{IDS[3]}.seal"].split(b"\n", 1)
    files = {"ID.seal": line + b"\n", "ID.seal.sig": signature}
    for number, name in enumerate(("ID.jsonl", "strange.bin", "record.pdf")):
        row = expect(made, watch, tmp_path, GENUINE, files | {name: made.store[f"captures/{IDS[3]}.jsonl"]}, f"{number}")
        assert "accepted, with" in row.told
    expect(made, watch, tmp_path, NOT_GENUINE, files | {"ID.jsonl": record(id=IDS[3])}, "other")


def test_a_list_of_keys_in_the_folder_is_not_the_readers(made, watch, tmp_path):
    """Nor is one of the folder that is named as the reader's."""
    root = tmp_path / "folder"
    for name, data in (made.archive | {"allowed_signers": made.panel.line.encode()}).items():
        root.mkdir(exist_ok=True)
        (root / name).write_bytes(data)
    (tmp_path / "mine").write_text(made.panel.line)
    for signers, word, status in ((root / "allowed_signers", "UNKNOWN", 2), (tmp_path / "mine", "FITS", 0)):
        ended = subprocess.run([PROGRAM, "verify", root, "--allowed-signers", signers], capture_output=True, text=True)
        assert (ended.stdout.splitlines()[-1], ended.returncode) == (word, status), ended.stdout
        status_of_second, text = second([root, signers])
        assert (text.splitlines()[-1], status_of_second) == (word, status), text
    given = [{"name": name, "data": core().encoded(data), "batch": 1} for name, data in {
        **made.archive, "allowed_signers": made.panel.line.encode()}.items()]
    told = core().ask("page", files=given, identity="", confirmed=[])
    assert told["verdict"] == "undecided" and told["needed"] == ["key"], told
    given.append({"name": "allowed_signers", "data": core().encoded(made.panel.line.encode()), "batch": 2})
    assert core().ask("page", files=given, identity="", confirmed=[])["verdict"] == "genuine"


def test_a_folder_without_evidence_has_nothing_to_check(made, tmp_path):
    for name, files in (("none", {}), ("system", {"Thumbs.db": OLE})):
        root = tmp_path / name
        root.mkdir()
        for inner, data in files.items():
            (root / inner).write_bytes(data)
        (tmp_path / "mine").write_text(made.panel.line)
        ended = subprocess.run([PROGRAM, "verify", root, "--allowed-signers", tmp_path / "mine"], capture_output=True, text=True)
        assert (ended.stdout.splitlines()[-1], ended.returncode) == ("UNCHECKED", 1), ended.stdout
        assert second([root, tmp_path / "mine"])[1].splitlines()[-1] == "UNCHECKED"


# Random folders

def pick(files: dict, numbers: random.Random) -> str:
    return numbers.choice(sorted(files))


def place(numbers: random.Random) -> str:
    return numbers.choice(["", "captures/", "seals/", "sub/", "sub/captures/", "sub/seals/"])


def stray(made: Made, files: dict, numbers: random.Random) -> tuple[str, bytes]:
    names = ["x.seal", "x.seal.sig", "x.jsonl", f"{IDS[8]}.jsonl", f"{IDS[2]}.pdf", f"{IDS[1]}.pdf", "letter.pdf", "Thumbs.db",
             "desktop.ini", "README.txt", "signature.png", "notes", "x.jsonl.age", f"{IDS[1]}.pdf.age", "scatter.jsonl",
             "allowed_signers", "mine.signers", ".DS_Store", "._x"]
    contents = [
        b"", b"%PDF-1.4\n", OLE, made.document, made.signed, record(id=IDS[8]), b"You owe 900.\n", b"{}\n",
        b"age-encryption.org/v1\n-> X25519 x\n", b"[.ShellClassInfo]\r\n", *COMPANIONS.values(), made.panel.line.encode(),
        b"\0\0\0\1Bud1", b"\0\5\x16\7x", *made.foreign.values()]
    return place(numbers) + numbers.choice(names), numbers.choice(contents)


def changed(made: Made, files: dict, numbers: random.Random) -> dict:
    """The files with one change of a kind that people and programs make."""
    files = dict(files)
    if not files:
        return files
    name = pick(files, numbers)
    data = files[name]
    base = name.rpartition("/")[2]
    kind = numbers.choice(["stray", "stray", "remove", "cut", "flip", "copy", "copy", "move", "rename", "swap", "split", "again"])
    if kind == "stray":
        other, contents = stray(made, files, numbers)
        files[other] = contents
    elif kind == "remove":
        del files[name]
    elif kind == "cut":
        files[name] = data[:numbers.randrange(len(data) + 1)]
    elif kind == "flip" and data:
        at = numbers.randrange(len(data))
        files[name] = data[:at] + bytes([data[at] ^ 1 << numbers.randrange(8)]) + data[at + 1:]
    elif kind == "copy":
        files[place(numbers) + base] = data
    elif kind == "move":
        files[place(numbers) + base] = files.pop(name)
    elif kind == "rename":
        ending = base[base.index("."):] if "." in base[1:] else ""
        files[name[:len(name) - len(base)] + numbers.choice(IDS) + ending] = files.pop(name)
    elif kind == "swap":
        other = pick(files, numbers)
        files[name], files[other] = files[other], data
    elif kind == "split" and data.startswith(b'{') and b"\n-----BEGIN" in data:
        line, rest = data.split(b"\n", 1)
        files |= {name: line + b"\n", f"{name}.sig": rest}
    elif kind == "again" and base.endswith(".seal"):
        files[name.replace("000000000", "000000001")] = data
    return files


@pytest.mark.parametrize("part", breadth.share(range(10), 5))
def test_random_folders_have_one_verdict(made, watch, tmp_path, part):
    """5,000 in all in long tests."""
    numbers, seen = random.Random(f"{SEED} folders {part}"), set()
    for number in range(breadth.count(50, 500)):
        files = numbers.choice([made.store, made.store, made.encrypted, made.archive])
        for _ in range(numbers.choice([0, 1, 1, 1, 2, 3])):
            files = changed(made, files, numbers)
        # A name is a file or a folder.
        if any(f"{name}/" in other for name in files for other in files):
            continue
        row = judged(files, made.panel.line, tmp_path / f"{number}", "random folders")
        row.told = f"{sorted(files)}\n{row.told}"
        watch.add(row)
        seen.add(row.verdicts[0])
    assert {GENUINE, NOT_GENUINE} <= seen
