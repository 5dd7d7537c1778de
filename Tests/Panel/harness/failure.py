# SPDX-License-Identifier: Apache-2.0
"""The one error the harness raises: it names the thing that failed and what to do about it."""


class PanelFailure(Exception):
    """Something between the test and the guest did not work: no package, no boot, no answer, no ready line."""
