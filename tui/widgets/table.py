"""A table of one-line rows that draws only what is seen: thousands of rows cost no more than ten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

Tone = Literal["", "up", "down", "new", "muted"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `width` cells; 0 takes what the others leave. Tables narrower than `needs` go without it.

    A text that is too long keeps its beginning, or its end where `tail` is set.
    """

    title: str
    width: int
    right: bool = False
    needs: int = 0
    tail: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its key, a text for each column, and how the cells are coloured ("" is plain)."""

    key: str
    cells: tuple[str, ...]
    tones: tuple[Tone, ...] = ()
    marked: bool = False


class Table(ScrollView, can_focus=True):
    """Rows with a cursor. `linked` is the key of the row that another table's cursor is on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open"),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(0)", "First", show=False),
        Binding("end,G", "edge(-1)", "Last", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header",
        "table--cursor",
        "table--linked",
        "table--marked",
        "table--up",
        "table--down",
        "table--new",
        "table--muted",
    }
    DEFAULT_CSS = """
    Table {
        overflow-x: hidden; scrollbar-size-vertical: 1;
        & > .table--header { color: $text-muted; text-style: bold; }
        & > .table--cursor { background: $surface-lighten-2; }
        &:focus > .table--cursor { background: $block-cursor-background; color: $block-cursor-foreground; }
        & > .table--linked { background: $primary-muted; color: $foreground; }
        & > .table--marked { text-style: bold; }
        & > .table--up { color: $text-success; }
        & > .table--down { color: $text-error; }
        & > .table--new { color: $text-accent; }
        & > .table--muted { color: $foreground-muted; }
    }
    """

    @dataclass
    class Moved(Message):
        """The cursor stands on another row."""

        table: "Table"
        key: str

        @property
        def control(self) -> "Table":
            return self.table

    @dataclass
    class Opened(Message):
        """A row was opened with Enter or a second click."""

        table: "Table"
        key: str

        @property
        def control(self) -> "Table":
            return self.table

    def __init__(self, *columns: Column, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.columns = columns
        self.empty = empty
        self.rows: Sequence[Row] = ()
        self.cursor = 0
        self.linked: str | None = None
        self._pressed: int | None = None

    def set_rows(self, rows: Sequence[Row], *columns: Column) -> None:
        """Show other rows, and other columns if given. The cursor stays on its key where that is still there."""
        key = self.key
        self.columns = columns or self.columns
        self.rows = rows
        self.cursor = self._position(key) or 0
        self.virtual_size = Size(0, len(rows) + 1)
        self.refresh()

    @property
    def key(self) -> str | None:
        """The key under the cursor."""
        return self.rows[self.cursor].key if self.cursor < len(self.rows) else None

    def link(self, key: str | None) -> None:
        """Highlight the row with this key and scroll to it; the cursor stays where it is."""
        self.linked = key
        position = self._position(key)
        if position is not None and not self.has_focus:
            self.cursor = position
            self._show(position)
        self.refresh()

    def go(self, position: int) -> None:
        """Put the cursor on a row."""
        if not self.rows:
            return
        position = max(0, min(position, len(self.rows) - 1))
        moved = position != self.cursor
        self.cursor = position
        self._show(position)
        self.refresh()
        if moved:
            self.post_message(self.Moved(self, self.rows[position].key))

    def action_move(self, step: int) -> None:
        self.go(self.cursor + step)

    def action_page(self, step: int) -> None:
        self.go(self.cursor + step * max(1, self.size.height - 2))

    def action_edge(self, edge: int) -> None:
        self.go(0 if edge == 0 else len(self.rows) - 1)

    def action_open(self) -> None:
        if self.key is not None:
            self.post_message(self.Opened(self, self.key))

    def on_focus(self) -> None:
        if self.key is not None:
            self.post_message(self.Moved(self, self.key))

    def on_click(self, event: events.Click) -> None:
        position = event.get_content_offset_capture(self).y - 1 + self.scroll_offset.y
        if event.get_content_offset_capture(self).y > 0 and position < len(self.rows):
            again = position == self.cursor and self._pressed == position
            self._pressed = position
            self.go(position)
            if again:
                self.action_open()

    def render(self) -> str:
        return ""

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        base = self.rich_style
        if y == 0:
            style = self.get_component_rich_style("table--header")
            return self._line(tuple(column.title for column in self.columns), (), style, width)
        position = y - 1 + self.scroll_offset.y
        if position >= len(self.rows):
            text = self.empty if not self.rows and y == 1 else ""
            style = self.get_component_rich_style("table--muted") if text else base
            return Strip([Segment(set_cell_size(text, width), style)], width)
        row = self.rows[position]
        style = base
        if row.marked:
            style += self.get_component_rich_style("table--marked", partial=True)
        plain = True
        if position == self.cursor and (self.has_focus or row.key == self.linked):
            style += self.get_component_rich_style("table--cursor", partial=True)
            plain = False
        elif row.key == self.linked:
            plain = False
            style += self.get_component_rich_style("table--linked", partial=True)
        return self._line(row.cells, row.tones if plain else (), style, width)

    def _line(self, cells: tuple[str, ...], tones: tuple[Tone, ...], style: Style, width: int) -> Strip:
        shown = [column for column in self.columns if width >= column.needs]
        rest = max(0, width - sum(column.width for column in shown) - len(shown) + 1)
        segments = []
        for index, (column, cell) in enumerate(zip(self.columns, cells, strict=True)):
            if width < column.needs:
                continue
            tone = tones[index] if index < len(tones) else ""
            coloured = style + self.get_component_rich_style(f"table--{tone}", partial=True) if tone else style
            segments.append(Segment(_fitted(cell, column.width or rest, column) + " ", coloured))
        return Strip(segments).adjust_cell_length(width, style)

    def _position(self, key: str | None) -> int | None:
        return next((i for i, row in enumerate(self.rows) if row.key == key), None) if key is not None else None

    def _show(self, position: int) -> None:
        """Scroll so that the row is seen below the header."""
        height = max(1, self.size.height - 1)
        top = self.scroll_offset.y
        if position < top:
            self.scroll_to(y=position, animate=False, immediate=True)
        elif position >= top + height:
            self.scroll_to(y=position - height + 1, animate=False, immediate=True)


def _fitted(text: str, width: int, column: Column) -> str:
    """Return the text in exactly `width` cells; where something is cut off, two dots stand for it."""
    size = cell_len(text)
    if size > width:
        if column.tail:
            while text and cell_len(text) > width - 2:
                text = text[1:]
            return set_cell_size(f"..{text}", width)
        return set_cell_size(set_cell_size(text, max(0, width - 2)).rstrip() + "..", width)
    return " " * (width - size) + text if column.right else text + " " * (width - size)
