# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/examples: ten lines of Python, and curl."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "clients"))

import pytest
from inkpanel import Inkpanel, InkpanelError


def run(words: list, folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_example_in_python(gateway, token, tmp_path):
    shutil.copy(ROOT / "clients/inkpanel.py", tmp_path)
    shown = run(
        ["/usr/bin/env", f"PYTHONPATH={tmp_path}", "/usr/bin/python3", ROOT / "docs/examples/gateway.py",
         f"http://127.0.0.1:{gateway.port}", token], tmp_path)
    assert shown.split()[-1] == "ended"
    assert (tmp_path / "signature.png").read_bytes().startswith(b"\x89PNG")


def test_the_example_with_curl(gateway, token, tmp_path):
    run([ROOT / "docs/examples/gateway.sh", f"http://127.0.0.1:{gateway.port}", token], tmp_path)
    assert (tmp_path / "signature.png").read_bytes().startswith(b"\x89PNG")


def test_the_example_with_curl_fails_when_the_person_cancels(gateway, token, tmp_path):
    gateway.act(token, "cancel")
    done = subprocess.run(
        [ROOT / "docs/examples/gateway.sh", f"http://127.0.0.1:{gateway.port}", token], cwd=tmp_path, capture_output=True,
        timeout=60)
    assert done.returncode == 1 and b'"cancelled"' in done.stdout and not (tmp_path / "signature.png").exists()


def test_the_client_in_python(gateway, token):
    pad = Inkpanel(f"http://127.0.0.1:{gateway.port}", token)
    assert pad.status()["page"] in ("idle", "thanks")
    changes = []
    capture = pad.capture(prompt=["a"], data={"order": "1"}, on_change=lambda change: changes.append(change["state"]))
    assert capture["outcome"] == {"result": "accepted"} and changes[-1] == "ended" and "signing" in changes
    assert pad.file(capture["id"], "signature.png", width=100, height=50)[16:24] == b"\0\0\0\x64\0\0\0\x32"
    assert next(pad.list())["id"] == capture["id"]
    seal = pad.file(capture["id"], "seal")
    assert capture["seal"]["digest"] == hashlib.sha256(seal).hexdigest() and capture["seal"]["n"] == json.loads(seal)["n"]
    assert pad.file(capture["id"], "seal.sig").startswith(b"-----BEGIN SSH SIGNATURE-----")
    with pytest.raises(InkpanelError, match="not encrypted") as readable:
        pad.file(capture["id"], "record.jsonl.age")
    assert readable.value.reason == "not-exportable"
    gateway.act(token, "leave")
    document = pad.call("POST", "/v1/captures", {"prompt": ["b"]})
    assert pad.clear(document["id"])["strokes"] == 0
    assert pad.accept(document["id"])["state"] == "refused"
    with pytest.raises(InkpanelError, match="Another capture") as busy:
        pad.capture(prompt=["c"])
    assert busy.value.reason == "busy" and busy.value.status == 409
    assert pad.cancel(document["id"])["outcome"]["by"] == "host"
    page = Inkpanel(pad.url.geturl(), pad.session("https://till.example", lifetime=60))
    with pytest.raises(InkpanelError) as refused:
        page.status()
    assert refused.value.reason == "missing-scope"
