# SPDX-License-Identifier: Apache-2.0
"""The error of the harness: names what failed and what to do."""


class PanelFailure(Exception):
    """A failure between test and guest: no package, no boot, no answer, no ready line."""
