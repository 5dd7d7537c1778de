# SPDX-License-Identifier: Apache-2.0
"""Archives of evidence (`inkpanel export --format evidence`), read by other programs."""

import json
import time
import zipfile
from pathlib import Path

import pytest
from sealed import PROGRAM, Panel, removed_at_the_end, run, said
from test_opening import unzip

PAGE = Path(PROGRAM).resolve().parent / "../share/inkpanel/verify.html"


@pytest.fixture(scope="module")
def panel():
    panel = Panel(removed_at_the_end() / "panel").start()
    yield panel
    panel.stop()


def exported(panel, capture: str, folder: Path) -> Path:
    panel.command("export", capture, "--output", folder / "evidence.zip")
    return folder / "evidence.zip"


def test_others_read_it_and_verify_what_is_in_it(panel, tmp_path):
    (tmp_path / "contract.pdf").write_bytes(b"%PDF-1.7 the contract\n")
    capture = panel.capture("--document", tmp_path / "contract.pdf")
    path = exported(panel, capture, tmp_path)
    archive = zipfile.ZipFile(path)
    assert archive.testzip() is None
    names = archive.namelist()
    assert "No errors detected" in said("unzip", "-t", path)
    own = {capture + ending for ending in (".jsonl", ".seal", ".seal.sig")}
    own |= {"allowed_signers", "signature.png", "README.txt"}
    assert set(names) == own | ({"verify.html"} if PAGE.exists() else set())
    assert isinstance(files := unzip(path.read_bytes(), tmp_path), dict) and list(files) == names
    for name, format_name in [(".jsonl", "record"), (".seal", "seal"), (".seal.sig", "sealSignature")]:
        panel.command("export", capture, "--format", format_name, "--output", tmp_path / "one")
        assert archive.read(capture + name) == (tmp_path / "one").read_bytes()
    panel.command("export", capture, "--output", tmp_path / "one.png")
    assert archive.read("signature.png") == (tmp_path / "one.png").read_bytes()
    said("unzip", "-q", path, "-d", tmp_path / "there")
    folder = tmp_path / "there"
    told = said(PROGRAM, "verify", *sorted(folder.glob(capture + ".*")), tmp_path / "contract.pdf",
                "--allowed-signers", folder / "allowed_signers")
    assert "WRONG" not in told and "that were checked fit" in told
    # Its dates are those of the record, and it is the same each time.
    header = json.loads(archive.read(capture + ".jsonl").splitlines()[0])
    started = time.gmtime(header["startedAt"] // 1_000_000)
    assert {info.date_time for info in archive.infolist()} == {tuple(started[:5]) + (started.tm_sec // 2 * 2,)}
    before = path.read_bytes()
    assert exported(panel, capture, tmp_path).read_bytes() == before
    assert {info.external_attr >> 16 for info in archive.infolist()} == {0o100644}


def test_it_says_what_it_lacks(panel, tmp_path):
    """Also without the page beside the program, which the log then tells, and what to do."""
    capture = panel.capture()
    readme = zipfile.ZipFile(exported(panel, capture, tmp_path)).read("README.txt").decode()
    assert f"Evidence of the capture {capture}" in readme
    lacks = readme.split("\nNot in here:\n")[1]
    assert "a time stamp of the seal" in lacks
    assert ("verify.html: the panel cannot read it" in lacks) == (not PAGE.exists())
    log = (panel.folder / "log").read_text()
    if PAGE.exists():
        assert "verify.html" not in log
    else:
        assert "lacks verify.html" in log and "install the package inkpanel again, or build with `make build`" in log


def test_it_needs_an_accepted_capture_of_the_panel(panel, tmp_path):
    capture = panel.capture()
    panel.command("export", capture, "--format", "record", "--output", tmp_path / "a.jsonl")
    refused = run(PROGRAM, "export", tmp_path / "a.jsonl", "--output", tmp_path / "a.zip")
    assert refused.returncode == 64 and "needs the ID of a capture" in refused.stderr
    words = ("export", capture, "--socket", panel.socket, "--output", tmp_path / "a.zip")
    refused = run(PROGRAM, *words, "--field", "S01")
    assert refused.returncode == 64 and "--field is for ink" in refused.stderr
    assert not (tmp_path / "a.zip").exists()
