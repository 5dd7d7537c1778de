# SPDX-License-Identifier: Apache-2.0
"""The signature pad in tests: inkpanel in a guest with socket and store, a person's finger, and hosts."""

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
    """A screen of the guest."""

    number: int  # of its connector
    size: tuple[int, int]
    dpi: int
    turned: int = 0  # clockwise rotation of the picture, in degrees

    def on_screen(self, x: float, y: float) -> tuple[int, int]:
        """The screen's pixel for a pixel of the upright picture."""
        return (round(x), round(y)) if self.turned == 0 else (round(self.size[0] - 1 - y), round(x))


class Pad:
    count = 0

    def __init__(
            self, panel: Panel, screen: PadScreen, configuration: str = "", language: str = "en", device=None,
            disk: str = None, store: Path = None, environment: dict = None):
        """`configuration`: more tables for inkpanel.toml. `language`: of the pages. `device`: instead of a touchscreen.
        `disk`: the size of a file system for the store alone. `store`: a place for it elsewhere. `environment`: more
        variables for inkpanel.
        """
        self.panel, self.screen = panel, screen
        Pad.count += 1
        self.folder = FOLDER / str(Pad.count)
        self.store, self.socket = store or self.folder / "store", self.folder / "panel.sock"
        self.environment = {**fonts.ENVIRONMENT, **(environment or {})}
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
            pen = "smoothed-bezier" # independent of time
            width-mm = 0.5
            [pad]
            language = "{language}"
            date = "2026-03-14" # constant
            [control]
            group = ""
            {configuration}""")
        self.finger = device or panel.touchscreen(*screen.size)
        self.start()

    def start(self) -> None:
        self.ink = self.panel.start_inkpanel(
            "run", "--config", f"{self.folder}/inkpanel.toml", "--store", self.store, "--socket", self.socket,
            env=self.environment)

    # The host

    def ask(self, *arguments: str, on_terminal: bool = True) -> program.Program:
        """Starts a host that requests a signature. On a terminal, it logs its progress."""
        words = self.words("capture", *arguments)
        if on_terminal:
            # script(1) gives it a pseudoterminal.
            words = ["/usr/bin/script", "--quiet", "--return", "--flush", "--command", shlex.join(words), "/dev/null"]
        return self.panel.start(*words, tty=None)

    def command(self, name: str, *arguments: str) -> str:
        """The output of another command for this pad; it must succeed."""
        return self.panel.run(*self.words(name, *arguments))

    def words(self, name: str, *arguments: str) -> list[str]:
        return [str(program.binary()), name, "--socket", str(self.socket), *map(str, arguments)]

    @property
    def captures(self) -> list[dict]:
        """The records in the store, the newest first."""
        listed = json.loads(self.command("list", "--json"))
        if listed["unreadable"]:
            raise PanelFailure(f"captures that cannot be read: {listed['unreadable']}")
        return listed["captures"]

    def export(self, capture: str, name: str, *arguments: str) -> bytes:
        """A record as a file, in the format of its name."""
        self.command("export", capture, *arguments, "--output", SHARE / name)
        return self.shared(name)

    def shared(self, name: str) -> bytes:
        """A file in the folder shared with the guest."""
        return (self.panel.machine.share / name).read_bytes()

    @property
    def files(self) -> list[str]:
        """Files of all records, including those being written."""
        return self.panel.glob(f"{self.store}/*/*.jsonl")

    # The person

    @property
    def picture(self) -> Image:
        """The upright picture on the screen."""
        return self.panel.screendump(self.screen.number).turned_back(self.screen.turned)

    def settled(self) -> Image:
        """The picture once the panel is idle."""
        self.ink.settle()
        return self.picture

    def picture_when(self, condition) -> Image:
        """The first picture that meets the condition."""
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
        """Taps a button, found in the picture; the page must not be changing."""
        self.tap(*Page(self.picture).buttons[button].centre)

    def draw(self, strokes: list[list], hz: float = HZ) -> None:
        """Draws strokes, in pixels of the upright picture."""
        frames, start = [], 0.0
        for stroke in strokes:
            points = [self.screen.on_screen(*point) for point in stroke]
            frames += self.finger.stroke_frames(points, hz=hz, start=start)
            start = frames[-1][0] + 1 / hz
        self.finger.frames(frames)

    @property
    def place_to_sign(self) -> Box:
        """The part of the signing field above the line, where people sign."""
        page = Page(self.picture)
        line, below = page.line, page.card.bottom - page.line.bottom
        inset = (line.right - line.left) // 8
        # The field extends almost three times as far above the line as below it.
        return Box(line.left + inset, line.top - int(2.4 * below), line.right - inset, line.top)
