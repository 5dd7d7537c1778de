# SPDX-License-Identifier: Apache-2.0
"""Evidence: records name the pages that were shown, nothing readable reaches the medium, what is accepted is sealed."""

import hashlib
import json
import re
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import PAD_SCREENS
from harness import Pad, PadScreen, Panel, PanelFailure, image, program, wording
from harness.medium import Medium
from harness.page import Page
from harness.panel import SHARE
from harness.tpm import Tpm
from support.breadth import long

ACCEPTED = 0
SCREEN = PAD_SCREENS["800x480"]
WORDS = {"prompt": "Geheimes Wort", "signer": "Wilhelmine Unterzeichner", "operator": "Ottokar Aushilfe"}
REQUEST = [word for name, text in WORDS.items() for word in (f"--{name}", text)]
# Of the guest's time while Accept is busy: five turns of its ring. The pad waits ten seconds for the store.
BUSY_SECONDS = 5
# Of the panel around the moment at which a record is sealed, which they home in on, because it depends on the machine.
KILLS = 8


@pytest.fixture
def medium(pad_of, booted_pad):
    """An empty medium, and nothing that runs."""
    medium = Medium(booted_pad)
    yield medium
    medium.close()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def ppm(picture: image.Image) -> bytes:
    return b"P6\n%d %d\n255\n" % picture.size + picture.rgb


def signed_by_finger(pad) -> list[list]:
    """Two strokes that are a signature."""
    (x, y), (width, height) = pad.place_to_sign.centre, pad.place_to_sign.size
    strokes = [
        [(x + side * (width / 3 - i * 4), y - height / 3 + i * 3) for i in range(20)] for side in (-1, 1)]
    pad.draw(strokes)
    pad.settled()
    return strokes


def asked(pad, *arguments):
    host = pad.ask(*REQUEST, *arguments)
    host.wait_line(wording.ASKED)
    return host, pad.settled()


def accepted(pad, host) -> str:
    """The ID of the capture that the host has asked for, once its person has accepted it."""
    assert host.wait() == ACCEPTED, host.log
    return host.log.split()[-1]


def lines_of(record: bytes) -> list[dict]:
    return [json.loads(line) for line in record.decode().splitlines()]


def samples_of(record: bytes) -> list[list[int]]:
    return [sample for line in lines_of(record) if "stroke" in line for sample in line["stroke"]["samples"]]


def seals_in(pad) -> list[dict]:
    """The seals in the store, without their signatures."""
    paths = pad.panel.glob(f"{pad.store}/seals/*.seal")
    return [json.loads(pad.panel.read_file(path).splitlines()[0]) for path in paths]


# What was shown


def while_busy(pad) -> list[image.Image]:
    """The upright pictures of the next seconds; between two of them the guest runs for a moment only."""
    control, seen, ran = pad.panel.machine.control, {}, 0.0
    while ran < BUSY_SECONDS:
        control("stop")
        dump = pad.panel.screendump(pad.screen.number)
        seen[dump.rgb] = dump
        began = time.monotonic()
        control("cont")
        time.sleep(0.005)
        ran += time.monotonic() - began
    return [dump.turned_back(pad.screen.turned) for dump in seen.values()]


@pytest.mark.parametrize("size", ["800x480", pytest.param("800x1280", marks=pytest.mark.long)])
def test_the_record_names_the_page_that_was_shown_and_the_one_that_was_signed(pad_of, medium, size):
    pad = pad_of(PAD_SCREENS[size], store=medium.folder / "store")
    host, page = asked(pad)
    assert page.size == tuple(map(int, size.split("x")))
    signed_by_finger(pad)
    drawn = pad.picture
    # The store waits, so that Accept stays as it was when it was pressed, but for its ring.
    with medium.frozen():
        pad.touch("accept")
        pictures = while_busy(pad)
        assert host.is_running, host.log
    record = pad.export(accepted(pad, host), "record.jsonl")
    shown = lines_of(record)[-1]["end"]["shown"]
    assert shown["page"] == digest(ppm(page))
    signed = [picture for picture in pictures if digest(ppm(picture)) == shown["signed"]]
    assert len(signed) == 1, f"{len(signed)} of {len(pictures)} pictures are the signed one"
    # Accept is busy there, and the other buttons have no effect any more.
    assert Page(signed[0]).ink == Page(drawn).ink and signed[0].compare(drawn).count > 100
    times = [sample[0] for sample in samples_of(record)]
    assert 0 <= shown["from"] < times[0] and times[-1] < shown["until"] < 3600e6
    assert shown["fonts"] and all(re.match(r"Inter\b", font) for font in shown["fonts"]), shown["fonts"]
    (seal,) = seals_in(pad)
    assert seal["shown"] == [shown["page"], shown["signed"]]
    assert seal["record"] == digest(record)
    assert pad.ink.terminate() == 0


# What the medium has


@dataclass
class Recipient:
    """One who can open records."""

    key: Path
    public: str

    def open(self, encrypted: bytes) -> bytes:
        return subprocess.run(
            ["age", "--decrypt", "--identity", self.key], input=encrypted, check=True, capture_output=True).stdout


