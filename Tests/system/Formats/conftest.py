# SPDX-License-Identifier: Apache-2.0
"""Files that `format-files` wrote, and what was in the records that they were made of."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest


@dataclass
class Sample:
    microseconds: int
    x: int
    y: int
    pressure: int | None
    device: int
    distance: int | None = None

    @property
    def place(self) -> tuple[float, float]:
        """Millimetres on the screen."""
        if self.device == 1:
            return self.x / 100, self.y / 100
        return self.x / 200 + 1, self.y / 200 - 1


@dataclass
class Record:
    """A pad of 100 x 60 mm, the signing area's corner at 10, 20 mm; perhaps with a pen, device 2."""

    stem: Path
    signer: str = ""
    started: int = 0
    panel: str | None = None
    data: dict[str, str] = field(default_factory=dict)
    strokes: list[list[Sample]] = field(default_factory=list)
    # Strokes and movement in the air in their order: whether the tip is down, and the samples.
    traces: list[tuple[bool, list[Sample]]] = field(default_factory=list)

    def path(self, suffix: str) -> Path:
        return self.stem.with_name(f"{self.stem.name}.{suffix}")

    @property
    def samples(self) -> list[Sample]:
        return [sample for stroke in self.strokes for sample in stroke]

    @property
    def is_pressure_whole(self) -> bool:
        """Whether every sample has one."""
        return bool(self.samples) and all(sample.pressure is not None for sample in self.samples)


def read(path: Path) -> Record:
    record = Record(path.with_suffix(""))
    for line in path.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "signer":
            record.signer = rest
        elif word == "started":
            record.started = int(rest)
        elif word == "panel":
            record.panel = rest
        elif word == "data":
            key, _, value = rest.partition(" ")
            record.data[key] = value
        elif word in ("stroke", "air"):
            device = int(rest)
            record.traces.append((word == "stroke", []))
            if word == "stroke":
                record.strokes.append(record.traces[-1][1])
        else:
            x, y, last = rest.split()
            measured = None if last == "-" else int(last)
            is_down, samples = record.traces[-1]
            samples.append(
                Sample(int(word), int(x), int(y), measured if is_down else None, device, None if is_down else measured))
    return record


@pytest.fixture(scope="session")
def records(tmp_path_factory) -> list[Record]:
    folder = tmp_path_factory.mktemp("formats")
    subprocess.run([os.environ["FORMAT_FILES"], str(folder)], check=True)
    records = [read(path) for path in sorted(folder.glob("*.truth"))]
    assert len(records) == 20
    return records
