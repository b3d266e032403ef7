"""The Map tab: the candidates in two dimensions, before and after low-rank re-ranking."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from ..state import AskState
from ..widgets.scatter import Scatter

LEGEND = "Q the question with its rationale   1, 2 .. chosen, by rank   dots: the other candidates"


class MapTab(Vertical):
    """Draws the candidates of one AskState."""

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Scatter(id="before", classes="pane")
            yield Scatter(id="after", classes="pane")
        yield Static(LEGEND, id="legend", classes="bar", markup=False)

    def on_mount(self) -> None:
        self.query_one("#before").border_title = Content("Before: as retrieved, ranked by the retriever")
        self.query_one("#after").border_title = Content("After: centred")

    def show(self, state: AskState) -> None:
        """Draw the candidates; methods that rank by words alone have no vectors to draw."""
        found = state.candidates
        before, after = self.query_one("#before", Scatter), self.query_one("#after", Scatter)
        legend = self.query_one("#legend", Static)
        if found is None or not found.vectors.size:
            legend.update(Content("no vectors yet: ask a question by a method that encodes, for instance dq-lore"))
            return
        from ..points import flat_map  # not at the top: the first frame does not wait for NumPy

        legend.update(Content(LEGEND))
        question = [(len(found.candidates), "Q", "bold $text-warning")]
        retrieved = [(i, str(i + 1), "bold $text-primary") for i in range(len(state.picks) - 1, -1, -1)]
        picked = [
            (pick.candidate_rank - 1, str(pick.rank), "bold $text-success")
            for pick in reversed(state.picks)
            if pick.candidate_rank is not None
        ]
        before.show(flat_map(found, centred=False), retrieved + question)
        after.show(flat_map(found, centred=True), picked + question)
        after.border_title = Content(f"After: centred, ranked by {state.setup.reranker}")
