# SPDX-License-Identifier: Apache-2.0
"""JSON, records, seals and allowed signers: the panel, verify.py, verify.html, and Python or ssh-keygen agree."""

import base64
import importlib.util
import json
import random
import re
import sys
import time

import flows
import pytest
from conftest import run as run_utc
from sealed import PROGRAM, TOP, evidence, run
from support import breadth
from verdicts import core, second

READINGS = json.loads((TOP / "Tests/data/Records/readings.json").read_text())
NAME = "panel-12@example.org"


def module():
    spec = importlib.util.spec_from_file_location("verify", TOP / "docs/examples/verify.py")
    verify = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(verify)
    return verify


verify = module()
REFUSED = (ValueError, RecursionError)


def edited(text: str, edits: list) -> bytes:
    data = text.encode()
    for old, new in edits:
        assert old.encode() in data
        data = data.replace(old.encode(), bytes.fromhex(new["hex"]) if isinstance(new, dict) else new.encode(), 1)
    return data


def asked(peer, command: str, data: bytes):
    """The peer's answer; None if it refuses."""
    return None if peer.refuses(command, text := base64.b64encode(data).decode()) else peer.ask(command, text)


def outcome(data: bytes):
    """The outcome of a record in verify.py."""
    try:
        end = verify.read_record(data)[2]
        return end["outcome"] if end else "interrupted"
    except REFUSED:
        return None


@pytest.mark.parametrize("record", ["record", "flow"])
def test_records_have_one_reading(tmp_path, peer, record):
    paths = []
    cases = READINGS[f"{record}s"]
    for number, case in enumerate(cases):
        data = edited(READINGS[record], case["edits"])
        assert outcome(data) == case["reading"], case["name"]
        assert (asked(peer, "record", data) or [None])[0] == case["reading"], case["name"]
        assert core().read("record", data) == case["reading"], case["name"]
        paths.append(tmp_path / f"case-{number}.jsonl")
        paths[-1].write_bytes(data)
    # None has a seal; those that cannot be read are also damaged.
    told = run(PROGRAM, "verify", *paths)
    assert told.returncode == 65 and told.stdout.endswith("\nDAMAGED\n")
    damaged = {line.split()[2 if " capture " in line else 1].rstrip(":") for line in told.stdout.splitlines() if line.startswith("DAMAGED ")}
    for path, case in zip(paths, cases):
        names = {path.name.removesuffix(".jsonl"), str(path)}
        assert bool(names & damaged) == (case["reading"] is None), (case["name"], told.stdout)


def test_seals_have_one_reading(peer):
    for case in READINGS["seals"]:
        data = edited(READINGS["seal"], case["edits"])
        try:
            is_read = bool(verify.read_seal(data))
        except REFUSED:
            is_read = False
        assert is_read == case["isRead"] == (asked(peer, "seal-line", data) is not None), case["name"]
        assert is_read == (core().read("seal", data) is not None), case["name"]


@pytest.mark.parametrize("record", ["record", "flow"])
def test_damaged_records_are_read_alike(peer, record):
    """Seeded damage to records: both refuse, or both find the same outcome."""
    numbers = random.Random(42)
    whole = READINGS[record].encode()
    parts = [b'"', b",", b"{}", b"[]", b"null", b"-", b"0", b"1e5", b".5", b":", b"\n", b" ", b"\\u0061", b'"a":1,', b"\xc3"]
    read = 0
    count = breadth.count(200, 3000)
    for number in range(count):
        data = bytearray(whole)
        for _ in range(numbers.randint(1, 2)):
            start = numbers.randrange(len(data))
            end = start + numbers.randint(0, 12)
            kind = numbers.randrange(4)
            if kind == 0:
                data[start:end] = b""
            elif kind == 1:
                data[start:start] = data[start:end]
            elif kind == 2:
                data[start:start + numbers.randint(0, 1)] = numbers.choice(parts)
            else:
                data[start] ^= 1 << numbers.randrange(8)
        ours, theirs = outcome(bytes(data)), asked(peer, "record", bytes(data))
        page = core().read("record", bytes(data))
        assert ours == (theirs and theirs[0]) == page, (number, bytes(data), ours, theirs, page)
        read += ours is not None
    assert count / 30 < read < count - count / 30


# With what was done in place of signatures.
INSTEAD = b"".join(map(flows.line, flows.instead(flows.contract(b"", [64 * "a", 64 * "b"])))).decode()


