# SPDX-License-Identifier: Apache-2.0
"""The harness for tests on a real kernel; see ../README.md."""

from .failure import PanelFailure
from .image import Box, Image
from .pad import Pad, PadScreen
from .panel import DISPLAYS, Panel

__all__ = ["Box", "DISPLAYS", "Image", "Pad", "PadScreen", "Panel", "PanelFailure"]
