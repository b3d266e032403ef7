"""Points in a frame of cells: dots in Braille, eight to a cell, and marks in full characters on top."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

if TYPE_CHECKING:
    import numpy as np

#: The bit of each of the 2 × 4 dots of a Braille character, by row and column.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_BLANK = 0x2800


class Scatter(Widget):
    """Draws points and short labels; later labels lie over earlier ones."""

    DEFAULT_CSS = "Scatter { width: 1fr; height: 1fr; }"

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.points: np.ndarray | None = None
        self.labels: Sequence[tuple[int, str, str]] = ()

    def show(self, points: "np.ndarray", labels: Sequence[tuple[int, str, str]]) -> None:
        """Show points (n, 2); `labels` are (point, text of one or two cells, style)."""
        self.points, self.labels = points, labels
        self.refresh()

    def clear(self) -> None:
        """Show nothing."""
        self.points, self.labels = None, ()
        self.refresh()

    def render(self) -> Content:
        width, height = self.size
        if self.points is None or width < 4 or height < 2:
            return Content("")
        import numpy as np  # not at the top: the first frame does not wait for it

        x, y = cells(self.points, width * 2, height * 4)
        bits = np.zeros((height, width), dtype=int)
        for column, row in zip(x, y, strict=True):
            bits[row // 4, column // 2] |= _DOTS[row % 4][column % 2]
        grid = [[(chr(_BLANK + bit) if bit else " ", "$foreground-muted") for bit in line] for line in bits]
        for point, text, style in self.labels:
            row, column = y[point] // 4, min(x[point] // 2, width - len(text))
            for offset, character in enumerate(text):
                grid[row][column + offset] = (character, style)
        lines = [
            Content.assemble(
                *(("".join(c for c, _ in run), style) for style, run in groupby(line, lambda cell: cell[1]))
            )
            for line in grid
        ]
        return Content("\n").join(lines)


def cells(points: "np.ndarray", width: int, height: int) -> "tuple[np.ndarray, np.ndarray]":
    """Return columns and rows (n,) of the points in a grid; the first row is the largest second coordinate."""
    import numpy as np

    low, high = points.min(axis=0), points.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    scaled = (points - low) / span
    x = np.rint(scaled[:, 0] * (width - 1)).astype(int)
    y = np.rint((1 - scaled[:, 1]) * (height - 1)).astype(int)
    return x, y
