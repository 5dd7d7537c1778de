# SPDX-License-Identifier: Apache-2.0
"""Debian's Firefox, by its own protocol: playwright drives only builds of its own.

Marionette sends LENGTH:[0, number, command, parameters] and answers LENGTH:[1, number, error, result].
"""

import base64
import json
import socket
import subprocess
import time
from pathlib import Path

# No pages but ours: what Firefox asks its maker at the start must not look like requests of the page.
PREFERENCES = {
    "marionette.port": 0, "datareporting.policy.dataSubmissionEnabled": False, "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False, "intl.accept_languages": "en-US"}


def trust(authority: Path, folder: Path) -> None:
    """Lets a browser with this folder of certificates trust an authority: Firefox's profile, Chromium's .pki/nssdb."""
    folder.mkdir(parents=True, exist_ok=True)
    database = ["certutil", "-d", f"sql:{folder}"]
    if not (folder / "cert9.db").exists():
        subprocess.run([*database, "-N", "--empty-password"], check=True)
    subprocess.run([*database, "-A", "-n", authority.stem, "-t", "C,,", "-i", authority], check=True)


class Firefox:
    def __init__(self, folder: Path):
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (folder / "user.js").write_text("\n".join(lines))
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port, end = folder / "MarionetteActivePort", time.monotonic() + 60
        while not (port.exists() and port.read_text().strip()):
            assert time.monotonic() < end and self.process.poll() is None, "Firefox does not start"
            time.sleep(0.05)
        self.socket = socket.create_connection(("127.0.0.1", int(port.read_text())), timeout=60)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self.receive()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})

    def receive(self):
        size = b""
        while (byte := self.stream.read(1)) != b":":
            assert byte, "Firefox has ended"
            size += byte
        return json.loads(self.stream.read(int(size)))

    def call(self, command: str, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self.receive()
        assert number == self.number and not error, error
        return result

    def go(self, url: str):
        self.call("WebDriver:Navigate", url=url)

    def run(self, script: str):
        return self.call("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def wait(self, script: str):
        end = time.monotonic() + 30
        while not (value := self.run(script)):
            assert time.monotonic() < end, f"it does not happen: {script}"
            time.sleep(0.05)
        return value

    def screenshot(self) -> bytes:
        return base64.b64decode(self.call("WebDriver:TakeScreenshot", full=True)["value"])

    def stop(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)
