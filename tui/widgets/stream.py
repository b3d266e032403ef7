"""A pane of text that grows: it follows the end until someone scrolls back, and folds only what is new."""

from typing import ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from ..text import Folded

MORE = Content("new text below: End")


class StreamPane(ScrollView, can_focus=True):
    """Shows plain text, exactly as it is; never markup. The text comes from a SafeStream or `printable`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("end", "follow", "To the end", show=False),
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
    ]
    DEFAULT_CSS = """
    StreamPane { overflow-x: hidden; scrollbar-size-vertical: 1; }
    """

    def __init__(self, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.empty = empty
        self.text = ""
        self.following = True
        self._folded = Folded(1)

    @property
    def allow_select(self) -> bool:
        return True

    def show(self, text: str, *, from_top: bool = False) -> None:
        """Show the text; if it continues what is shown, only the new part is folded."""
        if text == self.text:
            return
        if text.startswith(self.text) and self.text:
            self._folded.add(text[len(self.text) :])
        else:
            self.following = not from_top
            self._folded = Folded(self._width)
            self._folded.add(text)
            self.scroll_to(y=0, animate=False, immediate=True)
        self.text = text
        self._grown()

    @property
    def lines(self) -> list[str]:
        """The folded lines."""
        return self._folded.lines

    @property
    def _width(self) -> int:
        # One column is kept for the scrollbar, so that its coming and going folds nothing anew.
        return max(1, self.content_region.width - self.styles.scrollbar_size_vertical)

    def _grown(self) -> None:
        self.virtual_size = Size(0, len(self.lines))
        if self.following:
            self.scroll_end(animate=False, immediate=True)
        self._hint()
        self.refresh()

    def _hint(self) -> None:
        hidden = not self.following and self.scroll_offset.y < self.max_scroll_y
        self.border_subtitle = MORE if hidden and self.has_class("live") else None

    def on_resize(self, event: events.Resize) -> None:
        if self._folded.width != self._width:
            self._folded = Folded(self._width)
            self._folded.add(self.text)
        self._grown()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value < old_value:
            self.following = False
        if round(new_value) >= self.max_scroll_y:
            self.following = True
        self._hint()

    def action_follow(self) -> None:
        """Go to the end and stay there."""
        self.following = True
        self.scroll_end(animate=False, immediate=True)
        self._hint()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(self.lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    def render(self) -> str:
        return ""

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        position = self.scroll_offset.y + y
        style = self.rich_style
        if position >= len(self.lines) or not self.text:
            text = self.empty if not self.text and y == 0 else ""
            return Strip([Segment(set_cell_size(text, width), style)], width)
        line = self.lines[position]
        span = self.text_selection.get_span(position) if self.text_selection else None
        segments = [Segment(line, style)]
        if span is not None:
            start, end = span[0], len(line) if span[1] == -1 else span[1]
            marked = style + self.screen.get_component_rich_style("screen--selection")
            pieces = ((line[:start], style), (line[start:end], marked), (line[end:], style))
            segments = [Segment(text, how) for text, how in pieces if text]
        return Strip(segments).adjust_cell_length(width, style).apply_offsets(0, position)
