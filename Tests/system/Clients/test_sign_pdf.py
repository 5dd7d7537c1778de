# SPDX-License-Identifier: Apache-2.0
"""The samples of docs/sign-pdf.md sign a PDF file, as they are printed or in docs/examples."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXAMPLES, ROOT, run
from reportlab.pdfgen import canvas

PAGE = (ROOT / "docs/sign-pdf.md").read_text()
SAMPLES = dict(re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.S | re.M))
FILES = {name.split(".")[1]: EXAMPLES / name for name in re.findall(r"\(examples/(sign-pdf\.\w+)\)", PAGE)}


@pytest.fixture
def contract(tmp_path) -> Path:
    path = tmp_path / "contract.pdf"
    page = canvas.Canvas(str(path))
    page.drawString(70, 700, "Contract 4711")
    page.drawString(70, 300, "Signature:")
    page.save()
    return path


def python(folder: Path) -> list:
    (folder / "inkpanel.py").write_bytes((ROOT / "clients/inkpanel.py").read_bytes())
    (folder / "sample.py").write_text(SAMPLES["python"])
    return [sys.executable, "sample.py"]


def javascript(folder: Path) -> list:
    (folder / "sample.mjs").write_text(SAMPLES["javascript"])
    return ["/usr/bin/node", "sample.mjs"]


def php(folder: Path) -> list:
    return ["/usr/bin/php", FILES["php"]]


def csharp(folder: Path) -> list:
    run(["/usr/bin/mcs", "-warnaserror", "-r:System.Net.Http", f"-out:{folder}/sample.exe", FILES["cs"]], folder)
    return ["/usr/bin/mono", "sample.exe"]


def java(folder: Path) -> list:
    return ["/usr/bin/java", FILES["java"]]


@pytest.mark.parametrize("language", [python, javascript, php, csharp, java], ids=lambda language: language.__name__)
def test_a_sample_signs_and_saves_nothing_that_is_not_signed(
        language, contract, module, inkpanel_simulator, inkpanel_pad, tmp_path):
    words = [*language(tmp_path), inkpanel_simulator.url, inkpanel_simulator.token]
    for act in ("sign", "cancel"):
        inkpanel_simulator.act(act)
        (tmp_path / "signed.pdf").unlink(missing_ok=True)
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        # Mono 6.8 sometimes aborts when it ends.
        assert done.returncode == 0 or "mono-threads.c" in done.stderr, done.stderr
        assert (tmp_path / "signed.pdf").exists() == (act == "sign"), done.stdout + done.stderr
        if act == "sign":
            signed = (tmp_path / "signed.pdf").read_bytes()
            assert signed.startswith(contract.read_bytes()) and b"/ETSI.CAdES.detached" in signed


def test_all_languages_of_the_title_have_a_sample():
    assert set(SAMPLES) == {"python", "javascript"} and set(FILES) == {"php", "cs", "java"}
    # Samples that nobody reads to the end have no use.
    assert all(len(sample.splitlines()) <= 17 for sample in SAMPLES.values())
    assert all(len(path.read_text().splitlines()) <= 40 for path in FILES.values())


def test_the_single_file_and_the_package_live_together_under_two_names(installed, tmp_path):
    (tmp_path / "inkpanel_file.py").write_bytes((ROOT / "clients/inkpanel.py").read_bytes())
    said = run([installed, "-c", "import inkpanel, inkpanel_file; print(inkpanel.Pad, inkpanel_file.Inkpanel)"], tmp_path,
               PYTHONPATH="")
    assert "inkpanel.pads.Pad" in said and "inkpanel_file.Inkpanel" in said
