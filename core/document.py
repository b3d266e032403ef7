"""The JSON document of one query, folded from its events: what `ask --json` prints and a run records."""

from collections.abc import Iterable, Sequence
from typing import Any

from .answer.document import reading_document
from .events import (
    Answered,
    Candidates,
    CotDone,
    Event,
    Failed,
    InitialExemplars,
    Notice,
    PassagesFound,
    Query,
    Reranked,
)
from .exemplars import Exemplar
from .lm.base import Completion


def document(query: Query, method: str, events: Sequence[Event], warnings: Iterable[str] = ()) -> dict[str, Any]:
    """Return the document; ranks from 1, timings in seconds (0 where a stage was not needed).

    `completion` and `answer` are there once the question was answered. Token counts are null where a server gives
    none. Methods that read have what `answer.document` says. A question that failed has its message under `error`
    instead.
    """
    head = {**({"id": query.id} if query.id is not None else {}), "question": query.question, "method": method}
    failure = next((event.text for event in events if isinstance(event, Failed)), None)
    if failure is not None:
        return {**head, "error": failure}
    last = {type(event): event for event in events}
    initial, cot, found, reranked, answered = (
        last.get(kind) for kind in (InitialExemplars, CotDone, Candidates, Reranked, Answered)
    )
    retrieved = found or last.get(PassagesFound)
    timings = {
        "first_query": cot.seconds if isinstance(cot, CotDone) else 0.0,
        "encode": retrieved.encode_seconds if isinstance(retrieved, Candidates | PassagesFound) else 0.0,
        "retrieve": retrieved.seconds if isinstance(retrieved, Candidates | PassagesFound) else 0.0,
        "rerank": reranked.seconds if isinstance(reranked, Reranked) else 0.0,
        "answer": answered.seconds if isinstance(answered, Answered) else 0.0,
    }
    if isinstance(initial, InitialExemplars):
        timings["first_query"] += initial.seconds
    replies = [cot.completion] if isinstance(cot, CotDone) and cot.completion else []
    replies += answered.replies if isinstance(answered, Answered) else ()
    return {
        **head,
        "cot": cot.text if isinstance(cot, CotDone) else None,
        "candidates": [
            {"id": c.exemplar.id, "rank": c.rank, "score": c.score, **_texts(c.exemplar)}
            for c in (found.candidates if isinstance(found, Candidates) else ())
        ],
        "exemplars": [
            {
                "id": pick.exemplar.id,
                "rank": pick.rank,
                "score": pick.score,
                "candidate_rank": pick.candidate_rank,
                "candidate_score": pick.candidate_score,
                **_texts(pick.exemplar),
            }
            for pick in (reranked.exemplars if isinstance(reranked, Reranked) else ())
        ],
        **reading_document(events),
        **(
            {"completion": answered.completion.text, "answer": answered.answer}
            if isinstance(answered, Answered)
            else {}
        ),
        "timings": timings | {"total": sum(timings.values())},
        "usage": {name: _tokens(replies, name) for name in ("prompt_tokens", "completion_tokens")},
        "warnings": list(dict.fromkeys([*warnings, *event_warnings(events)])),
    }


def event_warnings(events: Iterable[Event]) -> list[str]:
    """Return what a question's events have to say to the user, in their order."""
    warnings: list[str] = []
    for event in events:
        if isinstance(event, Notice):
            warnings.append(event.text)
        elif isinstance(event, Reranked) and event.ranking:
            warnings += event.ranking.warnings
    return warnings


def exemplar_record(exemplar: Exemplar) -> dict[str, Any]:
    """Return an exemplar as JSON holds it, options only where it has some."""
    return {"id": exemplar.id, **_texts(exemplar)}


def _texts(exemplar: Exemplar) -> dict[str, Any]:
    texts: dict[str, Any] = {
        "question": exemplar.question,
        "rationale": exemplar.rationale,
        "answer": exemplar.answer,
    }
    return texts | ({"options": list(exemplar.options)} if exemplar.options else {})


def _tokens(replies: Sequence[Completion], name: str) -> int | None:
    counts = [getattr(reply, name) for reply in replies]
    return None if None in counts else sum(counts)
