"""The box a question is typed in: Enter asks, Ctrl+J breaks the line, up and down walk through earlier questions."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from dqlore.core.text import printable


class QuestionBox(TextArea):
    """A text area without markup and without a line limit; a paste never asks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "ask", "Ask"),
        Binding("ctrl+j", "newline", "New line", show=False),
        Binding("up", "earlier", "Earlier question", show=False),
        Binding("down", "later", "Later question", show=False),
    ]

    @dataclass
    class Asked(Message):
        """Someone wants the answer to `text`."""

        text: str

    def __init__(self, text: str = "", id: str | None = None) -> None:
        super().__init__(
            text,
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            highlight_cursor_line=False,
            placeholder="Type a question, Enter asks it",
        )
        self._history: list[str] = []
        self._position = 0
        self._draft = ""

    def remember(self, text: str) -> None:
        """Put a question into the history, once in a row."""
        if text and (not self._history or self._history[-1] != text):
            self._history.append(text)
        self._position = len(self._history)

    def action_ask(self) -> None:
        self.post_message(self.Asked(self.text))

    def action_newline(self) -> None:
        self.insert("\n")

    def action_earlier(self) -> None:
        if self.cursor_at_first_line and self._position > 0:
            if self._position == len(self._history):
                self._draft = self.text
            self._recall(self._position - 1)
        else:
            self.action_cursor_up()

    def action_later(self) -> None:
        if self.cursor_at_last_line and self._position < len(self._history):
            self._recall(self._position + 1)
        else:
            self.action_cursor_down()

    def _recall(self, position: int) -> None:
        self._position = position
        self.text = self._history[position] if position < len(self._history) else self._draft
        self.move_cursor(self.document.end)

    async def _on_key(self, event: events.Key) -> None:
        # In their turn among the letters: bindings, with priority or without, may run before or after what is typed
        # just then, when keys come faster than they are worked off.
        action = {"enter": self.action_ask, "ctrl+j": self.action_newline}.get(event.key)
        if action is not None:
            event.prevent_default()
            event.stop()
            action()

    async def _on_paste(self, event: events.Paste) -> None:
        # A pasted escape sequence is spelled out; every kind of line end becomes one line end.
        event.prevent_default()
        if result := self._replace_via_keyboard(printable(event.text), *self.selection):
            self.move_cursor(result.end_location)
