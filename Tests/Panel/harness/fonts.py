# SPDX-License-Identifier: Apache-2.0
"""The fonts that pages are drawn with in tests: those of a few Debian packages, whatever else the machine has.

The guest sees them where the host has them, with fontconfig's caches of them.
"""

from pathlib import Path

from .apt import run
from .failure import PanelFailure

CONFIGURATION = Path(__file__).resolve().parents[1] / "pages" / "fonts.conf"
ENVIRONMENT = {"FONTCONFIG_FILE": str(CONFIGURATION)}
# What decides over the pixels of a text: the fonts, and the libraries that choose, shape and draw glyphs.
PACKAGES = (
    "fonts-dejavu-core", "fonts-droid-fallback", "fonts-lohit-deva", "libfontconfig1", "libfreetype6", "libfribidi0",
    "libharfbuzz0b", "libpango-1.0-0", "libpangoft2-1.0-0")


def versions() -> dict[str, str]:
    """The packages' upstream versions: Debian's own revisions fix security, and leave glyphs where they are."""
    found = {}
    for package in PACKAGES:
        installed = run("dpkg-query", "--show", "--showformat", "${Version}", package)
        if not installed:
            raise PanelFailure(f"{package} is not installed: run tools/setup test")
        found[package] = upstream(installed)
    return found


def upstream(version: str) -> str:
    """Without the epoch and the revision of Debian's."""
    return version.rpartition(":")[2].rpartition("-")[0]
