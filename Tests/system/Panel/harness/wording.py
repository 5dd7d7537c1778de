# SPDX-License-Identifier: Apache-2.0
"""All messages of inkpanel that the tests look for."""

import re

READY = r"\binkpanel: ready: "
# Progress and errors of `inkpanel capture` on a terminal.
ASKED = r"\bwaiting for the signature\b"
QUEUED = r"\bwaiting for the panel to be free\b"
REFUSED = r"\bnot accepted as a signature: "
TOO_SMALL, STRAIGHT = " mm in size, ", " mm broad, "
BY_PERSON = "cancelled: the person "
NOBODY_TOUCHED = "timed out: the panel was not touched"
NOBODY_ASKED = "no signature was requested, because it could not be stored: "
# Printed by `inkpanel status` if the last record could not be written.
FAULT = "\nfault "
# With latency = "front", if the driver shows a copy of the frame.
NO_FRONT = "new ink waits for the next frame: "
COUNTS = ("reports", "dropped", "strokes", "samples", "flips")


def degrees_turned(log: str) -> int:
    """The clockwise rotation in the ready line."""
    ready = next(line for line in log.splitlines() if re.search(READY, line))
    found = re.search(r", turned (\d+) degrees$", ready)
    return int(found[1]) if found else 0


def summary(log: str) -> dict[str, int] | None:
    """The counts in the last line of counts, by name; None without one."""
    counts = None
    for line in log.splitlines():
        found = {name: re.search(rf"\b{name} (\d+)", line) for name in COUNTS}
        if all(found.values()):
            counts = {name: int(match[1]) for name, match in found.items()}
    return counts


def report_to_screen(log: str) -> dict[str, float]:
    """The last figures of the time from a report to the screen, in milliseconds: p50, p95, p99, max."""
    found = re.findall(r"report to screen ((?:\w+ [\d.]+ ?)+)ms", log)
    words = found[-1].split() if found else []
    return {name: float(value) for name, value in zip(words[::2], words[1::2])}
