# SPDX-License-Identifier: Apache-2.0
"""Finds the signing area and the buttons in a picture of a page, by the light theme's colours."""

from .areas import areas
from .failure import PanelFailure
from .image import Box, Image

WHITE = (255, 255, 255)  # paper, and the faces of all buttons but Accept
BORDER = (0x86, 0x8B, 0x94)  # of the signing area
ACCEPT = (0x0B, 0x57, 0x2F)
# Minimum width and height in pixels: smaller than any button here, larger than what letters enclose.
LEAST = 24
# The order of the buttons in the reading direction.
OTHER_BUTTONS = ("cancel", "clear", "undo")


class Page:
    def __init__(self, picture: Image):
        self.picture = picture

    @property
    def signing_area(self) -> Box | None:
        """Including its border; None on a page without one."""
        return next(iter(areas(self.picture, BORDER, LEAST)), None)

    @property
    def has_accept(self) -> bool:
        """Whether Accept is shown and not pressed."""
        return bool(areas(self.picture, ACCEPT, LEAST))

    @property
    def buttons(self) -> dict[str, Box]:
        (accept,) = areas(self.picture, ACCEPT, LEAST) or self.fail("Accept")
        paper = self.signing_area or self.fail("signing area")
        others = [box for box in areas(self.picture, WHITE, LEAST) if not paper.contains(box)]
        # Right-to-left pages are mirrored; Accept is at the end of its row.
        is_mirrored = accept.centre[0] < self.picture.width / 2
        rows = sorted({box.top for box in others})
        others.sort(key=lambda box: (rows.index(box.top), -box.left if is_mirrored else box.left))
        return {"accept": accept, **dict(zip(OTHER_BUTTONS, others))}

    def fail(self, what: str):
        raise PanelFailure(f"there is no {what} on this page")
