"""What a method that reads did with a question, as JSON holds it."""

from collections.abc import Sequence
from typing import Any

from ..events import AnswersProposed, Event, FoundPassage, Judged, PassagesFound, Summarized
from ..select.passages import by_overlap, overlaps


def reading_document(events: Sequence[Event], *, texts: bool = True) -> dict[str, Any]:
    """Return passages, and for sure candidates, summaries and verdicts; {} for other methods.

    `candidates_answers`, `summaries`, `validity` (1 or 0) and `ranking` (the points r) are aligned. Where the answer
    has a summary, each passage has its `overlap` with that and the rank that gives it. `texts` False leaves out the
    texts of the passages.
    """
    last = {type(event): event for event in events}
    found, proposed, summarized, judged = (
        last.get(kind) for kind in (PassagesFound, AnswersProposed, Summarized, Judged)
    )
    document: dict[str, Any] = {}
    if isinstance(found, PassagesFound):
        document["passages"] = [_passage(each, texts=texts) for each in found.passages]
    if isinstance(proposed, AnswersProposed):
        document["candidates_answers"] = list(proposed.answers)
    if isinstance(summarized, Summarized):
        document["summaries"] = [reply.text.strip() for reply in summarized.summaries]
    if isinstance(judged, Judged):
        document["validity"] = [int(valid is True) for valid in judged.valid]
        document["ranking"] = list(judged.ranking)
        document["comparisons"] = [
            {"first": c.first, "second": c.second, "preferred": c.preferred} for c in judged.comparisons
        ]
        if isinstance(found, PassagesFound) and isinstance(summarized, Summarized):
            _add_overlap(document["passages"], found, summarized.summaries[judged.chosen].text)
    return document


def _passage(found: FoundPassage, *, texts: bool) -> dict[str, Any]:
    passage = found.passage
    short = {"id": passage.id, "rank": found.rank, "score": found.score}
    return {**short, "title": passage.title, "text": passage.text} if texts else short


def _add_overlap(passages: list[dict[str, Any]], found: PassagesFound, summary: str) -> None:
    read = [each.passage for each in found.passages]
    for passage, share in zip(passages, overlaps(summary, read), strict=True):
        passage["overlap"] = share
    for rank, position in enumerate(by_overlap(summary, read), start=1):
        passages[position]["summary_rank"] = rank
