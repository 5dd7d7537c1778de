# SPDX-License-Identifier: Apache-2.0
"""What `inkpanel verify` says of the files that it is given: what they are, what lies beside them, and its last word."""

import base64
import bz2
import gzip
import json
import lzma
import os
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from sealed import NAMESPACE, PROGRAM, TOP, digest, evidence, run, said

FITS, WRONG, DAMAGED, UNCHECKED = ("FITS", 0), ("WRONG", 1), ("DAMAGED", 65), ("UNCHECKED", 1)
UNKNOWN = ("UNKNOWN", 2)


def verify(*words) -> tuple[str, tuple[str, int]]:
    """What it printed, and the last line with the exit status. The keys of the panels are known."""
    has_signers = any(str(word).startswith("--allowed-signers") for word in words)
    ended = run(PROGRAM, "verify", *([] if has_signers else [f"--allowed-signers={evidence().allowed}"]), *words)
    assert not ended.stderr, ended
    return ended.stdout, (ended.stdout.splitlines()[-1], ended.returncode)


@pytest.fixture
def folder(tmp_path) -> Path:
    """The files of a capture with a document, as a host gets them: ID.jsonl, ID.seal, ID.seal.sig, contract.pdf."""
    seal = sorted((evidence().till.store / "seals").iterdir())[1]
    data = seal.read_bytes()
    line = data[:data.index(b"\n") + 1]
    shutil.copy(evidence().till.store / "captures" / f"{json.loads(line)['id']}.jsonl", tmp_path / "ID.jsonl")
    (tmp_path / "ID.seal").write_bytes(line)
    (tmp_path / "ID.seal.sig").write_bytes(data[len(line):])
    shutil.copy(evidence().document, tmp_path / "contract.pdf")
    return tmp_path


@pytest.fixture
def clinic(tmp_path) -> Path:
    """A copy of the store with encrypted records."""
    return shutil.copytree(evidence().clinic.store, tmp_path / "store")


@pytest.mark.parametrize("named", ["ID.jsonl", "ID.seal", "ID.seal.sig"])
def test_what_lies_beside_is_checked_too(folder, named):
    text, result = verify(folder / named)
    assert result == FITS and "the record is the one that was sealed" in text and "signed by the key" in text, text
    for other in {"ID.jsonl", "ID.seal", "ID.seal.sig"} - {named}:
        assert f"{folder}/{other}: lies beside, and is checked, too" in text
    # From the folder itself, and quietly.
    assert run(PROGRAM, "verify", named, "--quiet", cwd=folder).stdout.splitlines()[-1] == "UNKNOWN"


def test_what_lies_beside_may_be_wrong(folder):
    record = folder / "ID.jsonl"
    record.write_bytes(record.read_bytes().replace(b"Bert", b"Cleo"))
    for named in ["ID.jsonl", "ID.seal"]:
        assert verify(folder / named)[1] == WRONG
    record.unlink()
    text, result = verify(folder / "ID.seal")
    assert result == WRONG and "the record of seal 2 is missing" in text
    (folder / "ID.seal.sig").unlink()
    text, result = verify(folder / "ID.seal")
    assert result == WRONG and "has no signature of the key" in text
    # A seal that was named is the one that counts.
    shutil.copy(sorted((evidence().till.store / "seals").iterdir())[0], folder / "ID.seal")
    shutil.copy(sorted((evidence().till.store / "captures").iterdir())[1], record)
    other = shutil.copy(sorted((evidence().till.store / "seals").iterdir())[1], folder / "other.seal")
    text, result = verify(record, other)
    assert result == FITS and "lies beside" not in text, text


def test_an_encrypted_record_beside_its_seal(clinic, tmp_path):
    seal = sorted((clinic / "seals").iterdir())[0]
    name = json.loads(seal.read_text().split("\n")[0])["id"]
    shutil.copy(clinic / "captures" / f"{name}.jsonl.age", tmp_path / "ID.jsonl.age")
    shutil.copy(seal, tmp_path / "ID.seal")
    for named in ["ID.jsonl.age", "ID.seal"]:
        text, result = verify(tmp_path / named)
        assert result == FITS and "the encrypted file is the one that was sealed" in text, text
        assert verify(tmp_path / named, "--identity", evidence().identity)[1] == FITS


