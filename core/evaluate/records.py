"""One row of a run: what a question was asked with, what came back, and how it is judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..answer.document import reading_document
from ..events import (
    Answered,
    Candidates,
    CotDone,
    Event,
    Failed,
    InitialExemplars,
    Notice,
    PassagesFound,
    Reranked,
    Rescored,
)
from ..exemplars import Exemplar
from ..lm.base import Completion
from ..tasks import is_correct
from ..tasks.span import exact_match, token_f1
from .nll import Scored

RIGHT, WRONG, NO_ANSWER, CUT_OFF, FAILED, SCORED = "right", "wrong", "no answer", "cut off", "failed", "scored"
STAGES = ("first_query", "encode", "retrieve", "rerank", "answer", "total")

Record = dict[str, Any]


def record(question: Exemplar, kind: str, events: Sequence[Event | Scored]) -> Record:
    """Return the row of one question from its events.

    With several samples (more than one `Answered`) the answer is the one that most of them give, or that `Rescored`
    chose. A question that a model failed on has the status "failed" and its message under `error`.
    """
    last = {type(event): event for event in events}
    failed, scored, reranked, cot = (last.get(kind) for kind in (Failed, Scored, Reranked, CotDone))
    answers = [event for event in events if isinstance(event, Answered)]
    rescored = last.get(Rescored)
    chosen = rescored.chosen if isinstance(rescored, Rescored) else _majority(kind, answers)
    predicted = chosen.answer if chosen else None
    golds = gold_answers(question)
    if isinstance(failed, Failed):
        status = FAILED
    elif isinstance(scored, Scored):
        status = SCORED
    else:
        status = _judge(kind, golds, answers, predicted)
    return {
        "id": question.id,
        "question": question.question,
        **({"options": list(question.options)} if question.options else {}),
        "gold": question.answer,
        "predicted": predicted,
        "correct": status == RIGHT,
        "status": status,
        **({"golds": golds} if len(golds) > 1 else {}),
        **({"f1": token_f1(predicted, golds)} if kind == "span" else {}),
        "completion": chosen.completion.text if chosen else None,
        "cot": cot.text if isinstance(cot, CotDone) else None,
        "exemplars": [
            {
                "id": pick.exemplar.id,
                "rank": pick.rank,
                "score": pick.score,
                "candidate_rank": pick.candidate_rank,
                "candidate_score": pick.candidate_score,
            }
            for pick in (reranked.exemplars if isinstance(reranked, Reranked) else ())
        ],
        **reading_document([event for event in events if not isinstance(event, Scored)], texts=False),
        **({"samples": [_sample(answered) for answered in answers]} if len(answers) > 1 else {}),
        **({"rescored": [asdict(c) for c in rescored.candidates]} if isinstance(rescored, Rescored) else {}),
        **({"log_likelihood": scored.total, "tokens": scored.tokens} if isinstance(scored, Scored) else {}),
        "timings": _timings(events),
        "usage": _usage(cot if isinstance(cot, CotDone) else None, answers),
        "warnings": list(dict.fromkeys(_warnings(events))),
        "error": failed.text if isinstance(failed, Failed) else None,
    }


def _majority(kind: str, answers: Sequence[Answered]) -> Answered | None:
    """Return the first reply with the answer that most replies give; ties go to the answer given first."""
    groups: list[list[Answered]] = []
    for answered in answers:
        if answered.answer is None:
            continue
        same = (g for g in groups if is_correct(kind, answered.answer, str(g[0].answer)))
        group = next(same, None)
        if group is None:
            groups.append([answered])
        else:
            group.append(answered)
    if groups:
        return max(groups, key=len)[0]
    return answers[0] if answers else None


def gold_answers(question: Exemplar) -> list[str]:
    """Return all answers that count as right: those a dataset lists, else the one there is."""
    listed = question.meta.get("answers")
    return [str(answer) for answer in listed] if isinstance(listed, list) and listed else [question.answer]


def _judge(kind: str, golds: Sequence[str], answers: Sequence[Answered], predicted: str | None) -> str:
    if predicted is not None:
        right = (
            exact_match(predicted, golds)
            if kind == "span"
            else any(is_correct(kind, predicted, gold) for gold in golds)
        )
        return RIGHT if right else WRONG
    return CUT_OFF if any(a.completion.finish_reason == "length" for a in answers) else NO_ANSWER


def _sample(answered: Answered) -> dict[str, Any]:
    return {"answer": answered.answer, "completion": answered.completion.text}


def _timings(events: Sequence[Event | Scored]) -> dict[str, float]:
    seconds = dict.fromkeys(STAGES, 0.0)
    for event in events:
        match event:
            case InitialExemplars() | CotDone():
                seconds["first_query"] += event.seconds
            case Candidates() | PassagesFound():
                seconds["encode"], seconds["retrieve"] = event.encode_seconds, event.seconds
            case Reranked():
                seconds["rerank"] = event.seconds
            case Answered() | Scored():
                seconds["answer"] = event.seconds  # samples are asked for together and share their time
            case Rescored():
                seconds["answer"] += event.seconds
    return seconds | {"total": sum(seconds.values())}


def _usage(cot: CotDone | None, answers: Sequence[Answered]) -> dict[str, Any]:
    first = [cot.completion] if cot and cot.completion else []
    final = [reply for answered in answers for reply in answered.replies]
    return {
        "calls": len(first) + len(final),
        **_tokens([*first, *final]),
        "first_query": _tokens(first),
        "answer": _tokens(final),
        "cached": sum(completion.cached for completion in (*first, *final)),
    }


def _tokens(replies: Sequence[Completion]) -> dict[str, int | None]:
    """Return the sums of the token counts, None where a server gave none."""
    return {name: total(getattr(reply, name) for reply in replies) for name in ("prompt_tokens", "completion_tokens")}


def total(counts: Iterable[int | None]) -> int | None:
    """Return the sum, None where any count is not known."""
    known = list(counts)
    return None if None in known else sum(count or 0 for count in known)


def _warnings(events: Sequence[Event | Scored]) -> list[str]:
    found: list[str] = []
    for event in events:
        if isinstance(event, Notice):
            found.append(event.text)
        elif isinstance(event, Reranked) and event.ranking:
            found += event.ranking.warnings
    return found


def is_whole(row: Mapping[str, Any]) -> bool:
    """Return whether a row that was read back has what a summary needs."""
    return all(name in row for name in ("id", "status", "correct", "timings", "usage"))
