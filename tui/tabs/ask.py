"""The Ask tab: question, first query, candidates beside picks, answer, timings."""

import time

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from dqlore.core.exemplars import Exemplar
from dqlore.core.text import one_line, printable

from .. import views
from ..setup import Setup
from ..state import AskState, Phase
from ..widgets.knob import Knob
from ..widgets.question import QuestionBox
from ..widgets.stream import StreamPane
from ..widgets.table import Table
from ..widgets.verdict import Verdict

#: The controls: name, label, width of the widest value, what it does.
KNOBS = (
    ("method", "method", 12, "How exemplars are chosen; Ctrl+T lists all. Takes effect with the next question."),
    ("reranker", "rank", 10, "The re-ranker. Ranks anew at once, without a model."),
    ("m", "M", 4, "Candidates that retrieval brings."),
    ("n", "n", 2, "Exemplars in the prompt."),
    ("dim", "dim", 3, "Directions that the re-ranker keeps."),
    ("sigma", "sigma", 4, "Width of the Gaussian kernel."),
    ("alpha", "alpha", 3, "Weight of diversity."),
    ("lam", "lambda", 4, "Trade-off of relevance and diversity."),
)
#: Seconds between two redraws of streamed text.
BEAT = 0.05


class AskTab(Vertical):
    """Shows one AskState. It asks nothing itself: the app does."""

    def __init__(self, question: str = "") -> None:
        super().__init__(id="ask-tab")
        self._question = question
        self._state = AskState()
        self._stage, self._since = "", 0.0
        self._drawn: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        yield QuestionBox(printable(self._question), id="question")
        with Horizontal(id="knobs"):
            for control in KNOBS:
                yield Knob(*control)
        with Horizontal(id="streams"):
            yield StreamPane("the model's own reasoning, by which exemplars are found", id="cot", classes="pane")
            with Vertical(id="answer-side", classes="pane"):
                yield StreamPane("the final reply", id="answer")
                yield Verdict()
        with Horizontal(id="tables"):
            yield Table(empty="the top M", id="candidates", classes="pane")
            yield Table(empty="the top n after re-ranking", id="picks", classes="pane")
            yield StreamPane("the exemplar under the cursor", id="detail", classes="pane")
        yield Static(id="strip", markup=False)

    def on_mount(self) -> None:
        self.query_one("#question").border_title = Content("Question")
        self.query_one("#detail").border_title = Content("Exemplar")
        self.set_interval(BEAT, self._beat)
        self._redraw()

    def show(self, state: AskState) -> None:
        """Draw the state: tables at once where they changed; streamed text follows with the next beat."""
        self._state = state
        phase = state.phase.value if state.phase.running else ""
        if phase != self._stage:
            self._stage, self._since = phase, time.monotonic()
        drawn = (state.phase, id(state.found), id(state.reranked), state.setup, id(state.answered))
        if drawn != self._drawn:
            self._drawn = drawn
            self._redraw()

    def show_setup(self, setup: Setup) -> None:
        """Show the controls' values; those without effect are hidden."""
        for knob in self.query(Knob):
            name = knob.name or ""
            knob.display = setup.takes(name)
            if knob.display:
                knob.shown = setup.shown(name)

    def text_of(self, exemplar: Exemplar) -> str:
        """Return an exemplar in full, with its scores for this question."""
        return views.exemplar_text(exemplar, self._state if self._state.reranked else None)

    def _show_detail(self, key: str | None) -> None:
        found = self._state.candidates
        known = [*self._state.exemplars, *(c.exemplar for c in (found.candidates if found else ()))]
        chosen = next((exemplar for exemplar in known if exemplar.id == key), None)
        self.query_one("#detail", StreamPane).show(self.text_of(chosen) if chosen else "", from_top=True)

    def _beat(self) -> None:
        if self._state.phase.running:
            self._show_text()

    def _redraw(self) -> None:
        state = self._state
        candidates, picks = self.query_one("#candidates", Table), self.query_one("#picks", Table)
        candidates.set_rows(*views.candidate_table(state.candidate_rows()))
        picks.set_rows(*views.pick_table(state.pick_rows()))
        candidates.border_title = Content(f"Candidates {len(candidates.rows) or ''}".rstrip())
        by = f" by {state.setup.reranker}" if state.reranked and state.reranked.ranking else ""
        picks.border_title = Content(f"Exemplars {len(picks.rows) or ''}{by}" if picks.rows else "Exemplars")
        self._show_detail(candidates.key or picks.key)
        self._show_verdict()
        self._show_text()

    def _show_verdict(self) -> None:
        state, verdict = self._state, self.query_one(Verdict)
        if state.answered is None:
            verdict.hide()
            return
        answer, gold = (None if text is None else one_line(text) for text in (state.answered.answer, state.gold))
        verdict.show(answer, correct=state.correct, gold=gold, stale=state.stale)

    def _show_text(self) -> None:
        state = self._state
        cot, answer = self.query_one("#cot", StreamPane), self.query_one("#answer", StreamPane)
        cot.set_class(state.phase is Phase.FIRST_QUERY, "live")
        answer.set_class(state.phase is Phase.ANSWERING, "live")
        self.set_class(bool(state.answer.text or state.error), "answered")
        cot.show(state.cot.text)
        stopped = {Phase.CANCELLED: "(cancelled)", Phase.FAILED: f"(failed) {printable(state.error)}"}
        note = stopped.get(state.phase, "")
        answer.show("\n\n".join(part for part in (state.answer.text, note) if part))
        self.query_one("#cot").border_title = Content(_title("First query", cot))
        self.query_one("#answer-side").border_title = Content(_title("Answer", answer))
        elapsed = time.monotonic() - self._since
        stage = {Phase.ANSWERING: "answer"}.get(state.phase, self._stage)
        text = views.stage_text(state.stages(), stage, elapsed, self.size.width - 2)
        if state.phase is Phase.LOADING:
            text = f"{state.phase.value}, {views.seconds_text(elapsed)}"
        self.query_one("#strip", Static).update(Content(text if state.query.question else ""), layout=False)

    def on_table_moved(self, event: Table.Moved) -> None:
        for table in self.query(Table):
            table.link(event.key)
        self._show_detail(event.key)

    def on_resize(self) -> None:
        self.query_one(Verdict).set_class(self.app.size.height >= 30, "roomy")
        self._show_verdict()


def _title(name: str, pane: StreamPane) -> str:
    return f"{name} ..." if pane.has_class("live") else name
