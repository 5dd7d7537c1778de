# SPDX-License-Identifier: Apache-2.0
"""The core of verify.html: which verdict, what it tells of a record, and that no file ends or holds it."""

import json
import random

import flows
import pytest
from conftest import SEED
from sealed import PROGRAM, digest, said
from test_readings import READINGS
from test_verdicts import KINDS, byte_changed, kits  # noqa: F401  kits is a fixture
from verdicts import core


def check(files: dict, **options) -> dict:
    names = {"record": "ID.jsonl", "seal": "ID.seal", "signature": "ID.seal.sig", "signers": "allowed_signers", "document": "contract.pdf"}
    return core().ask("check", options=options, files=[
        {"name": names.get(kind, kind), "data": core().encoded(data)} for kind, data in files.items()])


def without(files: dict, *kinds: str) -> dict:
    return {kind: data for kind, data in files.items() if kind not in kinds}


def codes(told: dict, state: str) -> set[str]:
    return {fact["code"] for fact in told["facts"] if fact["state"] == state}


def test_what_is_missing_is_undecided_and_what_does_not_fit_is_changed(kits):
    files = kits[0].files
    for kind, code in (("record", "recordMissing"), ("seal", "sealMissing"), ("signature", "signatureMissing"), ("signers", "key")):
        told = check(without(files, kind))
        assert told["verdict"] == "undecided" and code in told["needed"], (kind, told)
    told = check(without(files, "document"))
    assert told["verdict"] == "genuine" and "documentDigest" in codes(told, "unchecked")
    for kind in ("record", "seal", "signature", "document"):
        assert check({**files, kind: files[kind][:-9] + b"x" + files[kind][-8:]})["verdict"] == "changed", kind
    assert check({})["verdict"] == "undecided" == check({"photo.jpg": b"\xff\xd8"})["verdict"]
    told = check({**files, "photo.jpg": b"\xff\xd8"})
    assert told["verdict"] == "undecided" and told["needed"] == ["unknownFile"]


def test_an_unknown_key_is_never_genuine_unless_its_reader_says_so(kits):
    files = without(kits[0].files, "signers")
    key = json.loads(files["seal"])["key"]
    assert check(files)["verdict"] == "undecided"
    assert check(files, confirmed=["SHA256:another"])["verdict"] == "undecided"
    told = check(files, confirmed=[key])
    assert told["verdict"] == "genuine" and "keyConfirmed" in codes(told, "ok") and told["key"] == {
        "fingerprint": key, "known": False, "confirmed": True}
    told = check({**files, "signers": kits[1].files["signers"]})
    assert told["verdict"] == "undecided" and told["needed"] == ["key"]


def test_a_key_counts_at_its_time_and_under_its_name(kits):
    files = kits[0].files
    name, rest = files["signers"].split(b" ", 1)
    told = check({**files, "signers": name + b' valid-before="20200101",' + rest})
    assert told["verdict"] == "undecided" and told["needed"] == ["keyTime"]
    assert check(files, panel=name.decode())["verdict"] == "genuine"
    assert check(files, panel="other@example.org")["needed"] == ["key"]


def test_the_report_has_all_of_the_record(kits):
    told = check(kits[1].files, report=True)["record"]
    assert [person.get("role") for person in told["people"]] == ["Customer", "Witness"]
    assert told["people"][0]["seen"] == {"pages": [1, 2], "toEnd": False} and told["people"][1]["seconds"] == 3
    assert [(each["field"], each["person"], each["counts"], each["removedAt"] is not None) for each in told["strokes"]] == [
        ("S01", 0, True, False), ("S01", 0, False, True), ("I0", 1, True, False), ("S02", 1, True, False)]
    assert told["answers"][-1] == {"name": "stars", "text": "How was it?", "value": 4, "person": 1}
    assert [field["name"] for field in told["fields"]] == ["S01", "I0", "I1", "S02"] and told["fields"][2]["same"] == "I0"
    assert len(told["pages"]) == 2 and told["outcome"] == "accepted"


def done_instead(kit, peer, change=lambda lines: None) -> dict:
    """What is told of a record without signatures."""
    lines = flows.instead([json.loads(line) for line in kit.files["record"].splitlines()])
    change(lines)
    record = b"".join(map(flows.line, lines))
    return check({**without(kit.sealed_anew(peer, record=digest(record)), "document"), "record": record}, report=True)


def test_the_report_has_what_was_done_in_place_of_signatures(kits, peer):
    told = done_instead(kits[1], peer)
    assert told["verdict"] == "genuine", told["facts"]
    found = told["record"]["fields"]
    assert [(each["name"], each["person"], each.get("part"), each.get("heard")) for each in found] == [
        ("S01", 0, "mark", None), ("S01/witness1", 0, "witness1", None), ("S01/witness2", 0, "witness2", None),
        ("I0", 1, None, None), ("I1", 1, None, None), ("S02", 1, "confirmed", True), ("S03", 1, "representative", None),
        ("S04", 1, "typed", None), ("S05", 1, "typed", True)]
    assert [(each.get("entered"), each.get("host")) for each in found[-3:]] == [
        (None, None), ({"name": "Maria Huber", "by": "staff", "reason": "right arm in plaster"}, True),
        ({"name": "Maria Huber", "by": "person"}, None)]
    assert [(each["field"], each["counts"]) for each in told["record"]["strokes"]] == [
        (name, True) for name in ("S01", "S01/witness1", "S01/witness2", "I0", "S03")]


