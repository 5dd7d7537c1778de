# SPDX-License-Identifier: Apache-2.0
"""age and pyrage decrypt our files, and we decrypt theirs."""

import base64
import hashlib
import random
import zlib
from pathlib import Path

import pyrage
import pytest
from conftest import SEED, changed, each, run, succeed

VECTORS = Path(__file__).parents[2] / "unit" / "EvidenceTests" / "age-vectors.txt"


@pytest.fixture(scope="module")
def identities(peer, tmp_path_factory):
    """Files of identities and their recipients: two of ours, one of age's and one of pyrage's."""
    folder = tmp_path_factory.mktemp("identities")
    made = []
    for name in ("ours", "another"):
        made.append((folder / name, peer.ask("make-identity", folder / name)[0]))
    succeed("age-keygen", "-o", folder / "age")
    made.append((folder / "age", succeed("age-keygen", "-y", folder / "age").decode().strip()))
    identity = pyrage.x25519.Identity.generate()
    (folder / "pyrage").write_text(str(identity) + "\n")
    made.append((folder / "pyrage", str(identity.to_public())))
    return made


def pyrage_identity(path: Path) -> pyrage.x25519.Identity:
    [line] = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return pyrage.x25519.Identity.from_str(line)


@pytest.fixture(scope="module")
def ours(peer, messages, identities, tmp_path_factory):
    """Our encrypted files of the messages, and who can read each."""
    folder = tmp_path_factory.mktemp("ours")
    numbers = random.Random(SEED)
    files = []
    for message in messages:
        readers = numbers.sample(identities, numbers.randint(1, len(identities)))
        peer.ask("encrypt", message, folder / message.name, *(recipient for _, recipient in readers))
        files.append((folder / message.name, [path for path, _ in readers]))
    return files


def test_identities_have_the_same_recipients(peer, identities):
    for path, recipient in identities:
        assert peer.ask("recipients", path) == [recipient]
        assert succeed("age-keygen", "-y", path).decode().strip() == recipient
        assert str(pyrage_identity(path).to_public()) == recipient


def test_age_decrypts_ours(messages, ours):
    def decrypted(file):
        path, readers = file
        return succeed("age", "-d", "-i", readers[-1], path)

    for message, plain in zip(messages, each(decrypted, ours), strict=True):
        assert plain == message.read_bytes(), message


def test_pyrage_decrypts_ours(messages, ours):
    for message, (path, readers) in zip(messages, ours, strict=True):
        for reader in readers:
            assert pyrage.decrypt(path.read_bytes(), [pyrage_identity(reader)]) == message.read_bytes(), message


def test_others_refuse_ours_when_changed(messages, ours, tmp_path):
    numbers = random.Random(SEED)
    for path, readers in ours[:200]:
        (tmp_path / "changed").write_bytes(changed(path.read_bytes(), numbers))
        result = run("age", "-d", "-i", readers[0], "-o", tmp_path / "plain", tmp_path / "changed")
        assert result.returncode == 1, result


def test_we_decrypt_what_age_encrypted(peer, messages, identities, tmp_path):
    numbers = random.Random(SEED + 1)
    work = []
    for message in messages:
        readers = numbers.sample(identities, numbers.randint(1, len(identities)))
        work.append((message, tmp_path / message.name, readers))

    def encrypt(item):
        message, path, readers = item
        succeed("age", *(part for _, recipient in readers for part in ("-r", recipient)), "-o", path, message)

    each(encrypt, work)
    for message, path, readers in work:
        digest = hashlib.sha256(message.read_bytes()).hexdigest()
        for reader, _ in identities:
            if reader in [path for path, _ in readers]:
                assert peer.ask("decrypt", path, "", reader) == [digest], message
            else:
                assert "not encrypted to any of these" in peer.refuses("decrypt", path, "", reader), message
        data = path.read_bytes()
        path.write_bytes(changed(data, numbers))
        assert peer.refuses("decrypt", path, "", readers[0][0]), message
        path.write_bytes(data[:numbers.randrange(len(data))])
        assert peer.refuses("decrypt", path, "", readers[0][0]), message


def test_we_decrypt_what_pyrage_encrypted(peer, messages, identities, tmp_path):
    recipients = [pyrage.x25519.Recipient.from_str(recipient) for _, recipient in identities]
    file = tmp_path / "file"
    for message in messages:
        file.write_bytes(pyrage.encrypt(message.read_bytes(), recipients))
        peer.ask("decrypt", file, tmp_path / "plain", identities[0][0])
        assert (tmp_path / "plain").read_bytes() == message.read_bytes(), message


def test_a_file_of_more_than_256_chunks(peer, identities, tmp_path):
    """The counter of the chunks then needs a second byte."""
    path, recipient = identities[0]
    plain = random.Random(SEED).randbytes(257 * 65536 + 1)
    (tmp_path / "plain").write_bytes(plain)
    peer.ask("encrypt", tmp_path / "plain", tmp_path / "ours", recipient)
    assert succeed("age", "-d", "-i", path, tmp_path / "ours") == plain
    succeed("age", "-r", recipient, "-o", tmp_path / "theirs", tmp_path / "plain")
    assert peer.ask("decrypt", tmp_path / "theirs", "", path) == [hashlib.sha256(plain).hexdigest()]


def test_armour_passphrases_and_ssh_keys_are_named(peer, identities, tmp_path):
    path, recipient = identities[0]
    (tmp_path / "armoured").write_bytes(succeed("age", "-a", "-r", recipient, stdin=b"text"))
    assert "armoured" in peer.refuses("decrypt", tmp_path / "armoured", "", path)
    (tmp_path / "passphrase").write_bytes(pyrage.passphrase.encrypt(b"text", "horse"))
    assert "not encrypted to any of these" in peer.refuses("decrypt", tmp_path / "passphrase", "", path)
    succeed("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "id")
    public = (tmp_path / "id.pub").read_text().strip()
    assert "SSH keys are not supported" in peer.refuses("encrypt", path, tmp_path / "file", public)
    assert "SSH keys are not supported" in peer.refuses("decrypt", tmp_path / "armoured", "", tmp_path / "id")
    secret = path.read_text().strip()
    reason = peer.refuses("encrypt", path, tmp_path / "file", secret)
    assert "this is a secret key" in reason and secret[20:40] not in reason


def vectors():
    for line in VECTORS.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            yield pytest.param(*line.split("|")[1:], id=line.split("|")[0])


@pytest.mark.parametrize(("expected", "digest", "identity", "file"), list(vectors()))
def test_vectors(peer, identities, tmp_path, expected, digest, identity, file):
    """All of age-vectors.txt; AgeTests reads those that are not compressed."""
    kind, _, text = file.rpartition(":")
    data = base64.b64decode(text, validate=True)
    (tmp_path / "file").write_bytes(zlib.decompress(data) if kind == "zlib" else data)
    (tmp_path / "identity").write_text(identities[0][0].read_text() if identity == "-" else identity + "\n")
    call = ("decrypt", tmp_path / "file", "", tmp_path / "identity")
    if expected == "success":
        assert peer.ask(*call) == [digest]
        return
    assert {
        "no match": "not encrypted to any", "header failure": "decrypted: its header",
        "HMAC failure": "does not fit its authentication code", "payload failure": "decrypted: its payload",
    }[expected] in peer.refuses(*call)
