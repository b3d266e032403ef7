"""The Prompt tab: what the model is sent, to the letter."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from dqlore.core.events import PromptBuilt
from dqlore.core.text import printable

from ..widgets.stream import StreamPane


class PromptTab(Vertical):
    """Shows the final prompt for the exemplars as they stand."""

    def compose(self) -> ComposeResult:
        yield StreamPane("the final prompt: ask a question first", id="prompt", classes="pane")

    def on_mount(self) -> None:
        self.query_one(StreamPane).border_title = Content("Final prompt")

    def show(self, built: PromptBuilt | None) -> None:
        """Show a prompt with its length."""
        pane = self.query_one(StreamPane)
        if built is None:
            pane.show("")
            pane.border_title = Content("Final prompt")
            return
        exemplars = f"{len(built.prompt.ranked)} exemplars"
        tokens = "tokens unknown to this backend" if built.tokens is None else f"{built.tokens} tokens"
        dropped = f", {built.dropped} dropped to make it fit" if built.dropped else ""
        pane.show(printable(built.prompt.text()), from_top=True)
        pane.border_title = Content(f"Final prompt: {tokens}, {exemplars}{dropped}")
