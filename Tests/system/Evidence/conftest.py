# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the program evidence-peer, messages, and a key of the program's own."""

import os
import random
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
import sealed
import verdicts
from support import breadth
from verdicts import Watch

COUNT = breadth.count(40, 1000)
# Where age's chunks and hashes' blocks end, and around.
SIZES = [0, 1, 15, 16, 17, 63, 64, 65, 65535, 65536, 65537, 131071, 131072, 131073]
NAMESPACE = "inkpanel-seal"
SEED = 20260314


class Refused(Exception):
    """What the program says instead of an answer."""


class Peer:
    """Tests/programs/EvidencePeer, which does with our library what it is asked for."""

    def __init__(self):
        self.process = subprocess.Popen(
            [os.environ["EVIDENCE_PEER"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, *fields) -> list[str]:
        self.process.stdin.write("\t".join(map(str, fields)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line.endswith("\n"), f"{fields} ended the program"
        word, *results = line[:-1].split("\t")
        if word == "refused":
            raise Refused(results[0])
        assert word == "ok", line
        return results

    def refuses(self, *fields) -> str:
        """The reason, or nothing."""
        try:
            self.ask(*fields)
        except Refused as refused:
            return str(refused)
        return ""


@pytest.fixture(scope="session")
def peer():
    peer = Peer()
    yield peer
    peer.process.stdin.close()
    assert peer.process.wait(timeout=10) == 0


@pytest.fixture(scope="session")
def messages(tmp_path_factory) -> list[Path]:
    """Messages of random bytes."""
    folder = tmp_path_factory.mktemp("messages")
    numbers = random.Random(SEED)
    paths = []
    for index in range(COUNT):
        size = SIZES[index] if index < len(SIZES) else numbers.randrange(4000)
        path = folder / str(index)
        path.write_bytes(numbers.randbytes(size))
        paths.append(path)
    return paths


@dataclass
class Key:
    path: Path
    text: str
    fingerprint: str


@pytest.fixture(scope="session")
def key(peer, tmp_path_factory) -> Key:
    """A key that the program has made."""
    path = tmp_path_factory.mktemp("key") / "key.pem"
    text, fingerprint = peer.ask("make-key", path)
    path.chmod(0o600)
    return Key(path, text, fingerprint)


def run(*arguments, stdin: bytes | Path = b"", **options) -> subprocess.CompletedProcess:
    """Runs a program to its end, whatever its status. Times are those of UTC."""
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    data = stdin.read_bytes() if isinstance(stdin, Path) else stdin
    return subprocess.run(
        list(map(str, arguments)), input=data, capture_output=True, env=environment, timeout=60, check=False, **options)


def succeed(*arguments, **options) -> bytes:
    """Runs a program that must succeed, and returns its output."""
    result = run(*arguments, **options)
    assert result.returncode == 0, (arguments, result.stdout, result.stderr)
    return result.stdout


def each(work, items) -> list:
    """Runs `work` for each item, a program on each processor."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def changed(data: bytes, numbers: random.Random) -> bytes:
    """A copy with one bit changed."""
    copy = bytearray(data)
    copy[numbers.randrange(len(copy))] ^= 1 << numbers.randrange(8)
    return bytes(copy)


# Verdicts: each file that a test gives to a verifier is given to all three (verdicts.py).

def pytest_configure(config):
    # Workers of xdist add to the same folder.
    os.environ.setdefault("INKPANEL_VERDICTS", tempfile.mkdtemp(prefix="inkpanel-verdicts-"))


@pytest.fixture(scope="session")
def watch(tmp_path_factory) -> Watch:
    watch = Watch(tmp_path_factory.mktemp("verdicts"), Path(os.environ["INKPANEL_VERDICTS"]) / f"{os.getpid()}.tsv")
    sealed.WATCHES.append(watch)
    return watch


@pytest.fixture(autouse=True)
def watched(watch, request):
    watch.test = request.node.nodeid.split("/")[-1]


def pytest_terminal_summary(terminalreporter, config):
    """The table: what was checked, and the verdicts of all three. Workers of xdist have told their parts."""
    if hasattr(config, "workerinput"):
        return
    rows = verdicts.table(Path(os.environ["INKPANEL_VERDICTS"]))
    if rows:
        terminalreporter.write_line("\n".join(rows))