def test_an_encrypted_record_without_a_seal_is_not_said_to_be_interrupted(clinic, tmp_path):
    seal = sorted((clinic / "seals").iterdir())[-1]
    name = json.loads(seal.read_text().split("\n")[0])["id"]
    seal.unlink()
    for words in [[clinic], [clinic / "captures" / f"{name}.jsonl.age"]]:
        text, result = verify(*words)
        assert result == WRONG and f"capture {name}: has no seal, and cannot be read here" in text, text
        assert "interrupted" not in text and "nobody accepted" not in text
    text, result = verify(clinic, "--identity", evidence().identity)
    assert result == WRONG and "has no seal: nothing shows that the panel made it" in text, text
    text, result = verify(clinic / "captures" / f"{name}.jsonl.age", "--identity", evidence().stranger)
    assert result[1] != 0 and "has no seal, and cannot be read here: no identity here opens it" in text, text


def test_a_foreign_age_file(clinic, tmp_path):
    foreign = clinic / "captures" / "20260101-000000-0123456789abcdef.jsonl.age"
    said("age", "-r", said("age-keygen", "-y", evidence().stranger).strip(), "-o", foreign, input="a diary")
    for words in [[clinic], [foreign], [clinic, "--identity", evidence().identity]]:
        text, result = verify(*words)
        assert result[1] != 0 and "has no seal, and cannot be read here" in text and "interrupted" not in text, text


def test_an_interrupted_capture_is_said_to_be_interrupted(tmp_path):
    store = shutil.copytree(evidence().till.store, tmp_path / "store")
    record = sorted((store / "captures").iterdir())[0]
    lines = record.read_text().splitlines(keepends=True)
    name = "20260101-000000-0123456789abcdef"
    (store / "captures" / f"{name}.jsonl").write_text("".join(lines[:-1]).replace(record.stem, name))
    text, result = verify(store)
    assert result == FITS and f"capture {name}: was interrupted: nobody accepted it" in text, text


