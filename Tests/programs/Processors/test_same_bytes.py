# SPDX-License-Identifier: Apache-2.0
"""What is drawn on another processor is what is drawn here, byte for byte.

$INKPANEL and $BENCH are the programs for this machine, $INKPANEL_OTHER and $BENCH_OTHER the commands that run the other
ones (in QEMU's user mode, for example). $FONTS has the fonts of pages. PNGs are compared by their pixels: the
compression is zlib's, whose version may be another one.
"""

import hashlib
import json
import os
import shlex
import subprocess
import time
from pathlib import Path

import pytest
from PIL import Image

CHECKOUT = Path(__file__).resolve().parents[3]
FOLDER = CHECKOUT / "Tests" / "data" / "Recordings"
RECORDINGS = [
    CHECKOUT / "Sources" / "inkpanel" / "Demo" / "demo.events",
    *sorted([*FOLDER.glob("*.events"), CHECKOUT / "Tests" / "data" / "Handwriting" / "handwriting.events"])]
PENS = ["linear", "bezier", "smoothed-bezier", "quadratic", "speed-quadratic", "naive-width", "offset", "ink"]
WORKLOADS = ["signature", "quads", "redraw", "big", "hair"]

HERE = [os.environ["INKPANEL"]]
THERE = shlex.split(os.environ["INKPANEL_OTHER"])
PROGRAMS = {"here": HERE, "there": THERE}
BENCHES = {"here": [os.environ["BENCH"]], "there": shlex.split(os.environ["BENCH_OTHER"])}


def run(command, *arguments):
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stderr.replace(command[0], "")


def on_both(folder, *arguments, output="--output", programs=PROGRAMS):
    """Two files that both programs wrote with the same arguments; both have to succeed."""
    files = []
    for name, command in programs.items():
        file = folder / f"{name}.{len(list(folder.iterdir()))}"
        status, said = run(command, *arguments, output, file)
        assert status == 0, f"{name}: {said}"
        files.append(file)
    return files


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def pixels(path: Path) -> tuple:
    with Image.open(path) as picture:
        return picture.size, picture.mode, sha256(picture.tobytes())


def test_there_is_another_processor():
    """Else all that follows compares a program with itself."""
    machines = []
    for command in HERE, THERE:
        header = Path(command[-1]).read_bytes()[:20]
        assert header[:4] == b"\x7fELF"
        machines.append(int.from_bytes(header[18:20], "little"))
    assert machines[0] != machines[1]


@pytest.mark.parametrize("name", ["inkpanel", "inkpanel-fleet", "inkpanel-document"])
def test_no_program_but_the_gateway_holds_icu_data(name):
    """Nothing calls Foundation's half of ICU; linked in by accident it is 36 MB of a program of 20."""
    for command in HERE, THERE:
        assert b"icudt" not in Path(command[-1]).with_name(name).read_bytes(), name


def test_what_is_compared_is_all_there_is():
    """Every recording of the repository, but the fuzzers' seeds, and every pen and workload that the program knows."""
    found = {path.name for path in CHECKOUT.glob("Tests/**/*.events") if "Seeds" not in path.parts}
    assert found == {path.name for path in RECORDINGS[1:]}
    help = subprocess.run([*HERE, "render", "--help"], capture_output=True, text=True, check=True).stdout
    values = " ".join(help.split()).partition("(values: ")[2].partition(";")[0]
    assert values.split(", ") == [*PENS, "all"]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
