# SPDX-License-Identifier: Apache-2.0
"""Options for black ink on white, so that every pixel that is not white is ink.

The density is fixed, because widths are in millimetres and emulated screens and recorded devices differ.
"""

PAPER = (255, 255, 255)
BLACK_ON_WHITE = ("--color", "000000", "--background", "ffffff", "--dpi", "150")
