# SPDX-License-Identifier: Apache-2.0
"""OpenSSL reads and verifies our certificates and requests, and we read its."""

import random

import pytest
from conftest import SEED, run, succeed
from support import breadth

NAMES = ["Panel 12", "Kasse 3, Empfang", "窓口", "a=b/CN=c", "x" * 64, "größe-" * 10, "Łódź \"1\" <2>", "\\"]


def public_key(pem: bytes) -> bytes:
    return succeed("openssl", "x509", "-pubkey", "-noout", stdin=pem)


def names(*arguments) -> list[str]:
    """The names in a certificate or request as lines, in UTF-8."""
    options = "sep_multiline,utf8,lname,dn_rev"
    text = succeed("openssl", *arguments, "-noout", "-subject", "-nameopt", options).decode()
    return sorted(line.strip() for line in text.splitlines()[1:])


def test_certificates_of_random_keys(peer, tmp_path):
    numbers = random.Random(SEED)
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    serials = set()
    many = breadth.count(10, 40)
    for count in range(many):
        text, _ = peer.ask("make-key", key)
        name, organization = numbers.choice(NAMES), numbers.choice(["", *NAMES])
        start = numbers.randrange(4_000_000_000)
        end = start + 1 + numbers.randrange(4_000_000_000)
        peer.ask("certify", key, certificate, start, end, name, organization)
        assert public_key(certificate.read_bytes()) == succeed("openssl", "pkey", "-in", key, "-pubout")
        assert peer.ask("certificate-key", certificate) == [text]
        shown = [f"commonName={name}"] + ([f"organizationName={organization}"] if organization else [])
        assert names("x509", "-in", certificate) == sorted(shown), count
        serial = succeed("openssl", "x509", "-in", certificate, "-noout", "-serial").decode().strip()
        serials.add(serial)
        value = int(serial.removeprefix("serial="), 16)
        assert 0 < value < 1 << 128
        # OpenSSL does not count the last second, RFC 5280 does.
        for time, is_valid in ((start - 1, False), (start, True), (end - 1, True), (end + 1, False)):
            result = run(
                "openssl", "verify", "-x509_strict", "-check_ss_sig", "-CAfile", certificate, "-attime", time,
                certificate)
            if time >= 0:
                assert (result.returncode == 0) == is_valid, (time, result)
    assert len(serials) == many


def test_what_a_certificate_allows(peer, key, tmp_path):
    peer.ask("certify", key.path, tmp_path / "certificate", 0, 253402300799, "Panel 12", "Example")
    text = succeed("openssl", "x509", "-in", tmp_path / "certificate", "-noout", "-text").decode()
    lines = [line.strip() for line in text.splitlines()]
    assert "Version: 3 (0x2)" in lines
    assert lines[lines.index("X509v3 Basic Constraints: critical") + 1] == "CA:FALSE"
    assert lines[lines.index("X509v3 Key Usage: critical") + 1] == "Digital Signature, Non Repudiation"
    assert "Not Before: Jan  1 00:00:00 1970 GMT" in lines
    assert "Not After : Dec 31 23:59:59 9999 GMT" in lines
    assert lines.count("Signature Algorithm: ecdsa-with-SHA256") == 2


def test_an_authority_signs_a_request(peer, key, tmp_path):
    authority, request, certificate = (tmp_path / name for name in ("authority", "request", "certificate"))
    succeed("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Example CA", "-keyout",
            tmp_path / "authority.key", "-out", authority)
    for name in NAMES:
        peer.ask("request", key.path, request, name, "Example")
        succeed("openssl", "req", "-in", request, "-verify", "-noout")
        assert names("req", "-in", request) == sorted([f"commonName={name}", "organizationName=Example"])
        succeed("openssl", "x509", "-req", "-in", request, "-CA", authority, "-CAkey", tmp_path / "authority.key",
                "-days", "1", "-out", certificate)
        succeed("openssl", "verify", "-CAfile", authority, certificate)
        assert peer.ask("certificate-key", certificate) == [key.text]
    assert "its key is not on the curve P-256" in peer.refuses("certificate-key", authority)


@pytest.mark.parametrize("kind", ["certify", "request"])
def test_a_changed_file_is_noticed(peer, key, tmp_path, kind):
    """That the checks above can fail: one bit of the part that is signed is another one."""
    path = tmp_path / "file"
    if kind == "certify":
        peer.ask("certify", key.path, path, 0, 4_000_000_000, "Panel 12", "")
        convert, check = ["x509"], ["verify", "-check_ss_sig", "-CAfile", path, "-attime", "1", path]
    else:
        peer.ask("request", key.path, path, "Panel 12", "")
        convert, check = ["req"], ["req", "-in", path, "-verify", "-noout"]
    succeed("openssl", *check)
    der = succeed("openssl", *convert, "-in", path, "-outform", "DER")
    place = der.index(b"Panel 12") + 6
    wrong = der[:place] + b"2" + der[place + 1:]
    path.write_bytes(succeed("openssl", *convert, "-inform", "DER", stdin=wrong))
    result = run("openssl", *check)
    assert result.returncode != 0 or b"verify failure" in result.stderr.lower(), result
