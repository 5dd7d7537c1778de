# SPDX-License-Identifier: Apache-2.0
"""verify.html in Debian's Firefox."""

import base64
from pathlib import Path

from support.firefox import Firefox

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class VerifierInFirefox(Firefox):
    def open(self, url: str):
        self.go(url)
        self.wait("return document.querySelectorAll('#language option').length > 0")

    def give(self, *files: Path) -> str:
        """Chooses files, lists of keys by themselves, and returns the verdict."""
        lists = [file for file in files if file.name.endswith("signers")]
        for some in filter(None, ([file for file in files if file not in lists], lists)):
            # The verdict of the next ones is another heading.
            self.run("document.getElementById('verdict')?.removeAttribute('id')")
            found = self.call("WebDriver:FindElement", using="css selector", value="#files")["value"]
            self.call("WebDriver:ElementSendKeys", id=found[ELEMENT], text="\n".join(map(str, some)))
            verdict = self.wait("return document.querySelector('#report[aria-busy=false] #verdict')?.textContent")
        return verdict

    def paper(self) -> bytes:
        return base64.b64decode(self.call("WebDriver:Print", page={"width": 21, "height": 29.7}, background=True)["value"])
