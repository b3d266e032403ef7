"""What one question has come to. Core events move it on, widgets read it; it knows no terminal."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from dqlore.core.events import (
    Answered,
    AnswersProposed,
    AnswerToken,
    Candidates,
    CotDone,
    CotToken,
    Event,
    InitialExemplars,
    Judged,
    Notice,
    PassagesFound,
    Pick,
    PromptBuilt,
    Query,
    Reranked,
    Summarized,
)
from dqlore.core.exemplars import Exemplar

from .reading import Reading
from .setup import Setup
from .text import SafeStream


class Phase(Enum):
    """Where a question is; the last four are ends, from which a new one can be asked."""

    LOADING = "waiting for the models"
    FIRST_QUERY = "first query"
    RETRIEVING = "retrieving"
    ANSWERING = "answering"
    IDLE = "ready"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def running(self) -> bool:
        return self in (Phase.LOADING, Phase.FIRST_QUERY, Phase.RETRIEVING, Phase.ANSWERING)


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A candidate as retrieval ranked it, and its rank among the picks (None where it is not picked)."""

    exemplar: Exemplar
    rank: int
    score: float
    picked: int | None


@dataclass(frozen=True, slots=True)
class PickRow:
    """A pick and what re-ranking did to it; `change` is "new" where retrieval's own top n did not have it."""

    pick: Pick
    change: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the pipeline: its seconds and tokens once known."""

    name: str
    seconds: float | None = None
    tokens: int | None = None
    cached: bool = False


class AskState:
    """One question from the first query to the answer, and the re-rankings tried on its candidates."""

    def __init__(self) -> None:
        self.start(Query(""), Setup())
        self.phase = Phase.IDLE

    def start(self, query: Query, setup: Setup, *, gold: str | None = None, kind: str = "number") -> None:
        """Begin a question; everything of the one before goes."""
        self.query, self.setup, self.gold, self.kind = query, setup, gold, kind
        self.phase = Phase.LOADING
        self.error = ""
        self.events: list[Event] = []
        self.cot, self.answer = SafeStream(), SafeStream()
        self.found: Candidates | None = None
        self.reranked: Reranked | None = None
        self.prompt: PromptBuilt | None = None
        self.answered: Answered | None = None
        self._answered_with: tuple[Exemplar, ...] = ()

    def begin_answer(self) -> None:
        """Begin the final query again, with the exemplars as they stand."""
        again = AnswerToken | PromptBuilt | Answered | AnswersProposed | Summarized | Judged
        self.events = [e for e in self.events if not isinstance(e, again)]
        self.prompt, self.answered, self.answer = None, None, SafeStream()
        self.phase, self.error = Phase.ANSWERING, ""
        self._answered_with = self.exemplars

    def apply(self, event: Event) -> None:
        """Take in an event of the pipeline."""
        self.events.append(event)
        match event:
            case InitialExemplars():
                self.phase = Phase.FIRST_QUERY
            case CotToken():
                self.phase = Phase.FIRST_QUERY
                self.cot.feed(event.text)
            case CotDone():
                self.cot = SafeStream()
                self.cot.feed(event.text)
                self.cot.finish()
                self.phase = Phase.RETRIEVING
            case Candidates():
                self.found = event
            case Reranked():
                self.reranked = event
                self._answered_with = self.exemplars
                self.phase = Phase.ANSWERING
            case PassagesFound():
                self.phase = Phase.ANSWERING
            case PromptBuilt():
                self.prompt = event
                self.phase = Phase.ANSWERING
            case AnswerToken():
                self.answer.feed(event.text)
            case Answered():
                self.answer = SafeStream()
                self.answer.feed(event.completion.text)
                self.answer.finish()
                self.answered = event
                self.phase = Phase.DONE

    def opened(self) -> None:
        """Note that the models are there and the pipeline runs."""
        self.phase = Phase.RETRIEVING

    def stop(self, phase: Phase, error: str = "") -> None:
        """End the question early; what has arrived is kept."""
        self.phase, self.error = phase, error
        self.cot.finish()
        self.answer.finish()

    def rerank(self, setup: Setup, params: Mapping[str, Any], found: Candidates | None = None) -> None:
        """Choose the picks anew by `setup`, without any model; `found` brings more candidates where M has grown.

        Raises UsageError where the candidates came without vectors and the re-ranker needs them.
        """
        from dqlore.core.errors import UsageError
        from dqlore.core.select.picks import rerank_candidates

        found = found or self.found
        assert found is not None
        shown = _first(found, setup.m)
        if setup.reranker != "none" and len(shown.vectors) < len(shown.candidates):
            raise UsageError(f"these candidates came without vectors; ask again to rank them by {setup.reranker}")
        self.reranked = rerank_candidates([shown], setup.reranker, setup.n, params)[0]
        self.found, self.setup = found, setup

    @property
    def candidates(self) -> Candidates | None:
        """The top M, by the M that is chosen now."""
        return None if self.found is None else _first(self.found, self.setup.m)

    @property
    def known_cot(self) -> str:
        """The whole chain of thought of the first query, "" where there is none."""
        return next((event.text for event in self.events if isinstance(event, CotDone)), "")

    @property
    def picks(self) -> tuple[Pick, ...]:
        return self.reranked.exemplars if self.reranked else ()

    @property
    def exemplars(self) -> tuple[Exemplar, ...]:
        """The exemplars of the final prompt, best first."""
        return tuple(pick.exemplar for pick in self.picks)

    @property
    def reading(self) -> Reading:
        """What a method that reads has come to."""
        return Reading.of(self.events)

    @property
    def selected(self) -> bool:
        """Whether there is something to answer from: exemplars or passages."""
        return bool(self.exemplars or self.reading.passages)

    @property
    def stale(self) -> bool:
        """Whether the answer was given with other exemplars than those shown now."""
        return bool(self.answer.text or self.answered) and self._answered_with != self.exemplars

    @property
    def correct(self) -> bool | None:
        """Whether the answer is right; None without a gold answer or before there is an answer."""
        if self.gold is None or self.answered is None:
            return None
        from dqlore.core.tasks import is_correct

        return is_correct(self.kind, self.answered.answer, self.gold)

    @property
    def notices(self) -> list[str]:
        """What the user should know about this question."""
        ranking = self.reranked.ranking if self.reranked else None
        told = [event.text for event in self.events if isinstance(event, Notice)]
        return [*told, *(ranking.warnings if ranking else ())]

    def candidate_rows(self) -> list[CandidateRow]:
        """Return the table of candidates, in the retriever's order."""
        ranks = {pick.candidate_rank: pick.rank for pick in self.picks}
        shown = self.candidates
        return [
            CandidateRow(c.exemplar, c.rank, c.score, ranks.get(c.rank)) for c in (shown.candidates if shown else ())
        ]

    def pick_rows(self) -> list[PickRow]:
        """Return the table of picks, best first."""
        return [PickRow(pick, _change(pick, len(self.picks))) for pick in self.picks]

    def stages(self) -> list[Stage]:
        """Return the stages in their order, those of this method only."""
        from dqlore.core.methods import find_method

        method = find_method(self.setup.method)
        if method.reads is not None:
            return self._reading_stages()
        done = {type(event): event for event in self.events}
        cot, initial = done.get(CotDone), done.get(InitialExemplars)
        stages = []
        if method.dual:
            stage = Stage("first query")
            if isinstance(cot, CotDone):
                seconds = cot.seconds + (initial.seconds if isinstance(initial, InitialExemplars) else 0)
                reply = cot.completion
                tokens, cached = (reply.completion_tokens, reply.cached) if reply else (None, False)
                stage = Stage("first query", seconds, tokens, cached)
            stages.append(stage)
        if method.encodes:
            stages.append(Stage("encode", self.found.encode_seconds if self.found else None))
        if method.retriever:
            stages.append(Stage("retrieve", self.found.seconds if self.found else None))
        stages.append(Stage("re-rank", self.reranked.seconds if self.reranked else None))
        answer = Stage("answer")
        if self.answered:
            reply = self.answered.completion
            answer = Stage("answer", self.answered.seconds, reply.completion_tokens, reply.cached)
        return [*stages, answer]

    def _reading_stages(self) -> list[Stage]:
        reading = self.reading
        stages = [Stage("retrieve", reading.found.encode_seconds + reading.found.seconds)] if reading.found else []
        steps = (("candidates", reading.proposed), ("summaries", reading.summarized), ("verdicts", reading.judged))
        stages += [Stage(name, event.seconds) for name, event in steps if event is not None]
        if self.answered is None:
            return [*stages, Stage("answer")]
        spent = sum(event.seconds for _, event in steps if event is not None)
        tokens = [reply.completion_tokens for reply in self.answered.replies]
        known = None if None in tokens else sum(filter(None, tokens))
        return [*stages, Stage("answer", max(0.0, self.answered.seconds - spent), known)]

    def document(self, warnings: list[str]) -> dict[str, Any] | None:
        """Return the JSON document of what is shown, None before there are exemplars.

        An answer that was given with other exemplars than those shown is left out, and a warning says so.
        """
        if self.reranked is None and not (self.reading.passages or self.answered):
            return None
        from dqlore.core.document import document

        dropped = (Candidates, Reranked, *((Answered,) if self.stale else ()))
        events: list[Event] = [event for event in self.events if not isinstance(event, dropped)]
        shown = [event for event in (self.candidates, self.reranked) if event is not None]
        if self.stale:
            warnings = [*warnings, "the exemplars were chosen anew after the answer, which is left out"]
        return document(self.query, self.setup.method, [*events, *shown], warnings)


def _change(pick: Pick, n: int) -> str:
    """Return how far a pick moved: up, down, not at all, or in from below the first n.

    The marks are the small triangles: the large ones are two cells wide in some East Asian terminals.
    """
    if pick.candidate_rank is None:
        return ""
    if pick.candidate_rank > n:
        return "new"
    moved = pick.candidate_rank - pick.rank
    return f"▴{moved}" if moved > 0 else f"▾{-moved}" if moved < 0 else "="


def _first(found: Candidates, m: int) -> Candidates:
    if m >= len(found.candidates):
        return found
    return replace(found, candidates=found.candidates[:m], vectors=found.vectors[:m])
