# SPDX-License-Identifier: Apache-2.0
"""No name, folder or ending exempts contents: beside a genuine record, any other file keeps all three from genuine."""

import json
import os
import random
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import flows
import pytest
from conftest import SEED
from test_readings import READINGS
from verdicts import GENUINE, NOT_GENUINE, Case, core, judge

CONTRACT = flows.document()
NAMES = [
    "contract.pdf", "captures/contract.pdf", "seals/contract.pdf", "contract.pdf.age", "contract.jsonl.age", "contract.age",
    "contract.signers", "contract.allowed_signers", "other/allowed_signers", "signers", "contract.txt", "contract", "key.txt",
    "key.pub", "README.txt", "signature.png", "signature-2.png", "verify.html", "x.jsonl", "x.seal", "photo.jpg",
    "captures/ID.pdf", "captures/ID.pdf.age", "ID.pdf.age"]
PNG = b"\x89PNG\r\n\x1a\n"
COMPANIONS = {
    "README.txt": b"Evidence of the capture ID\n\n    ID.jsonl  the record\n", "signature.png": PNG + b"x", "signature-2.png": PNG,
    "verify.html": b"<!DOCTYPE html>\n<!-- made by tools/build-verifier -->"}


@dataclass
class Sealer:
    """A key, and what it seals."""

    folder: Path

    def __post_init__(self):
        self.folder.mkdir()
        subprocess.run(["ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-C", "", "-f", self.folder / "key"], check=True)
        public = (self.folder / "key.pub").read_text()
        self.key = subprocess.run(["ssh-keygen", "-lf", self.folder / "key"], capture_output=True, text=True).stdout.split()[1]
        self.line = f'{self.folder.name}@example.org namespaces="inkpanel-seal" {public}'

    def seal(self, record: bytes, **members) -> list[Path]:
        """The files of a capture; `members` of the seal that are otherwise."""
        header = json.loads(record.split(b"\n", 1)[0])
        seal = {"format": "inkpanel-seal", "version": 1, "n": 1, "previous": "0" * 64, "key": self.key, "program": "test 1",
                "at": 1_773_500_972_018_220, "clock": {"synchronized": False, "maximumError": 0}, "id": header["id"],
                "record": flows.digest(record), "startedAt": header["startedAt"]}
        document = header["request"].get("document", {}).get("sha256")
        seal |= {"document": document} if document else {}
        paths = [self.folder / f"{header['id']}{ending}" for ending in (".jsonl", ".seal", ".seal.sig")]
        paths[0].write_bytes(record)
        paths[1].write_bytes(flows.line(seal | members))
        paths[2].unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", "inkpanel-seal", "-f", self.folder / "key", paths[1]],
                       capture_output=True, check=True)
        return paths


def record(**members) -> bytes:
    lines = [json.loads(line) for line in READINGS["record"].splitlines()]
    lines[0] |= members
    for name in ("sequence", "askedBy"):
        lines[0].pop(name, None)
    return b"".join(map(flows.line, lines))


@pytest.fixture
def panel(tmp_path) -> Sealer:
    return Sealer(tmp_path / "till")


def compare(paths: list[Path], signers: str, folder: Path, watch) -> str:
    """The verdict of all three."""
    folder.mkdir(parents=True)
    (folder / "allowed").write_text(signers)
    ended = subprocess.run(
        [os.environ["INKPANEL"], "verify", "--allowed-signers", folder / "allowed", *paths], capture_output=True, text=True)
    row = judge(Case(paths, folder / "allowed"), ended.returncode, ended.stdout, folder)
    watch.add(row)
    return row.verdicts[0]


def page(files: dict[str, bytes], **more) -> dict:
    given = [{"name": name, "data": core().encoded(data)} for name, data in files.items()]
    return core().ask("page", **{"files": given, "identity": "", "confirmed": [], **more})


def dropped(paths: list[Path], signers: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in paths} | {"allowed_signers": signers.encode()}


