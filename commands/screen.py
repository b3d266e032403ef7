"""How `ask` looks while it runs: each stage with its time, replies as they stream, tables of exemplars."""

import sys
from collections.abc import Sequence

from rich.text import Text

from dqlore.core.answer.decision import verdicts
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
    PassagesFound,
    PromptBuilt,
    Reranked,
    Summarized,
)
from dqlore.core.lm.base import Completion
from dqlore.core.passages import Passage
from dqlore.core.text import printable

from . import render

#: Candidates shown on a terminal; JSON and pipes have all.
SHOWN = 10


class AskScreen:
    """Draws the events of one question on stdout."""

    def __init__(self, reranker: str, *, stream: bool) -> None:
        self._reranker = reranker
        self._stream = stream
        self._console = render.console()
        self._streaming = False
        self._answers: tuple[str, ...] = ()
        self._judged = False

    def draw(self, event: Event) -> None:
        """Draw one event."""
        match event:
            case InitialExemplars():
                self._head("First query", f"{len(event.exemplars)} initial exemplars")
            case CotToken() | AnswerToken():
                if self._stream:
                    self._piece(event.text)
            case CotDone():
                self._reply(event.text, event.completion, event.seconds)
            case Candidates():
                times = f"encoded in {_time(event.encode_seconds)}, found in {_time(event.seconds)}"
                self._head("Candidates", f"top {len(event.candidates)}, {times}")
                render.rows(
                    ("rank", "score", "id", "question"),
                    [(c.rank, f"{c.score:.4f}", c.exemplar.id, c.exemplar.question) for c in event.candidates],
                    SHOWN,
                )
            case Reranked():
                how = f"top {len(event.exemplars)} by {self._reranker}, {_time(event.seconds)}"
                self._head("Exemplars", how if event.ranking else f"{len(event.exemplars)}, without retrieval")
                exemplar_rows(event)
            case PassagesFound():
                times = f"encoded in {_time(event.encode_seconds)}, found in {_time(event.seconds)}"
                self._head("Passages", f"top {len(event.passages)}, {times}")
                render.rows(
                    ("rank", "score", "id", "text"),
                    [
                        (p.rank, "-" if p.score is None else f"{p.score:.4f}", p.passage.id, passage_line(p.passage))
                        for p in event.passages
                    ],
                    SHOWN,
                )
            case AnswersProposed():
                self._answers = event.answers
                self._head("Answer candidates", _time(event.seconds))
                for place, answer in enumerate(event.answers, start=1):
                    self._print(f"{place}. {answer}")
            case Summarized():
                self._head("Summaries" if event.answers else "Summary", _time(event.seconds))
                for place, summary in enumerate(event.summaries, start=1):
                    self._print(f"{place}. {summary.text.strip()}" if event.answers else summary.text.strip())
            case Judged():
                self._judged = True
                self._head("Verdicts", f"{len(event.replies)} at once, {_time(event.seconds)}")
                render.rows(("", "valid", "rank", "sum", "candidate"), verdict_rows(event, self._answers))
            case PromptBuilt():
                size = f"prompt of {event.tokens} tokens" if event.tokens is not None else "final query"
                self._head("Reply", size)
            case Answered():
                if not self._judged:  # the summaries were shown
                    self._reply(event.completion.text, event.completion, event.seconds)
                self._head("Answer", _calls(event) if event.steps else "")
                self._print(event.answer if event.answer is not None else "none found in the reply", "bold green")

    def _head(self, title: str, detail: str) -> None:
        self._console.print()
        self._console.print(Text.assemble((title, "bold cyan"), ("  " + detail, "dim") if detail else ""))

    def _piece(self, text: str) -> None:
        if not self._streaming:
            text = text.lstrip()
        self._streaming |= bool(text)
        sys.stdout.write(printable(text))
        sys.stdout.flush()

    def _reply(self, text: str, completion: Completion | None, seconds: float) -> None:
        if self._streaming:
            sys.stdout.write("\n")
        else:
            self._print(text.strip())
        self._streaming = False
        if completion:
            tokens = f"{completion.completion_tokens} tokens, " if completion.completion_tokens is not None else ""
            cached = ", from the cache" if completion.cached else ""
            self._print(f"({tokens}{_time(seconds)}{cached})", "dim")

    def _print(self, text: str, style: str = "") -> None:
        self._console.print(Text(printable(text), style), soft_wrap=True)


def passage_line(passage: Passage) -> str:
    """Return a passage for one line: its title, then its text."""
    return f"{passage.title}: {passage.text}" if passage.title else passage.text


def verdict_rows(judged: Judged, answers: Sequence[str]) -> list[tuple[object, ...]]:
    """Return a row for each answer candidate: number, validity, points from comparisons, their sum, text."""
    return [
        (f"{place + 1} *" if place == judged.chosen else place + 1, *verdict, answer)
        for place, (verdict, answer) in enumerate(zip(verdicts(judged), answers, strict=True))
    ]


def _calls(answered: Answered) -> str:
    return f"{len(answered.replies)} calls, {_time(answered.seconds)}"


def exemplar_rows(event: Reranked) -> None:
    """Print the chosen exemplars: rank, score, rank among the candidates, id, question."""
    render.rows(
        ("rank", "score", "was", "id", "question"),
        [
            (
                pick.rank,
                "-" if pick.score is None else f"{pick.score:.4f}",
                pick.candidate_rank or "-",
                pick.exemplar.id,
                pick.exemplar.question,
            )
            for pick in event.exemplars
        ],
    )


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"
