#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a record, its seal and the chain of seals without Inkpanel; docs/evidence.md describes the formats.

usage: verify.py RECORD SEAL SIGNATURE ALLOWED_SIGNERS [SEAL...] [DOCUMENT]

SEAL is a line of JSON, or a file of the panel that also has the signature; SIGNATURE is then the same file. Further
seals are files of the panel. Prints one line a fact. Exit status: 0 if all fits, 1 if not. Needs the Python package
cryptography.
"""

import hashlib
import json
import re
import sys
from base64 import b64decode, b64encode
from datetime import datetime, timezone
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256

NAMESPACE = "inkpanel-seal"
ARMOUR = rb"-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\n"
PERIOD = [("valid-after", "0"), ("valid-before", "9")]
OPTION = '[a-z-]+(?:="[^"]*")?'
SIGNER = re.compile(rf'^\S+ +(?:({OPTION}(?:,{OPTION})*) +)?ecdsa-sha2-nistp256 +(\S+)', re.M)
wrong = 0


def fact(fits, fitting, otherwise=""):
    """Prints a fact; `fits` is None for what is not checked."""
    global wrong
    wrong += fits is False
    print("-     " if fits is None else "ok    " if fits else "WRONG ", otherwise if fits is False else fitting)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def strings(data):
    """The strings of SSH's wire format: four bytes of length, big-endian, then the bytes."""
    while data:
        size = 4 + int.from_bytes(data[:4], "big")
        if size > len(data):
            raise ValueError("a string ends early")
        yield data[4:size]
        data = data[size:]


def signing_keys(line, armoured):
    """The keys whose signatures fit a line (OpenSSH, PROTOCOL.sshsig), by their fingerprints."""
    if not re.fullmatch(b"(?:" + ARMOUR + b"){1,2}", armoured):
        raise ValueError("one or two SSH signatures are missing")
    keys = {}
    for text in re.findall(ARMOUR, armoured):
        blob = b64decode(text.replace(b"\n", b""), validate=True)
        key, namespace, reserved, algorithm, signature = strings(blob[10:])
        if blob[:10] != b"SSHSIG\0\0\0\1" or namespace != NAMESPACE.encode():
            raise ValueError(f"this is no SSH signature of version 1 for {NAMESPACE}")
        signed = (namespace, reserved, algorithm, hashlib.new(algorithm.decode(), line).digest())
        signed = b"SSHSIG" + b"".join(len(part).to_bytes(4, "big") + part for part in signed)
        r, s = (int.from_bytes(number, "big") for number in strings(list(strings(signature))[1]))
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), list(strings(key))[2])
        point.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(SHA256()))
        keys["SHA256:" + b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")] = key
    return keys


def is_allowed(key, microseconds, signers):
    """Whether a key may sign seals at a time; times in the file count as UTC."""
    now = datetime.fromtimestamp(microseconds // 1_000_000, timezone.utc).strftime("%Y%m%d%H%M%S")
    for options, text in SIGNER.findall(signers):
        only = dict(re.findall(r'([a-z-]+)="([^"]*)"', options))
        # A date alone is its first moment.
        after, before = (only.get(name, usual).rstrip("Z").ljust(14, "0") for name, usual in PERIOD)
        is_key = b64decode(text) == key and NAMESPACE in only.get("namespaces", NAMESPACE).split(",")
        if is_key and after <= now < before:
            return True
    return False


def check_seal(line, armoured, signers, old, old_line):
    """Checks a seal, and that it follows the seal `old`, which is None for the first one that was given."""
    seal = json.loads(line)
    name = f"seal {seal['n']}:"
    keys = signing_keys(line, armoured)
    for key in {seal["key"], seal["key"] if seal.get("lost") else seal.get("replaces", seal["key"])}:
        fact(key in keys, f"{name} signed by {key}", f"{name} no signature of {key}")
        fact(is_allowed(keys.get(key), seal["at"], signers), f"{name} allowed signer", f"{name} key not allowed then")
    if old:
        fact(seal["n"] == old["n"] + 1, f"{name} next after {old['n']}", f"{name} the seal before it is missing")
        previous = "0" * 64 if seal.get("lost") else digest(old_line)
        fact(seal["previous"] == previous, f"{name} follows", f"{name} names another seal before it")
        fact(old["key"] == seal.get("replaces", seal["key"]), f"{name} key known", f"{name} another key than before it")
        if seal["at"] < old["at"]:
            fact(None, f"{name} its clock is before that of seal {old['n']}")
    return seal


def check_record(data, seal):
    if data.startswith(b"age-encryption.org/"):
        fact(digest(data) == seal.get("stored"), "record: the encrypted file is the sealed one", "record: another file")
        return fact(None, "record: encrypted; run age -d -i IDENTITY RECORD > ID.jsonl, and check ID.jsonl")
    fact(digest(data) == seal.get("record"), "record: it is the sealed one", "record: changed, or another one")
    header, *_, last = map(json.loads, data.splitlines())
    fact(header["id"] == seal.get("id"), f"record: of capture {header['id']}", "record: of another capture")
    fact(last.get("end", {}).get("outcome") == "accepted", "record: accepted", "record: nobody accepted it")
    named = header["request"].get("document", {}).get("sha256")
    if named or "document" in seal:
        fact(named == seal.get("document"), f"record: its document is {named}", "record: names another document")


def main(record, seal, signature, allowed, *more):
    files = {path: Path(path).read_bytes() for path in (seal, *more)}
    lines = {path: data.split(b"\n")[0] + b"\n" for path, data in files.items() if b'"inkpanel-seal"' in data[:8192]}
    armours = {path: files[path][len(line):] for path, line in lines.items()}
    if signature != seal:
        armours[seal] = Path(signature).read_bytes()
    old, old_line, sealed = None, None, json.loads(lines[seal])
    for path, line in sorted(lines.items(), key=lambda item: json.loads(item[1])["n"]):
        old, old_line = check_seal(line, armours[path], Path(allowed).read_text(), old, old_line), line
    check_record(Path(record).read_bytes(), sealed)
    for path in files.keys() - lines.keys():
        fact(digest(files[path]) == sealed.get("document"), f"{path}: the document", f"{path}: another document")
    fact(None, f"chain: it ends with {old['n']}:{digest(old_line)}; compare it with the head that you kept")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except InvalidSignature:
        fact(False, "", "the signature of a seal does not fit")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OSError) as error:
        fact(False, "", f"a file cannot be used: {error!r}")
    sys.exit(1 if wrong else 0)