def contents(panel: Sealer, numbers: random.Random) -> list[bytes]:
    key = panel.line.split(" ", 2)[2].strip()
    return [
        CONTRACT, CONTRACT.replace(b"400", b"900"), PNG + CONTRACT, numbers.randbytes(200), b"You owe 900.\n",
        b"#" + CONTRACT, b"age-encryption.org/v1\n-> X25519 x\n", f"x {key}\n# You owe 900.\n".encode().replace(b"#", b"You"),
        f"x {key}\rYou owe 900.\r".encode(), b"AGE-SECRET-KEY-1 You owe 900.\n", b"# You owe 900.\nAGE-SECRET-KEY-1X\n"]


def test_no_name_exempts_contents_on_the_page(panel):
    numbers = random.Random(SEED)
    paths = panel.seal(record())
    files = dropped(paths, panel.line)
    assert page(files)["verdict"] == "genuine"
    for name in NAMES:
        for data in contents(panel, numbers):
            # A list of keys by its name: the lines that allow nobody are told.
            if name.rpartition("/")[2] in ("allowed_signers", "signers") and b"AAAA" in data:
                continue
            told = page({**files, name.replace("ID", paths[0].stem): data})
            assert told["verdict"] != "genuine", (name, data[:40], told)
    key = panel.line.split(" ", 2)[2].strip()
    # Comments are for lists only.
    for name in ("contract.txt", "contract.signers", "contract"):
        assert page({**files, name: f"x {key}\n# You owe 900.\n".encode()})["verdict"] == "undecided"


def test_what_an_archive_has_for_people_is_named_and_not_checked(panel):
    files = dropped(panel.seal(record()), panel.line)
    told = page({**files, **COMPANIONS})
    assert told["verdict"] == "genuine"
    assert {fact["about"] for fact in told["facts"] if fact["code"] == "companion"} == set(COMPANIONS)
    for name, data in COMPANIONS.items():
        assert page({**files, f"x{name}": data})["verdict"] == "undecided"


def test_an_archive_has_the_verdict_of_its_files(panel, tmp_path):
    """But for its list of keys, which proves nothing."""
    paths = panel.seal(record())
    files = dropped(paths, panel.line)
    for extra, verdict in (({}, "genuine"), ({"captures/contract.pdf": CONTRACT}, "undecided")):
        with zipfile.ZipFile(tmp_path / "evidence.zip", "w") as archive:
            for name, data in {**files, **extra}.items():
                archive.writestr(name, data)
        data = (tmp_path / "evidence.zip").read_bytes()
        assert page({"evidence.zip": data})["verdict"] == "undecided"
        assert page({"evidence.zip": data, "allowed_signers": files["allowed_signers"]})["verdict"] == verdict
        assert page({"evidence.zip": data}, confirmed=[panel.key])["verdict"] == verdict


def test_an_identity_is_no_evidence_and_hides_none(panel):
    files = dropped(panel.seal(record()), panel.line)
    identity = subprocess.run(["age-keygen"], capture_output=True, check=True).stdout
    assert page({**files, "key.txt": identity})["verdict"] == "genuine"
    assert page({**files, "key.txt": identity + b"# You owe 900.\n"})["verdict"] == "undecided"


@pytest.mark.parametrize("name", NAMES)
def test_no_name_exempts_contents_for_any_of_the_three(panel, tmp_path, watch, name):
    paths = panel.seal(record())
    for number, data in enumerate((CONTRACT, random.Random(SEED).randbytes(200))):
        extra = tmp_path / f"{number}" / name.replace("ID", paths[0].stem)
        extra.parent.mkdir(parents=True)
        extra.write_bytes(data)
        assert compare([*paths, extra], panel.line, tmp_path / "scratch" / f"{number}", watch) == NOT_GENUINE