def test_ink_before_a_confirmation_and_of_witnesses_of_another_mark_does_not_count(kits, peer):
    def again(lines):
        at = next(at for at, each in enumerate(lines) if "glass" in each)
        lines[at:at] = [each for each in lines if each.get("instead", {}).get("part") == "mark"] + [
            {"accepted": {"name": "S01"}, "t": 14_000}]

    told = done_instead(kits[1], peer, again)
    assert told["verdict"] == "changed"
    fact, = (fact for fact in told["facts"] if fact["state"] == "wrong")
    assert (fact["code"], fact["values"]) == ("demandWitnesses", {"name": "S01"})
    assert [each["field"] for each in told["record"]["strokes"] if each["counts"]] == ["I0", "S03"]

    def confirm(lines):
        again(lines)
        at = next(at for at, each in enumerate(lines) if "glass" in each)
        lines.insert(at, {"confirmed": {"name": "S01", "words": "I confirm this"}, "t": 15_000})

    told = done_instead(kits[1], peer, confirm)
    assert told["verdict"] == "genuine"
    assert told["record"]["fields"][0] == {"name": "S01", "person": 0, "part": "confirmed"}
    assert [each["field"] for each in told["record"]["strokes"] if each["counts"]] == ["I0", "S03"]

    def type_name(lines):
        confirm(lines)
        at = next(at for at, each in enumerate(lines) if "glass" in each)
        lines.insert(at, flows.typed("S01", 16_000, "person", host=False, heard=False))

    told = done_instead(kits[1], peer, type_name)
    assert told["verdict"] == "genuine"
    assert told["record"]["fields"][0] == {
        "name": "S01", "person": 0, "part": "typed", "entered": {"name": "Maria Huber", "by": "person"}}
    assert [each["field"] for each in told["record"]["strokes"] if each["counts"]] == ["I0", "S03"]

    def sign(lines):
        """The ink after a typed name counts."""
        at = next(at for at, each in enumerate(lines) if "glass" in each)
        area = {"name": "S01", "person": 0, "signingArea": [40, 180, 720, 200]}
        stroke = {"device": 0, "pen": "ink", "samples": [[17_000, 100, 200], [17_005, 160, 210]]}
        lines[at:at] = [
            flows.typed("S01", 16_000), {"field": area, "t": 17_000}, {"stroke": stroke},
            {"accepted": {"name": "S01"}, "t": 18_000}]

    told = done_instead(kits[1], peer, sign)
    assert told["verdict"] == "genuine" and told["record"]["fields"][0] == {"name": "S01", "person": 0}
    assert [each["field"] for each in told["record"]["strokes"] if each["counts"]] == ["S01", "I0", "S03"]


def test_a_mark_without_a_document_has_the_name_of_its_person(kits, peer):
    lines = [json.loads(line) for line in READINGS["record"].splitlines()]
    header, stroke, *_, end = lines
    header |= {"version": 2, "flow": {"alternatives": ["mark"], "people": [{"role": "Seller"}, {"role": "Buyer"}]}}
    found = [header]
    for person in (0, 1):
        found.append({"person": person, "t": 1})
        for part in ("mark", "witness1", "witness2")[:3 - person]:
            area = {"name": "signature", "part": part, "person": person, "signingArea": [40, 180, 720, 200]}
            found += [{"instead": area, "t": 2}, stroke, {"accepted": {"name": "signature"}, "t": 3}]
    record = b"".join(map(flows.line, [*found, end]))
    seal = without(json.loads(kits[0].files["seal"]), "document", "sequence", "shown")
    line = flows.line({**seal, "id": header["id"], "startedAt": header["startedAt"], "record": digest(record)})
    files = {"record": record, "seal": line, "signature": kits[0].sign(peer, line), "signers": kits[0].files["signers"]}
    told = check(files)
    fact, = (fact for fact in told["facts"] if fact["state"] == "wrong")
    assert (fact["code"], fact["values"]) == ("demandWitnesses", {"name": "signature:Buyer"})
    row = kits[0].row("a mark without a document", files)
    assert "the mark in signature:Buyer lacks its witnesses" in row.told and row.verdicts[1:] == ("not genuine",) * 2


