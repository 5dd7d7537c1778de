# SPDX-License-Identifier: Apache-2.0
"""Forgeries of records and seals, and who catches each: `inkpanel verify`, verify.html, verify.py, and by hand.

"By hand" are the commands of docs/evidence.md: ssh-keygen and sha256sum. docs/seals.md says in words what
the table that `pytest -s` prints has.
"""

import functools
import json
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sealed import NAMESPACE, PROGRAM, TOP, digest, evidence, run, said
from verdicts import NOT_GENUINE, Case, ask_core, verdict_of_core

CAUGHT, REPORTED, UNSEEN, NOT_FOR_IT = "caught", "reported", "not seen", "-"
NO = "0" * 64


@dataclass
class Files:
    """Copies of a panel's files, and what is checked of them: the record of one seal, in its chain."""

    store: Path
    document: Path
    # The number of the seal of the record that is presented.
    n: int = 2
    record: Path = None
    heads: list[str] = field(default_factory=list)
    identities: list[Path] = field(default_factory=list)
    # The files instead of the whole store, for `inkpanel verify`.
    named: list[Path] = None

    def seals(self) -> list[Path]:
        return sorted((self.store / "seals").iterdir())

    def seal(self, n: int) -> Path:
        return next(iter((self.store / "seals").glob(f"{n:010d}*")))

    def line(self, n: int) -> bytes:
        return self.seal(n).read_bytes().split(b"\n")[0] + b"\n"

    def armour(self, n: int) -> bytes:
        return self.seal(n).read_bytes()[len(self.line(n)):]

    def set(self, n: int, line: bytes = None, armour: bytes = None) -> None:
        self.seal(n).write_bytes((line or self.line(n)) + (armour or self.armour(n)))

    def changed(self, number: int, /, **members) -> bytes:
        """The line of a seal with other members."""
        seal = json.loads(self.line(number)) | members
        return json.dumps(seal, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"

    def path(self, n: int) -> Path:
        """The record that seal n names."""
        return next((self.store / "captures").glob(json.loads(self.line(n))["id"] + ".*"))

    def sign(self, line: bytes, namespace: str = NAMESPACE, key: Path = None) -> bytes:
        """A signature by ssh-keygen, with the panel's own key if no other is given."""
        scratch = self.store.parent / "scratch"
        scratch.mkdir(exist_ok=True)
        shutil.copy(key or self.store / "key.pem", scratch / "key")
        (scratch / "key").chmod(0o600)
        (scratch / "key.pub").write_text(said("ssh-keygen", "-y", "-f", scratch / "key"))
        (scratch / "line").write_bytes(line)
        (scratch / "line.sig").unlink(missing_ok=True)
        said("ssh-keygen", "-Y", "sign", "-f", scratch / "key", "-n", namespace, scratch / "line")
        return (scratch / "line.sig").read_bytes()

    def resign(self, n: int, **members) -> None:
        """Makes seal n anew, and all after it, as only the panel's key can."""
        for seal in range(n, len(self.seals()) + 1):
            previous = digest(self.line(seal - 1)) if seal > 1 else NO
            line = self.changed(seal, previous=previous, **(members if seal == n else {}))
            self.set(seal, line, self.sign(line))


# The verifiers

def verify(files: Files) -> tuple[str, str]:
    """`inkpanel verify`: a verdict, and what it printed."""
    words = [f"--head={head}" for head in files.heads] + [f"--identity={path}" for path in files.identities]
    paths = files.named or [files.store, files.document]
    ended = run(PROGRAM, "verify", f"--allowed-signers={evidence().allowed}", *words, *paths)
    assert ended.returncode in (0, 1, 2, 65), ended
    return (CAUGHT if ended.returncode else UNSEEN), ended.stdout


def page(files: Files) -> str:
    """The core of verify.html on the same files."""
    paths = files.named or [files.store, files.document]
    told = ask_core(Case(paths, evidence().allowed, None, files.identities, files.heads))
    if verdict_of_core(told) == NOT_GENUINE:
        return CAUGHT
    return REPORTED if {"clockBack", "deletedHere"} & {fact["code"] for fact in told["facts"]} else UNSEEN


def second(files: Files) -> str:
    """docs/examples/verify.py on one record and its chain."""
    try:
        seal, record = files.seal(files.n), files.record or files.path(files.n)
    except StopIteration:
        return NOT_FOR_IT
    others = [path for path in files.seals() if path != seal]
    document = [files.document] if b'"document"' in files.line(files.n) else []
    ended = run(
        sys.executable, TOP / "docs/examples/verify.py", record, seal, seal, evidence().allowed, *others, *document)
    assert ended.returncode in (0, 1) and not ended.stderr, ended
    if any(head not in ended.stdout for head in files.heads):
        return CAUGHT
    is_told = "clock is before" in ended.stdout or "are not here" in ended.stdout
    return CAUGHT if ended.returncode else REPORTED if is_told else UNSEEN


def by_hand(files: Files) -> str:
    """The commands of docs/evidence.md, on one record and its chain."""
    scratch = files.store.parent / "by-hand"
    scratch.mkdir(exist_ok=True)
    previous, last, key = NO, "", None
    for path in files.seals():
        data = path.read_bytes()
        line = data.split(b"\n")[0] + b"\n"
        (scratch / "line").write_bytes(line)
        (scratch / "sig").write_bytes(data[len(line):])
        who = run("ssh-keygen", "-Y", "find-principals", "-s", scratch / "sig", "-f", evidence().allowed)
        if who.returncode or (key or who.stdout) != who.stdout:
            return CAUGHT
        key = who.stdout
        with (scratch / "line").open() as text:
            checked = run(
                "ssh-keygen", "-Y", "verify", "-f", evidence().allowed, "-I", who.stdout.strip(), "-n", NAMESPACE, "-s",
                scratch / "sig", stdin=text)
        if checked.returncode or f'"previous":"{previous}"'.encode() not in line:
            return CAUGHT
        previous = said("sha256sum", scratch / "line").split()[0]
        last = f"{json.loads(line)['n']}:{previous}"
    try:
        line, record = files.line(files.n), files.record or files.path(files.n)
    except StopIteration:
        return NOT_FOR_IT
    wanted = "stored" if record.suffix == ".age" else "record"
    if f'"{wanted}":"{said("sha256sum", record).split()[0]}"'.encode() not in line:
        return CAUGHT
    if b'"document"' in line and f'"document":"{said("sha256sum", files.document).split()[0]}"'.encode() not in line:
        return CAUGHT
    return CAUGHT if any(head != last for head in files.heads) else UNSEEN


# Forgeries. Each changes the files and returns words of the finding that `inkpanel verify` must print.

FORGERIES = []


def forgery(name: str, program: str, twin: str, hand: str, panel: str = "till"):
    def add(change):
        FORGERIES.append((name, (program, twin, hand), panel, change))
        return change
    return add


OFFSETS = (0.0, 0.3, 0.5, 0.7, 0.99)


def flipped(path: Path, at: float, start: int = 0, end: int = None) -> None:
    data = bytearray(path.read_bytes())
    end = len(data) if end is None else end
    data[start + int((end - start - 1) * at)] ^= 1
    path.write_bytes(data)


def flips(what: str, text: str, bounds) -> None:
    for at in OFFSETS:
        @forgery(f"a byte of the {what} is changed, at {at:.0%}", CAUGHT, CAUGHT, CAUGHT)
        def change(files, at=at):
            files.record = files.path(2)
            path, *within = bounds(files)
            flipped(path, at, *within)
            return text


flips("record", "the record has changed since it was sealed", lambda files: (files.path(2),))
flips("seal", "", lambda files: (files.seal(2), 0, len(files.line(2)) - 1))
flips("signature", "seal", lambda files: (files.seal(2), len(files.line(2)), len(files.seal(2).read_bytes()) - 1))
flips("document", "the document has changed since it was sealed", lambda files: (files.document,))


@forgery("the seals of two records are exchanged", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    files.record = files.path(1)
    files.named = [files.path(1), files.seal(2)]
    return "has no seal"


@forgery("the signatures of two seals are exchanged", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    first, other = files.armour(1), files.armour(2)
    files.set(1, armour=other)
    files.set(2, armour=first)
    return "does not fit"


@forgery("a seal is left out", CAUGHT, REPORTED, CAUGHT)
def _(files):
    files.seal(5).unlink()
    return "seal 5 is missing before it"


@forgery("two seals are reordered", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    one, two = files.changed(5, n=6), files.changed(6, n=5)
    first, other = files.armour(5), files.armour(6)
    files.set(5, two, other)
    files.set(6, one, first)
    return "does not fit"


@forgery("the panel's key signs the seal for another namespace", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    files.set(2, armour=files.sign(files.line(2), "other"))
    return "does not fit"


@forgery("another key signs the seal", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    key = files.store.parent / "forger"
    said("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", key)
    fingerprint = said("ssh-keygen", "-l", "-f", key).split()[1]
    line = files.changed(2, key=fingerprint)
    files.set(2, line, files.sign(line, key=key))
    return "is not among the allowed signers"


@forgery("a seal is used again with a later number", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    copy = files.store / "seals" / files.seal(2).name.replace("0000000002", "0000000007")
    copy.write_bytes(files.changed(2, n=7, previous=digest(files.line(6))) + files.armour(2))
    return "does not fit"


@forgery("a record is moved into another panel's store", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    other = evidence().other
    name = other.seals()[0].name.replace("0000000001", "0000000007")
    shutil.copy(other.seals()[0], files.store / "seals" / name)
    shutil.copy(next((other.store / "captures").iterdir()), files.store / "captures")
    files.n = 7
    return "another key than the seals before it"


def sed(files: Files, n: int, script: str) -> str:
    path = files.path(n)
    before = path.read_bytes()
    said("sed", "-i", script, path)
    assert path.read_bytes() != before
    return "the record has changed since it was sealed"


@forgery("the signer's name is changed", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    return sed(files, 2, 's/"signer":"Bert"/"signer":"Cleo"/')


@forgery("the text is changed", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    return sed(files, 2, "s/Delivery received/Delivery refused/")


@forgery("a stroke is removed", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    return sed(files, 2, '0,/^{"stroke"/{/^{"stroke"/d}')


@forgery("a record is added without a seal", CAUGHT, NOT_FOR_IT, NOT_FOR_IT)
def _(files):
    path = files.path(2)
    made = "20260101-000000-0123456789abcdef"
    (files.store / "captures" / f"{made}.jsonl").write_text(path.read_text().replace(path.stem, made))
    files.n = 9
    return "has no seal: nothing shows that the panel made it"


@forgery("a deleted record is put back", REPORTED, UNSEEN, UNSEEN)
def _(files):
    shutil.copy(evidence().deleted, files.store / "captures")
    files.n = 3
    return "a seal says that it was deleted, but its record is here"


@forgery("a record is removed, and its seal stays", CAUGHT, NOT_FOR_IT, NOT_FOR_IT)
def _(files):
    files.path(2).unlink()
    return "the record of seal 2 is missing"


@forgery("the document is exchanged", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    files.document.write_bytes(b"%PDF-1.7 another contract\n")
    return "the document has changed since it was sealed, or is another one"


@forgery("the panel's clock is set back before a seal", REPORTED, REPORTED, UNSEEN)
def _(files):
    files.resign(5, at=json.loads(files.line(4))["at"] - 1)
    return "the clock was set back in between"


def rewritten(files: Files) -> None:
    """What only the owner of the panel's key can do: another signer, sealed anew, and all seals after it."""
    sed(files, 2, 's/"signer":"Bert"/"signer":"Cleo"/')
    files.resign(2, record=digest(files.path(2).read_bytes()))


TWO_READINGS = {
    "a member twice": ('"signer":"Bert"', '"signer":"Bert","signer":"Cleo"'),
    "two ends": ('\n{"end":', '\n{"end":{"endedAt":1,"outcome":"cancelled","quality":{"drops":0,"ignoredContacts":0}}}\n{"end":'),
    "a second header": ('\n{"stroke":', '\n{"format":"inkpanel-capture","version":1}\n{"stroke":'),
    "an empty line": ('\n{"stroke":', '\n\n{"stroke":'), "lines that end in CR LF": ("\n", "\r\n"),
    "a comma too many": ('"signer":"Bert"', '"signer":"Bert",'),
}
for what, (old, new) in TWO_READINGS.items():
    @forgery(f"the panel's key seals a record with {what}", CAUGHT, CAUGHT, UNSEEN)
    def _(files, old=old, new=new):
        text = files.path(2).read_bytes().decode()
        assert old in text
        files.path(2).write_bytes(text.replace(old, new).encode())
        files.resign(2, record=digest(files.path(2).read_bytes()))
        return "the record cannot be read: "


@forgery("the panel's key makes the chain anew; no head was kept", UNSEEN, UNSEEN, UNSEEN)
def _(files):
    rewritten(files)
    return "compare with a head"


@forgery("the panel's key makes the chain anew; a head was kept", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    rewritten(files)
    files.heads = [kept()]
    return "is not the one that its holder kept"


def cut(files: Files) -> None:
    for n in (6, 5):
        files.path(n).unlink()
        files.seal(n).unlink()


@forgery("the last records and seals are removed; no head was kept", UNSEEN, UNSEEN, UNSEEN)
def _(files):
    cut(files)
    return "whether seals after 4 are missing"


@forgery("the last records and seals are removed; a head was kept", CAUGHT, CAUGHT, CAUGHT)
def _(files):
    cut(files)
    files.heads = [kept()]
    return "is missing, but its holder kept its digest"


@forgery("an encrypted record is exchanged for another one", CAUGHT, CAUGHT, CAUGHT, "clinic")
def _(files):
    shutil.copy(files.path(1), files.path(2))
    return "the encrypted file has changed since it was sealed, or is another one"


@forgery("an encrypted record is changed and encrypted again", CAUGHT, CAUGHT, CAUGHT, "clinic")
def _(files):
    plain = said("age", "-d", "-i", evidence().identity, files.path(2)).replace("Consent", "Nothing")
    recipient = said("age-keygen", "-y", evidence().identity).strip()
    said("age", "-r", recipient, "-o", files.path(2), input=plain)
    files.identities = [evidence().identity]
    return "the record has changed since it was sealed"


def kept() -> str:
    return f"{evidence().head['n']}:{evidence().head['digest']}"


def copied(panel: str, folder: Path) -> Files:
    shutil.copytree(getattr(evidence(), panel).store, folder / "store")
    if panel == "till":
        shutil.copy(evidence().document, folder / "contract.pdf")
        return Files(folder / "store", folder / "contract.pdf")
    return Files(folder / "store", None, named=[folder / "store"])


@functools.cache
def table() -> dict:
    return {}


@pytest.fixture(scope="module", autouse=True)
def printed():
    yield
    rows = {}
    for name, verdicts in table().items():
        # One row for all offsets.
        rows.setdefault(name.split(", at ")[0], set()).add(verdicts)
    print("\n\n| forgery | `inkpanel verify` | verify.html | verify.py | by hand |\n|---|---|---|---|---|")
    for name, verdicts in rows.items():
        print(f"| {name} | " + " | ".join("/".join(sorted(set(each))) for each in zip(*verdicts)) + " |")


@pytest.mark.parametrize("panel", ["till", "clinic"])
def test_what_the_panel_wrote_fits(tmp_path, panel):
    files = copied(panel, tmp_path)
    files.identities = [evidence().identity]
    if panel == "till":
        files.heads = [kept()]
    assert verify(files)[0] == page(files) == second(files) == by_hand(files) == UNSEEN, verify(files)[1]


@pytest.mark.parametrize(
    "name, expected, panel, change", FORGERIES, ids=[each[0].replace(" ", "-") for each in FORGERIES])
def test_forgery(tmp_path, name, expected, panel, change):
    files = copied(panel, tmp_path)
    words = change(files)
    verdict, text = verify(files)
    if verdict == UNSEEN and expected[0] == REPORTED and words in text:
        verdict = REPORTED
    verdicts = (verdict, page(files), second(files), by_hand(files))
    table()[name] = verdicts
    # The page reports the clock, too; `inkpanel verify` is asked for its words only.
    assert verdicts == (expected[0], *expected), text
    assert words in text
