# SPDX-License-Identifier: Apache-2.0
"""What people drop on verify.html: whole folders, archives and documents of other programs, keys of age."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import flows
import pytest
from flows import digest
from sealed import evidence
from test_exemptions import Sealer, compare, dropped, page, panel, record  # noqa: F401, a fixture
from verdicts import GENUINE, NOT_GENUINE, VERIFY

APPLE_DOUBLE = b"\0\x05\x16\x07\0\x02\0\0Mac OS X        " + bytes(40)


def archive(files: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", kind) as packed:
        for name, contents in files.items():
            packed.writestr(name, contents)
    return data.getvalue()


def codes(told: dict) -> set[str]:
    return {fact["code"] for fact in told["facts"]}


def tree(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {f"{folder.name}/{path.relative_to(folder)}": path.read_bytes() for path in paths}


def test_a_whole_directory_of_a_panel_is_genuine():
    files = tree(evidence().till.store) | {"allowed_signers": evidence().allowed.read_bytes()}
    assert {name.rpartition("/")[2] for name in files} >= {"scatter.jsonl", "key.pem", "certificate.pem"}
    told = page(files)
    assert told["verdict"] == "genuine", told
    # What it has for itself is told.
    own = {fact["about"] for fact in told["facts"] if fact["code"] == "companion"}
    assert own >= {"store/scatter.jsonl", "store/key.pem"}
    # Also when all captures were removed.
    told = page({name: data for name, data in files.items() if "/captures/" not in name})
    assert "recordReadable" not in codes(told) and told["verdict"] == "undecided"
    # In another place it is a file like any other, and what else lies there is, too.
    assert page(files | {"scatter.jsonl": files["store/scatter.jsonl"]})["verdict"] != "genuine"
    for name in ("store/contract.pdf", "store/more/scatter.jsonl", "store/x.pem", "store/captures/scatter.jsonl"):
        assert page(files | {name: b"You owe 900.\n"})["verdict"] != "genuine", name


def test_what_macos_puts_beside_files_changes_nothing(panel, tmp_path, watch):
    paths = panel.seal(record())
    files = dropped(paths, panel.line)
    others = {f"__MACOSX/._{path.name}": APPLE_DOUBLE for path in paths} | {".DS_Store": b"\0\0\0\x01Bud1" + bytes(60)}
    told = page({"evidence.zip": archive({path.name: path.read_bytes() for path in paths} | others),
                 "allowed_signers": files["allowed_signers"]})
    assert told["verdict"] == "genuine", told
    assert {fact["about"] for fact in told["facts"] if fact["code"] == "companion"} == set(others)
    for name, data in others.items():
        path = tmp_path / name.rpartition("/")[2]
        path.write_bytes(data)
        assert compare([*paths, path], panel.line, tmp_path / f"scratch-{path.name}", watch) == GENUINE
        # By their contents, too. verify.py is given no second signature.
        path.write_bytes(b"You owe 900.\n")
        if path.suffix != ".sig":
            assert compare([*paths, path], panel.line, tmp_path / f"scratch-{path.name}-2", watch) == NOT_GENUINE
        path.unlink()


def test_a_document_that_is_an_archive_is_a_document(panel, tmp_path, watch):
    contract, other = (
        archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": text * 50}) for text in (b"<a/>", b"<b/>"))
    header = json.loads(record().split(b"\n", 1)[0])["request"]
    paths = panel.seal(record(request={**header, "document": {"sha256": digest(contract)}}))
    for number, (data, verdict) in enumerate(((contract, GENUINE), (other, NOT_GENUINE))):
        path = tmp_path / "contract.docx"
        path.write_bytes(data)
        assert compare([*paths, path], panel.line, tmp_path / f"scratch-{number}", watch) == verdict
    assert page({**dropped(paths, panel.line), "contract.docx": other})["verdict"] == "changed"
    # An archive of the document, or of evidence, is unpacked.
    packed = archive({"contract.docx": contract})
    assert page({**dropped(paths, panel.line), "contract.zip": packed})["verdict"] == "genuine"
    files = {path.name: path.read_bytes() for path in paths}
    whole = {"evidence.zip": archive({**files, "contract.docx": contract}), "allowed_signers": panel.line.encode()}
    told = page(whole)
    assert told["verdict"] == "genuine"
    assert "documentDigest" in {fact["code"] for fact in told["facts"] if fact["state"] == "ok"}


def test_the_same_files_twice_are_the_same_files(panel):
    paths = panel.seal(record())
    files, packed = dropped(paths, panel.line), archive({path.name: path.read_bytes() for path in paths})
    for more in ({"evidence.zip": packed}, {"evidence.zip": packed, "evidence (1).zip": packed},
                 {f"copy/{path.name}": path.read_bytes() for path in paths}):
        assert page({**files, **more})["verdict"] == "genuine", more.keys()
    changed = archive({paths[0].name: paths[0].read_bytes() + b"{}\n"})
    assert page({**files, "evidence.zip": changed})["verdict"] == "changed"


def test_copies_with_other_names_are_the_same_files(panel, tmp_path, watch):
    """As a browser calls what it has saved already."""
    document = flows.document()
    data = b"".join(map(flows.line, flows.contract(document, [digest(b"1"), digest(b"2")])))
    signed = document + f"% {digest(data)}\n".encode()
    paths = panel.seal(data, version=2, signed=digest(signed))
    whole = panel.folder / "0000000001-20261127-140000-0123456789abcdef.seal"
    whole.write_bytes(paths[1].read_bytes() + paths[2].read_bytes())
    for name, contents in {"contract.pdf": document, "signed.pdf": signed}.items():
        (panel.folder / name).write_bytes(contents)

    def copies(*given: Path) -> list[Path]:
        made = [path.with_name(f"{path.stem} (1){path.suffix}") for path in given]
        for path, copy in zip(given, made):
            copy.write_bytes(path.read_bytes())
        return made

    contract, final = panel.folder / "contract.pdf", panel.folder / "signed.pdf"
    named = paths[0].with_suffix(".pdf")
    named.write_bytes(document)
    sets = [
        [*paths, contract, named], [*paths, *copies(*paths)], [*paths, *copies(paths[1])], [*paths, *copies(paths[2])],
        [whole, paths[0], *copies(paths[2])], [whole, *copies(*paths[:2])],
        *([*paths, *some] for some in (
            [final, *copies(final)], [contract, *copies(contract)], [contract, final, *copies(contract, final)]))]
    for number, each in enumerate(sets):
        assert compare(each, panel.line, tmp_path / f"scratch-{number}", watch) == GENUINE, each
    # Another one beside two copies is no copy.
    for number, path in enumerate((contract, final)):
        changed = copies(path)[0]
        changed.write_bytes(path.read_bytes().replace(b"400 700 l", b"900 700 l"))
        others = [*paths, final, contract, changed]
        assert compare(others, panel.line, tmp_path / f"scratch-changed-{number}", watch) == NOT_GENUINE, path


def test_no_archive_vanishes(panel):
    files = dropped(panel.seal(record()), panel.line)
    for data in (archive({}), archive({"inner.zip": archive({"a": b"b"})})):
        assert page({**files, "more.zip": data})["verdict"] == "undecided"


def test_archives_that_are_not_opened_say_why(panel):
    files = {path.name: path.read_bytes() for path in panel.seal(record())}
    told = page({"evidence.zip": archive(files, zipfile.ZIP_LZMA)})
    assert told["verdict"] == "undecided" and "zipKind" in codes(told) and "zipFile" not in codes(told)


def test_a_key_that_its_list_no_longer_allows_is_not_genuine_by_its_fingerprint(panel):
    files = dropped(panel.seal(record()), panel.line.replace("namespaces=", 'valid-before="20200101",namespaces='))
    for confirmed in ([], [panel.key]):
        told = page(files, confirmed=confirmed)
        assert told["verdict"] == "undecided" and "keyTime" in codes(told)


def test_no_pattern_of_a_list_takes_long(panel, tmp_path, watch):
    paths = panel.seal(record())
    for number, pattern in enumerate((40 * "*" + "x", 20 * "*?" + "x", 20 * "*n" + "x")):
        line = panel.line.replace('namespaces="inkpanel-seal"', f'namespaces="{pattern}"')
        (tmp_path / "allowed").write_text(line)
        words = [sys.executable, "-B", VERIFY, *paths, tmp_path / "allowed"]
        assert subprocess.run(words, capture_output=True, timeout=20).returncode == 2
        assert compare(paths, line, tmp_path / f"scratch-{number}", watch) == NOT_GENUINE, pattern


def test_of_a_list_with_very_many_unusable_lines_some_are_told(panel):
    files = dropped(panel.seal(record()), panel.line + "\n" + "x\n" * 5000)
    told = page(files)
    assert told["verdict"] == "genuine"
    reasons = [fact["values"]["reason"] for fact in told["facts"] if fact["code"] == "signersLine"]
    assert len(reasons) == 21 and reasons[-1] == "4980 lines from here on"


# Keys of age

@pytest.fixture(scope="module")
def private() -> dict[str, bytes]:
    """A record of the panel that encrypts, its seal, and the list of keys."""
    name = evidence().private[0]
    files = tree(evidence().clinic.store)
    return {path.rpartition("/")[2]: data for path, data in files.items() if name in path} | {
        "allowed_signers": evidence().allowed.read_bytes()}


@pytest.fixture(scope="module")
def key() -> str:
    return next(line for line in evidence().identity.read_text().splitlines() if line.startswith("AGE-"))


def test_a_secret_key_is_found_in_what_is_typed_or_pasted(private, key):
    whole = evidence().identity.read_text().replace("\n", "")
    for typed in (key, key.lower(), f" {key} ", " ".join(key[at:at + 5] for at in range(0, len(key), 5)), whole):
        assert page(private, identity=typed)["verdict"] == "genuine", typed
    for typed in (key[:-1], key[:20].lower() + key[20:], "junk"):
        told = page(private, identity=typed)
        assert told["verdict"] == "undecided" and "identity" in codes(told), typed


def test_a_key_that_opens_something_may_have_any_form_and_comments(private, key):
    for data in (key.lower(), f"# the court's\n{key}\n", f"{key}\r\n"):
        told = page({**private, "court.key": data.encode()})
        assert told["verdict"] == "genuine", (data, told)
        # The comments are told, as nobody has checked them.
        assert ("companion" in codes(told)) == data.startswith("#")
    # What was typed wrongly does not shut what a file opens.
    assert page({**private, "court.key": key.encode()}, identity="junk")["verdict"] == "genuine"


def test_other_kinds_of_encryption_are_not_called_damaged(private, key):
    for typed in ("AGE-SECRET-KEY-PQ-1QQQQ", "AGE-PLUGIN-YUBIKEY-1QQQQ"):
        assert "ageKind" in codes(page(private, identity=typed)), typed
        assert "ageKind" in codes(page({**private, "court.key": f"{typed}\n".encode()})), typed
    name = next(name for name in private if name.endswith(".jsonl.age"))
    for stanza in ("scrypt " + "A" * 22 + " 18", "mlkem768x25519 " + "A" * 43):
        data = f"age-encryption.org/v1\n-> {stanza}\n{'A' * 43}\n--- {'A' * 43}\n".encode() + bytes(99)
        told = page({**private, name: data}, identity=key)
        assert told["verdict"] == "changed" and "ageKind" in codes(told)
        assert not {"ageFile", "otherRecipient"} & codes(told)
    assert "ageKind" in codes(page({**private, name: b"age-encryption.org/v2\nx"}, identity=key))


# Chains without records, and names that say something else

def test_seals_of_deleted_records_alone_say_that_there_is_no_record():
    files = {path.name: path.read_bytes() for path in evidence().till.seals()[2:4]}
    assert ".deleted.seal" in list(files)[1]
    told = page(files | {"allowed_signers": evidence().allowed.read_bytes()})
    assert told["verdict"] == "undecided" and told["needed"] == ["noRecord"]


@pytest.mark.parametrize("name", ["a.seal.sig", "a.seal", "a.jsonl", "a.jsonl.age", "a"])
def test_a_file_is_what_its_contents_are_whatever_its_name(panel, tmp_path, watch, name):
    (record_path, seal, signature), till = panel.seal(record()), evidence().till
    own = till.seals()[0]
    beside = [seal, signature, own, till.store / "captures" / f"{evidence().ids[0]}.jsonl"]
    cases = ((record_path, [seal, signature]), (seal, [record_path]), (own, [record_path, *beside]))
    for number, (path, others) in enumerate(cases):
        (tmp_path / f"{number}").mkdir()
        copy = tmp_path / f"{number}" / name
        copy.write_bytes(path.read_bytes())
        if path == seal:
            others = [record_path, tmp_path / f"{number}" / f"{name}.sig"]
            others[1].write_bytes(signature.read_bytes())
        signers = panel.line + "\n" + evidence().allowed.read_text()
        assert compare([*others, copy], signers, tmp_path / f"scratch-{number}", watch) == GENUINE, path


def test_signatures_with_other_names_belong_to_the_seals_that_they_fit(panel, tmp_path, watch):
    """As two of them are called when a browser has saved them beside others of the same names."""
    other = Sealer(tmp_path / "other")
    paths = [*panel.seal(record(id="20260314-7")), *other.seal(record())]
    signers = panel.line + other.line
    for number, renamed in enumerate(((1,), (2,), (1, 4), (2, 5))):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        copies = []
        for at, path in enumerate(paths):
            copies.append(folder / (f"{at} {path.name}" if at in renamed else path.name))
            copies[-1].write_bytes(path.read_bytes())
        assert compare(copies, signers, tmp_path / f"scratch-{number}", watch) == GENUINE, renamed
        # One that fits neither is told.
        words = ["ssh-keygen", "-q", "-Y", "sign", "-n", "inkpanel-seal", "-f", other.folder / "key"]
        copies[2].write_bytes(subprocess.run(words, input=b"x", capture_output=True, check=True).stdout)
        assert compare(copies, signers, tmp_path / f"scratch-{number}-2", watch) == NOT_GENUINE, renamed
