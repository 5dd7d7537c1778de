# SPDX-License-Identifier: Apache-2.0
"""The pad that people sign on: inkpanel in a guest with its socket and store, the finger before it, hosts beside it."""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from . import fonts, program
from .failure import PanelFailure
from .image import Box, Image
from .page import Page
from .panel import SHARE, Panel

FOLDER = Path("/run/pad")  # in the guest's memory
HZ = 125.0


@dataclass(frozen=True)
class PadScreen:
    """A screen of the guest, as large as one that people sign on."""

    number: int  # of its connector
    size: tuple[int, int]
    dpi: int
    turned: int = 0  # degrees clockwise, the picture on it

    def on_screen(self, x: float, y: float) -> tuple[int, int]:
        """The pixel of the screen at which a pixel of the upright picture is."""
        return (round(x), round(y)) if self.turned == 0 else (round(self.size[0] - 1 - y), round(x))


class Pad:
    count = 0

    def __init__(
            self, panel: Panel, screen: PadScreen, configuration: str = "", messages: Path = None, device=None,
            disk: str = None):
        """`configuration` are tables of inkpanel.toml, `device` is what is plugged in instead of a touchscreen, and
        `disk` is the size of a file system that is the store's alone.
        """
        self.panel, self.screen = panel, screen
        Pad.count += 1
        self.folder = FOLDER / str(Pad.count)
        self.store, self.socket = self.folder / "store", self.folder / "panel.sock"
        panel.make_folder(str(self.store if disk else self.folder))
        if disk:
            panel.run("/bin/mount", "-t", "tmpfs", "-o", f"size={disk}", "store", str(self.store))
        panel.write_file(f"{self.folder}/inkpanel.toml", f"""
            [display]
            output = "kms:Virtual-{screen.number}"
            rotate = {screen.turned}
            dpi = {screen.dpi}
            prediction = false
            [ink]
            pen = "smoothed-bezier" # whose ink does not depend on time
            width-mm = 0.5
            [pad]
            messages = "{messages or ''}"
            date = "2026-03-14" # on every day
            [control]
            group = ""
            {configuration}""")
        self.finger = device or panel.touchscreen(*screen.size)
        self.start()

    def start(self) -> None:
        self.ink = self.panel.start_inkpanel(
            "run", "--config", f"{self.folder}/inkpanel.toml", "--store", self.store, "--socket", self.socket,
            env=fonts.ENVIRONMENT)

    # The host

    def ask(self, *arguments: str, on_terminal: bool = True) -> program.Program:
        """A host that asks for a signature. On a terminal it tells how that goes, in its log; it is still running."""
        words = self.words("capture", *arguments)
        if on_terminal:
            # Not this shell's: a pseudoterminal between the two, as in a window.
            words = ["/usr/bin/script", "--quiet", "--return", "--flush", "--command", shlex.join(words), "/dev/null"]
        return self.panel.start(*words, tty=None)

    def command(self, name: str, *arguments: str) -> str:
        """What another command over the socket writes; it must succeed."""
        return self.panel.run(*self.words(name, *arguments))

    def words(self, name: str, *arguments: str) -> list[str]:
        return [str(program.binary()), name, "--socket", str(self.socket), *map(str, arguments)]

    @property
    def captures(self) -> list[dict]:
        """Those in the store, the newest first."""
        listed = json.loads(self.command("list", "--json"))
        if listed["unreadable"]:
            raise PanelFailure(f"captures that cannot be read: {listed['unreadable']}")
        return listed["captures"]

    def export(self, capture: str, name: str, *arguments: str) -> bytes:
        """A stored capture as a file, whose format its name tells."""
        self.command("export", capture, *arguments, "--output", SHARE / name)
        return self.shared(name)

    def shared(self, name: str) -> bytes:
        """What the guest has left in the folder that the host sees, too."""
        return (self.panel.machine.share / name).read_bytes()

    @property
    def files(self) -> list[str]:
        """Captures in the store, those being written too."""
        return self.panel.glob(f"{self.store}/*/*.jsonl")

    # The person

    @property
    def picture(self) -> Image:
        """What the person sees, upright."""
        return self.panel.screendump(self.screen.number).turned_back(self.screen.turned)

    def settled(self) -> Image:
        """The picture once the panel has nothing left to do."""
        self.ink.settle()
        return self.picture

    def picture_when(self, condition) -> Image:
        """The first picture the condition holds for."""
        turned = self.screen.turned
        shown = self.panel.screen_when(
            lambda picture: condition(picture.turned_back(turned)), within=30, screen=self.screen.number)
        picture = shown.turned_back(turned)
        if not condition(picture):
            raise PanelFailure("the picture that was waited for has not come")
        return picture

    def tap(self, x: float, y: float) -> None:
        self.finger.tap(*self.screen.on_screen(x, y))

    def touch(self, button: str) -> None:
        """Found by looking at the page, which must have come to rest."""
        self.tap(*Page(self.picture).buttons[button].centre)

    def draw(self, strokes: list[list], hz: float = HZ) -> None:
        """Strokes through pixels of the upright picture."""
        frames, start = [], 0.0
        for stroke in strokes:
            points = [self.screen.on_screen(*point) for point in stroke]
            frames += self.finger.stroke_frames(points, hz=hz, start=start)
            start = frames[-1][0] + 1 / hz
        self.finger.frames(frames)

    @property
    def place_to_sign(self) -> Box:
        """Over the line, in the middle of the signing area: where people sign."""
        area = Page(self.picture).signing_area
        width, height = area.size
        return Box(
            area.left + width // 5, area.top + height // 10, area.right - width // 7, area.bottom - height // 6)
