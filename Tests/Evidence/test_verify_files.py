# SPDX-License-Identifier: Apache-2.0
"""What `inkpanel verify` says of the files that it is given: what they are, what lies beside them, and its last word."""

import bz2
import gzip
import json
import lzma
import shutil
import zipfile
from pathlib import Path

import pytest
from sealed import PROGRAM, evidence, run, said

FITS, WRONG, DAMAGED, UNCHECKED = ("FITS", 0), ("WRONG", 1), ("DAMAGED", 65), ("UNCHECKED", 1)


def verify(*words) -> tuple[str, tuple[str, int]]:
    """What it printed, and the last line with the exit status."""
    ended = run(PROGRAM, "verify", *words)
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
    assert run(PROGRAM, "verify", named, "--quiet", cwd=folder).stdout.splitlines()[-1] == "FITS"


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


def test_other_files_are_named(folder, clinic, tmp_path):
    armoured = tmp_path / "record.txt"
    said("age", "-a", "-r", said("age-keygen", "-y", evidence().identity).strip(), "-o", armoured, folder / "ID.jsonl")
    with zipfile.ZipFile(tmp_path / "evidence.zip", "w") as archive:
        archive.write(folder / "ID.jsonl", "ID.jsonl")
    (tmp_path / "empty-folder").mkdir()
    for path, words in [
            (armoured, "is an armoured age file"), (tmp_path / "evidence.zip", "is compressed (zip)"),
            (evidence().identity, "is an identity of age: give it with --identity"),
            (evidence().allowed, "is a file of allowed signers: give it with --allowed-signers"),
            (tmp_path / "empty-folder", "is a folder, but not a panel's")]:
        text, result = verify(path)
        assert result == DAMAGED and f"{path}: {words}" in text, text


def test_a_document_may_have_any_form(tmp_path):
    """What a seal names is a document, whatever it looks like; another file does not stand in for it."""
    seal = sorted((evidence().till.store / "seals").iterdir())[1]
    assert verify(evidence().till.store, evidence().document)[1] == FITS
    strange = tmp_path / "strange"
    strange.write_bytes(gzip.compress(b"a contract"))
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
    assert result == WRONG and "is not among the allowed signers named other" in text
    assert run(PROGRAM, "verify", folder / "ID.jsonl", "--principal", name).returncode == 64
