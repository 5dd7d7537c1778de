# SPDX-License-Identifier: Apache-2.0
"""OpenSSH verifies our signatures, and we verify its; verify.html reads the same allowed signers."""

import datetime
import random
import shutil

import pytest
from conftest import NAMESPACE, SEED, changed, each, run, succeed
from verdicts import core

PRINCIPAL = "panel-12@example.org"


def verifies(allowed, message, signature, namespace=NAMESPACE, principal=PRINCIPAL, options=()) -> bool:
    result = run(
        "ssh-keygen", "-Y", "verify", "-f", allowed, "-I", principal, "-n", namespace, "-s", signature, *options,
        stdin=message)
    assert result.returncode in (0, 255), result.stderr
    return result.returncode == 0


@pytest.fixture(scope="module")
def allowed(peer, key, tmp_path_factory):
    path = tmp_path_factory.mktemp("allowed") / "allowed_signers"
    [line] = peer.ask("allowed-line", PRINCIPAL, key.text, NAMESPACE, "20260101Z")
    path.write_text(line + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def ours(peer, key, messages, tmp_path_factory):
    """Our signatures of the messages."""
    folder = tmp_path_factory.mktemp("ours")
    for message in messages:
        peer.ask("sign", key.path, NAMESPACE, message, folder / message.name)
    return [folder / message.name for message in messages]


@pytest.fixture(scope="module")
def theirs(messages, tmp_path_factory):
    """OpenSSH's key, and its signatures of the messages."""
    folder = tmp_path_factory.mktemp("theirs")
    key = folder / "id"
    succeed("ssh-keygen", "-q", "-t", "ecdsa", "-b", "256", "-N", "", "-C", "theirs", "-f", key)
    copies = [shutil.copy(message, folder / message.name) for message in messages]
    succeed("ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, *copies)
    return key, [folder / (message.name + ".sig") for message in messages]


def test_openssh_verifies_ours(allowed, messages, ours):
    results = each(lambda pair: verifies(allowed, *pair), zip(messages, ours, strict=True))
    assert results.count(True) == len(messages)


def test_openssh_refuses_ours_for_another_message_purpose_name_or_time(allowed, messages, ours):
    numbers = random.Random(SEED)
    for message, signature in list(zip(messages, ours, strict=True))[1:50]:
        assert not verifies(allowed, changed(message.read_bytes(), numbers), signature)
        assert not verifies(allowed, message, signature, namespace="file")
        assert not verifies(allowed, message, signature, principal="panel-13@example.org")
        assert not verifies(allowed, message, signature, options=["-O", "verify-time=20251231"])
        assert verifies(allowed, message, signature, options=["-O", "verify-time=20260101"])


def test_we_verify_theirs(peer, messages, theirs):
    key, signatures = theirs
    text = " ".join(key.with_suffix(".pub").read_text().split()[:2])
    for message, signature in zip(messages, signatures, strict=True):
        assert peer.ask("verify", message, signature) == ["valid", NAMESPACE, text]


def test_we_refuse_theirs_when_changed(peer, messages, theirs, tmp_path):
    _, signatures = theirs
    numbers = random.Random(SEED)
    wrong = tmp_path / "changed"
    expected = peer.ask("verify", messages[0], signatures[0])[1:]
    for message, signature in zip(messages, signatures, strict=True):
        wrong.write_bytes(changed(signature.read_bytes(), numbers))
        assert peer.refuses("verify", message, wrong) or peer.ask("verify", message, wrong)[0] == "invalid"
        if message.stat().st_size:
            wrong.write_bytes(changed(message.read_bytes(), numbers))
            assert peer.ask("verify", wrong, signature) == ["invalid", *expected]


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa-384"])
def test_we_refuse_other_kinds_of_keys(peer, kind, tmp_path):
    kind, _, bits = kind.partition("-")
    succeed("ssh-keygen", "-q", "-t", kind, *(["-b", bits] if bits else []), "-N", "", "-f", tmp_path / "id")
    (tmp_path / "message").write_bytes(b"message")
    succeed("ssh-keygen", "-q", "-Y", "sign", "-f", tmp_path / "id", "-n", NAMESPACE, tmp_path / "message")
    reason = peer.refuses("verify", tmp_path / "message", tmp_path / "message.sig")
    assert "its key is not ecdsa-sha2-nistp256" in reason


def test_we_refuse_the_other_hash(peer, theirs, tmp_path):
    key, _ = theirs
    (tmp_path / "message").write_bytes(b"message")
    succeed("ssh-keygen", "-q", "-Y", "sign", "-O", "hashalg=sha256", "-f", key, "-n", NAMESPACE, tmp_path / "message")
    assert "its hash is not sha512" in peer.refuses("verify", tmp_path / "message", tmp_path / "message.sig")


def test_keys_are_those_of_openssh_and_openssl(peer, key, tmp_path):
    shutil.copy(key.path, tmp_path / "key")
    assert succeed("ssh-keygen", "-y", "-f", tmp_path / "key").decode().split()[:2] == key.text.split()
    (tmp_path / "key.pub").write_text(key.text + "\n")
    assert succeed("ssh-keygen", "-l", "-f", tmp_path / "key.pub").decode().split()[1] == key.fingerprint
    succeed("openssl", "pkey", "-in", key.path, "-check", "-noout")
    options = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    for count in range(20):
        path = tmp_path / f"key{count}"
        succeed("openssl", "genpkey", *options, "-out", path)
        if count % 2:
            succeed("openssl", "ec", "-in", path, "-out", path)
        path.chmod(0o600)
        assert peer.ask("read-key", path)[0].split() == succeed("ssh-keygen", "-y", "-f", path).decode().split()[:2]
    for wrong in (["-algorithm", "ED25519"], ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
                  ["-algorithm", "RSA"], [*options, "-pkeyopt", "ec_param_enc:explicit"]):
        succeed("openssl", "genpkey", *wrong, "-out", tmp_path / "wrong")
        assert "not P-256" in peer.refuses("read-key", tmp_path / "wrong")


# Lines of allowed_signers, with KEY for our key. OpenSSH and we must agree who may sign what at which time.
LINES = [
    "NAME KEY", "NAME KEY with a comment", "  NAME\tKEY", "# NAME KEY", "", "other,NAME KEY", '"other,NAME" KEY',
    'NAME namespaces="inkpanel-seal" KEY', 'NAME namespaces="file" KEY', 'NAME namespaces="file,ink*" KEY',
    'NAME namespaces="*,!inkpanel-seal" KEY', 'NAME namespaces="!file,*" KEY', 'NAME namespaces="inkpanel?seal" KEY',
    'NAME NAMESPACES="inkpanel-seal" KEY', 'NAME valid-after="20260314" KEY', 'NAME valid-after="20260315" KEY',
    'NAME valid-before="20260314" KEY', 'NAME valid-before="20260315" KEY', 'NAME valid-after="20260314150926" KEY',
    'NAME valid-after="20260314150927" KEY', 'NAME valid-before="20260314150926" KEY',
    'NAME valid-before="20260314150925" KEY', 'NAME valid-after="202603141509Z",valid-before="202603141510Z" KEY',
    'NAME namespaces="inkpanel-seal",valid-after="20260101Z",valid-before="20270101Z" KEY',
    "NAME ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY=",
    'NAME valid-after="" KEY', 'NAME valid-after="20270101",valid-before="20260101" KEY', "NAME namespaces=file KEY",
    "\rNAME KEY", "\r# NAME KEY", "\r", "NAME KEY \x1b[1m", "NAME KEY M\xfcller", "M\xfcller,NAME KEY", "M\xfcller KEY",
    'NAME namespaces="M\xfc,*" KEY', "NAME KEY\0junk", "NAME KEY\v", "NAME KEY\f\r", "NAME SPLIT",
    "\x01,NAME KEY", "NA\0ME KEY",
    'NAME namespaces="a",namespaces="b" KEY', "NAME nonsense KEY", 'NAME namespaces="inkpanel-seal KEY',
]


@pytest.mark.parametrize("line", LINES)
def test_lines_of_allowed_signers(peer, key, messages, ours, line, tmp_path):
    path = tmp_path / "allowed_signers"
    # White space in the Base64, which OpenSSH passes over.
    line = line.replace("SPLIT", key.text[:40] + "\r\v\f" + key.text[40:])
    path.write_bytes((line.replace("NAME", PRINCIPAL).replace("KEY", key.text) + "\n").encode("latin-1"))
    time = datetime.datetime(2026, 3, 14, 15, 9, 26, tzinfo=datetime.timezone.utc)
    theirs = verifies(path, messages[0], ours[0], options=["-O", f"verify-time={time:%Y%m%d%H%M%S}"])
    asked = {"key": key.text.split()[1], "name": PRINCIPAL, "time": int(time.timestamp())}
    assert bool(core().read("signers", path.read_bytes(), **asked)) == theirs
    if reason := peer.refuses("allowed", path, key.text, NAMESPACE, int(time.timestamp())):
        assert "line 1 of the allowed signers" in reason and not theirs
    else:
        assert (PRINCIPAL in peer.ask("allowed", path, key.text, NAMESPACE, int(time.timestamp()))) == theirs
