# SPDX-License-Identifier: Apache-2.0
"""Fixtures of pytest, which finds them itself once this package is installed:

    def test_a_delivery_is_signed(inkpanel_simulator, inkpanel_pad):
        inkpanel_simulator.act("cancel")           # the person presses Cancel; without this, they sign
        assert deliver(inkpanel_pad) == "not signed"
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Iterator

import pytest

from .client import InkpanelError
from .pads import Pad
from .simulator import Simulator

__all__ = ["Simulator", "inkpanel_pad", "inkpanel_simulator"]


@pytest.fixture(scope="session")
def inkpanel_simulator() -> Iterator[Simulator]:
    """A pad for all tests. INKPANEL_ORIGINS has the origins of web pages that call it, separated by blanks."""
    with Simulator(origins=os.environ.get("INKPANEL_ORIGINS", "").split()) as simulator:
        yield simulator


@pytest.fixture
def inkpanel_pad(inkpanel_simulator: Simulator) -> Iterator[Pad]:
    """Its client. After the test no capture runs, and the next one is signed."""
    pad = Pad(inkpanel_simulator.url, inkpanel_simulator.token)
    yield pad
    inkpanel_simulator.act("sign")
    end = time.monotonic() + 30
    # Those that wait begin when those before them have ended.
    while ((status := pad.status()).running or status.waiting) and time.monotonic() < end:
        if status.running:
            with contextlib.suppress(InkpanelError):
                pad.cancel(status.running.id)
        time.sleep(0.02)
