# SPDX-License-Identifier: Apache-2.0
"""The page's texts in all languages, the sentences for all facts, and the contrast of its colours."""

import json
import re

import pytest
from conftest import TOP

VERIFIER = TOP / "verifier"
TEXTS = {path.stem: json.loads(path.read_text()) for path in sorted((VERIFIER / "texts").glob("*.json"))}
ENGLISH = TEXTS["en"]
SOURCES = {path: path.read_text() for folder in ("core", "files", "page") for path in (VERIFIER / folder).glob("*.js")}


def values(text: str) -> list[str]:
    return sorted(re.findall(r"\{\w+\}", text))


def test_the_page_has_the_languages_of_the_pad():
    assert set(TEXTS) == {path.stem for path in (TOP / "Sources/Pad/Strings").glob("*.messages")}


@pytest.mark.parametrize("language", TEXTS)
def test_all_texts_are_there_with_their_values(language):
    texts = TEXTS[language]
    assert list(texts) == list(ENGLISH)
    for key, text in texts.items():
        assert text.strip() == text != "", key
        assert values(text) == values(ENGLISH[key]), key
        assert not re.search(r"[<>\x00-\x1f\u202a-\u202e\u2066-\u2069]", text), key
    if language != "en":
        # Names of other things may be the same words.
        same = [key for key in texts if texts[key] == ENGLISH[key]]
        assert len(same) < 12, same


def test_the_verdicts_differ_in_each_language():
    for language, texts in TEXTS.items():
        words = [texts[name].casefold() for name in ("genuine", "changed", "undecided")]
        assert len(set(words)) == 3, language


def test_each_text_that_the_page_names_exists():
    page = "\n".join(text for path, text in SOURCES.items() if path.parent.name == "page")
    named = set(re.findall(r'\b(?:text|sentence)\("([\w.]+)"', page))
    named |= set(re.findall(r'data-(?:text|label)="([\w.]+)"', (VERIFIER / "page/index.html").read_text()))
    assert sorted(named - ENGLISH.keys()) == []


def test_each_fact_has_a_sentence():
    facts = SOURCES[VERIFIER / "page/facts.js"]
    same = dict(re.findall(r'(\w+): "(\w+)"', facts[facts.index("SAME = {"):facts.index("};")]))
    sentences = {key.split(".")[1] for key in ENGLISH if key.startswith("fact.")}
    sentences |= set(re.findall(r'"(\w+)\.\w+": "\w+"', facts))
    codes = set()
    for path, text in SOURCES.items():
        if path.parent.name == "core":
            codes |= set(re.findall(r'facts\.(?:open|missing)\("(\w+)"', text))
            codes |= set(re.findall(r'facts\.add\(.*?, "(\w+)", \{', text))
    assert len(codes) > 30
    assert sorted(code for code in codes if same.get(code, code) not in sentences and not code.startswith("head")) == []


def luminance(colour: str) -> float:
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    less, more = sorted((luminance(one), luminance(other)))
    return (more + 0.05) / (less + 0.05)


def test_texts_and_frames_have_contrast_in_light_and_in_dark_colours():
    style = (VERIFIER / "page/style.css").read_text()
    light, dark, _ = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part)) for part in re.findall(r":root \{(.*?)\}", style, re.S))
    for colours in (light, {**light, **dark}):
        for front in ("text", "soft", "accent", "ok", "wrong", "unchecked"):
            for back in ("ground", "stage") + (("said",) if front in ("text", "unchecked") else ()):
                assert contrast(colours[front], colours[back]) >= 4.5, (front, back)
        # Of inputs, and of what files say.
        for front in ("field", "said-line"):
            for back in ("ground", "stage"):
                assert contrast(colours[front], colours[back]) >= 3, (front, back)
        assert contrast(colours["said-line"], colours["said"]) >= 3
