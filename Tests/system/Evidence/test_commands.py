# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/evidence.md and docs/seals.md, as written, and the exit statuses of `inkpanel verify`."""

import http.server
import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time

import pytest
from sealed import PROGRAM, TOP, Panel, digest, evidence, removed_at_the_end, run, said
from verdicts import core, second

DOCUMENT = (TOP / "docs/evidence.md").read_text() + (TOP / "docs/seals.md").read_text()
# A block of commands is indented by four spaces. Here by its first words.
BLOCKS = {
    block.split("\n")[0].strip(): re.sub("^    ", "", block, flags=re.M)
    for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", DOCUMENT, re.M)}
# A configuration, and commands for the installed service, which Tests/system/Install runs.
NOT_HERE = {"[evidence]", "systemctl stop inkpanel"}

TSA = """
[req]
distinguished_name = name
[name]
[stamps]
extendedKeyUsage = critical,timeStamping
[tsa]
default_tsa = stamp
[stamp]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
"""


class Desk:
    """A folder with the files that the document names, and a panel that `inkpanel` reaches from there."""

    def __init__(self):
        self.folder = folder = removed_at_the_end()
        self.done = set()
        (folder / "contract.pdf").write_bytes(b"%PDF-1.7 the contract\n")
        said("age-keygen", "-o", folder / "court.key")
        recipient = said("age-keygen", "-y", folder / "court.key").strip()
        self.panel = Panel(folder / "desk", f'[evidence]\nrecipients = ["{recipient}"]\n').start()
        (folder / "bin").mkdir()
        wrapper = folder / "bin/inkpanel"
        wrapper.write_text(f"""#!/bin/sh
case $1 in
identity) exec {PROGRAM} "$@" --config {self.panel.file} --store {self.panel.store} ;;
export | status) exec {PROGRAM} "$@" --socket {self.panel.socket} ;;
*) exec {PROGRAM} "$@" ;;
esac
""")
        wrapper.chmod(0o755)
        self.id = self.panel.capture("--document", folder / "contract.pdf")
        self.panel.capture()
        self.variables = {"id": self.id}

    def run(self, first: str) -> str:
        """Runs the block that begins with these words, and returns its output."""
        name = next(name for name in BLOCKS if name.startswith(first))
        self.done.add(name)
        ended = run(
            "sh", "-euc", BLOCKS[name], cwd=self.folder,
            env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", **self.variables})
        assert ended.returncode == 0, (ended.stdout, ended.stderr)
        return ended.stdout


@pytest.fixture(scope="module")
def desk():
    desk = Desk()
    yield desk
    if desk.panel.process and desk.panel.process.poll() is None:
        desk.panel.stop()


@pytest.fixture(scope="module")
def stamps(desk):
    """A time stamp authority."""
    folder = removed_at_the_end()
    (folder / "tsa.cnf").write_text(TSA)
    (folder / "serial").write_text("01\n")
    said("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "tsa.key", "-out", "tsa.pem",
         "-days", "9", "-subj", "/CN=Time", "-config", "tsa.cnf", "-extensions", "stamps", cwd=folder)
    shutil.copy(folder / "tsa.pem", desk.folder)

    class Authority(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            assert self.headers["Content-Type"] == "application/timestamp-query"
            (folder / "query").write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
            said("openssl", "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", "-out", "reply", cwd=folder)
            reply = (folder / "reply").read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Authority)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    desk.variables["store"] = str(desk.panel.store)
    desk.variables["tsa"] = f"http://127.0.0.1:{server.server_port}"
    yield
    server.shutdown()


def seal(desk) -> dict:
    return json.loads((desk.folder / "ID.seal").read_text())


def test_the_files_for_a_third_party(desk):
    for path in desk.folder.glob(f"{desk.id}.*"):
        path.unlink()
    desk.run("inkpanel export $id --output ID.zip")
    assert "No errors detected" in said("unzip", "-t", desk.folder / "ID.zip")
    readme = said("unzip", "-p", desk.folder / "ID.zip", "README.txt")
    recipient = said("age-keygen", "-y", desk.folder / "court.key").strip()
    assert "1 key opens the encrypted files" in readme and f"\n    {recipient}\n" in readme
    assert "not a qualified one" in readme
    # The last command verifies them.
    said_there = desk.run("inkpanel identity show --allowed-signers")
    # The other blocks call them so.
    for path in desk.folder.glob(f"{desk.id}.*"):
        shutil.copy(path, desk.folder / path.name.replace(desk.id, "ID"))
    assert "All 3 facts that were checked fit." in said_there and "of panel-12@example.org" in said_there
    assert "WRONG" not in said_there and "DAMAGED" not in said_there


def test_a_time_stamp_of_the_head(desk, stamps):
    test_the_files_for_a_third_party(desk)
    said_there = desk.run("head=$(inkpanel status")
    assert "Verification: OK" in said_there
    head = json.loads(desk.panel.command("status", "--json"))["store"]["seals"]["head"]
    desk.variables |= {"head": f"{head['n']}:{head['digest']}", "digest": head["digest"]}
    seals = desk.panel.seals()
    assert head == {"n": len(seals), "digest": digest(seals[-1].read_bytes().split(b"\n")[0] + b"\n")}
    # Another digest does not fit this stamp.
    stamp = ("-in", "head.tsr", "-CAfile", "tsa.pem")
    other = run("openssl", "ts", "-verify", "-digest", "0" * 64, *stamp, cwd=desk.folder)
    assert other.returncode != 0


def test_an_archive_has_the_time_stamp_of_a_later_seal(desk, stamps):
    # An archive has the first stamp that covers its record: that of another test is none of this one.
    shutil.rmtree(desk.panel.store / "time-stamps", ignore_errors=True)
    desk.panel.capture()
    test_a_time_stamp_of_the_head(desk, stamps)
    desk.run("inkpanel export $id --output ID.zip")
    folder = desk.folder / "stamped"
    shutil.rmtree(folder, ignore_errors=True)
    said("unzip", "-q", desk.folder / "ID.zip", "-d", folder)
    head = int(desk.variables["head"].split(":")[0])
    own = json.loads((folder / f"{desk.id}.seal").read_text())["n"]
    assert (folder / f"{head}.tsr").read_bytes() == (desk.folder / "head.tsr").read_bytes()
    later = sorted(int(path.name[:10]) for path in folder.glob("00*.seal"))
    assert later == list(range(own + 1, head + 1)) != []

    def judged() -> list[tuple[int, str]]:
        """What the program and the second one say."""
        signers = desk.folder / "allowed_signers"
        told = run(PROGRAM, "verify", "--allowed-signers", signers, folder)
        return [(told.returncode, told.stdout), second([folder, signers])]

    def page_says(state: str) -> list[dict]:
        files = [{"name": path.name, "path": str(path), "batch": 1} for path in folder.iterdir()]
        told = core().ask("page", files=files, identity="", confirmed=[])
        return [fact for fact in told["facts"] if fact["code"] == "timeStamp" and fact["state"] == state]

    for status, text in judged():
        assert status == 0 and f"seal {head} existed at" in text, text
    [fact] = page_says("unchecked")
    assert fact["values"]["n"] == head and fact["values"]["by"] == "CN=Time" and fact["values"]["time"].endswith(" UTC")
    # One byte of the stamp's signature, which stands at its end.
    stamp = folder / f"{head}.tsr"
    data = bytearray(stamp.read_bytes())
    data[-5] ^= 1
    stamp.write_bytes(data)
    for status, text in judged():
        assert status == 1 and "signature of this time stamp does not fit" in text, text
    assert len(page_says("wrong")) == 1
    # A stamp of a seal that is not here is any file.
    stamp.write_bytes((desk.folder / "head.tsr").read_bytes())
    next(folder.glob(f"{head:010d}-*.seal")).unlink()
    for status, text in judged():
        assert status == 1 and f"seal {head} existed" not in text, text
    assert page_says("unchecked") == []
    # What somebody else has put there, or damaged, keeps no archive back.
    between = next((desk.panel.store / "seals").glob(f"{own + 1:010d}-*.seal"))
    whole, other = between.read_bytes(), desk.panel.store / f"time-stamps/{own}.tsr"
    for damage in (lambda: between.write_bytes(b"{}\n"), lambda: other.write_bytes(b"\x30\x03\x02\x01\x00")):
        damage()
        desk.run("inkpanel export $id --output ID.zip")
        names = said("unzip", "-Z1", desk.folder / "ID.zip").split()
        assert (f"{head}.tsr" in names) == (between.read_bytes() == whole) and f"{desk.id}.seal" in names
        between.write_bytes(whole)
    other.unlink()


def test_by_hand(desk, stamps):
    test_a_time_stamp_of_the_head(desk, stamps)
    desk.panel.command("export", desk.id, "--format", "record", "--output", desk.folder / "plain")
    plain = (desk.folder / "plain").read_bytes()
    said_there = desk.run("age -d -i court.key")
    assert (desk.folder / "ID.jsonl").read_bytes() == plain
    assert 'Good "inkpanel-seal" signature for panel-12@example.org' in said_there and "Verification: OK" in said_there
    sums = dict(reversed(line.split()) for line in said_there.splitlines() if re.match("[0-9a-f]{64} ", line))
    names = {"record": "ID.jsonl", "stored": "ID.jsonl.age", "document": "contract.pdf"}
    assert {member: sums[name] for member, name in names.items()} == {member: seal(desk)[member] for member in names}


def test_the_chain(desk, stamps):
    test_a_time_stamp_of_the_head(desk, stamps)
    store = desk.folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(desk.panel.store, store)
    assert desk.run("previous=$(printf") == f"the last seal is {desk.variables['digest']}\n"
    said_there = desk.run("inkpanel verify store")
    assert "is the one that its holder kept" in said_there and "WRONG" not in said_there
    next((store / "seals").glob("0000000001*")).unlink()
    assert "does not follow" in desk.run("previous=$(printf")


def test_the_digest_of_the_page(desk):
    """A screenshot before the first stroke has the digest that record and seal name."""
    with socket.socket(socket.AF_UNIX) as host:
        host.connect(str(desk.panel.socket))

        def call(method: str, **parameters) -> dict:
            message = {"method": f"org.inkpanel.Panel.{method}", "parameters": parameters}
            host.sendall(json.dumps(message).encode() + b"\0")
            reply = b""
            while not reply.endswith(b"\0"):
                reply += host.recv(65536)
            return json.loads(reply[:-1])["parameters"]

        call("Simulate", act="leave")
        capture = subprocess.Popen(
            [PROGRAM, "capture", "--socket", desk.panel.socket, "--prompt", "A page"], stdout=subprocess.PIPE,
            text=True)
        deadline = time.monotonic() + 30
        while call("Status")["status"]["page"] != "signing":
            assert time.monotonic() < deadline
        desk.panel.command("screenshot", desk.folder / "page.png")
        call("Simulate", act="sign")
        name = capture.communicate(timeout=60)[0].strip()
        line = json.loads(call("Get", id=name, format="seal")["text"])
        end = json.loads(call("Get", id=name, format="record")["text"].splitlines()[-1])["end"]["shown"]
    assert desk.run("pngtopnm").split()[0] == line["shown"][0] == end["page"]
    assert line["shown"][1] == end["signed"] != end["page"]


def test_the_recipes_for_keys(desk):
    assert desk.run("age-keygen -o notary.key").startswith("age1")
    ca = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
          "-days", "9", "-subj", "/CN=CA")
    said(*ca, cwd=desk.folder)
    said_there = desk.run("inkpanel identity show --csr")
    assert "panel.pem: OK" in said_there
    key = said_there.splitlines()[-1].split()[:2]
    assert key == desk.panel.identity("show", "--allowed-signers").split()[2:4]
    subject = said("openssl", "x509", "-in", desk.folder / "panel.pem", "-noout", "-subject")
    assert "O = Example Ltd" in subject and "CN = Panel 12" in subject
    own = desk.panel.store / "certificate.pem"
    before = desk.panel.identity()
    kept = own.read_bytes()
    shutil.copy(desk.folder / "panel.pem", own)
    assert desk.panel.identity() == before
    own.write_bytes(kept)


def test_all_blocks_are_run(desk, stamps):
    test_by_hand(desk, stamps)
    test_the_chain(desk, stamps)
    test_the_digest_of_the_page(desk)
    (desk.folder / "notary.key").unlink(missing_ok=True)
    test_the_recipes_for_keys(desk)
    assert desk.done == set(BLOCKS) - NOT_HERE and NOT_HERE < set(BLOCKS)


# Keys

@pytest.fixture
def stopped(tmp_path):
    """A copy of a stopped panel's store."""
    shutil.copytree(evidence().till.store, tmp_path / "store")
    return tmp_path


def identity(folder, *words):
    return run(PROGRAM, "identity", *words, "--config", evidence().till.file, "--store", folder / "store")


def test_a_key_is_replaced(stopped):
    (stopped / "store/key.pem").rename(stopped / "old.pem")
    made = identity(stopped, "create", "--replace", stopped / "old.pem")
    assert made.returncode == 0, made.stderr
    line = json.loads(next((stopped / "store/seals").glob("*.key.seal")).read_text().split("\n")[0])
    assert (line["n"], line["key"], line["replaces"]) == (7, made.stdout.strip(), evidence_key())
    signers = stopped / "signers"
    signers.write_text(evidence().allowed.read_text() + identity(stopped, "show", "--allowed-signers").stdout)
    said_there = said(PROGRAM, "verify", stopped / "store", "--allowed-signers", signers)
    assert "the panel got a new key" in said_there and said_there.count("seal 7: signed by the key") == 2
    # Without the signature of the old key, anybody could do so.
    path = next((stopped / "store/seals").glob("*.key.seal"))
    text = path.read_text()
    path.write_text(text[:text.rindex("-----BEGIN")])
    forged = run(PROGRAM, "verify", stopped / "store", "--allowed-signers", signers)
    assert forged.returncode == 1 and "has no signature of the key" in forged.stdout


def test_a_lost_key_begins_a_new_chain(stopped):
    (stopped / "store/key.pem").unlink()
    assert identity(stopped, "create", "--lost").returncode == 0
    said_there = run(PROGRAM, "verify", stopped / "store").stdout
    assert "begins a new chain, because the key before was lost" in said_there


def test_a_second_key_is_refused_unless_it_replaces_the_first(stopped):
    certificate = (stopped / "store/certificate.pem").read_bytes()
    refused = identity(stopped, "create", "--key", stopped / "new.pem")
    assert refused.returncode == 64 and "--replace" in refused.stderr
    # Nor with a key that is not that of the seals.
    said("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", stopped / "other.pem")
    refused = identity(stopped, "create", "--key", stopped / "new.pem", "--replace", stopped / "other.pem")
    assert refused.returncode != 0
    assert not (stopped / "new.pem").exists()
    assert (stopped / "store/certificate.pem").read_bytes() == certificate


def test_the_identity_of_a_panel_with_recipients_needs_no_runtime_directory(tmp_path):
    words = [PROGRAM, "identity", "--config", evidence().clinic.file, "--store", evidence().clinic.store]
    shown = run(*words, env={"RUNTIME_DIRECTORY": str(tmp_path / "none/inkpanel")})
    assert shown.returncode == 0 and shown.stdout.startswith("fingerprint      SHA256:"), shown.stderr


def evidence_key() -> str:
    return json.loads(evidence().till.seals()[0].read_text().split("\n")[0])["key"]


# Exit statuses

def test_a_panel_signs_with_the_key_among_its_credentials(tmp_path):
    """A group may read it, as the service manager lets the panel. Tests/system/Panel has one that a TPM opens."""
    credentials, made = tmp_path / "credentials", tmp_path / "made"
    credentials.mkdir()
    made.mkdir()
    key = credentials / "inkpanel.key"
    fingerprint = said(PROGRAM, "identity", "create", "--store", made, "--key", key).strip()
    key.chmod(0o440)
    panel = Panel(tmp_path / "own", variables={"CREDENTIALS_DIRECTORY": str(credentials)}).start()
    panel.capture()
    panel.stop()
    (seal,) = panel.seals()
    assert json.loads(seal.read_bytes().split(b"\n")[0])["key"] == fingerprint
    assert [path.name for path in panel.store.glob("*.pem")] == ["certificate.pem"], "the key is beside the captures, too"


def test_status_names_the_key_and_what_is_wrong(tmp_path):
    panel = Panel(tmp_path / "own").start()
    panel.capture()
    key = panel.identity().split()[1]
    assert f"key      {key}\nseal     1, " in panel.command("status")
    panel.capture()
    panel.stop()
    panel.seals()[0].unlink()
    panel.start()
    try:
        said_here = panel.command("status")
        assert f"key      {key}\nseal     2, " in said_here and "fault    seal 1 is missing\n" in said_here
        listed = json.loads(panel.command("list", "--json"))
        assert listed["missingSeals"] == [1] and listed["seal"]["n"] == 2
        panel.stop()
        (panel.store / "key.pem").unlink()
        panel.start()
        said_there = panel.command("status")
        assert "key      " not in said_there and "cannot read the panel's key" in said_there
        # A capture is taken, and says that it has no seal.
        name = panel.capture()
        refused = run(PROGRAM, "export", name, "--socket", panel.socket, "--format", "seal", "--output", "-")
        assert refused.returncode == 65 and "has no seal" in refused.stderr
    finally:
        panel.stop()


def test_exit_statuses_of_verify(stopped):
    record = sorted((stopped / "store/captures").iterdir())[0]
    numbered = sorted((stopped / "store/seals").iterdir())[0]
    assert run(PROGRAM, "verify", record, numbered).returncode == 2
    # Its seal is found in the panel's directory, but not from elsewhere.
    assert run(PROGRAM, "verify", record).returncode == 2
    assert run(PROGRAM, "verify", shutil.copy(record, stopped / "alone.jsonl")).returncode == 1
    whole = numbered.read_bytes()
    numbered.write_bytes(whole[:100])
    assert run(PROGRAM, "verify", record, numbered).returncode == 65
    numbered.write_bytes(whole)
    record.write_bytes(record.read_bytes().replace(b'"samples"', b'"simples"'))
    assert run(PROGRAM, "verify", record, numbered).returncode == 65
    assert run(PROGRAM, "verify", stopped / "none").returncode == 66
    assert run(PROGRAM, "verify").returncode == 64


def test_another_file_of_the_same_capture_is_not_skipped(stopped):
    record = sorted((stopped / "store/captures").iterdir())[0]
    numbered = sorted((stopped / "store/seals").iterdir())[0]
    (stopped / "forged").mkdir()
    forged = stopped / "forged" / record.name
    forged.write_bytes(record.read_bytes().replace(b"Anna", b"Hans"))
    for files in ([forged, record], [record, forged]):
        ended = run(PROGRAM, "verify", *files, numbered)
        assert ended.returncode == 1 and "is of the same capture" in ended.stdout, ended.stdout
    # A copy is the same record, and so is a copy of a seal.
    shutil.copy(record, forged)
    assert run(PROGRAM, "verify", stopped / "store", forged).returncode == 2
    shutil.copy(numbered, stopped / "copy.seal")
    ended = run(PROGRAM, "verify", stopped / "store", stopped / "copy.seal")
    assert ended.returncode == 2, ended.stdout


def test_the_document_of_one_of_two_captures(tmp_path):
    panel = Panel(tmp_path / "two").start()
    documents = [tmp_path / "first.pdf", tmp_path / "second.pdf"]
    for number, document in enumerate(documents):
        document.write_bytes(b"document %d" % number)
        panel.capture("--document", document)
    panel.stop()
    for document in documents:
        ended = run(PROGRAM, "verify", panel.store, document)
        assert ended.returncode == 2, ended.stdout
    documents[0].write_bytes(b"another document")
    ended = run(PROGRAM, "verify", panel.store, documents[0])
    assert ended.returncode == 1 and "no seal names this document" in ended.stdout


def test_a_key_is_replaced_in_two_steps(stopped):
    old, new = stopped / "store/key.pem", stopped / "new.pem"
    fingerprint = identity(stopped, "create", "--key", new, "--key-only").stdout.strip()
    assert new.exists() and not list((stopped / "store/seals").glob("*.key.seal"))
    same = identity(stopped, "create", "--key", old, "--replace", old)
    assert same.returncode == 64 and "the key to replace" in same.stderr
    made = identity(stopped, "create", "--key", new, "--replace", old)
    assert made.returncode == 0 and made.stdout.strip() == fingerprint, made.stderr
    (path,) = (stopped / "store/seals").glob("*.key.seal")
    assert json.loads(path.read_text().split("\n")[0])["key"] == fingerprint
    # Once more changes nothing.
    assert identity(stopped, "create", "--key", new, "--replace", old).returncode == 0
    assert len(list((stopped / "store/seals").glob("*.key.seal"))) == 1


def test_a_date_in_allowed_signers_ends_at_its_first_moment(stopped):
    record = sorted((stopped / "store/captures").iterdir())[0]
    seal = sorted((stopped / "store/seals").iterdir())[0]
    key = evidence().allowed.read_text().splitlines()[0].split(" ", 1)
    at = json.loads(seal.read_text().split("\n")[0])["at"] // 1_000_000
    day, next_day = (time.strftime("%Y%m%d", time.gmtime(at + days * 86400)) for days in (0, 1))
    options, _, rest = key[1].partition(" ")
    for before, fits in ((day, False), (next_day, True)):
        signers = stopped / "signers"
        signers.write_text(f'{key[0]} {options},valid-before="{before}Z" {rest}\n')
        ours = run(PROGRAM, "verify", record, seal, f"--allowed-signers={signers}")
        theirs = run(sys.executable, TOP / "docs/examples/verify.py", record, seal, seal, signers)
        assert (ours.returncode == 0, theirs.returncode == 0) == (fits, fits), (ours.stdout, theirs.stdout)


def test_an_encrypted_record_needs_the_right_identity():
    store = evidence().clinic.store
    without = run(PROGRAM, "verify", store)
    assert without.returncode == 2 and "not checked: the contents" in without.stdout
    right = run(PROGRAM, "verify", store, "--identity", evidence().identity)
    assert right.returncode == 2 and "not checked: the contents" not in right.stdout
    assert right.stdout.count("the record is the one that was sealed") == 2
    wrong = run(PROGRAM, "verify", store, "--identity", evidence().stranger)
    assert wrong.returncode == 65 and "cannot be opened" in wrong.stdout
    # Nothing readable is there.
    texts = [path for path in store.rglob("*") if path.is_file() and b"Consent" in path.read_bytes()]
    assert texts == [] and len(list((store / "captures").iterdir())) == 2
