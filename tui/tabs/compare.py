"""The Compare tab: two methods on one question, their exemplars and answers side by side."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from dqlore.core.text import one_line, printable

from ..state import AskState, Phase
from ..views import pick_table
from ..widgets.stream import StreamPane
from ..widgets.table import Table

HINT = "Ctrl+E asks this question by another method; exemplars that both chose are bold."


class CompareTab(Vertical):
    """Shows two AskStates."""

    def compose(self) -> ComposeResult:
        yield Static(HINT, id="compare-hint", classes="bar", markup=False)
        with Horizontal():
            for side in ("left", "right"):
                with Vertical(id=side):
                    yield Table(id=f"{side}-picks", classes="pane")
                    yield StreamPane("no answer yet", id=f"{side}-answer", classes="pane")

    def show(self, left: AskState, right: AskState) -> None:
        """Draw both; a row that both have is marked."""
        common = {e.id for e in left.exemplars} & {e.id for e in right.exemplars}
        for side, state in (("left", left), ("right", right)):
            rows, *columns = pick_table(state.pick_rows(), common)
            table, pane = self.query_one(f"#{side}-picks", Table), self.query_one(f"#{side}-answer", StreamPane)
            table.set_rows(rows, *columns)
            pane.show(state.answer.text or printable(state.error))
            asked = state.query.question or state.phase is not Phase.IDLE
            table.border_title = Content(f"{state.setup.method} with {state.setup.reranker}" if asked else "Method")
            pane.border_title = Content(_answer(state))
        if left.picks and right.picks:
            both = f"{len(common)} of {max(len(left.picks), len(right.picks))} exemplars in common. {HINT}"
            self.query_one("#compare-hint", Static).update(Content(both))


def _answer(state: AskState) -> str:
    if state.answered is None:
        return state.phase.value if state.phase is not Phase.IDLE else "Answer"
    if state.answered.answer is None:
        return "Answer: none in the reply"
    judged = {True: ", right", False: ", wrong", None: ""}[state.correct]
    return f"Answer: {one_line(state.answered.answer)}{judged}"
