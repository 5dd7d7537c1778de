# SPDX-License-Identifier: Apache-2.0
"""Tests of Inkpanel on a real kernel: README.md beside this folder says how it works."""

from .failure import PanelFailure
from .image import Box, Image
from .pad import Pad, PadScreen
from .panel import DISPLAYS, Panel

__all__ = ["Box", "DISPLAYS", "Image", "Pad", "PadScreen", "Panel", "PanelFailure"]
