# SPDX-License-Identifier: Apache-2.0
"""Seals and encrypted records over HTTP, checked with OpenSSH, age and `inkpanel verify`."""

import base64
import hashlib
import json
import os
import subprocess
import tempfile
import zipfile

import pytest
from gateway import Gateway, Panel
from support.waiting import wait_for


def inkpanel(*words) -> str:
    done = subprocess.run([os.environ["INKPANEL"], *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def sign(gateway, token, **request) -> dict:
    """The last event of an accepted capture."""
    name, _, last = list(gateway.events(token, gateway.capture(token, **request)["id"]))[-1]
    assert name == "ended" and last["outcome"] == {"result": "accepted"}, last
    return last


def download(gateway, token, capture: str, name: str, folder):
    """The file, stored under the name that the gateway proposes."""
    answer = gateway.request("GET", f"/v1/captures/{capture}/{name}", token)
    assert answer.status == 200, answer
    path = folder / answer.headers["Content-Disposition"].split('"')[1]
    path.write_bytes(answer.body)
    return path


def verifies(panel, seal, signature) -> bool:
    """Whether ssh-keygen accepts the signature of a seal by the panel's key."""
    signers = seal.parent / "allowed_signers"
    signers.write_text(inkpanel("identity", "show", "--allowed-signers", "--store", f"{panel.folder}/records"))
    name = signers.read_text().split()[0]
    return subprocess.run(
        ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", name, "-n", "inkpanel-seal", "-s", signature],
        input=seal.read_bytes(), capture_output=True, timeout=20).returncode == 0


def test_a_capture_names_its_seal_and_ssh_keygen_verifies_it(own, tmp_path):
    panel, gateway = own
    token = gateway.token()
    first, second = sign(gateway, token), sign(gateway, token)
    assert (first["seal"]["n"], second["seal"]["n"]) == (1, 2)

    seal = download(gateway, token, second["id"], "seal", tmp_path)
    signature = download(gateway, token, second["id"], "seal.sig", tmp_path)
    assert hashlib.sha256(seal.read_bytes()).hexdigest() == second["seal"]["digest"]
    assert verifies(panel, seal, signature)
    other = download(gateway, token, first["id"], "seal", tmp_path)
    assert not verifies(panel, other, signature), "each signature is for its own seal"

    document = json.loads(seal.read_text())
    assert document["previous"] == first["seal"]["digest"]
    record = download(gateway, token, second["id"], "record.jsonl", tmp_path)
    assert document["record"] == hashlib.sha256(record.read_bytes()).hexdigest()
    # The proposed names are those by which the command finds what belongs together.
    inkpanel(
        "verify", record, seal, signature, "--allowed-signers", tmp_path / "allowed_signers",
        "--head", "{n}:{digest}".format(**second["seal"]))

    # The archive has the same files, and nothing else of the panel.
    archive = zipfile.ZipFile(download(gateway, token, second["id"], "evidence.zip", tmp_path))
    for path in (record, seal, signature):
        assert archive.read(path.name) == path.read_bytes()
    assert archive.read("signature.png") == gateway.request(
        "GET", f"/v1/captures/{second['id']}/signature.png", token).body
    assert archive.read("allowed_signers") == (tmp_path / "allowed_signers").read_bytes()
    other = gateway.token("other")
    assert gateway.request("GET", f"/v1/captures/{second['id']}/evidence.zip", other).problem == "not-found"
    refused = gateway.request("GET", f"/v1/captures/{second['id']}/evidence.zip?dpi=300", token)
    assert refused.problem == "invalid-parameter"

    # Also when only the record is left of the capture.
    gateway.kill()
    gateway.start()
    assert gateway.request("GET", f"/v1/captures/{first['id']}", token).json["seal"] == first["seal"]
    listed = gateway.request("GET", "/v1/captures", token).json
    assert listed["seal"] == second["seal"] and "missingSeals" not in listed
    assert [record["seal"] for record in listed["captures"]] == [second["seal"], first["seal"]]
    seals = gateway.request("GET", "/v1/panel", token).json["store"]["seals"]
    assert seals["head"] == second["seal"] and seals["key"] == document["key"] and seals["faults"] == []
    refused = gateway.request("GET", f"/v1/captures/{first['id']}/seal?interrupted=true", token)
    assert refused.problem == "invalid-parameter"
    assert gateway.request("GET", "/v1/captures/none/seal", token).problem == "not-found"


def test_the_list_names_missing_seals(own):
    panel, gateway = own
    token = gateway.token()
    ids = [sign(gateway, token)["id"] for _ in range(3)]
    panel.kill()
    [path] = [path for path in (panel.folder / "records/seals").iterdir() if ids[1] in path.name]
    path.unlink()
    panel.start()
    wait_for(lambda: gateway.request("GET", "/v1/panel", token).status == 200)
    listed = gateway.request("GET", "/v1/captures", token).json
    assert listed["missingSeals"] == [2] and listed["seal"]["n"] == 3
    assert "seal" not in listed["captures"][1]
    assert gateway.request("GET", f"/v1/captures/{ids[1]}/seal", token).problem == "not-exportable"


def test_the_panel_computes_the_digest_of_a_document(own):
    panel, gateway = own
    token = gateway.token()
    pages = os.urandom(48_000)
    capture = sign(gateway, token, document={"reference": "a.pdf", "base64": base64.b64encode(pages).decode()})["id"]
    digest = hashlib.sha256(pages).hexdigest()
    [listed] = gateway.request("GET", "/v1/captures", token).json["captures"]
    assert listed["document"] == {"reference": "a.pdf", "sha256": digest, "computed": True}
    seal = gateway.request("GET", f"/v1/captures/{capture}/seal", token).json
    assert seal["document"] == digest

    # The longest body makes a message to the panel that is longer.
    empty = json.dumps({"document": {"base64": ""}})
    for length in [65_536, 65_540]:
        text = "A" * ((length - len(empty)) // 4 * 4)
        refused = gateway.request("POST", "/v1/captures", token, {"document": {"base64": text}})
        assert refused.status == 413 and refused.problem == "too-large" and "sha256" in refused.json["detail"], length
    wrong = gateway.request("POST", "/v1/captures", token, {"document": {"base64": "A*"}})
    assert wrong.problem == "invalid-parameter" and wrong.json["errors"][0]["pointer"] == "/document/base64"
    wrong = gateway.request("POST", "/v1/captures", token, {"document": {"base64": "QQ==", "sha256": "0" * 64}})
    assert wrong.problem == "invalid-parameter" and wrong.json["errors"][0]["pointer"] == "/document/sha256"


@pytest.fixture
def encrypted(tmp_path):
    """A panel with two recipients, their keys, and a gateway. Until a capture ends, it is written to memory only."""
    keys = [tmp_path / "organisation.txt", tmp_path / "notary.txt"]
    for key in keys:
        subprocess.run(["age-keygen", "-o", key], capture_output=True, check=True, timeout=20)
    recipients = [
        subprocess.run(["age-keygen", "-y", key], capture_output=True, text=True, check=True, timeout=20).stdout.strip()
        for key in keys]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        panel = Panel(
            tmp_path, more=f"[evidence]\nrecipients = {json.dumps(recipients)}\nreadable-seconds = 10",
            environment={"XDG_RUNTIME_DIR": memory})
        gateway = Gateway(tmp_path, panel.socket)
        yield panel, gateway, keys, recipients
        gateway.kill()
        panel.kill()


def test_only_recipients_read_an_encrypted_record(encrypted, tmp_path):
    panel, gateway, keys, recipients = encrypted
    token = gateway.token()
    last = sign(gateway, token, signer="Anna Müller")
    capture = last["id"]
    picture = gateway.request("GET", f"/v1/captures/{capture}/signature.png", token)
    assert picture.status == 200 and picture.body.startswith(b"\x89PNG")
    record = gateway.request("GET", f"/v1/captures/{capture}/record.jsonl", token).body
    early = gateway.request("GET", f"/v1/captures/{capture}/evidence.zip", token).body

    def refused():
        answer = gateway.request("GET", f"/v1/captures/{capture}/signature.png", token)
        return answer if answer.status != 200 else None
    answer = wait_for(refused, 30)
    assert answer.status == 409 and answer.problem == "encrypted" and "record.jsonl.age" in answer.json["detail"]
    for name in ["record.jsonl", "metadata.json", "signature.csv"]:
        assert gateway.request("GET", f"/v1/captures/{capture}/{name}", token).problem == "encrypted"

    file = download(gateway, token, capture, "record.jsonl.age", tmp_path)
    for key in keys:
        opened = subprocess.run(["age", "-d", "-i", key, file], capture_output=True, timeout=20)
        assert opened.stdout == record and "Anna Müller".encode() in record, opened.stderr
    seal = download(gateway, token, capture, "seal", tmp_path)
    signature = download(gateway, token, capture, "seal.sig", tmp_path)
    assert verifies(panel, seal, signature)
    assert json.loads(seal.read_text())["stored"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert json.loads(seal.read_text())["record"] == hashlib.sha256(record).hexdigest()
    inkpanel("verify", file, seal, signature, "--allowed-signers", tmp_path / "allowed_signers")
    # The archive never has what only recipients read, also not as long as the panel can read it.
    path = download(gateway, token, capture, "evidence.zip", tmp_path)
    archive = zipfile.ZipFile(path)
    assert path.read_bytes() == early and archive.read(file.name) == file.read_bytes()
    assert {f"{capture}.jsonl", "signature.png"}.isdisjoint(archive.namelist())
    assert b"the readable record and pictures of its ink, as it is encrypted" in archive.read("README.txt")

    [listed] = gateway.request("GET", "/v1/captures", token).json["captures"]
    assert listed["encrypted"] is True and listed["seal"] == last["seal"] and "signer" not in listed
    assert gateway.request("GET", "/v1/panel", token).json["store"]["recipients"] == recipients
    # The state of the capture stays known.
    gateway.kill()
    gateway.start()
    stored = gateway.request("GET", f"/v1/captures/{capture}", token).json
    assert stored["state"] == "ended" and stored["outcome"] == {"result": "accepted"}
    assert stored["seal"] == last["seal"]