class TestRecordings:
    def test_outlines_to_the_last_bit(self, tmp_path, recording):
        """Numbers in JSON are written so that they can be read back exactly."""
        for pen in PENS:
            here, there = on_both(tmp_path, "render", recording, "--pen", pen, "--format", "json")
            assert sha256(here.read_bytes()) == sha256(there.read_bytes()), pen

    def test_svg(self, tmp_path, recording):
        here, there = on_both(tmp_path, "render", recording, "--format", "svg")
        assert sha256(here.read_bytes()) == sha256(there.read_bytes())

    def test_pictures_in_every_pen(self, tmp_path, recording):
        """Not `--pen all`: the names on that sheet are drawn by FreeType, whose version may be another one."""
        for pen in PENS:
            here, there = on_both(tmp_path, "render", recording, "--pen", pen, "--format", "png")
            assert pixels(here) == pixels(there), pen

    def test_what_a_screen_shows(self, tmp_path, recording):
        here, there = on_both(
            tmp_path, "replay", "--fast", "--rotate", "90", "--display", "headless:1280x800", recording)
        assert pixels(here) == pixels(there)


def test_predicted_ink(tmp_path):
    here, there = on_both(tmp_path, "render", RECORDINGS[0], "--format", "json", "--live", "--predict", "12")
    assert sha256(here.read_bytes()) == sha256(there.read_bytes())


@pytest.fixture(scope="session")
def workloads(tmp_path_factory):
    folders = [tmp_path_factory.mktemp(name) for name in ("here", "there")]
    for command, folder in zip(BENCHES.values(), folders):
        status, said = run(command, "raster", "--write", folder)
        assert status == 0, said
        assert {file.stem for file in folder.iterdir()} == set(WORKLOADS)
    return folders


@pytest.mark.parametrize("name", WORKLOADS)
def test_polygons(tmp_path, workloads, name):
    """The generated polygons, and their pages as 8-bit grey."""
    here, there = (folder / f"{name}.rpw" for folder in workloads)
    assert sha256(here.read_bytes()) == sha256(there.read_bytes())
    here, there = on_both(tmp_path, "raster", here, "--repeat", "1", output="--dump", programs=BENCHES)
    assert sha256(here.read_bytes()) == sha256(there.read_bytes())
    assert len(set(here.read_bytes())) > 2, "nothing was drawn"


def shown_by(command, folder, language, size) -> dict:
    """The pages of an accepted capture, as its record names them."""
    folder.mkdir()
    (folder / "inkpanel.toml").write_text(f'''
        [pad]
        language = "{language}"
        date = "2026-03-14" # constant
        [control]
        group = ""
        [record]
        directory = "{folder}/store"
        ''')
    (folder / "fonts.conf").write_text(
        f"<fontconfig><dir>{os.environ['FONTS']}</dir><cachedir>{folder}/cache</cachedir></fontconfig>")
    socket = folder / "panel.sock"
    panel = subprocess.Popen(
        [*command, "run", "--simulate", "--display", f"headless:{size}", "--config", folder / "inkpanel.toml",
         "--socket", socket], env=os.environ | {"FONTCONFIG_FILE": str(folder / "fonts.conf")})
    try:
        while not socket.exists():
            assert panel.poll() is None, "the panel ended"
            time.sleep(0.1)
        request = ["--prompt", "Lieferung 4711", "--signer", "Anna Müller", "--row", "Betrag=12,00 €"]
        asked = subprocess.run(
            [*HERE, "capture", "--socket", socket, *request], capture_output=True, text=True, timeout=300)
        assert asked.returncode == 0, asked.stderr
        file = folder / "record.jsonl"
        capture = asked.stdout.split()[-1]
        subprocess.run([*HERE, "export", "--socket", socket, capture, "--output", file], check=True, timeout=60)
    finally:
        panel.terminate()
        panel.wait()
    return json.loads(file.read_text().splitlines()[-1])["end"]["shown"]


@pytest.mark.parametrize("language, size", [("en", "800x480"), ("de", "1280x800"), ("ar", "480x800")])
def test_digests_of_pages(tmp_path, language, size):
    """Pango and FreeType may be of other versions: those of Debian 12 and 13 draw these pages alike."""
    here, there = (
        shown_by(command, tmp_path / name, language, size) for name, command in PROGRAMS.items())
    assert here["fonts"]
    for name in "page", "signed", "fonts":
        assert here[name] == there[name], name
    assert here["page"] != here["signed"]