FORMS = {
    "gzip": ("is compressed (gzip): unpack it with gunzip", gzip.compress),
    "bzip2": ("is compressed (bzip2)", bz2.compress), "xz": ("is compressed (xz)", lzma.compress),
    "UTF-16": ("in UTF-16", lambda data: data.decode().encode("utf-16")),
    "UTF-16BE": ("in UTF-16", lambda data: data.decode().encode("utf-16-be")),
    "UTF-16LE": ("in UTF-16", lambda data: data.decode().encode("utf-16-le")),
    "UTF-32": ("in UTF-32", lambda data: data.decode().encode("utf-32")),
    "byte order mark": ("in UTF-8 with a byte order mark", lambda data: b"\xef\xbb\xbf" + data),
    "white space": ("with white space before it", lambda data: b"\n" + data), "empty": ("is empty", lambda data: b""),
    "Base64": ("in Base64", base64.encodebytes), "Base64 in one line": ("in Base64", base64.b64encode),
    "hexadecimal": ("in hexadecimal", lambda data: data.hex().encode()),
    "line ends": ("with the line ends of Windows", lambda data: data.replace(b"\n", b"\r\n")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["ID.jsonl", "ID.seal", "ID.seal.sig"])
def test_another_form_of_a_file_is_named(folder, name, form):
    words, change = FORMS[form]
    path = folder / name
    path.write_bytes(change(path.read_bytes()))
    what = {"ID.jsonl": "a record", "ID.seal": "a seal", "ID.seal.sig": "a signature"}[name]
    for named in [path, path.rename(folder / "strange.bin")]:
        if not named.exists():
            named = folder / "strange.bin"
        text, result = verify(named)
        assert result == DAMAGED and words in text and "no seal names this document" not in text, text
        assert what in text or not words.startswith(("in ", "with ")), text


@pytest.mark.parametrize("name", ["ID.jsonl", "ID.seal"])
@pytest.mark.parametrize("words, change", [
    ("with white space in it", lambda text: "".join(
        json.dumps(json.loads(line), indent=2) + "\n" for line in text.splitlines())),
    ("with white space in it", lambda text: "".join(json.dumps(json.loads(line)) + "\n" for line in text.splitlines())),
    ("in quotes", json.dumps),
])
def test_other_json_of_a_file_is_named(folder, name, words, change):
    path = folder / name
    path.write_text(change(path.read_text()))
    for named in [path, path.rename(folder / "strange.bin")]:
        text, result = verify(named if named.exists() else folder / "strange.bin")
        assert result == DAMAGED and words in text and "no seal names this document" not in text, text


@pytest.mark.parametrize("change", [
    gzip.compress, lambda data: data.replace(b"\n", b"\r\n"), lambda data: data[:200], lambda data: data[:-20],
    lambda data: data.decode().encode("utf-16"),
])
def test_a_record_that_cannot_be_read_belongs_to_the_seal_of_its_name(folder, change):
    record = folder / "ID.jsonl"
    record.write_bytes(change(record.read_bytes()))
    for named in ["ID.jsonl", "ID.seal"]:
        text, result = verify(folder / named)
        assert result in (WRONG, DAMAGED) and "of seal 2 is missing" not in text and "has no seal" not in text, text


def test_a_changed_encrypted_record_belongs_to_the_seal_of_its_name(clinic, tmp_path):
    seal = sorted((clinic / "seals").iterdir())[0]
    name = json.loads(seal.read_text().split("\n")[0])["id"]
    data = (clinic / "captures" / f"{name}.jsonl.age").read_bytes()
    (tmp_path / "ID.jsonl.age").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    shutil.copy(seal, tmp_path / "ID.seal")
    text, result = verify(tmp_path / "ID.seal")
    assert result == WRONG and "the encrypted file has changed" in text, text
    assert "is missing" not in text and "has no seal" not in text


def test_a_record_may_have_any_name_but_that_of_another_capture(folder):
    (folder / "ID.seal").unlink()
    for name, is_other in [("a contract.jsonl", False), ("20260101-000000-0123456789abcdef.jsonl", True)]:
        text, result = verify(shutil.copy(folder / "ID.jsonl", folder / name))
        assert result == WRONG and "has no seal" in text and ("the record is of capture" in text) == is_other, text


@pytest.mark.parametrize("cut", [50, 22])
def test_a_damaged_seal_and_a_cut_encrypted_record_are_damaged(clinic, cut, tmp_path):
    seal = sorted((clinic / "seals").iterdir())[0]
    name = json.loads(seal.read_text().split("\n")[0])["id"]
    data = seal.read_bytes()
    seal.write_bytes(data[:cut])
    text, result = verify(clinic)
    assert result == DAMAGED and f"capture {name}: its seal is damaged" in text and f"{name}: has no seal" not in text
    seal.unlink()
    record = clinic / "captures" / f"{name}.jsonl.age"
    record.write_bytes(record.read_bytes()[:cut])
    for named in [clinic, record]:
        text, result = verify(named)
        assert result == DAMAGED and "its header is cut" in text and f"{name}: not checked" not in text, text


def two_captures(folder: Path) -> None:
    """A.jsonl, A.seal, A.seal.sig, and B's."""
    for name, seal in zip("AB", sorted((evidence().till.store / "seals").iterdir()), strict=False):
        data = seal.read_bytes()
        line = data[:data.index(b"\n") + 1]
        shutil.copy(evidence().till.store / "captures" / f"{json.loads(line)['id']}.jsonl", folder / f"{name}.jsonl")
        (folder / f"{name}.seal").write_bytes(line)
        (folder / f"{name}.seal.sig").write_bytes(data[len(line):])


def test_what_lies_beside_is_sought_for_each_file(tmp_path):
    two_captures(tmp_path)
    for named in [["A.jsonl", "A.seal", "B.jsonl"], ["A.jsonl", "B.jsonl"], ["A.seal", "A.seal.sig", "B.seal"],
                  ["A.seal.sig", "B.seal.sig"]]:
        text, result = verify(*(tmp_path / name for name in named))
        assert result == FITS and text.count("the record is the one that was sealed") == 2, text
    # A record that is presented with the seal of another does not get its own.
    text, result = verify(tmp_path / "A.seal", tmp_path / "B.jsonl")
    assert result == WRONG and "has no seal" in text and "of seal 1 is missing" in text, text
    # The panel's own file has its signature inside, which is that of A only.
    (tmp_path / "A.seal").write_bytes((tmp_path / "A.seal").read_bytes() + (tmp_path / "A.seal.sig").read_bytes())
    text, result = verify(tmp_path / "A.jsonl", tmp_path / "B.jsonl")
    assert result == FITS and text.count("the record is the one that was sealed") == 2, text


def test_further_seals_are_the_chain_of_a_record(folder, tmp_path):
    """Whoever gets one record may get the whole chain with it, which has nobody's data."""
    seals = sorted((evidence().till.store / "seals").iterdir())
    others = [shutil.copy(path, tmp_path) for path in seals if path != seals[1]]
    words = ["--allowed-signers", evidence().allowed, folder / "ID.jsonl", folder / "ID.seal", *others]
    text, result = verify(*words)
    assert result == FITS and "not checked: the record of seal 1, a further one of the chain" in text, text
    text, result = verify(*words, "--head", f"{evidence().head['n']}:{evidence().head['digest']}")
    assert result == FITS and "seal 6: is the one that its holder kept" in text, text
    # The panel's file of the same seal is no other seal.
    copy = Path(shutil.copy(seals[1], tmp_path))
    assert verify(*words, copy)[1] == FITS
    copy.unlink()
    theirs = run(sys.executable, TOP / "docs/examples/verify.py", *words[2:4], folder / "ID.seal.sig", words[1], *seals)
    assert theirs.stdout.endswith("FITS\n"), theirs.stdout
    # A chain alone has no record. A hole is for its holder to judge, unless it is in a panel's directory.
    assert verify(*words[:2], *others)[1] == WRONG
    Path(others[0]).unlink()
    text, result = verify(*words[:4], *others[1:-2], others[-1])
    assert result == FITS and "seal 5 is not here, so nothing shows that it follows seal 4" in text, text


def test_two_records_of_one_panel_fit_together(folder, tmp_path):
    """Their seals are no neighbours."""
    last = sorted((evidence().till.store / "seals").iterdir())[-1]
    other = tmp_path / "other"
    other.mkdir()
    name = json.loads(last.read_bytes().split(b"\n")[0])["id"]
    record = evidence().till.store / "captures" / f"{name}.jsonl"
    text, result = verify(folder / "ID.jsonl", folder / "ID.seal", shutil.copy(record, other), shutil.copy(last, other))
    assert result == FITS and text.count("the record is the one that was sealed") == 2, text
    assert "seals 3 to 5 are not here" in text, text


def test_a_key_that_nobody_knows_has_a_word_of_its_own(folder, tmp_path):
    """Anybody can make a key, and all of it fits."""
    other = tmp_path / "signers"
    other.write_text(evidence().allowed.read_text().splitlines()[1] + "\n")
    for words in ([], ["--allowed-signers", other], ["--allowed-signers", evidence().allowed, "--principal", "nobody"]):
        ended = run(PROGRAM, "verify", *words, folder / "ID.jsonl")
        assert (ended.stdout.splitlines()[-1], ended.returncode) == UNKNOWN, ended.stdout
        assert "UNKNOWN  " in ended.stdout and "Nobody here knows whose key it is" in ended.stdout
    files = [folder / name for name in ("ID.jsonl", "ID.seal", "ID.seal.sig")]
    for words in ([*files, other], ["-I", "nobody", *files, evidence().allowed]):
        ended = run(sys.executable, TOP / "docs/examples/verify.py", *words)
        assert (ended.stdout.splitlines()[-1], ended.returncode) == UNKNOWN, ended.stdout
    # What is wrong besides comes first.
    files[0].write_bytes(files[0].read_bytes().replace(b"Bert", b"Cleo"))
    assert run(PROGRAM, "verify", files[0]).returncode == 1
    assert run(sys.executable, TOP / "docs/examples/verify.py", *files, other).returncode == 1


def test_what_an_archive_has_for_people_is_not_evidence(folder):
    picture = b"\x89PNG\r\n\x1a\n"
    for name, content in {
            "README.txt": b"Evidence of the capture x\n", "signature.png": picture, "signature-2.png": picture,
            "verify.html": b"<!DOCTYPE html><!-- made by tools/build-verifier -->"}.items():
        (folder / name).write_bytes(content)
    shutil.copy(evidence().allowed, folder)
    words = ["--allowed-signers", folder / "allowed_signers"]
    text, result = verify(*words, *sorted(folder.iterdir()))
    assert result == FITS and text.count("an archive of evidence has it for people") == 5, text
    # They do not stand for the document, and another file does.
    (folder / "contract.pdf").rename(folder / "other.png")
    assert verify(*words, *sorted(folder.iterdir()))[1] == FITS
    (folder / "other.png").write_bytes(b"another")
    text, result = verify(*words, *sorted(folder.iterdir()))
    assert result == WRONG and "the document has changed" in text, text


def test_the_panels_own_names_are_found(tmp_path):
    store = shutil.copytree(evidence().till.store, tmp_path / "store")
    seal = sorted((store / "seals").iterdir())[1]
    record = store / "captures" / f"{json.loads(seal.read_text().split(chr(10))[0])['id']}.jsonl"
    for named, other in [(record, store / "captures/../seals" / seal.name), (seal, store / "seals/../captures" / record.name)]:
        text, result = verify(named)
        assert result == FITS and f"{other}: lies beside" in text, text
    shutil.copy(seal, tmp_path)
    text, result = verify(shutil.copy(record, tmp_path))
    assert result == FITS and f"{tmp_path / seal.name}: lies beside" in text, text
    # From within the folder.
    assert run(PROGRAM, "verify", record.name, cwd=store / "captures").returncode == 2


@pytest.mark.parametrize("change", ["docx", "identity", "signers", "mail", "gzip"])
def test_a_changed_document_has_changed_whatever_its_form(folder, change):
    document = folder / "contract.pdf"
    if change == "docx":
        with zipfile.ZipFile(document, "w") as archive:
            archive.writestr("word/document.xml", "<another/>")
    else:
        document.write_bytes({
            "identity": b"Keep AGE-SECRET-KEY-1QQQ safe.\n",
            "signers": b"Add this: p@x " + evidence().allowed.read_bytes().split(b" ", 1)[1],
            "mail": b"Dear court,\n-----BEGIN AGE ENCRYPTED FILE-----\n", "gzip": gzip.compress(b"x")}[change])
    text, result = verify(folder / "ID.jsonl", document)
    assert result == WRONG and "the document has changed since it was sealed, or is another one" in text, text
    assert {"docx": "is compressed (zip)", "mail": "after other text", "gzip": "(gzip)"}.get(change, "") in text
    assert "is an identity" not in text and "is a file of allowed" not in text
    text, result = verify(evidence().other.store, document)
    assert result == WRONG and "no seal names this document" in text, text


@pytest.mark.parametrize("text", [
    b'manual: {"format":"inkpanel-seal"} ' + b"x" * 20_000, b'x "format":"inkpanel-capture" y',
    b'{"manual":\n{"format":"inkpanel-seal"}}' + b" " * 20_000,
])
def test_a_document_may_quote_evidence(folder, text):
    document = folder / "contract.pdf"
    document.write_bytes(text)
    said_there, result = verify(folder / "ID.jsonl", document)
    assert result == WRONG and "the document has changed" in said_there, said_there


def test_a_seal_that_is_too_long_is_a_finding(folder, tmp_path):
    (folder / "ID.seal").write_bytes(b'{"format":"inkpanel-seal"' + b" " * 20_000)
    text, result = verify(folder / "ID.jsonl")
    assert result == DAMAGED and "ID.seal" in text and "has more than 16384 bytes" in text, text
    store = shutil.copytree(evidence().till.store, tmp_path / "store")
    sorted((store / "seals").iterdir())[0].write_bytes(b"x" * 20_000)
    assert verify(store)[1] == DAMAGED


def signed(folder: Path, line: bytes) -> bytes:
    """The panel's own signature."""
    key = shutil.copy(evidence().till.store / "key.pem", folder / "key")
    key.chmod(0o600)
    key.with_suffix(".pub").write_text(said("ssh-keygen", "-y", "-f", key))
    (folder / "line").write_bytes(line)
    (folder / "line.sig").unlink(missing_ok=True)
    said("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, folder / "line")
    return (folder / "line.sig").read_bytes()


def countersign(folder: Path, document: Path, tmp_path: Path) -> None:
    """Makes ID.* a capture whose document is any file."""
    before, after = (digest(path.read_bytes()) for path in (evidence().document, document))
    record = (folder / "ID.jsonl").read_bytes()
    changed = record.replace(before.encode(), after.encode())
    assert changed != record
    line = (folder / "ID.seal").read_bytes()
    line = line.replace(before.encode(), after.encode()).replace(digest(record).encode(), digest(changed).encode())
    (folder / "ID.jsonl").write_bytes(changed)
    (folder / "ID.seal").write_bytes(line)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (folder / "ID.seal.sig").write_bytes(signed(scratch, line))


@pytest.mark.parametrize("kind", ["record", "seal", "own seal", "signature", "age", "armour", "identity", "other panel"])
def test_evidence_may_be_signed_again(folder, tmp_path, kind):
    other = tmp_path / "other"
    other.mkdir()
    two_captures(other)
    clinic, store = evidence().clinic.store, evidence().other.store
    document = {
        "record": other / "A.jsonl", "seal": other / "A.seal", "signature": other / "A.seal.sig",
        "own seal": sorted((evidence().till.store / "seals").iterdir())[0], "identity": evidence().identity,
        "age": next((clinic / "captures").iterdir()), "armour": other / "A.txt",
        "other panel": next((store / "captures").iterdir())}[kind]
    (other / "A.txt").write_text(said("age", "-a", "-r", said("age-keygen", "-y", evidence().stranger).strip(),
                                      input="a diary"))
    countersign(folder, document, tmp_path)
    text, result = verify(folder / "ID.jsonl", document)
    assert result == FITS and "the document is the one that was sealed" in text, text
    text, result = verify(document, folder / "ID.jsonl", folder / "ID.seal", folder / "ID.seal.sig")
    assert result == FITS, text
    twin = [sys.executable, TOP / "docs/examples/verify.py", *(folder / name for name in ("ID.jsonl", "ID.seal", "ID.seal.sig")),
            evidence().allowed]
    ended = run(*twin, document)
    assert ended.returncode == 0 and "the document" in ended.stdout, ended.stdout
    # Evidence of its own capture, too.
    if kind in ("record", "seal"):
        text, result = verify(folder / "ID.jsonl", *(other / name for name in ("A.jsonl", "A.seal")))
        assert result == FITS and text.count("the record is the one that was sealed") == 2, text
    changed = shutil.copy(document, tmp_path / f"changed{document.suffix}")
    changed.write_bytes(changed.read_bytes() + b"x")
    assert verify(folder / "ID.jsonl", changed)[1][1] != 0


def test_each_signature_of_a_seal_counts(folder, tmp_path):
    """One that fits hides none that does not; a .sig with two is read as the panel's file is."""
    seal, armour = folder / "ID.seal", (folder / "ID.seal.sig").read_bytes()
    line = seal.read_bytes()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    other, again = signed(scratch, b"other\n"), signed(scratch, line)
    words = [folder / "ID.jsonl", f"--allowed-signers={evidence().allowed}"]
    for signatures, fits in [
            (armour, True), (armour + again, True), (armour + other, False), (other + armour, False), (other, False),
            (armour * 3, False), (b"", False)]:
        for path in (seal, folder / "ID.seal.sig"):
            seal.write_bytes(line)
            path.write_bytes((line if path == seal else b"") + signatures)
            named = [seal] if path == seal else [seal, path]
            if not signatures and path == seal:
                continue
            text, result = verify(*words, *named)
            assert (result == FITS) == fits, (signatures, text)
            twin = run(sys.executable, TOP / "docs/examples/verify.py", folder / "ID.jsonl", seal, path, evidence().allowed)
            assert (twin.returncode == 0) == fits, (signatures, twin.stdout)
            if path == seal:
                (folder / "ID.seal.sig").unlink(missing_ok=True)


@pytest.mark.parametrize("change, fits", [
    (lambda data: data.removesuffix(b"\n"), True), (lambda data: data.replace(b"\n", b"\r\n"), False),
    (lambda data: data + b"\n", False), (lambda data: b"\xef\xbb\xbf" + data, False),
])
def test_forms_of_a_signature_are_those_of_ssh_keygen(folder, change, fits):
    seal, signature = folder / "ID.seal", folder / "ID.seal.sig"
    signature.write_bytes(change(signature.read_bytes()))
    with seal.open("rb") as line:
        judge = run("ssh-keygen", "-Y", "verify", "-f", evidence().allowed, "-I", "till@example.org", "-n", NAMESPACE, "-s",
                    signature, stdin=line, env=os.environ | {"TZ": "UTC"})
    assert judge.returncode == 0 or not fits
    assert (verify(folder / "ID.jsonl", f"--allowed-signers={evidence().allowed}")[1] == FITS) == fits
    twin = run(sys.executable, TOP / "docs/examples/verify.py", folder / "ID.jsonl", seal, signature, evidence().allowed)
    assert (twin.returncode == 0) == fits, twin.stdout


def test_other_files_are_named(folder, clinic, tmp_path):
    armoured = tmp_path / "record.txt"
    said("age", "-a", "-r", said("age-keygen", "-y", evidence().identity).strip(), "-o", armoured, folder / "ID.jsonl")
    with zipfile.ZipFile(tmp_path / "evidence.zip", "w") as archive:
        archive.write(folder / "ID.jsonl", "ID.jsonl")
    for path, words in [
            (armoured, "is an armoured age file"), (tmp_path / "evidence.zip", "is compressed (zip)"),
            (evidence().identity, "is an identity of age: give it with --identity"),
            (evidence().allowed, "is a file of allowed signers: give it with --allowed-signers")]:
        text, result = verify(path)
        assert result == DAMAGED and f"{path}: {words}" in text, text


def test_a_document_may_have_any_form(tmp_path):
    """What a seal names is a document, whatever it looks like, and so is what is named beside such a seal."""
    seal = sorted((evidence().till.store / "seals").iterdir())[1]
    assert verify(evidence().till.store, evidence().document)[1] == FITS
    strange = tmp_path / "strange"
    strange.write_bytes(gzip.compress(b"a contract"))
    text, result = verify(evidence().till.store, strange)
    assert result == WRONG and "the document has changed" in text and "is compressed (gzip)" in text, text
    strange.write_bytes(sorted((evidence().till.store / "captures").iterdir())[0].read_bytes().decode().encode("utf-16"))
    text, result = verify(evidence().till.store, strange)
    assert result == DAMAGED and "the document has changed" not in text, text
    strange.write_bytes(b"%PDF-1.7 another contract")
    text, result = verify(evidence().till.store, strange)
    assert result == WRONG and "the document has changed since it was sealed, or is another one" in text
    assert json.loads(seal.read_text().split("\n")[0])["document"]


def test_a_link_is_named_and_followed(folder, tmp_path):
    links = tmp_path / "links"
    links.mkdir()
    (links / "record").symlink_to(folder / "ID.jsonl")
    (links / "store").symlink_to(evidence().till.store)
    text, result = verify(links / "record", folder / "ID.seal")
    assert result == FITS and f"{links}/record: is a link; {folder}/ID.jsonl is checked" in text, text
    text, result = verify(links / "store")
    assert result == FITS and "store: is a link; " in text
    (links / "lost").symlink_to(tmp_path / "nowhere")
    assert run(PROGRAM, "verify", links / "lost").returncode == 66


def test_a_signature_alone_and_nothing_at_all(folder, tmp_path):
    (folder / "ID.seal").unlink()
    text, result = verify(folder / "ID.seal.sig")
    assert result == WRONG and "is a signature, but its seal is missing" in text, text
    for name in ("captures", "seals"):
        (tmp_path / "store" / name).mkdir(parents=True)
    text, result = verify(tmp_path / "store")
    assert result == UNCHECKED and "All 0 facts" in text
    assert verify(folder / "ID.jsonl")[1] == WRONG
    assert verify(evidence().till.store)[1] == FITS


def test_unusable_lines_of_allowed_signers_are_named(folder):
    signers = folder / "signers"
    line = evidence().allowed.read_text().splitlines()[0]
    name, _, rest = line.partition(" ")
    key = " ".join(rest.split()[1:])
    signers.write_text(f"{name} cert-authority {key}\n{name} nonsense\n{line}\n")
    text, result = verify(folder / "ID.jsonl", "--allowed-signers", signers)
    assert result == FITS and f" of {name}" in text, text
    assert "allowed signers: line 1 allows nobody: certificate authorities" in text and "line 2 allows nobody" in text
    assert verify(folder / "ID.jsonl", "--allowed-signers", signers, "--principal", name)[1] == FITS
    text, result = verify(folder / "ID.jsonl", "--allowed-signers", signers, "--principal", "other")
    assert result == UNKNOWN and "is not among the allowed signers named other" in text
    assert run(PROGRAM, "verify", folder / "ID.jsonl", "--principal", name).returncode == 64