@pytest.mark.parametrize("whole", [READINGS["flow"], INSTEAD], ids=["signed", "instead"])
def test_changed_records_of_several_pages_are_read_alike(peer, whole):
    """Lines in another order, twice or missing, and words and numbers in others' places."""
    numbers = random.Random(43)
    word = re.compile(r'"[^"]*"(?!:)|(?<=[:\[,])-?[0-9.]+|true|false')
    read = 0
    count = breadth.count(300, 5000)
    for number in range(count):
        lines = whole.splitlines(keepends=True)
        for _ in range(numbers.randint(1, 2)):
            place, other = numbers.randrange(len(lines)), numbers.randrange(len(lines))
            kind = numbers.randrange(6)
            if kind == 0:
                lines.insert(other, lines.pop(place))
            elif kind == 1:
                lines.insert(other, lines[place])
            elif kind == 2:
                del lines[place]
            else:
                # Half of them in the events, where they mean most.
                lines = "".join(lines)
                words = [match for match in word.finditer(lines) if kind < 5 or match.start() > lines.find("\n")]
                target, source = numbers.choice(words), numbers.choice(words)
                lines = (lines[:target.start()] + source[0] + lines[target.end():]).splitlines(keepends=True)
        data = "".join(lines).encode()
        ours, theirs, page = outcome(data), asked(peer, "record", data), core().read("record", data)
        assert ours == (theirs and theirs[0]) == page, (number, data, ours, theirs, page)
        read += ours is not None
    assert count / 30 < read < count - count / 30


def test_json_is_read_as_python_reads_it(peer):
    """What the panel takes, Python takes with the same values; what Python refuses, the panel refuses."""
    numbers = random.Random(7)

    def value(depth: int) -> str:
        kind = numbers.randrange(7 if depth > 5 else 9)
        if kind < 3:
            return numbers.choice([
                "0", "-0", "7", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808", "1.5", "0.1",
                "1e3", "1E-7", "5e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "0.30000000000000004",
                "123456789.123456789", "-0.0", "1e0", str(numbers.getrandbits(63)), repr(numbers.uniform(-1e9, 1e9))])
        if kind < 5:
            return json.dumps("".join(numbers.choice("aé😀\"\\/\n\u2028\u0000\x7f ") for _ in range(numbers.randint(0, 6))),
                              ensure_ascii=numbers.random() < 0.5)
        if kind < 7:
            return numbers.choice(["true", "false", "null"])
        space = numbers.choice(["", " ", "\n\t", "\r\n "])
        inner = [value(depth + 1) for _ in range(numbers.randint(0, 4))]
        if kind == 7:
            return "[" + space + ("," + space).join(inner) + space + "]"
        return "{" + ("," + space).join(f'"{number}k"{space}:{each}' for number, each in enumerate(inner)) + "}"

    def exact(item):
        """With the kinds of numbers, and the sign of zero."""
        if isinstance(item, dict):
            return {name: exact(each) for name, each in item.items()}
        if isinstance(item, list):
            return [exact(each) for each in item]
        if isinstance(item, float):
            return "%r" % item if item != int(item) or abs(item) > 2**53 or str(item) == "-0.0" else int(item)
        return item

    def has_null(item):
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        return item is None or any(map(has_null, inner))

    parse = {"object_pairs_hook": verify.members, "parse_int": verify.whole_number,
             "parse_float": verify.other_number, "parse_constant": verify.no_constant}
    taken = 0
    count = breadth.count(200, 3000)
    for number in range(count):
        data = bytearray(value(0).encode())
        if number % 2:
            for _ in range(numbers.randint(1, 2)):
                start = numbers.randrange(len(data) + 1)
                data[start:start + numbers.randint(0, 1)] = numbers.choice(
                    [b",", b"]", b"}", b'"', b"0", b".", b"e", b"+", b"-", b"\\", b"u", b"\x00", b"\xff", b"\xc3\xa9", b" ", b"//"])
        told, page = asked(peer, "json", bytes(data)), core().read("json", bytes(data))
        try:
            expected = json.loads(bytes(data).decode(), **parse)
            json.dumps(expected, ensure_ascii=False).encode()
        except REFUSED:
            assert (told, page) == (None, None), bytes(data)
            continue
        assert told is not None, bytes(data)
        # No line of a record has null.
        assert (page is None) == has_null(expected), bytes(data)
        for text in ["\t".join(told)] + ([] if page is None else [page]):
            assert exact(json.loads(text, parse_int=verify.whole_number)) == exact(expected), (bytes(data), text)
        taken += 1
    assert taken > count / 2


# Allowed signers. KEY is the panel's, OTHER another one of P-256, ED one of Ed25519.

