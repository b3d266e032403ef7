"""A control in one line, "< pca >": left and right, plus and minus, the wheel or a click on an end change it."""

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Knob(Widget, can_focus=True):
    """One setting. It holds no value of its own: it asks for a step and is told what to show."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,plus,up", "step(1)", "More", key_display="+"),
        Binding("left,minus,down", "step(-1)", "Less", key_display="-"),
    ]
    DEFAULT_CSS = """
    Knob {
        height: 1; margin-right: 1; color: $text-muted;
        &:focus { background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold; }
        &:hover { background: $surface-lighten-2; }
    }
    """
    shown: reactive[str] = reactive("")

    @dataclass
    class Stepped(Message):
        """The setting `name` is to move by `step`."""

        name: str
        step: int

    def __init__(self, name: str, label: str, widest: int, tooltip: str) -> None:
        super().__init__(id=f"knob-{name}", name=name)
        self.label = label
        self.styles.width = len(label) + widest + 3  # fixed, so that a new value moves nothing else
        self.tooltip = tooltip

    def render(self) -> Content:
        return Content(f"{self.label} <{self.shown}>")

    def action_step(self, step: int) -> None:
        self.post_message(self.Stepped(self.name or "", step))

    def on_click(self, event: events.Click) -> None:
        self.action_step(-1 if event.x <= len(self.label) + 1 else 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.action_step(1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.action_step(-1)
