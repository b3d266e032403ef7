"""One text over everything: an exemplar in full, or the help."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from ..widgets.stream import StreamPane


class TextScreen(ModalScreen[None]):
    """Shows a printable text until Escape; `copies` is what y puts on the clipboard."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(None)", "Close"),
        Binding("y", "copy", "Copy"),
    ]
    DEFAULT_CSS = """
    TextScreen { align: center middle; }
    TextScreen > StreamPane {
        width: 90%; max-width: 100; height: 90%; border: round $primary; padding: 0 1; background: $surface;
    }
    """

    def __init__(self, title: str, text: str, copies: str | None = None) -> None:
        super().__init__()
        self._title, self._text, self._copies = title, text, copies

    def compose(self) -> ComposeResult:
        pane = StreamPane()
        pane.border_title = Content(self._title)
        pane.border_subtitle = Content("Esc closes, y copies" if self._copies else "Esc closes")
        yield pane

    def on_mount(self) -> None:
        self.query_one(StreamPane).show(self._text, from_top=True)

    def action_copy(self) -> None:
        if self._copies is not None:
            self.app.copy_to_clipboard(self._copies)
            self.app.notify("Copied to the clipboard", markup=False)
