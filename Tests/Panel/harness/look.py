# SPDX-License-Identifier: Apache-2.0
"""How the tests have inkpanel draw: black on white, so that every pixel that is not white is ink.

At one density, whatever size an emulated screen or a recorded device states: widths are in millimetres.
"""

PAPER = (255, 255, 255)
BLACK_ON_WHITE = ("--color", "000000", "--background", "ffffff", "--dpi", "150")
