"""The Passages tab: what an answer was read from, and how sure weighed its candidates."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content

from dqlore.core.text import printable

from ..reading import Reading, answer_table, passage_table, passage_text
from ..widgets.stream import StreamPane
from ..widgets.table import Table


class PassagesTab(Vertical):
    """Shows a Reading: answer candidates with validity, points and summary above, passages below."""

    def __init__(self) -> None:
        super().__init__()
        self._reading = Reading()

    def compose(self) -> ComposeResult:
        with Horizontal(id="answers-side"):
            yield Table(empty="the model's answer candidates", id="answers", classes="pane")
            yield StreamPane("the summary for the candidate under the cursor", id="summary", classes="pane")
        with Horizontal():
            yield Table(empty="the top N", id="passages", classes="pane")
            yield StreamPane("the passage under the cursor", id="passage", classes="pane")

    def on_mount(self) -> None:
        self.show(self._reading)

    def show(self, reading: Reading) -> None:
        """Draw what is known so far."""
        fresh = reading.judged is not None and reading.judged is not self._reading.judged
        self._reading = reading
        answers, passages = self.query_one("#answers", Table), self.query_one("#passages", Table)
        answers.set_rows(*answer_table(reading))
        passages.set_rows(*passage_table(reading))
        answers.border_title = Content("Answer candidates")
        passages.border_title = Content(f"Passages {len(passages.rows) or ''}".rstrip())
        if fresh and reading.judged is not None:
            answers.go(reading.judged.chosen)
        self._show_summary()
        self._show_passage()

    def on_table_opened(self, event: Table.Opened) -> None:
        event.stop()  # what could be opened is shown beside the table

    def on_table_moved(self, event: Table.Moved) -> None:
        if event.table.id == "answers":
            self._show_summary()
        else:
            self._show_passage()

    def _show_summary(self) -> None:
        pane, place = self.query_one("#summary", StreamPane), self.query_one("#answers", Table).cursor
        summaries = self._reading.summaries
        pane.border_title = Content("Summary")
        pane.show(printable(summaries[place]) if place < len(summaries) else "", from_top=True)

    def _show_passage(self) -> None:
        pane, place = self.query_one("#passage", StreamPane), self.query_one("#passages", Table).cursor
        passages = self._reading.passages
        pane.border_title = Content("Passage")
        pane.show(passage_text(passages[place].passage) if place < len(passages) else "", from_top=True)