@pytest.mark.parametrize("has_flow", [False, True])
def test_the_name_of_the_only_person_is_that_of_the_request(has_flow):
    lines = [json.loads(line) for line in READINGS["record"].splitlines()]
    if has_flow:
        # Cancelled before anybody wrote.
        lines = [lines[0], {"end": lines[-1]["end"] | {"outcome": "cancelled"}}]
        lines[0] |= {"version": 2, "flow": {"questions": [{"kind": "check", "name": "news", "text": "News?"}]}}
    for name in ("Anna Müller", None):
        lines[0]["request"].pop("signer", None)
        lines[0]["request"] |= {"signer": name} if name else {}
        person, = check({"record": b"".join(map(flows.line, lines))}, report=True)["record"]["people"]
        assert person.get("name") == name


def test_ink_counts_as_for_the_program_after_any_undo_redo_and_clear(tmp_path):
    """In CSV, `inkpanel export` has the samples of visible strokes."""
    numbers, path = random.Random(SEED), tmp_path / "ID.jsonl"
    head, *_, end = [json.loads(line) for line in READINGS["record"].splitlines()]
    told, exported = [], []
    for _ in range(40):
        lines = [head]
        for t in range(1_000_000, 1_000_000 + 1000 * numbers.randrange(2, 16), 1000):
            action = numbers.choice(["stroke"] * 3 + ["undo"] * 3 + ["redo", "clear"])
            stroke = {"stroke": {"device": 0, "pen": "ink", "samples": [[t, 100, 200]]}}
            lines.append(stroke if action == "stroke" else {"action": action, "t": t})
        path.write_bytes(b"".join(map(flows.line, [*lines, end])))
        strokes = check({"record": path.read_bytes()}, report=True)["record"]["strokes"]
        assert all(each["counts"] == (each["removedAt"] is None) for each in strokes)
        told.append([each["t"]["0"] for each in strokes if each["counts"]])
        rows = said(PROGRAM, "export", path, "--format", "csv", "--output", "-").splitlines()[1:]
        exported.append([int(row.split(",")[1]) for row in rows if not row.startswith("0,")])
    assert told == exported


def test_names_and_texts_are_values_only(kits, peer):
    """Names that mean something to JavaScript, and texts like those of the page."""
    lines = [json.loads(line) for line in READINGS["record"].splitlines()]
    texts = {"__proto__": "1", "constructor": "2", "toString": "3", "<script>": "Genuine and unchanged"}
    lines[0]["request"] |= {"data": texts, "signer": "<img src=x onerror=alert(1)>"}
    record = b"".join(map(flows.line, lines))
    told = check({"record": record}, report=True)
    assert told["record"]["header"]["request"]["data"] == texts
    assert not any("Genuine" in json.dumps(fact) or "<" in json.dumps(fact) for fact in told["facts"])


@pytest.mark.parametrize("version", [1, 2])
def test_no_file_ends_the_core(kits, version):
    """Each of any name, cut, doubled, exchanged, or of random bytes: what it throws, Core.ask() reports."""
    kit, numbers = kits[version - 1], random.Random(SEED + version)
    names = ["ID.jsonl", "ID.seal", "ID.seal.sig", "allowed_signers", "ID.jsonl.age", "ID.pdf.age", "x", "captures/ID.pdf", "seals/ID.seal"]
    for _ in range(150):
        files = dict(kit.files)
        for kind in numbers.sample(KINDS, 2):
            data = byte_changed(files[kind], numbers)
            data = numbers.choice([
                data, data[:numbers.randrange(len(data))], data * 2, numbers.randbytes(50), b"", files[numbers.choice(KINDS)]])
            files[numbers.choice([kind, *names])] = data
        verdict = check(files)["verdict"]
        assert verdict in ("genuine", "changed", "undecided")
        # A list of signers may have more lines, a signature may be there twice, and the last newline may be missing.
        strange = [kind for kind, data in files.items() if data not in kit.files.values() and kind not in (
            "signers", "allowed_signers") and b" ecdsa-sha2-nistp256 AAAA" not in data and data.replace(kit.files["signature"].strip(), b"").strip() != b""]
        lacking = [kind for kind in ("record", "seal") if kit.files[kind] not in files.values()]
        assert verdict != "genuine" or not strange and not lacking, (strange, lacking)


def test_a_long_record_can_be_stopped(tmp_path):
    head, *_, end = READINGS["record"].splitlines()
    sample = ",".join(f"[{time},{time % 800},{time % 480}]" for time in range(0, 1_000_000, 5000))
    stroke = f'{{"stroke":{{"device":0,"pen":"ink","samples":[{sample}]}}}}'
    for lines in ([stroke] * (10_000_000 // len(stroke)), [stroke.replace(sample, ",".join([sample] * 3000))]):
        path = tmp_path / "long.jsonl"
        path.write_text("\n".join([head, *lines, end]) + "\n")
        told = core().ask("stop", path=str(path))
        assert told["error"] == "AbortError" and told["count"] >= 2, told
        told = core().ask("check", files=[{"name": "long.jsonl", "path": str(path)}], options={})
        assert told["verdict"] == "undecided" and "recordReadable" in codes(told, "ok")
