# SPDX-License-Identifier: Apache-2.0
"""openapi.json in the hands of a generator of clients; make clients-test-long."""

import os
import shutil

import pytest
from conftest import EXAMPLES, ROOT, run

GENERATOR = os.environ.get("OPENAPI_GENERATOR", "openapi-generator-cli")
pytestmark = pytest.mark.long


def generate(language: str, folder) -> None:
    run([GENERATOR, "generate", "-g", language, "-i", ROOT / "Sources/Gateway/Web/openapi.json", "-o", f"{language}-client"],
        folder, seconds=300)


def test_a_generated_client_in_php_signs(inkpanel_simulator, tmp_path):
    generate("php", tmp_path)
    shutil.copy(EXAMPLES / "generated.php", tmp_path)
    words = ["/usr/bin/php", "generated.php", inkpanel_simulator.url, inkpanel_simulator.token]
    assert run(words, tmp_path) == "accepted\n"
    assert (tmp_path / "signature.png").read_bytes().startswith(b"\x89PNG")
    inkpanel_simulator.act("cancel")
    assert run(words, tmp_path) == "cancelled\n"
    assert "The token is wrong" in run([*words[:-1], "ipt_x"], tmp_path, 1)


def test_a_client_in_c_sharp_is_generated(tmp_path):
    """Its compiling needs packages from NuGet."""
    generate("csharp", tmp_path)
    assert any(path.name == "Capture.cs" for path in tmp_path.rglob("*.cs"))
