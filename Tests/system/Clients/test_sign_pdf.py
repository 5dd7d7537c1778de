# SPDX-License-Identifier: Apache-2.0
"""The samples of docs/sign-pdf.md sign a PDF file, as they are printed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, run
from reportlab.pdfgen import canvas

SAMPLES = dict(re.findall(r"^```(\w+)\n(.*?)^```", (ROOT / "docs/sign-pdf.md").read_text(), re.S | re.M))
CSHARP = """using System; using System.IO; using System.Net.Http; using System.Text; using System.Text.RegularExpressions;
using System.Threading.Tasks;
static class Sample {
    static void Main(string[] args) { Run(args).GetAwaiter().GetResult(); }
    static async Task Run(string[] args) {
%s    }
}
"""
JAVA = """import java.net.URI; import java.net.http.*; import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path; import java.util.function.*;
import static java.net.http.HttpResponse.BodyHandlers.*;
class Sample {
    public static void main(String[] args) throws Exception {
%s    }
}
"""


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
    (folder / "sample.php").write_text(SAMPLES["php"])
    return ["/usr/bin/php", "sample.php"]


def csharp(folder: Path) -> list:
    (folder / "sample.cs").write_text(CSHARP % SAMPLES["csharp"])
    run(["/usr/bin/mcs", "-warnaserror", "-r:System.Net.Http", "-out:sample.exe", "sample.cs"], folder)
    return ["/usr/bin/mono", "sample.exe"]


def java(folder: Path) -> list:
    (folder / "Sample.java").write_text(JAVA % SAMPLES["java"])
    return ["/usr/bin/java", "Sample.java"]


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
    assert set(SAMPLES) == {"python", "javascript", "php", "csharp", "java"}
    # A page of samples that nobody reads to the end has no use.
    assert all(len(sample.splitlines()) <= 17 for sample in SAMPLES.values())


def test_the_single_file_and_the_package_live_together_under_two_names(installed, tmp_path):
    (tmp_path / "inkpanel_file.py").write_bytes((ROOT / "clients/inkpanel.py").read_bytes())
    said = run([installed, "-c", "import inkpanel, inkpanel_file; print(inkpanel.Pad, inkpanel_file.Inkpanel)"], tmp_path,
               PYTHONPATH="")
    assert "inkpanel.pads.Pad" in said and "inkpanel_file.Inkpanel" in said
