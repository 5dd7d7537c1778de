# SPDX-License-Identifier: Apache-2.0
"""The pace of a device: each report at its time after the first, or late, never early."""

import time
from collections.abc import Iterator


def paced(reports: list) -> Iterator:
    """The contents of reports `[seconds, content]`, each when it is due.

    A processor that was busy elsewhere makes reports late. The next ones then come at twice their pace, not all at once:
    a device does not do that, and the kernel's buffer for the reader has room for a few reports only.
    """
    start = time.monotonic() - (reports[0][0] if reports else 0)
    last_seconds, last_time = 0.0, start
    for seconds, content in reports:
        due = max(start + seconds, last_time + (seconds - last_seconds) / 2)
        wait = due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        last_seconds, last_time = seconds, time.monotonic()
        yield content
