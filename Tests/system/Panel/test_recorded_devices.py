# SPDX-License-Identifier: Apache-2.0
"""Every recording of a real device, played through the kernel, draws the same ink as when rendered from the file."""

import subprocess

import pytest
from harness import evemu
from harness.look import BLACK_ON_WHITE, PAPER
from harness.program import CHECKOUT, binary
from harness.wording import summary
from PIL import Image, ImageChops

pytestmark = pytest.mark.long

RECORDINGS = sorted((CHECKOUT / "Tests" / "data" / "Recordings").glob("*.events"))
LOOK = ("--pen", "linear", "--width", "0.7", *BLACK_ON_WHITE)
HZ = 100  # faster than most were recorded, but slow enough for the kernel's buffer on a busy machine
PEN_IS_AWAY = 1.3  # seconds until a pen that hovered at the end counts as gone, and fingers draw again
BTN_TOOL_PEN = 0x140


def replayed(recording, size, folder) -> tuple[Image.Image, int]:
    """The ink that the program draws from the file, and the number of strokes."""
    picture = folder / "replayed.png"
    display = f"headless:{size[0]}x{size[1]}"
    ran = subprocess.run(
        [binary(), "replay", recording, "--fast", "--display", display, "--output", picture, *LOOK],
        capture_output=True, text=True, check=True)
    return Image.open(picture).convert("RGB").copy(), summary(ran.stderr)["strokes"]


def inked(picture: Image.Image) -> Image.Image:
    """The pixels that are not paper."""
    return picture.convert("L").point(lambda level: 0 if level == PAPER[0] else 255)


def test_every_recording_draws_the_same_through_the_kernel(vkms, tmp_path):
    assert len(RECORDINGS) >= 30
    # Pens last: after one, fingers do not draw for a while.
    ordered = sorted(RECORDINGS, key=lambda each: BTN_TOOL_PEN in evemu.describe(each)["codes"].get(1, []))
    devices = [(each, vkms.device_of(each)) for each in ordered]
    named = [word for _, device in devices for word in ("--touch", device.node)]
    ink = vkms.start_ink(*named, "--prediction", "off", *LOOK)
    expected = Image.new("RGB", vkms.size, PAPER)
    strokes = 0
    for recording, device in devices:
        picture, count = replayed(recording, vkms.size, tmp_path)
        expected = ImageChops.darker(expected, picture)
        strokes += count
        device.frames([[number / HZ, events] for number, (_, events) in enumerate(evemu.frames(recording))])
        if BTN_TOOL_PEN in device.description["codes"].get(1, []):
            vkms.sleep(PEN_IS_AWAY)
        # If two devices are touched at once, the first one draws.
        ink.settle(quiet=0.1)
    ink.settle()
    screen = vkms.screendump()
    assert ink.terminate() == 0
    counts = ink.summary()
    # What the kernel drops cannot be drawn.
    assert counts["strokes"] == strokes and counts["dropped"] == 0
    shown = Image.frombytes("RGB", screen.size, screen.rgb)
    assert strokes >= 30 and inked(expected).getbbox()
    differing = ImageChops.difference(inked(shown), inked(expected)).getbbox()
    if differing:
        expected.save(tmp_path / "expected.png")
    assert differing is None, f"ink differs within {differing}; expected is {tmp_path / 'expected.png'}"
