# SPDX-License-Identifier: Apache-2.0
"""The pad's pages in four scripts and on three screens, compared with the pictures in golden/."""

import re
import time
from dataclasses import dataclass

import pytest
from conftest import OUT, PAD_SCREENS
from harness import golden
from harness.handwriting import signature
from harness.page import Page


@dataclass(frozen=True)
class Language:
    """A request in this language."""

    prompt: tuple[str, ...]
    signer: str
    reason: str

    @property
    def arguments(self) -> list[str]:
        lines = [word for line in self.prompt for word in ("--prompt", line)]
        return [*lines, "--signer", self.signer, "--reason", self.reason]


LANGUAGES = {
    "en": Language(("I have received 12 parcels", "in good order."), "Anna Müller", "delivery"),
    "ar": Language(("استلمت 12 طرداً", "بحالة جيدة."), "ليلى حداد", "استلام الشحنة"),
    "zh": Language(("我已收到 12 件包裹，", "外观完好无损。"), "李明", "收货"),
    "hi": Language(("मुझे 12 पार्सल मिले हैं,", "सभी अच्छी हालत में।"), "प्रिया शर्मा", "सामान की प्राप्ति"),
}


# Each screen once for a commit: unit tests lay out all pages. All are written anew.
EACH_ONCE = {("800x480", "en"), ("800x1280", "ar"), ("480x320", "zh")}


def page_set(screen, language):
    is_long = (screen, language) not in EACH_ONCE and not golden.WRITES
    return pytest.param(screen, language, id=f"{language}-{screen}", marks=pytest.mark.long if is_long else ())


@pytest.mark.parametrize(
    "screen, language", [page_set(screen, language) for screen in PAD_SCREENS for language in LANGUAGES])
def test_pages_equal_their_golden_pictures(pad_of, request, screen, language):
    keep = OUT / re.sub(r"[^\w.-]+", "_", request.node.name)

    def check(picture, page):
        golden.check(picture, f"{screen}-{language}-{page}", keep)

    pad = pad_of(PAD_SCREENS[screen], language=language)
    idle = pad.settled()
    check(idle, "idle")

    host = pad.ask(*LANGUAGES[language].arguments, on_terminal=False)
    prompt = pad.picture_when(lambda picture: Page(picture).card)
    check(prompt, "prompt")

    pad.tap(*pad.place_to_sign.centre)
    dotted = pad.settled()
    assert dotted != prompt, "the tap has left no ink"
    pad.touch("accept")
    check(pad.picture_when(lambda picture: picture != dotted and Page(picture).is_refused), "refused")

    pad.touch("clear")
    pad.picture_when(lambda picture: Page(picture).is_cleared(prompt))
    pad.draw(signature(pad.place_to_sign), hz=250)
    signed = pad.settled()
    check(signed, "signed")

    pad.touch("accept")
    pad.picture_when(lambda picture: picture != idle and Page(picture).card is None)
    # The tick is drawn in 0.3 s; the page stays for 3 s.
    time.sleep(1)
    check(pad.picture, "thanks")
    assert host.wait() == 0, host.log