@pytest.fixture
def recipients(tmp_path) -> list[Recipient]:
    made = []
    for name in ("organisation", "notary"):
        key = tmp_path / name
        subprocess.run(["age-keygen", "-o", key], check=True, capture_output=True)
        made.append(Recipient(key, re.search(r"public key: (age1\w+)", key.read_text())[1]))
    return made


def configuration_for(recipients: list[Recipient]) -> str:
    return f"[evidence]\nrecipients = {json.dumps([recipient.public for recipient in recipients])}"


def found_in(content: bytes, record: bytes, *files: bytes) -> list[str]:
    """What the bytes of a medium have of a record, its request and its files."""
    samples = [",".join(map(str, sample)) for sample in samples_of(record)]
    assert len(samples) > 30 and min(map(len, samples)) > 8, "too short to search for"
    names = ['"format":"inkpanel-capture"', '"samples"', "inkpanel-capture"]
    wanted = {text: text.encode() for text in [*WORDS.values(), *names, *samples]}
    wanted |= {f"line {number}": line for number, line in enumerate(record.splitlines(), 1)}
    wanted |= {"PNG": b"\x89PNG\r\n\x1a\n"}
    wanted |= {f"file {number}": file for number, file in enumerate(files, 1)}
    return [name for name, part in wanted.items() if part in content]


def journals(panel: Panel) -> list[str]:
    return panel.glob("/run/inkpanel/open-*/*")


def files_of(pad, kind: str) -> list[str]:
    return pad.panel.glob(f"{pad.store}/captures/*{kind}")


def stored(pad, path: str) -> bytes:
    """A file of the store, whose bytes need not be text."""
    pad.panel.run("/bin/cp", path, SHARE / "stored")
    return pad.shared("stored")


def test_nothing_readable_reaches_the_medium(pad_of, medium, recipients):
    pad = pad_of(SCREEN, store=medium.folder / "store", configuration=configuration_for(recipients))
    host, _ = asked(pad, "--output", SHARE / "signature.png")
    signed_by_finger(pad)
    (journal,) = journals(pad.panel)
    assert WORDS["prompt"] in pad.panel.read_file(journal)
    pad.touch("accept")
    capture = accepted(pad, host)
    picture = pad.shared("signature.png")
    assert picture == pad.export(capture, "again.png") and picture.startswith(b"\x89PNG")
    assert journals(pad.panel) == []
    (path,) = files_of(pad, "")
    assert Path(path).name == f"{capture}.jsonl.age"
    encrypted = stored(pad, path)
    record, same = (recipient.open(encrypted) for recipient in recipients)
    assert record == same == pad.export(capture, "record.jsonl")
    assert [lines_of(record)[0]["request"][name] for name in ("signer", "operator")] == [
        WORDS["signer"], WORDS["operator"]]
    (seal,) = seals_in(pad)
    assert (seal["record"], seal["stored"]) == (digest(record), digest(encrypted))
    assert pad.ink.terminate() == 0
    content = medium.take_out()
    assert encrypted in content
    assert found_in(content, record, picture) == []


@long
def test_the_search_finds_a_record_that_is_stored_readable(pad_of, medium):
    pad = pad_of(SCREEN, store=medium.folder / "store")
    host, _ = asked(pad)
    signed_by_finger(pad)
    pad.touch("accept")
    capture = accepted(pad, host)
    record = pad.export(capture, "record.jsonl")
    pad.command("export", capture, "--output", f"{pad.store}/signature.png")
    picture = stored(pad, f"{pad.store}/signature.png")
    assert pad.ink.terminate() == 0
    found = found_in(medium.take_out(), record, picture)
    lines, samples = len(record.splitlines()), len({tuple(sample) for sample in samples_of(record)})
    assert len(found) == len(WORDS) + 3 + samples + lines + 2


# Unit tests kill the writer of sealed and of encrypted records at each of its system calls.
@pytest.mark.long
def test_a_killed_panel_leaves_nothing_readable_on_the_medium(pad_of, medium, recipients):
    pad = pad_of(SCREEN, store=medium.folder / "store", configuration=configuration_for(recipients))
    asked(pad)
    strokes = signed_by_finger(pad)
    pad.ink.signal(signal.SIGKILL)
    assert pad.ink.wait() == -signal.SIGKILL
    (journal,) = journals(pad.panel)
    assert pad.panel.read_file(journal).count('"stroke"') == len(strokes)
    pad.start()
    # Without a seal, only the recipient can say that it was interrupted.
    listed = json.loads(pad.command("list", "--json"))
    assert listed["captures"] == [] and "is encrypted and has no seal" in listed["unreadable"][0]
    assert journals(pad.panel) == []
    (path,) = files_of(pad, "")
    record = recipients[1].open(stored(pad, path))
    assert [sample[1:] for sample in samples_of(record)] == [
        list(map(round, point)) for stroke in strokes for point in stroke]
    assert seals_in(pad) == []
    assert pad.ink.terminate() == 0
    assert found_in(medium.take_out(), record) == []


# What is sealed


