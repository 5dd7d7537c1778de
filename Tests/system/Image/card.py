# SPDX-License-Identifier: Apache-2.0
"""Cards: copies of an image, and what is on their partitions."""

import json
import subprocess
from pathlib import Path


def copied(image: Path, folder: Path, settings: str = "") -> Path:
    """A card of its own, with the settings in the inkpanel.toml of its FAT partition."""
    card = folder / "card"
    subprocess.run(["cp", "--sparse=always", str(image), str(card)], check=True)
    if settings:
        write(card, "inkpanel.toml", settings)
    return card


def write(card: Path, name: str, text: str) -> None:
    """Writes a file of the FAT partition."""
    path = card.with_name(f"{name}.new")
    path.write_text(text)
    mtools(card, "mcopy", "-o", str(path), f"::/{name}")


def table(card: Path) -> list[dict]:
    """The partitions as sfdisk describes them, with `start` and `size` in sectors of 512 bytes."""
    described = subprocess.run(["sfdisk", "--json", str(card)], capture_output=True, check=True).stdout
    return json.loads(described)["partitiontable"]["partitions"]


def mtools(card: Path, command: str, *words: str) -> str:
    """A program of mtools on the FAT partition, which is the first of every card."""
    return subprocess.run(
        [command, "-i", f"{card}@@{table(card)[0]['start'] * 512}", *words], capture_output=True, text=True,
        check=True).stdout
