# SPDX-License-Identifier: Apache-2.0
"""Panels with a simulated person, whose records the tests verify, forge and verify again."""

import atexit
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import support.panel

TOP = Path(__file__).resolve().parents[3]
PROGRAM = os.environ["INKPANEL"]
NAMESPACE = "inkpanel-seal"


# Called after each program with its words, how it ended, and its folder: conftest.py compares verdicts.
WATCHES = []


def run(*words, **options) -> subprocess.CompletedProcess:
    words = [str(word) for word in words]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=120, **options)
    for watch in WATCHES:
        watch(words, ended, Path(options.get("cwd", ".")))
    return ended


def said(*words, **options) -> str:
    ended = run(*words, **options)
    assert ended.returncode == 0, (words, ended.stdout, ended.stderr)
    return ended.stdout


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Panel(support.panel.Panel):
    """With a folder in memory."""

    def __init__(self, folder: Path, configuration: str = "", variables: dict = {}):
        super().__init__(folder, configuration, {"RUNTIME_DIRECTORY": str(memory() / folder.name), **variables})

    def capture(self, *words) -> str:
        return self.command("capture", "--prompt", "Delivery received", "--wait", *words).strip()

    def identity(self, *words) -> str:
        return said(PROGRAM, "identity", *words, "--config", self.file, "--store", self.store)

    def seals(self) -> list[Path]:
        return sorted((self.store / "seals").iterdir())


@functools.cache
def memory() -> Path:
    """A folder on a file system in memory, where panels with recipients write captures before they are encrypted."""
    return removed_at_the_end("/dev/shm")


def removed_at_the_end(parent: str | None = None) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="inkpanel-evidence-", dir=parent))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class Evidence:
    """Three stopped panels, and what a host and an organisation keep of them.

    `till` has five captures: the second with a document, the third deleted before the fourth. Seals 1, 2, 3, 5 and 6
    are of captures, 4 is of the deletion. `other` has one capture. `clinic` has two, encrypted for `identity`.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.document = folder / "contract.pdf"
        self.document.write_bytes(b"%PDF-1.7 the contract, 12.00 EUR\n" * 50)
        self.identity, self.stranger = folder / "court.key", folder / "stranger.key"
        for path in (self.identity, self.stranger):
            said("age-keygen", "-o", path)
        recipient = said("age-keygen", "-y", self.identity).strip()
        till, other = Panel(folder / "till").start(), Panel(folder / "other").start()
        clinic = Panel(folder / "clinic", f'[evidence]\nrecipients = ["{recipient}"]\n').start()
        self.till, self.other, self.clinic = till, other, clinic
        foreign = subprocess.Popen(
            [PROGRAM, "capture", "--socket", other.socket, "--prompt", "Other"], stdout=subprocess.PIPE, text=True)
        private = [subprocess.Popen(
            [PROGRAM, "capture", "--socket", clinic.socket, "--wait", "--prompt", "Consent"], stdout=subprocess.PIPE,
            text=True) for _ in range(2)]
        words = (["--signer", "Anna Müller"], ["--signer", "Bert", "--document", self.document], [], [], [])
        self.ids = []
        for each in words:
            if len(self.ids) == 3:
                self.deleted = folder / f"{self.ids[2]}.jsonl"
                shutil.copy(till.store / "captures" / self.deleted.name, folder)
                till.command("delete", self.ids[2])
            self.ids.append(till.capture(*each))
        self.foreign = foreign.communicate(timeout=60)[0].strip()
        for process in private:
            process.communicate(timeout=60)
        self.private = sorted(path.name.split(".")[0] for path in (clinic.store / "captures").iterdir())
        assert len(self.private) == 2 and self.foreign
        # A host keeps this after each capture.
        self.status = till.command("status", "--json")
        self.head = json.loads(self.status)["store"]["seals"]["head"]
        for panel in (till, other, clinic):
            panel.stop()
        self.allowed = folder / "allowed_signers"
        self.allowed.write_text("".join(
            panel.identity("show", "--allowed-signers", "--name", f"{panel.folder.name}@example.org")
            for panel in (till, other, clinic)))


@functools.cache
def evidence() -> Evidence:
    return Evidence(removed_at_the_end())