FORMS = [
    f"{NAME} KEY", f"{NAME} KEY a comment", f"# {NAME} KEY", f"#{NAME} KEY", f"  # {NAME} KEY", f"\t{NAME} KEY", "", "#",
    f"{NAME} cert-authority KEY", f"{NAME} CERT-AUTHORITY KEY", f'{NAME} namespaces="inkpanel-seal",cert-authority KEY',
    f"{NAME} cert-authority,cert-authority KEY", f"{NAME} cert-authority KEY\n{NAME} KEY", f"{NAME} no-cert-authority KEY",
    f'{NAME} cert-authority="x" KEY', f'{NAME} namespaces="inkpanel-seal" KEY', f'{NAME} namespaces="other" KEY',
    f'{NAME} namespaces="file,inkpanel-*" KEY', f'{NAME} namespaces="*,!inkpanel-seal" KEY', f'{NAME} namespaces="?nkpanel-seal" KEY',
    f'{NAME} namespaces="!inkpanel-seal,*" KEY', f'{NAME} namespaces="file, inkpanel-seal" KEY', f'{NAME} namespaces="!file" KEY',
    f'{NAME} NAMESPACES="inkpanel-seal" KEY', f'{NAME} namespaces="INKPANEL-SEAL" KEY', f'{NAME} namespaces="" KEY',
    f'{NAME} namespaces="inkpanel-seal",namespaces="file" KEY', f'{NAME} namespaces="file",namespaces="inkpanel-seal" KEY',
    f"{NAME} namespaces=inkpanel-seal KEY", f'{NAME} namespaces="inkpanel-seal KEY', f'{NAME} namespaces KEY',
    f'{NAME} valid-after="20260101" KEY', f'{NAME} valid-after="20270101" KEY', f'{NAME} valid-before="20270101" KEY',
    f'{NAME} valid-before="20260101" KEY', f'{NAME} valid-before="NOW" KEY', f'{NAME} valid-after="NOW" KEY',
    f'{NAME} valid-after="20260101",valid-before="20270101" KEY', f'{NAME} VALID-after="20260101Z" KEY',
    f'{NAME} valid-after="202601010000" KEY', f'{NAME} valid-after="20260101000000utc" KEY', f'{NAME} valid-after="20260101z" KEY',
    f'{NAME} valid-after="2026010" KEY', f'{NAME} valid-after="20261301" KEY', f'{NAME} valid-after="20260230" KEY',
    f'{NAME} valid-after="2026010112" KEY', f'{NAME} valid-after="19600101" KEY', f'{NAME} valid-after="" KEY',
    f'{NAME} valid-after="20270101",valid-before="20260101" KEY', f'{NAME} valid-after="20260101",valid-before="20260101" KEY',
    f'{NAME} valid-after="20250101",valid-after="20260101" KEY', f'{NAME} valid-before="99991231" KEY',
    f'"{NAME}" KEY', f'"{NAME},other@example.org" KEY', f'other@example.org,{NAME} KEY', f'other@example.org,"{NAME}" KEY',
    f'"{NAME}"KEY', f'"two words,{NAME}" KEY', f"other@example.org,,{NAME} KEY", f"other@example.org, {NAME} KEY", f'"{NAME} KEY',
    "*@example.org KEY", "* KEY", f"*,!{NAME} KEY", f"!{NAME},* KEY", "!other,* KEY", "!other KEY", f"{NAME.upper()} KEY", '"" KEY',
    "panel-??@example.org KEY", "other@example.org KEY", f"{NAME} KEY\r", f'{NAME} namespaces="inkpanel-seal" KEY\r',
    f"{NAME}\tKEY", f'{NAME}\t\tnamespaces="inkpanel-seal"\tKEY', f"   {NAME}    KEY   ", f"{NAME}\u00a0KEY", f"\ufeff{NAME} KEY",
    f"{NAME} option KEY", f'{NAME} option="x" KEY', f'{NAME} namespaces="inkpanel-seal", KEY', f'{NAME} ,namespaces="inkpanel-seal" KEY',
    f'{NAME} namespaces="inkpanel-seal",,valid-after="20260101" KEY', f'{NAME} namespaces="inkpanel-seal" valid-after="20260101" KEY',
    f'{NAME} namespaces="x\\"y,inkpanel-seal" KEY', f'{NAME} namespaces="inkpanel-seal"valid-after="20260101" KEY',
    f'{NAME} "namespaces=inkpanel-seal" KEY', f'{NAME} namespaces ="inkpanel-seal" KEY', f'{NAME} namespaces="inkpanel-seal",KEY',
    f"{NAME} OTHER", f"{NAME} OTHER\n{NAME} KEY", f"{NAME} KEY\n{NAME} garbage", f"{NAME} garbage\n{NAME} KEY", f"{NAME}\n{NAME} KEY",
    f"{NAME} option KEY\n{NAME} KEY", f'{NAME} valid-before="20250101" KEY\n{NAME} KEY', f'{NAME} namespaces="file" KEY\n{NAME} KEY',
    f"{NAME} ED\n{NAME} KEY", f"{NAME} ED KEY", "KEY", f"{NAME} KEY=", f"{NAME} KEYAAAA", f"{NAME} KEY#", f"{NAME} KEY,x", f"{NAME};KEY",
    f"# comment\n\n{NAME} KEY\n# end", f"{NAME} " + "x" * 9000 + f"\n{NAME} KEY",
]


