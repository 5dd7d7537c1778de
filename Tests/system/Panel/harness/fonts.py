# SPDX-License-Identifier: Apache-2.0
"""The fonts for pages in tests: those of a few Debian packages, and no others of the machine.

The guest sees them at the host's paths, with fontconfig's caches.
"""

from pathlib import Path

from .apt import run
from .failure import PanelFailure

CONFIGURATION = Path(__file__).resolve().parents[1] / "pages" / "fonts.conf"
ENVIRONMENT = {"FONTCONFIG_FILE": str(CONFIGURATION)}
# Pixels of text depend on the fonts, and on the libraries that choose, shape and draw glyphs.
PACKAGES = (
    "fonts-dejavu-core", "fonts-droid-fallback", "fonts-inter", "fonts-lohit-deva", "libfontconfig1", "libfreetype6",
    "libfribidi0", "libharfbuzz0b", "libpango-1.0-0", "libpangoft2-1.0-0")


def versions() -> dict[str, str]:
    """The packages' upstream versions; Debian's revisions do not change glyphs."""
    found = {}
    for package in PACKAGES:
        installed = run("dpkg-query", "--show", "--showformat", "${Version}", package)
        if not installed:
            raise PanelFailure(f"{package} is not installed: run tools/setup test")
        found[package] = upstream(installed)
    return found


def upstream(version: str) -> str:
    """The version without Debian's epoch and revision."""
    return version.rpartition(":")[2].rpartition("-")[0]
