# SPDX-License-Identifier: Apache-2.0
"""A TPM 2.0 for a guest: swtpm, whose state is a folder."""

import subprocess
import time
from pathlib import Path

from .failure import PanelFailure

START_SECONDS = 20


class Tpm:
    """`with Tpm(FOLDER) as tpm, Panel(..., more_devices=tpm.devices)`: an empty folder makes another TPM."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.socket = folder / "control"
        try:
            # It ends with QEMU.
            self.process = subprocess.Popen(
                ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={folder}",
                 "--ctrl", f"type=unixio,path={self.socket}", "--terminate", "--log", f"file={folder}/log"])
        except FileNotFoundError:
            raise PanelFailure("swtpm: not found; install Debian's swtpm") from None
        deadline = time.monotonic() + START_SECONDS
        while not self.socket.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise PanelFailure(f"swtpm did not start; its log:\n{(folder / 'log').read_text()}")
            time.sleep(0.02)

    @property
    def devices(self) -> list[str]:
        """QEMU's arguments."""
        return [
            "-chardev", f"socket,id=tpm,path={self.socket}", "-tpmdev", "emulator,id=tpm,chardev=tpm",
            "-device", "tpm-tis,tpmdev=tpm"]

    def __enter__(self) -> "Tpm":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
