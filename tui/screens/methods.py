"""The method picker: every method with what it does."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from dqlore.core.methods import METHODS


class MethodScreen(ModalScreen[str | None]):
    """Returns the chosen method, None if it was left with Escape."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]
    DEFAULT_CSS = """
    MethodScreen { align: center middle; }
    MethodScreen > OptionList {
        width: 90%; max-width: 80; height: auto; max-height: 90%; border: round $primary; background: $surface;
    }
    """

    def __init__(self, current: str, title: str = "Method") -> None:
        super().__init__()
        self._current, self._title = current, title

    def compose(self) -> ComposeResult:
        options = [
            Option(Content.assemble((f"{name:16}", "bold"), method.summary), id=name)
            for name, method in METHODS.items()
        ]
        choices = OptionList(*options)
        choices.border_title = Content(self._title)
        choices.highlighted = list(METHODS).index(self._current)
        yield choices

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)
