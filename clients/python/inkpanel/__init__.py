# SPDX-License-Identifier: Apache-2.0
"""Signatures from an Inkpanel pad.

    from inkpanel import CaptureRequest, Pad

    pad = Pad("https://pad.example:8443", token, ca="inkpanel-ca.pem")
    capture = pad.capture(CaptureRequest(prompt=["Delivery 4711"]), key="4711")
    if capture.outcome and capture.outcome.result == "accepted":
        open("signature.png", "wb").write(pad.file(capture.id, "signature.png"))

`AsyncPad` has the same calls for asyncio. `Inkpanel` is that of the single file inkpanel.py, with dictionaries.
"""

from .client import Inkpanel, InkpanelError, pair
from .models import *
from .models import __all__ as _models
from .pads import AsyncPad, Pad

__all__ = ["AsyncPad", "Inkpanel", "InkpanelError", "Pad", "pair", *_models]