def test_allowed_signers_are_those_of_ssh_keygen(tmp_path):
    """The judge is ssh-keygen, at the time of the seal."""
    record = sorted((evidence().till.store / "captures").iterdir())[0]
    seal = sorted((evidence().till.store / "seals").iterdir())[0]
    data = seal.read_bytes()
    line = data[:data.index(b"\n") + 1]
    (tmp_path / "seal").write_bytes(line)
    (tmp_path / "seal.sig").write_bytes(data[len(line):])
    at = json.loads(line)["at"] // 1_000_000
    now = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(at))
    texts = {"NOW": now, "KEY": " ".join(evidence().allowed.read_text().splitlines()[0].split()[2:4])}
    for name, kind in (("OTHER", "ecdsa"), ("ED", "ed25519")):
        run("ssh-keygen", "-q", "-t", kind, "-N", "", "-f", tmp_path / name)
        texts[name] = " ".join((tmp_path / f"{name}.pub").read_text().split()[:2])
    signers = tmp_path / "signers"
    verdicts = {True: 0, False: 0}
    for form in FORMS:
        text = re.sub("KEY|OTHER|ED|NOW", lambda match: texts[match[0]], form)
        signers.write_bytes(text.encode() + b"\n")
        judge = run_utc(
            "ssh-keygen", "-Y", "verify", "-f", signers, "-I", NAME, "-n", "inkpanel-seal", "-s", tmp_path / "seal.sig",
            f"-Overify-time={now}", stdin=line).returncode == 0
        program = run(PROGRAM, "verify", record, seal, f"--allowed-signers={signers}", f"--principal={NAME}")
        # 2: no line of the list allows the key.
        assert program.returncode in (0, 1, 2), (form, program)
        status, said = second(["-I", NAME, record, seal, seal, signers])
        assert (program.returncode == 0, status == 0) == (judge, judge), (form, program.stdout, said)
        verdicts[judge] += 1
    assert min(verdicts.values()) > 30, verdicts


@pytest.mark.parametrize("after", [b"", b"x", b"\n", b"{}\n", b"\0", b" ", b"# x\n", b"-----BEGIN SSH SIGNATURE-----\n"])
def test_bytes_after_the_line_of_a_seal(tmp_path, after):
    """Beside its signature, a seal is its line and nothing else; ssh-keygen finds so, too."""
    record = sorted((evidence().till.store / "captures").iterdir())[0]
    data = sorted((evidence().till.store / "seals").iterdir())[0].read_bytes()
    line = data[:data.index(b"\n") + 1]
    seal, signature = tmp_path / "ID.seal", tmp_path / "ID.seal.sig"
    seal.write_bytes(line + after)
    signature.write_bytes(data[len(line):])
    judge = run_utc(
        "ssh-keygen", "-Y", "verify", "-f", evidence().allowed, "-I", "till@example.org", "-n", "inkpanel-seal", "-s",
        signature, stdin=seal)
    program = run(PROGRAM, "verify", record, seal, signature, f"--allowed-signers={evidence().allowed}")
    twin = run(sys.executable, TOP / "docs/examples/verify.py", record, seal, signature, evidence().allowed)
    fits = judge.returncode == 0
    assert fits == (after == b"")
    assert (program.returncode == 0, twin.returncode == 0) == (fits, fits), (program.stdout, twin.stdout)
    # In one file, the signature follows and nothing else.
    seal.write_bytes(data + after)
    program = run(PROGRAM, "verify", record, seal, f"--allowed-signers={evidence().allowed}")
    twin = run(sys.executable, TOP / "docs/examples/verify.py", record, seal, seal, evidence().allowed)
    assert (program.returncode == 0, twin.returncode == 0) == (fits, fits), (program.stdout, twin.stdout)
