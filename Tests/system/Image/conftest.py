# SPDX-License-Identifier: Apache-2.0
"""IMAGE is the compressed image; the card that is made of it goes through the tests in their order."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from card import copied

# Each file may be run alone.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Panel"))


@pytest.fixture(scope="session")
def image(tmp_path_factory) -> Path:
    """The image as it is written to a card of 4 GB."""
    path = tmp_path_factory.mktemp("image") / "card"
    with open(path, "wb") as card:
        subprocess.run(["xz", "--decompress", "--stdout", os.environ["IMAGE"]], stdout=card, check=True)
    # Holes again.
    subprocess.run(["fallocate", "--dig-holes", str(path)], check=True)
    os.truncate(path, 4_000_000_000 // 512 * 512)
    return path


@pytest.fixture(scope="session")
def card(image, tmp_path_factory) -> Path:
    return copied(image, tmp_path_factory.mktemp("card"))
