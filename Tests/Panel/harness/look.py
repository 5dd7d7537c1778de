# SPDX-License-Identifier: Apache-2.0
"""How the tests have inkpanel draw: black on white, so that every pixel that is not white is ink."""

PAPER = (255, 255, 255)
BLACK_ON_WHITE = ("--color", "000000", "--background", "ffffff")
