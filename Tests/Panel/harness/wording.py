# SPDX-License-Identifier: Apache-2.0
"""What the tests read in inkpanel's log: the one place that knows its wording."""

import re

READY = r"\binkpanel: ready\b"
SUMMARY = r"\breports\b.*\bflips\b"
COUNTS = ("reports", "dropped", "strokes", "flips")


def summary(log: str) -> dict | None:
    """The counts of the last line, by name; None without such a line. Both `12 flips` and `flips=12` are read."""
    lines = [line for line in log.splitlines() if re.search(SUMMARY, line)]
    if not lines:
        return None
    found = {}
    for name in COUNTS:
        count = re.search(rf"(\d+) {name}\b|\b{name}[=: ]+(\d+)", lines[-1])
        if count:
            found[name] = int(count[1] or count[2])
    return found
