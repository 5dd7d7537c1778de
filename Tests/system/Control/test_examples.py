# SPDX-License-Identifier: Apache-2.0
"""The examples of README.md and docs/host-api.md work."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from PIL import Image

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


def run(*command, status=0) -> str:
    path = os.path.dirname(os.environ["INKPANEL"]) + ":" + os.environ["PATH"]
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=60, env=os.environ | {"PATH": path})
    assert done.returncode == status, done.stderr
    return done.stdout


def test_python(start, tmp_path):
    peer = start("accept")
    name = run(sys.executable, EXAMPLES / "signature.py", peer.socket, tmp_path / "a.png").strip()
    assert peer.records() == [name]
    assert Image.open(tmp_path / "a.png").format == "PNG"
    run(sys.executable, EXAMPLES / "signature.py", start("cancel").socket, tmp_path / "b.png", status=1)


def test_shell(start, tmp_path):
    peer = start("accept")
    document = tmp_path / "delivery.pdf"
    document.write_bytes(b"a document")
    output = run("sh", EXAMPLES / "signature.sh", peer.socket, document, tmp_path / "a.png")
    assert output.splitlines() == [*peer.records(), f"signed: {tmp_path}/a.png"]
    assert Image.open(tmp_path / "a.png").format == "PNG"
    header = json.loads((peer.store / "captures" / f"{peer.records()[0]}.jsonl").read_text().splitlines()[0])
    assert header["request"]["document"] == {
        "reference": "delivery.pdf", "sha256": hashlib.sha256(b"a document").hexdigest()}
    for act, status in [("cancel", 1), ("timeout", 1), ("fail", 2)]:
        run("sh", EXAMPLES / "signature.sh", start(act).socket, document, tmp_path / "b.png", status=status)


def test_socat(start):
    peer = start("accept")
    answers = [json.loads(line) for line in run("sh", EXAMPLES / "signature-socat.sh", peer.socket).splitlines()]
    assert answers[-1]["parameters"]["outcome"] == {"result": "accepted"}
    assert answers[-1]["parameters"]["id"] == peer.records()[0]


@pytest.mark.skipif(shutil.which("varlinkctl") is None, reason="varlinkctl comes with systemd 255")
def test_varlinkctl(start):
    assert "accepted" in run("sh", EXAMPLES / "signature-varlinkctl.sh", start("accept").socket)


def test_c(start, tmp_path):
    run("cc", "-Wall", "-Wextra", "-Werror", "-o", tmp_path / "signature", EXAMPLES / "signature.c")
    peer = start("accept")
    assert json.loads(run(tmp_path / "signature", peer.socket))["parameters"]["id"] == peer.records()[0]
    run(tmp_path / "signature", start("cancel").socket, status=1)
    run(tmp_path / "signature", tmp_path / "none", status=69)


def test_the_readme(start, tmp_path):
    peer = start("accept")
    readme = (EXAMPLES.parents[1] / "README.md").read_text()
    block, = re.findall(r"^    import base64.*\n(?:(?:    .*)?\n)+", readme, re.M)
    program = textwrap.dedent(block).replace("/run/inkpanel/panel.sock", peer.socket)
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=60)
    assert Image.open(tmp_path / "signature.png").format == "PNG"
