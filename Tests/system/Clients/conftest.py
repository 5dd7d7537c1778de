# SPDX-License-Identifier: Apache-2.0
"""The built packages; the fixtures `inkpanel_simulator` and `inkpanel_pad` are those of the Python package itself."""

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs/examples"
# Servers that answer as told.
sys.path.insert(0, str(ROOT / "Tests/system/Gateway"))


def run(words: list, folder: Path, status: int = 0, seconds: float = 120, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=seconds,
        env={**os.environ, **environment})
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def packages() -> Path:
    return Path(os.environ["INKPANEL_CLIENTS"])


@pytest.fixture(scope="session")
def installed(packages, tmp_path_factory) -> Path:
    """The Python of an environment that has nothing but the package."""
    folder = tmp_path_factory.mktemp("venv")
    venv.EnvBuilder(with_pip=True).create(folder)
    python, wheel = folder / "bin/python", next(packages.glob("*.whl"))
    run([python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel], folder, PYTHONPATH="")
    return python


@pytest.fixture
def module(packages, tmp_path) -> Path:
    """A folder in which Node finds the npm package, as npm would lay it out."""
    with tarfile.open(next(packages.glob("*.tgz"))) as package:
        package.extractall(tmp_path)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "package").rename(tmp_path / "node_modules/inkpanel")
    return tmp_path
