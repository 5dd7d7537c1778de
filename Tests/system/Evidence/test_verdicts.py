# SPDX-License-Identifier: Apache-2.0
"""The same verdict of `inkpanel verify`, docs/examples/verify.py and verify.html on files that were changed anyhow.

The other tests of this folder have the forgeries and forms of files, whose verdicts verdicts.py compares.
"""

import json
import random
import subprocess
from collections import Counter
from pathlib import Path

import flows
import pytest
from conftest import NAMESPACE, SEED
from sealed import PROGRAM, TOP, digest, evidence
from support import breadth
from test_documents import Kept
from verdicts import GENUINE, NOT_GENUINE, Row, core, second, verdict_of_core, verdict_of_program, verdict_of_second

READINGS = json.loads((TOP / "Tests/data/Records/readings.json").read_text())
KINDS = ("record", "seal", "signature", "signers", "document")


class Kit:
    """What a host has of one capture, and the key that sealed it."""

    def __init__(self, folder: Path, seal: Path, record: Path, document: Path, key: Path, signers: Path):
        folder.mkdir()
        data = seal.read_bytes()
        line = data[:data.index(b"\n") + 1]
        self.folder, self.key = folder, key
        self.files = {
            "record": record.read_bytes(), "seal": line, "signature": data[len(line):], "signers": signers.read_bytes(),
            "document": document.read_bytes()}
        self.principal = signers.read_text().split()[0]

    def sealed_anew(self, peer, **members) -> dict:
        """The files with another seal by the panel's key: what only the panel, or its thief, can make."""
        line = flows.line(json.loads(self.files["seal"]) | members)
        return {**self.files, "seal": line, "signature": self.sign(peer, line)}

    def sign(self, peer, line: bytes) -> bytes:
        message, signature = self.folder / "message", self.folder / "message.sig"
        message.write_bytes(line)
        peer.ask("sign", self.key, NAMESPACE, message, signature)
        return signature.read_bytes()

    def row(self, test: str, files: dict, has_principal: bool = True) -> Row:
        """What the three say."""
        names = {"record": "ID.jsonl", "seal": "ID.seal", "signature": "ID.seal.sig", "signers": "allowed_signers",
                 "document": "contract.pdf"}
        paths = {kind: self.folder / names[kind] for kind in files}
        for kind, data in files.items():
            paths[kind].write_bytes(data)
        principal = self.principal if has_principal else None
        evidence = [paths[kind] for kind in KINDS if kind in files and kind != "signers"]
        words = [f"--allowed-signers={paths['signers']}"] + ([f"--principal={principal}"] if principal else [])
        ended = subprocess.run([PROGRAM, "verify", *words, *evidence], capture_output=True, text=True)
        assert ended.returncode in (0, 1, 2, 65), ended
        twin = second([*(["-I", principal] if principal else []), *(paths[kind] for kind in KINDS if kind in files)])
        given = [{"name": path.name, "path": str(path)} for path in paths.values()]
        told = core().ask("check", files=given, options={"panel": principal}) if principal else core().ask(
            "page", files=given, identity="", confirmed=[])
        verdicts = (verdict_of_program(ended.returncode, ended.stdout), verdict_of_second(*twin), verdict_of_core(told))
        wrong = [fact for fact in told["facts"] if fact["state"] == "wrong" or fact.get("needed")]
        return Row(test, verdicts, "\n".join((ended.stdout, twin[1], json.dumps(wrong))))


@pytest.fixture(scope="module")
def kits(tmp_path_factory, peer) -> list[Kit]:
    """A record of version 1 with the digest of a document, and one of version 2 with a signed document."""
    store = evidence().till.store
    seal = sorted((store / "seals").iterdir())[1]
    record = store / "captures" / (json.loads(seal.read_bytes().split(b"\n")[0])["id"] + ".jsonl")
    folder = tmp_path_factory.mktemp("kits")
    kept = Kept(tmp_path_factory.mktemp("kept"), peer)
    return [
        Kit(folder / "1", seal, record, evidence().document, store / "key.pem", evidence().allowed),
        Kit(folder / "2", kept.seal, kept.record, kept.signed, kept.folder / "key.pem", kept.allowed)]


LIKE = [b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b'"{}[],:-.eE \\\n']


def byte_changed(data: bytes, numbers: random.Random) -> bytes:
    """Half of the bytes become one of the same kind, with which the file is more often still of its form."""
    place = numbers.randrange(len(data))
    old = data[place]
    like = [byte for kind in LIKE if old in kind for byte in kind if byte != old] if numbers.random() < 0.5 else []
    new = numbers.choice(like) if like else old ^ numbers.randrange(1, 256)
    return data[:place] + bytes([new]) + data[place + 1:]


def expect(watch, rows: list[Row]) -> Counter:
    """All three agree on each; how often on what."""
    for row in rows:
        watch.add(row)
    return Counter(row.verdicts[0] for row in rows)


def test_what_was_not_changed_is_genuine(kits, watch):
    for version, kit in enumerate(kits, 1):
        for has_principal in (True, False):
            assert expect(watch, [kit.row(f"version {version}, unchanged", kit.files, has_principal)]) == {GENUINE: 1}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", [1, 2])
def test_changes_of_one_byte_have_one_verdict(kits, watch, version, kind):
    """1,000 in all in long tests."""
    kit, numbers = kits[version - 1], random.Random(f"{SEED} {version} {kind}")
    rows, count = [], breadth.count(15, 100)
    for number in range(count):
        files = {**kit.files, kind: byte_changed(kit.files[kind], numbers)}
        rows.append(kit.row(f"version {version}, a byte of the {kind} changed", files, number % 2 == 0))
    found = expect(watch, rows)
    # In a list of signers, a byte in another panel's line, in a comment, or in a name that nobody asked for changes nothing.
    assert found[NOT_GENUINE] == count or kind == "signers" and found[NOT_GENUINE] > count / 10, found


