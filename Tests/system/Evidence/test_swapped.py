# SPDX-License-Identifier: Apache-2.0
"""Files whose contents have the names of others: all three say the same."""

import itertools
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import flows
import pytest
from conftest import COUNT, SEED
from sealed import evidence
from test_exemptions import CONTRACT, panel, record  # noqa: F401, a fixture
from verdicts import GENUINE, Case, judge


def made(panel) -> tuple[list[Path], str]:
    """Two captures whose seals have signatures of their own, and the document of the first."""
    request = json.loads(record().split(b"\n", 1)[0])["request"]
    first = panel.seal(record(request={**request, "document": {"sha256": flows.digest(CONTRACT)}}))
    second = panel.seal(
        record(id="20260315-101010-0123456789abcdef"), n=2, previous=flows.digest(first[1].read_bytes()))
    contract = panel.folder / "contract.pdf"
    contract.write_bytes(CONTRACT)
    return [*first, contract, *second], panel.line


def sealed(panel, whose: str, document: Path | None) -> tuple[list[Path], str]:
    """Two captures of a real panel, whose seals have their signatures inside."""
    store = getattr(evidence(), whose).store
    seals = sorted((store / "seals").glob("*.seal"))[:2]
    stems = [path.stem.split("-", 1)[1] for path in seals]
    paths = [next((store / "captures").glob(f"{stem}.jsonl*")) for stem in stems] + seals + ([document] if document else [])
    return [Path(shutil.copy(path, panel.folder)) for path in paths], evidence().allowed.read_text()


@pytest.mark.parametrize("whose", ["made", "till", "clinic"])
def test_names_are_exchanged(panel, tmp_path, watch, whose):
    if whose == "made":
        paths, signers = made(panel)
    else:
        paths, signers = sealed(panel, whose, evidence().document if whose == "till" else None)
    identities = [evidence().identity] if whose == "clinic" else []
    contents = [path.read_bytes() for path in paths]
    (tmp_path / "allowed").write_text(signers)

    def compare(paths: list[Path], name: str) -> str:
        (tmp_path / name).mkdir()
        words = [word for path in identities for word in ("--identity", path)]
        ended = subprocess.run(
            [os.environ["INKPANEL"], "verify", "--allowed-signers", tmp_path / "allowed", *words, *paths],
            capture_output=True, text=True)
        row = judge(Case(paths, tmp_path / "allowed", identities=identities), ended.returncode, ended.stdout, tmp_path / name)
        watch.add(row)
        return row.verdicts[0]

    assert compare(paths, "as-named") == GENUINE
    indices = range(len(paths))
    orders = [list(indices) for _ in itertools.combinations(indices, 2)]
    for order, (one, other) in zip(orders, itertools.combinations(indices, 2), strict=True):
        order[one], order[other] = other, one
    seeded = random.Random(SEED)
    orders += [seeded.sample(indices, len(paths)) for _ in range(COUNT // 10)]
    for number, order in enumerate(orders):
        for path, index in zip(paths, order, strict=True):
            path.write_bytes(contents[index])
        compare(paths, f"both-{number}")
        # Those of the first capture, if their names are exchanged among themselves.
        if whose == "made" and sorted(order[:4]) == [0, 1, 2, 3]:
            compare(paths[:4], f"one-{number}")
