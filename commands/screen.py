"""How `ask` looks while it runs: each stage with its time, replies as they stream, tables of exemplars."""

import sys

from rich.text import Text

from dqlore.core.events import (
    Answered,
    AnswerToken,
    Candidates,
    CotDone,
    CotToken,
    Event,
    InitialExemplars,
    PromptBuilt,
    Reranked,
)
from dqlore.core.lm.base import Completion
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
                self._head(
                    "Exemplars", how if event.ranking else f"{len(event.exemplars)}, the same for all questions"
                )
                exemplar_rows(event)
            case PromptBuilt():
                size = f"prompt of {event.tokens} tokens" if event.tokens is not None else "final query"
                self._head("Reply", size)
            case Answered():
                self._reply(event.completion.text, event.completion, event.seconds)
                self._head("Answer", "")
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