def test_a_store_with_a_document_of_no_record_is_not_genuine(panel, tmp_path, watch):
    path, seal, signature = panel.seal(record())
    store = tmp_path / "store"
    (store / "captures").mkdir(parents=True)
    (store / "seals").mkdir()
    (store / "captures" / path.name).write_bytes(path.read_bytes())
    (store / "seals" / f"0000000001-{seal.name}").write_bytes(seal.read_bytes() + signature.read_bytes())
    assert compare([store], panel.line, tmp_path / "1", watch) == GENUINE
    for name in ("contract.pdf", "contract.pdf.age"):
        (store / "captures" / name).write_bytes(CONTRACT)
        assert compare([store], panel.line, tmp_path / name, watch) == NOT_GENUINE
        (store / "captures" / name).unlink()


def test_records_of_two_panels_have_two_chains(panel, tmp_path, watch):
    other = Sealer(tmp_path / "desk")
    paths = panel.seal(record()) + other.seal(record(id="20260314-150926-0000000000000002"))
    signers = panel.line + other.line
    assert compare(paths, signers, tmp_path / "both", watch) == GENUINE
    assert compare(paths, panel.line, tmp_path / "one", watch) == NOT_GENUINE
    told = page(dropped(paths, panel.line))
    assert told["verdict"] == "undecided" and told["needed"] == ["key"]


@pytest.mark.parametrize("members", [
    {"at": -1}, {"at": -1_000_001}, {"key": "SHA256:Genuine and unchanged"}, {"key": "SHA256:" + "A" * 44}])
def test_free_texts_and_times_before_1970_are_no_seal(panel, tmp_path, watch, members):
    assert compare(panel.seal(record(), **members), panel.line, tmp_path / "scratch", watch) == NOT_GENUINE


def test_a_digest_of_the_page_is_no_free_text(panel, tmp_path, watch):
    lines = [json.loads(line) for line in record().splitlines()]
    shown = {"page": "Genuine and unchanged", "signed": "a" * 64, "from": 0, "until": 1, "fonts": []}
    lines[-1]["end"]["shown"] = shown
    paths = panel.seal(b"".join(map(flows.line, lines)), shown=["b" * 64, "a" * 64])
    assert compare(paths, panel.line, tmp_path / "scratch", watch) == NOT_GENUINE
    assert "recordReadable" in {fact["code"] for fact in page(dropped(paths, panel.line))["facts"] if fact["state"] == "wrong"}


def test_a_signature_that_came_with_a_document_is_none_of_the_panel(panel):
    """It names a record, and is broken: the record beside it is as good as before."""
    form = CONTRACT.replace(b"/Type /Catalog", b"/AcroForm << /Fields [ 90 0 R ] >> /Type /Catalog")
    start = form.index(b"\nxref\n") + 1
    parts, table = form[:start], [b"<< /FT /Sig /T (Old) /V 91 0 R >>", b"<< /Type /Sig /SubFilter /adbe.pkcs7.detached /INKP_Record (x)"
                                  b" /Contents <00> /ByteRange [0 1 2 3] >>"]
    for number, text in enumerate(table, 90):
        parts += b"%d 0 obj\n%s\nendobj\n" % (number, text)
    offsets = [parts.index(b"\n%d 0 obj" % number) + 1 for number in (90, 91)]
    others = [number for number in range(1, 60) if b"\n%d 0 obj" % number in parts]
    xref = b"xref\n0 1\n0000000000 65535 f \n" + b"".join(
        b"%d 1\n%010d 00000 n \n" % (number, parts.index(b"\n%d 0 obj" % number) + 1) for number in others)
    xref += b"90 2\n" + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    document = parts + xref + b"trailer\n<< /Size 92 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(parts)
    header = json.loads(record().split(b"\n", 1)[0])["request"]
    paths = panel.seal(record(request={**header, "document": {"sha256": flows.digest(document)}}))
    told = page({**dropped(paths, panel.line), "contract.pdf": document})
    assert told["verdict"] == "genuine" and "pdfOtherSignature" in {fact["code"] for fact in told["facts"]}, told
