# SPDX-License-Identifier: Apache-2.0
"""verify.html opens what age and others encrypted and packed (verifier/files), run by node."""

import base64
import hashlib
import io
import json
import random
import struct
import subprocess
import zipfile
import zlib
from pathlib import Path

import pytest
from conftest import SEED, changed, succeed
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

TOP = Path(__file__).parents[3]
VECTORS = TOP / "Tests/unit/EvidenceTests/age-vectors.txt"
# Not damaged, and for no key of this kind.
OTHER_KINDS = {"version_unsupported", "x25519_lowercase"}


def node(*arguments, lines: list[dict] | None = None) -> list[dict]:
    program = TOP / "Tests/system/Verifier/files.mjs"
    stdin = "".join(json.dumps(line) + "\n" for line in lines or [])
    result = subprocess.run(
        ["node", program, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


# MARK: age


def test_what_another_library_sealed_opens_and_what_was_changed_does_not():
    """ChaCha20-Poly1305 (RFC 8439)."""
    numbers = random.Random(SEED)
    sizes = [0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 1000, 65536]
    sizes += [numbers.randrange(3000) for _ in range(60)]
    lines, plains = [], []
    for size in sizes:
        # Long runs of ones carry farthest.
        key, nonce = (numbers.choice([numbers.randbytes(count), b"\xff" * count]) for count in (32, 12))
        plain = numbers.choice([numbers.randbytes(size), b"\xff" * size, bytes(size)])
        sealed = ChaCha20Poly1305(key).encrypt(nonce, plain, None)
        for each in (sealed, changed(sealed, numbers)):
            lines.append({"key": key.hex(), "nonce": nonce.hex(), "sealed": each.hex()})
        plains += [plain.hex(), None]
    assert [answer["plain"] for answer in node("aead", lines=lines)] == plains


def test_the_shared_secrets_of_the_browser_and_of_our_own_code_are_those_of_others():
    numbers = random.Random(SEED)
    # RFC 7748, 5.2, then random ones; a point with its unused bit set counts as without it.
    vectors = [("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
                "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
                "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
               ("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
                "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
                "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957")]
    for _ in range(30):
        scalar, point = numbers.randbytes(32), numbers.randbytes(32)
        shared = X25519PrivateKey.from_private_bytes(scalar).exchange(X25519PublicKey.from_public_bytes(point))
        vectors.append((scalar.hex(), point.hex(), shared.hex()))
    answers = node("aead", lines=[{"scalar": scalar, "point": point} for scalar, point, _ in vectors])
    assert answers == [{"browser": shared, "own": shared} for *_, shared in vectors]
    # Of low order: the secret is zero.
    answer, = node("aead", lines=[{"scalar": vectors[0][0], "point": bytes(32).hex()}])
    assert answer == {"browser": None, "own": bytes(32).hex()}


@pytest.fixture(scope="module")
def identities(tmp_path_factory):
    folder = tmp_path_factory.mktemp("identities")
    made = []
    for name in "abc":
        succeed("age-keygen", "-o", folder / name)
        made.append((folder / name, succeed("age-keygen", "-y", folder / name).decode().strip()))
    return made


@pytest.mark.parametrize("armour", [[], ["-a"]], ids=["binary", "armoured"])
def test_files_of_age_open_with_each_key_of_a_recipient_only(identities, messages, armour, tmp_path):
    numbers = random.Random(SEED)
    (first, one), (second, two), (other, _) = identities
    digests, files, broken = [], [], []
    for message in messages[:30]:
        file = tmp_path / message.name
        succeed("age", *armour, "-r", one, "-r", two, "-o", file, message)
        data = file.read_bytes()
        digests.append({"digest": hashlib.sha256(message.read_bytes()).hexdigest()})
        files.append(file)
        for name, text in [("changed", changed(data, numbers)), ("cut", data[:numbers.randrange(len(data) - 2)])]:
            broken.append(tmp_path / f"{message.name}.{name}")
            broken[-1].write_bytes(text)
    assert node("age", first, *files) == digests
    assert node("age", second, *files) == digests
    assert {answer["code"] for answer in node("age", other, *files)} == {"otherRecipient"}
    assert {answer.get("code") for answer in node("age", first, *broken)} <= {"ageFile", "otherRecipient"}
    # The file of a key may have several, and comments.
    (tmp_path / "all").write_bytes(b"\n# mine\n" + other.read_bytes() + second.read_bytes())
    assert node("age", tmp_path / "all", *files) == digests
    (tmp_path / "wrong").write_text(first.read_text().replace("1", "2"))
    assert {answer["code"] for answer in node("age", tmp_path / "wrong", *files)} == {"identity"}


def test_a_file_of_more_than_256_chunks(identities, tmp_path):
    plain = random.Random(SEED).randbytes(257 * 65536 + 1)
    succeed("age", "-r", identities[0][1], "-o", tmp_path / "file", stdin=plain)
    assert node("age", identities[0][0], tmp_path / "file") == [{"digest": hashlib.sha256(plain).hexdigest()}]


def test_the_vectors_of_age(identities, tmp_path):
    count = 0
    cases: dict[str, list] = {}
    for line in VECTORS.read_text(encoding="ascii").splitlines():
        if line.startswith("#"):
            continue
        name, expected, digest, identity, file = line.split("|")
        kind, _, text = file.rpartition(":")
        data = base64.b64decode(text, validate=True)
        (tmp_path / name).write_bytes(zlib.decompress(data) if kind == "zlib" else data)
        wanted = {"success": digest, "no match": "otherRecipient"}.get(expected, "ageFile")
        if name in OTHER_KINDS:
            wanted = "ageKind"
        key = identities[0][0].read_text() if identity == "-" else identity
        cases.setdefault(key, []).append((tmp_path / name, wanted))
        count += 1
    assert count > 60
    for identity, files in cases.items():
        (tmp_path / "identity").write_text(identity)
        answers = node("age", tmp_path / "identity", *(path for path, _ in files))
        for (path, wanted), answer in zip(files, answers, strict=True):
            assert wanted == answer.get("digest", answer.get("code")), (path.name, answer)


# MARK: ZIP

CONTENTS = [
    ("a.txt", b"hello"), ("b/ä.bin", random.Random(SEED).randbytes(300_000)), ("c", b"x" * 2_000_000), ("e", b"")]


def packed(files, compression=zipfile.ZIP_STORED, stream: bool = False) -> bytes:
    output = io.BytesIO()

    class Pipe(io.RawIOBase):
        """Cannot be sought in, so that sizes follow the data."""

        def writable(self):
            return True

        def write(self, data):
            return output.write(bytes(data))

    with zipfile.ZipFile(Pipe() if stream else output, "w", compression) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return output.getvalue()


def unzip(data: bytes, folder: Path) -> dict | str:
    (folder / "file.zip").write_bytes(data)
    answer, = node("zip", folder / "file.zip")
    return answer.get("code") or dict(answer["files"])


def digests(files) -> dict:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_of_python_open(compression, stream, tmp_path):
    if compression == zipfile.ZIP_DEFLATED and "deflate" in node_lacks():
        pytest.skip("this node has no deflate-raw")
    assert unzip(packed(CONTENTS, compression, stream), tmp_path) == digests(CONTENTS)


def node_lacks() -> str:
    return subprocess.run(
        ["node", "-e", "new DecompressionStream('deflate-raw')"], capture_output=True, text=True, check=False).stderr


def one_entry(data: bytes, size: int, crc: int, name: bytes = b"q", flags: int = 0, method: int = 8,
              extras: tuple[bytes, bytes] = (b"", b"")) -> bytes:
    own, listed = (struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 0x21, crc, len(data), size, len(name), len(extra))
                   for extra in extras)
    local = b"PK\3\4" + own + name + extras[0] + data
    central = b"PK\1\2" + struct.pack("<H", 20) + listed + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name + extras[1]
    return local + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def with_extras(own: bytes, listed: bytes) -> bytes:
    return one_entry(b"1", 1, zlib.crc32(b"1"), b"README.txt", method=0, extras=(own, listed))


def extra(number: int, data: bytes = b"") -> bytes:
    return struct.pack("<HH", number, len(data)) + data


# What unzip takes for the name of the entry.
OTHER_NAME = extra(0x7075, struct.pack("<BI", 1, zlib.crc32(b"README.txt")) + b"contract.pdf")


def test_extra_fields_of_times_and_owners_are_passed_over(tmp_path):
    times = extra(0x5455, b"\3" + bytes(8)) + extra(0x7875, b"\1\4" + bytes(4) + b"\4" + bytes(4))
    assert unzip(with_extras(times, times), tmp_path) == digests([("README.txt", b"1")])
    assert unzip(with_extras(times, extra(0x000a, bytes(32))), tmp_path) == digests([("README.txt", b"1")])


@pytest.mark.parametrize("number", [0x7075, 0x6375, 0x0001, 0xcafe, 0x9901, 0x5855])
def test_other_extra_fields_are_refused_in_both_headers(number, tmp_path):
    data = OTHER_NAME if number == 0x7075 else extra(number, bytes(8))
    for own, listed in ((data, b""), (b"", data), (data, data), (extra(0x5455) + data, b"")):
        assert unzip(with_extras(own, listed), tmp_path) == "zipKind"
    assert unzip(with_extras(b"", extra(0x5455, b"12")[:-1]), tmp_path) == "zipFile"
    assert unzip(with_extras(b"\0", b""), tmp_path) == "zipFile"


def overlapping() -> bytes:
    """Two names for one entry, as in archives that grow without end."""
    data = packed([("x", b"A" * 100)])
    start, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    central = data[start:end]
    tail = struct.pack("<HHHHIIH", 0, 0, 2, 2, 2 * len(central), start, 0)
    return data[:end] + central[:-1] + b"y" + b"PK\5\6" + tail


def lying() -> bytes:
    """50 MB that call themselves 1000 bytes."""
    data = bytearray(packed([("x", bytes(50 << 20))], zipfile.ZIP_DEFLATED))
    for place in (22, data.index(b"PK\1\2") + 24):
        data[place:place + 4] = struct.pack("<I", 1000)
    return bytes(data)


def with_changed(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1:]


HOSTILE = {
    "another compression": (lambda: packed(CONTENTS, zipfile.ZIP_BZIP2), "zipKind"),
    "encrypted": (lambda: one_entry(b"x" * 20, 8, 0, flags=1), "zipKind"),
    "up": (lambda: packed([("../x", b"1")]), "zipName"),
    "absolute": (lambda: packed([("/x", b"1")]), "zipName"),
    "a drive": (lambda: one_entry(b"1", 1, zlib.crc32(b"1"), rb"C:\x", method=0), "zipName"),
    "a control character": (lambda: packed([("x\n", b"1")]), "zipName"),
    "a mark that turns text": (lambda: packed([("x\u202egpj", b"1")]), "zipName"),
    "no UTF-8": (lambda: one_entry(b"1", 1, zlib.crc32(b"1"), b"\xff", flags=0x800, method=0), "zipName"),
    "a name twice": (lambda: packed([("x", b"1"), ("X", b"2")]), "zipName"),
    "a bomb": (lambda: packed([("x", bytes(300 << 20))], zipfile.ZIP_DEFLATED), "zipTooLarge"),
    "a lying bomb": (lying, "zipFile"),
    "a size beyond deflate": (lambda: one_entry(b"\3\0", 100 << 20, 0), "zipTooLarge"),
    "many entries": (lambda: packed([(str(number), b"") for number in range(201)]), "zipTooLarge"),
    "a wrong CRC": (lambda: with_changed(packed(CONTENTS), 38), "zipFile"),
    "overlapping": (overlapping, "zipFile"),
    "bytes before": (lambda: b"junk" + packed(CONTENTS), "zipFile"),
    "bytes after": (lambda: packed(CONTENTS) + b"j", "zipFile"),
    "cut": (lambda: packed(CONTENTS)[:-30], "zipFile"),
    "empty": (lambda: b"", "zipFile"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_archives_are_refused(case, tmp_path):
    make, code = HOSTILE[case]
    if "bomb" in case and "deflate" in node_lacks():
        pytest.skip("this node has no deflate-raw")
    assert unzip(make(), tmp_path) == code


def test_changed_archives_are_refused_or_have_the_same_files(tmp_path):
    """Dates and versions of programs may change: they are told to nobody."""
    numbers = random.Random(SEED)
    data = packed(CONTENTS[:1] + CONTENTS[3:])
    paths = []
    for index in range(300):
        paths.append(tmp_path / str(index))
        paths[-1].write_bytes(changed(data, numbers))
    wanted = digests(CONTENTS[:1] + CONTENTS[3:])
    answers = node("zip", *paths)
    for answer in answers:
        # Names are not authenticated.
        assert "code" in answer or sorted(digest for _, digest in answer["files"]) == sorted(wanted.values()), answer
    assert sum("code" in answer for answer in answers) > 150