@pytest.mark.parametrize("version", [1, 2])
def test_changed_records_that_the_key_seals_have_one_verdict(kits, peer, watch, version):
    kit, numbers = kits[version - 1], random.Random(SEED * 2 + version)
    rows, count = [], breadth.count(50, 1000)
    for _ in range(count):
        changed = byte_changed(kit.files["record"], numbers)
        files = {**kit.sealed_anew(peer, record=digest(changed)), "record": changed}
        # The signed document names the record that it was made of.
        if version == 2:
            del files["document"]
        rows.append(kit.row(f"version {version}, a byte of the record changed, sealed anew", files))
    assert min(expect(watch, rows)[verdict] for verdict in (GENUINE, NOT_GENUINE)) > count / 100


def test_changed_ways_to_sign_that_the_key_seals_have_one_verdict(kits, peer, watch):
    """Pages to write on, confirmations and typed names in another order, twice or missing."""
    kit, numbers = kits[1], random.Random(SEED * 4)
    lines = flows.instead([json.loads(line) for line in kit.files["record"].splitlines()])
    ways = {"instead", "confirmed", "typed"}
    begins = [at for at, each in enumerate(lines) if each.keys() & ways]
    rows, count = [], breadth.count(40, 1000)
    for _ in range(count):
        changed = list(lines)
        for _ in range(numbers.randint(1, 2)):
            start = numbers.choice(begins)
            part = lines[start:start + (3 if "instead" in lines[start] else 1)]
            if numbers.random() < 0.5:
                changed = [each for each in changed if each not in part]
            if numbers.random() < 0.5:
                places = [at for at, each in enumerate(changed) if each.keys() & {*ways, "glass"}]
                place = numbers.choice(places)
                changed[place:place] = part
        record = b"".join(map(flows.line, changed))
        files = {**kit.sealed_anew(peer, record=digest(record)), "record": record}
        # The signed document names the record that it was made of.
        del files["document"]
        rows.append(kit.row("ways to sign changed, sealed anew", files))
    assert min(expect(watch, rows)[verdict] for verdict in (GENUINE, NOT_GENUINE)) > count / 20


@pytest.mark.parametrize("version", [1, 2])
def test_changed_seals_that_the_key_signs_have_one_verdict(kits, peer, watch, version):
    kit, numbers = kits[version - 1], random.Random(SEED * 3 + version)
    rows, count = [], breadth.count(25, 1000)
    for _ in range(count):
        line = byte_changed(kit.files["seal"], numbers)
        files = {**kit.files, "seal": line, "signature": kit.sign(peer, line)}
        rows.append(kit.row(f"version {version}, a byte of the seal changed, signed anew", files))
    assert expect(watch, rows)[NOT_GENUINE] > count / 10


@pytest.mark.parametrize("record", ["record", "flow"])
def test_records_of_one_reading_have_one_verdict(kits, peer, watch, record):
    """Each way to write a record that readers could take otherwise, sealed by the panel's key."""
    from test_readings import edited

    kit = kits[0]
    header = json.loads(READINGS[record].split("\n")[0])
    rows = []
    for case in READINGS[f"{record}s"]:
        data = edited(READINGS[record], case["edits"])
        seal = {name: value for name, value in json.loads(kit.files["seal"]).items() if name not in ("document", "sequence", "shown")}
        seal |= {"id": header["id"], "startedAt": header["startedAt"], "record": digest(data)}
        if "sha256" in header["request"].get("document", {}):
            seal["document"] = header["request"]["document"]["sha256"]
        line = flows.line(seal)
        files = {"record": data, "seal": line, "signature": kit.sign(peer, line), "signers": kit.files["signers"]}
        row = kit.row(f"{record}: {case['name']}", files)
        assert row.verdicts[0] == NOT_GENUINE or case["reading"] == "accepted", row
        rows.append(row)
    assert expect(watch, rows)[NOT_GENUINE] > 10


@pytest.mark.parametrize("early, verdict", [(999_000, GENUINE), (1_001_000, NOT_GENUINE), (3_600_000_000, NOT_GENUINE), (1 << 63, NOT_GENUINE)])
@pytest.mark.parametrize("version", [1, 2])
def test_ink_before_the_page_has_one_verdict(kits, peer, watch, version, early, verdict):
    """A panel with a wrong clock seals strokes that begin before their page was shown."""
    kit, moved = kits[version - 1], []
    for line in map(json.loads, kit.files["record"].splitlines()):
        samples = line.get("stroke", {}).get("samples", [])
        for sample, time in zip(samples, range(-early, 0, 7)):
            sample[0] = time
        moved.append(flows.line(line))
    record = b"".join(moved)
    assert record != kit.files["record"]
    files = {**kit.sealed_anew(peer, record=digest(record)), "record": record}
    if version == 2:
        del files["document"]
    row = kit.row(f"version {version}, ink {early} us before the page", files)
    assert expect(watch, [row]) == {verdict: 1}


def test_a_signed_document_of_another_record_has_one_verdict(kits, peer, watch):
    """The key seals a record anew, and the signed document still names the one before."""
    kit = kits[1]
    changed = kit.files["record"].replace(b'"rating":4', b'"rating":5')
    assert changed != kit.files["record"]
    row = kit.row("a signed document of another record", {**kit.sealed_anew(peer, record=digest(changed)), "record": changed})
    assert expect(watch, [row]) == {NOT_GENUINE: 1}
