# SPDX-License-Identifier: Apache-2.0
"""Pages read aloud by the real program, espeak-ng and aplay. ALSA writes what would be heard to a file, so no sound card
is needed. The hand is a recording, of somebody who does not see the page."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest
import varlink

from test_panel import ACCEPT, HEADER, LEAD, RATE, STROKE, report, touch

STRINGS = Path(__file__).parents[3] / "Sources/Pad/Strings"
FIELD = [(0.5, 0.5)]


def rest(at: float, place: tuple[float, float], seconds: float = 0.6) -> str:
    return touch(at, [place] * round(seconds / RATE))


def tap(at: float, place: tuple[float, float]) -> str:
    return touch(at, [place] * 5)


def sound(text: str, voice: str, *more: str) -> bytes:
    """The samples of a text: the WAV file without its header."""
    program = ["espeak-ng", "-b", "1", "-v", voice, "-a", "100", "-s", "165", *more, "--stdin", "--stdout"]
    return subprocess.run(program, input=text.encode(), capture_output=True, check=True).stdout[44:]


class Panel:
    def __init__(self, folder: Path, hand: str, output: str = "rec"):
        self.folder, self.heard = folder, folder / "heard.raw"
        alsa = folder / "asound.conf"
        alsa.write_text(
            f'pcm.null {{ type null }}\npcm.rec {{ type file slave.pcm "null" file "| cat >>{self.heard}" format "raw" }}\n')
        (folder / "hand.events").write_text(HEADER + report(0, (3, 0, 1)) + hand)
        (folder / "inkpanel.toml").write_text(f'[speech]\noutput = "{output}"\n')
        self.socket = str(folder / "panel.sock")
        self.process = subprocess.Popen(
            [os.environ["INKPANEL"], "run", "--touch", f"replay:{folder}/hand.events", "--display",
             "headless:800x480", "--config", str(folder / "inkpanel.toml"), "--store", str(folder / "store"),
             "--socket", self.socket],
            stderr=(folder / "log").open("w"), env={**os.environ, "ALSA_CONFIG_PATH": str(alsa)})
        end = time.monotonic() + 30
        while "ready" not in (folder / "log").read_text():
            assert self.process.poll() is None and time.monotonic() < end
            time.sleep(0.05)

    def capture(self, **more) -> list[dict]:
        with varlink.Client("unix:" + self.socket) as client, client.open("org.inkpanel.Panel") as service:
            return list(service.Capture(prompt=["I owe Ada 7 francs"], _more=True, **more))

    def record(self, name: str) -> list[dict]:
        with varlink.Client("unix:" + self.socket) as client, client.open("org.inkpanel.Panel") as service:
            return [json.loads(line) for line in service.Get(id=name, format="record")["text"].splitlines()]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0


@pytest.fixture
def panel(tmp_path):
    panels = []

    def start(hand: str, **more) -> Panel:
        panels.append(Panel(tmp_path, hand, **more))
        return panels[-1]

    yield start
    for each in panels:
        each.stop()


def test_a_person_hears_the_page_finds_the_field_signs_and_accepts(panel):
    """All with one finger, and without looking: what is heard is what the record says, sample for sample."""
    end = LEAD + 3 + len(STROKE) * RATE
    pad = panel(
        rest(LEAD, FIELD[0]) + tap(LEAD + 1.5, FIELD[0]) + touch(LEAD + 2.5, STROKE)
        + rest(end + 1.5, ACCEPT[0]) + tap(end + 3, ACCEPT[0]))
    answers = pad.capture(assistance=["speech"])
    assert answers[-1]["outcome"]["result"] == "accepted"
    assert any(answer.get("speech") == {"speaks": True} for answer in answers)
    record = pad.record(answers[-1]["id"])
    assert sum("stroke" in line for line in record) == 1
    spoken = [line["spoken"] for line in record if "spoken" in line]
    assert "I owe Ada 7 francs" in spoken and "Write now." in spoken and "Accept, button" in spoken
    times = [line["t"] for line in record if "spoken" in line]
    assert times == sorted(times) and times[0] > 0
    heard = pad.heard.read_bytes()
    place = 0
    for text in spoken:
        samples = sound(text, "en")
        assert len(samples) > 5000
        place = heard.find(samples, place)
        assert place >= 0, text


def test_nothing_is_heard_if_nobody_asks(panel):
    pad = panel(touch(LEAD, STROKE) + touch(LEAD + 3, ACCEPT))
    answers = pad.capture()
    assert answers[-1]["outcome"]["result"] == "accepted" and not any("speech" in answer for answer in answers)
    assert not pad.heard.exists()
    assert not any("spoken" in line for line in pad.record(answers[-1]["id"]))


def test_a_device_that_is_not_there_is_a_fault_and_the_person_signs(panel):
    pad = panel(touch(LEAD, STROKE) + touch(LEAD + 3, ACCEPT), output="nosuch")
    answers = pad.capture(assistance=["speech"])
    faults = [answer["speech"] for answer in answers if not answer.get("speech", {}).get("speaks", True)]
    assert faults and "No such file" in faults[0]["fault"] and "aplay" in faults[0]["fault"]
    assert answers[-1]["outcome"]["result"] == "accepted"


@pytest.mark.parametrize("language", sorted(path.stem for path in STRINGS.iterdir()))
def test_each_language_has_a_voice_that_says_the_same_twice(language):
    texts = dict(
        line.split(" = ", 1) for line in (STRINGS / f"{language}.messages").read_text().splitlines() if " = " in line)
    voice = "cmn" if language.startswith("zh") else language
    first, second = (sound(texts["speech-help"], voice) for _ in range(2))
    # Two seconds, of 22,050 samples of two bytes.
    assert first == second and len(first) > 2 * 44_100
    # A step of loudness is 6 dB.
    peaks = [max(abs(int.from_bytes(loud[i:i + 2], "little", signed=True)) for i in range(0, len(loud), 2))
             for loud in (sound(texts["speech-write"], voice, "-a", str(amplitude)) for amplitude in (100, 50))]
    assert peaks[0] / peaks[1] == pytest.approx(2, rel=0.1)


def test_a_frame_has_the_openings_of_the_page_in_true_size(panel, tmp_path):
    pad = panel(touch(LEAD + 3, STROKE) + touch(LEAD + 6, ACCEPT))
    frame = tmp_path / "frame.svg"
    command = [os.environ["INKPANEL"], "setup", "frame", str(frame), "--socket", pad.socket]
    nothing = subprocess.run(command, capture_output=True, text=True)
    assert nothing.returncode == 69 and "no page to sign on" in nothing.stderr and not frame.exists()
    with varlink.Client("unix:" + pad.socket) as client, client.open("org.inkpanel.Panel") as service:
        answers = service.Capture(prompt=["I owe Ada 7 francs"], _more=True)
        assert next(answers)["state"] == "signing"
        subprocess.run(command, check=True)
        with client.open("org.inkpanel.Panel") as other:
            screen = other.Status()["status"]["screen"]
            page = next(other.Mirror(level="state", _more=True))["capture"]
        list(answers)
    svg = ElementTree.parse(frame).getroot()
    millimetre = screen["pixelsPerMillimetre"]
    assert float(svg.get("width").removesuffix("mm")) == pytest.approx(800 / millimetre, abs=0.01)
    openings = {rect[0].text: rect for rect in svg.iter("{http://www.w3.org/2000/svg}rect") if len(rect)}
    assert "field" in openings and "Accept" in openings
    for name, place in [("field", page["field"])] + [
            (button["label"], button["rectangle"]) for button in page["buttons"] if button.get("label")]:
        for side in ("x", "y"):
            assert float(openings[name].get(side)) == pytest.approx(place[side] / millimetre + 1, abs=0.01)
        for side in ("width", "height"):
            assert float(openings[name].get(side)) == pytest.approx(place[side] / millimetre - 2, abs=0.01)
    # A program that draws SVG reads it.
    picture = tmp_path / "frame.png"
    subprocess.run(["rsvg-convert", "-o", picture, frame], check=True)
    assert picture.stat().st_size > 500
