# SPDX-License-Identifier: Apache-2.0
"""Programs, package and documents state one version (CHANGELOG.md, Versions)."""

import os
import re
import subprocess
from pathlib import Path

TOP = Path(__file__).parents[3]


def version_of(path: str, pattern: str) -> str:
    found = re.search(pattern, (TOP / path).read_text(), re.M)
    assert found, path
    return found[1]


def test_there_is_one_version():
    versions = {
        path: version_of(path, r'static let version = "([^"]+)"')
        for path in ("Sources/inkpanel/Inkpanel.swift", "Sources/inkpanel-gateway/GatewayCommand.swift",
                     "Sources/Fleet/FleetCommand.swift", "Sources/PDF/HelperProgram.swift")}
    versions["debian/changelog"] = version_of("debian/changelog", r"^inkpanel \(([^)-]+)")
    versions["pyproject.toml"] = version_of("clients/python/pyproject.toml", r'^version = "([^"]+)"')
    versions["manifest.json"] = version_of("clients/extension/manifest.json", r'^  "version": "([^"]+)"')
    versions["package.json"] = version_of("clients/npm/package.json", r'^  "version": "([^"]+)"')
    for name in ("INKPANEL", "GATEWAY", "FLEET", "DOCUMENT"):
        said = subprocess.run([os.environ[name], "--version"], check=True, capture_output=True, text=True)
        versions[name] = said.stdout.strip().removeprefix("inkpanel ")
    assert len(set(versions.values())) == 1, versions
    version = versions["debian/changelog"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    # The changelog has it as the newest version, or says that it will be the next.
    changes = (TOP / "CHANGELOG.md").read_text()
    assert re.search(rf"^## \[{version}\]|^The (first|next) version will be {version}\.$", changes, re.M)
    # README states it without the last number.
    major, minor, _ = version.split(".")
    assert f"Version {major}.{minor}." in (TOP / "README.md").read_text()
