# SPDX-License-Identifier: Apache-2.0
"""Finds the card to sign on and the buttons in a picture of a page, by the light theme's colours."""

from functools import cached_property

from .areas import areas, rows_of
from .failure import PanelFailure
from .image import Box, Image

PAPER = (255, 255, 255)  # the card
BACKGROUND = (0xF3, 0xF4, 0xF6)
BORDER = (0x86, 0x8C, 0x96)  # of the card
INK = (0x0B, 0x1F, 0x5C)
GUIDE = (0x6F, 0x75, 0x80)  # the line to sign on
ACCEPT, DISABLED_ACCEPT = (0x0E, 0x5A, 0x33), (0xDF, 0xE2, 0xE7)
BANNER = (0xFD, 0xE9, 0xC8)
# Minimum width and height in pixels: smaller than any button here, larger than what letters enclose.
LEAST = 24
# The gap between things, as a share of a button's height: between letters less, between icons more.
GAP = 0.3


def around(spots: list[tuple[int, int]]) -> Box:
    xs, ys = zip(*spots)
    return Box(min(xs), min(ys), max(xs), max(ys))


class Page:
    def __init__(self, picture: Image):
        self.picture = picture

    @cached_property
    def card(self) -> Box | None:
        """Including its border; None on a page without one."""
        edges = [
            (y, columns) for y, columns in self.columns_by_row(BORDER)
            if len(columns) > self.picture.width / 2]
        if len(edges) < 2:
            return None
        top, bottom = edges[0][0], edges[-1][0]
        # The corners are round.
        middle = (top + bottom) // 2
        sides = next(columns for y, columns in self.columns_by_row(BORDER) if y == middle)
        return Box(sides[0], top, sides[-1], bottom)

    @cached_property
    def line(self) -> Box:
        """The line to sign on, which ink may cover in parts and a banner as a whole."""
        y, columns = max(self.columns_by_row(GUIDE), key=lambda row: len(row[1]))
        return Box(columns[0], y, columns[-1], y)

    @property
    def ink(self) -> Box:
        """Around the pixels that ink covers fully, as wide as the line at most; the page must have some."""
        card, line = self.card, self.line
        covered = [
            (x, y) for y, columns in self.columns_by_row(INK) if card.top < y < card.bottom
            for x in columns if line.left <= x <= line.right]
        if not covered:
            self.fail("ink")
        return around(covered)

    def is_cleared(self, prompt: Image) -> bool:
        """Whether the page is as without ink, except for Undo, which now reverts the clear."""
        change = self.picture.compare(prompt)
        return not change or Page(prompt).buttons["undo"].contains(change.box)

    @property
    def is_refused(self) -> bool:
        """Whether a banner says why the ink is not a signature. Accept is then not pressed any more."""
        return self.accept is not None and self.banner is not None

    @property
    def field(self) -> Box:
        """From side to side: the line, or a wide banner that covers it."""
        line, banner = self.line, self.banner or self.line
        return Box(min(line.left, banner.left), line.top, max(line.right, banner.right), line.bottom)

    @cached_property
    def banner(self) -> Box | None:
        return next(iter(areas(self.picture, BANNER, LEAST // 2)), None)

    @cached_property
    def accept(self) -> Box | None:
        """Accept, enabled or not; None while it is pressed."""
        found = [*areas(self.picture, ACCEPT, LEAST), *areas(self.picture, DISABLED_ACCEPT, LEAST)]
        return next((box for box in found if self.card and box.top > self.card.bottom), None)

    @cached_property
    def buttons(self) -> dict[str, Box]:
        card = self.card or self.fail("card")
        accept = self.accept or self.fail("Accept")
        # Right-to-left pages are mirrored; Accept is at the end of its row.
        is_mirrored = accept.centre[0] < self.picture.width / 2
        gap, inset = int(accept.size[1] * GAP), 3
        sides = (accept.right + inset, self.picture.width - 1) if is_mirrored else (0, accept.left - inset)
        others = self.things(Box(sides[0], accept.top, sides[1], accept.bottom), BACKGROUND, gap)
        if is_mirrored:
            others.reverse()
        icons = others[1:] or self.icons(card, is_mirrored, accept.size[1], gap)
        if len(others) < 1 or len(icons) != 2:
            self.fail("three other buttons")
        return {"accept": accept, "cancel": others[0], "undo": icons[0], "clear": icons[1]}

    def icons(self, card: Box, is_mirrored: bool, target: int, gap: int) -> list[Box]:
        """Undo and Clear on the card: beside the line, or above it at the end of the row."""
        inset = target // 8  # past the border and its round corners
        left, right = card.left + inset, card.right - inset
        field = self.field
        beside = Box(left, 0, field.left - inset, 0) if is_mirrored else Box(field.right + inset, 0, right, 0)
        if beside.right - beside.left > LEAST:
            column = Box(beside.left, card.top + inset, beside.right, card.bottom - inset)
            return self.things(column, PAPER, gap, axis=1)
        row = self.things(Box(left, card.top + inset, right, card.top + target), PAPER, gap)
        return row[1::-1] if is_mirrored else row[-2:]

    def things(self, place: Box, background: tuple, gap: int, axis: int = 0) -> list[Box]:
        """What is not background, in groups from left to right, or along axis 1 from top to bottom."""
        spots = [
            (x, y) for x in range(place.left, place.right + 1) for y in range(place.top, place.bottom + 1)
            if self.picture.pixel(x, y) != background]
        groups: list[list[tuple[int, int]]] = []
        for spot in sorted(spots, key=lambda spot: spot[axis]):
            if not groups or spot[axis] - groups[-1][-1][axis] > gap:
                groups.append([])
            groups[-1].append(spot)
        return [around(group) for group in groups]

    def columns_by_row(self, color: tuple):
        """For each row the columns of its pixels of that colour."""
        return [
            (y, [x for x, has_color in enumerate(row) if has_color])
            for y, row in enumerate(rows_of(self.picture, color))]

    def fail(self, what: str):
        raise PanelFailure(f"there is no {what} on this page")
