# SPDX-License-Identifier: Apache-2.0
"""Whatever fontconfig says, fonts of bitmaps, which Pango draws in their own size, are not used, and no text is hinted."""

import json
import os
import subprocess

# A letter that all fonts have, and an amulet that no font of outlines in Debian's main packages for text has.
LETTER, AMULET = "A", "\U0001F9FF"


def bitmap_font(path, family: str) -> None:
    """A font in BDF (Adobe, Glyph Bitmap Distribution Format) whose glyphs are black squares of 30 pixels."""
    glyphs = "".join(
        f"STARTCHAR u{ord(character):X}\nENCODING {ord(character)}\nSWIDTH 1000 0\nDWIDTH 30 0\nBBX 30 30 0 0\nBITMAP\n"
        + "FFFFFFFC\n" * 30 + "ENDCHAR\n" for character in LETTER + AMULET)
    properties = {
        "FAMILY_NAME": f'"{family}"', "WEIGHT_NAME": '"Medium"', "SLANT": '"R"', "PIXEL_SIZE": 30, "POINT_SIZE": 300,
        "RESOLUTION_X": 72, "RESOLUTION_Y": 72, "CHARSET_REGISTRY": '"ISO10646"', "CHARSET_ENCODING": '"1"',
        "FONT_ASCENT": 30, "FONT_DESCENT": 0}
    listed = "".join(f"{name} {value}\n" for name, value in properties.items())
    path.write_text(
        f"STARTFONT 2.1\nFONT -test-{family}-Medium-R-Normal--30-300-72-72-P-300-ISO10646-1\nSIZE 30 72 72\n"
        f"FONTBOUNDINGBOX 30 30 0 0\nSTARTPROPERTIES {len(properties)}\n{listed}ENDPROPERTIES\nCHARS 2\n{glyphs}ENDFONT\n")


def drawn(tmp_path, name: str, with_bitmaps: bool = False, rules: str = "") -> tuple[list[str], str]:
    """The fonts and the digest of a page, with only Inter and perhaps fonts of bitmaps that fontconfig prefers."""
    folder = tmp_path / name
    (folder / "fonts").mkdir(parents=True)
    if with_bitmaps:
        bitmap_font(folder / "fonts/other.bdf", "Squares")
        bitmap_font(folder / "fonts/inter.bdf", "Inter")
    (folder / "fonts.conf").write_text(
        "<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig>"
        f"<dir>{folder}/fonts</dir><dir>/usr/share/fonts/opentype/inter</dir><cachedir>{folder}/cache</cachedir>"
        "<match target='pattern'><edit name='family' mode='prepend' binding='strong'><string>Squares</string></edit>"
        f"</match>{rules}</fontconfig>")
    environment = os.environ | {"FONTCONFIG_FILE": str(folder / "fonts.conf")}
    if with_bitmaps:
        # fontconfig itself takes the squares first.
        matched = subprocess.run(
            ["fc-match", "-f", "%{file}", f"Inter:charset={ord(LETTER):x}"], env=environment, capture_output=True, text=True,
            check=True).stdout
        assert matched.endswith(".bdf"), matched
    (folder / "inkpanel.toml").write_text("")
    store = folder / "store"
    panel = subprocess.Popen(
        [os.environ["INKPANEL"], "run", "--simulate", "--display", "headless:800x480", "--config",
         str(folder / "inkpanel.toml"), "--store", str(store), "--socket", str(folder / "panel.sock")], env=environment, stderr=subprocess.PIPE, text=True)
    try:
        for line in panel.stderr:
            if "ready" in line:
                break
        command = [os.environ["INKPANEL"], "capture", "--socket", str(folder / "panel.sock")]
        refused = subprocess.run(
            [*command, "--signer", AMULET], env=environment, capture_output=True, text=True, timeout=60)
        assert refused.returncode == 69 and "U+1F9FF of signer" in refused.stderr, refused
        accepted = subprocess.run(
            [*command, "--prompt", "AAA " + AMULET, "--format", "png", "--caption", "--output", str(folder / "signed.png")],
            env=environment, capture_output=True, text=True, timeout=60)
        assert accepted.returncode == 0, accepted
        assert "the page does not show U+1F9FF of prompt[0]" in accepted.stderr
    finally:
        panel.terminate()
        panel.communicate(timeout=30)
    record = [json.loads(line) for line in next((store / "captures").glob("*.jsonl")).read_text().splitlines()]
    assert record[0]["missingGlyphs"] == [{"text": "prompt[0]", "characters": ["U+1F9FF"]}]
    return record[-1]["end"]["shown"]["fonts"], record[-1]["end"]["shown"]["page"]


def test_bitmaps_change_no_page(tmp_path):
    with_bitmaps, without = drawn(tmp_path, "with", True), drawn(tmp_path, "without", False)
    assert with_bitmaps == without and all(name.startswith("Inter ") for name in without[0])


def test_hinting_changes_no_page(tmp_path):
    hinted = "".join(
        f"<edit name='{name}' mode='assign'>{value}</edit>" for name, value in {
            "hinting": "<bool>true</bool>", "autohint": "<bool>true</bool>", "hintstyle": "<const>hintfull</const>"}.items())
    rules = f"<match target='pattern'>{hinted}</match><match target='font'>{hinted}</match>"
    assert drawn(tmp_path, "hinted", rules=rules) == drawn(tmp_path, "plain")