@pytest.mark.long
def test_each_accepted_record_of_a_killed_panel_has_its_seal(pad_of):
    pad = pad_of(SCREEN)
    host, _ = asked(pad)
    signed_by_finger(pad)
    pad.touch("accept")
    began = time.monotonic()
    known = {accepted(pad, host)}  # those that a host knows
    early, late = 0.0, time.monotonic() - began
    for _ in range(KILLS):
        host, _ = asked(pad)
        signed_by_finger(pad)
        pad.touch("accept")
        delay = (early + late) / 2
        time.sleep(delay)
        pad.ink.signal(signal.SIGKILL)
        assert pad.ink.wait() == -signal.SIGKILL
        if host.wait() == ACCEPTED:
            known.add(host.log.split()[-1])
        pad.start()
        outcome_of = {capture["id"]: capture["outcome"]["result"] for capture in pad.captures}
        outcomes = list(outcome_of.values())
        sealed = {seal["id"] for seal in seals_in(pad)}
        print(f"killed {delay:.3f} s after the touch: {outcomes[0]}")
        assert {name for name, outcome in outcome_of.items() if outcome == "accepted"} == sealed
        assert known <= sealed
        early, late = (early, delay) if outcomes[0] == "accepted" else (delay, late)
    assert len(outcomes) == 1 + KILLS
    assert "interrupted" in outcomes, "the panel was always killed too late"
    for name, outcome in outcome_of.items():
        if outcome == "interrupted":
            pad.command("delete", name)  # which nobody has accepted, so that they do not fit
    assert pad.ink.terminate() == 0
    signers = pad.panel.run(program.binary(), "identity", "--store", pad.store, "--allowed-signers")
    pad.panel.write_file("/run/allowed_signers", signers)
    pad.panel.run(program.binary(), "verify", "--allowed-signers", "/run/allowed_signers", pad.store)


# Where the key is


CREDENTIAL = "inkpanel.key"
CREDENTIALS = "/run/credentials"
# Of systemd-creds, for what another TPM has encrypted.
REFUSED = "integrity check failed"


# Tests/system/Evidence has a key among the panel's credentials.
@pytest.mark.long
def test_a_key_that_only_the_tpm_of_the_panel_opens(tmp_path):
    creds = "/usr/bin/systemd-creds"
    store, key = Path("/run/tpm-store"), f"/run/{CREDENTIAL}"
    screen = PadScreen(1, (800, 480), dpi=133)
    with Tpm(tmp_path / "one") as tpm, Panel(display="bochs", size=screen.size, more_devices=tpm.devices) as panel:
        panel.make_folder(str(store))
        fingerprint = panel.run(program.binary(), "identity", "create", "--store", store, "--key", key).strip()
        panel.run(creds, "encrypt", "--with-key=tpm2", f"--name={CREDENTIAL}", key, SHARE / "credential")
        credential = (panel.machine.share / "credential").read_bytes()
        pem = panel.read_file(key)
        panel.run("/bin/rm", key)
        assert "PRIVATE KEY" in pem and b"PRIVATE KEY" not in credential
        # As LoadCredentialEncrypted= does.
        panel.make_folder(CREDENTIALS)
        panel.run(creds, "decrypt", f"--name={CREDENTIAL}", SHARE / "credential", f"{CREDENTIALS}/{CREDENTIAL}")
        panel.run("/bin/chmod", "400", f"{CREDENTIALS}/{CREDENTIAL}")
        assert panel.read_file(f"{CREDENTIALS}/{CREDENTIAL}") == pem
        pad = Pad(panel, screen, store=store, environment={"CREDENTIALS_DIRECTORY": CREDENTIALS})
        host, _ = asked(pad)
        signed_by_finger(pad)
        pad.touch("accept")
        record = pad.export(accepted(pad, host), "record.jsonl")
        (seal,) = seals_in(pad)
        assert seal["key"] == lines_of(record)[0]["machine"]["key"] == fingerprint
        assert panel.glob(f"{store}/*.pem") == [f"{store}/certificate.pem"], "the key is beside the captures, too"
        signers = panel.run(program.binary(), "identity", "--store", store, "--allowed-signers")
        panel.write_file("/run/allowed_signers", signers)
        panel.run(program.binary(), "verify", "--allowed-signers", "/run/allowed_signers", store)
    with Tpm(tmp_path / "two") as tpm, Panel(display="bochs", size=screen.size, more_devices=tpm.devices) as panel:
        (panel.machine.share / "credential").write_bytes(credential)
        with pytest.raises(PanelFailure, match=REFUSED):
            panel.run(creds, "decrypt", f"--name={CREDENTIAL}", SHARE / "credential", "/run/opened")
        assert panel.glob("/run/opened") == []
        # That TPM works: it opens what it has encrypted itself.
        panel.write_file("/run/words", "some words")
        panel.run(creds, "encrypt", "--with-key=tpm2", "--name=words", "/run/words", "/run/encrypted")
        panel.run(creds, "decrypt", "--name=words", "/run/encrypted", "/run/decrypted")
        assert panel.read_file("/run/decrypted") == "some words"
