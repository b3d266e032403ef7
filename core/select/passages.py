"""From questions to the top-N passages of a collection, for many questions in one batch."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..events import FoundPassage, PassagesFound, Query
from .words import word_splitter

if TYPE_CHECKING:
    from ..parts import Parts
    from ..passages import Passage
    from .hits import Hits


def find_passages(parts: "Parts", queries: Sequence[Query]) -> list[PassagesFound]:
    """Return the top N of each query by the settings' retriever; those given with a query stay as they are.

    Times are shares of the batch.
    """
    chosen = parts.settings.passages
    asked = [query for query in queries if not query.passages]
    encode_seconds = seconds = 0.0
    if asked:
        hits, encode_seconds, seconds = _search(parts, [query.question for query in asked], chosen.n)
        ranked = iter(zip(hits.positions, hits.scores, strict=True))
    found = []
    for query in queries:
        if query.passages:
            given = enumerate(query.passages[: chosen.n], start=1)
            found.append(PassagesFound(tuple(FoundPassage(p, rank, None) for rank, p in given), 0.0, 0.0))
            continue
        top = enumerate(zip(*next(ranked), strict=True), start=1)
        passages = tuple(FoundPassage(parts.passages[int(place)], rank, float(score)) for rank, (place, score) in top)
        found.append(PassagesFound(passages, encode_seconds / len(asked), seconds / len(asked)))
    return found


def _search(parts: "Parts", questions: Sequence[str], n: int) -> "tuple[Hits, float, float]":
    """Return the hits with the seconds of encoding and of searching."""
    if parts.settings.passages.retriever == "bm25":
        words = parts.passage_bm25
        started = time.perf_counter()
        return words.search(questions, n), 0.0, time.perf_counter() - started
    from .dense import search

    index = parts.passage_index
    started = time.perf_counter()
    vectors = parts.encode_queries(questions, [""] * len(questions))
    encoded = time.perf_counter()
    return search(index, vectors, n), encoded - started, time.perf_counter() - encoded


def overlaps(summary: str, passages: "Sequence[Passage]") -> list[float]:
    """Return for each passage the share of the summary's distinct words that it holds, title included; 0 to 1."""
    split = word_splitter()
    wanted = set(split(summary))
    if not wanted:
        return [0.0] * len(passages)
    return [len(wanted & set(split(f"{p.title} {p.text}"))) / len(wanted) for p in passages]


def by_overlap(summary: str, passages: "Sequence[Passage]") -> list[int]:
    """Return the passages' positions by their overlap with the summary, most first; ties keep their order."""
    shares = overlaps(summary, passages)
    return sorted(range(len(passages)), key=lambda i: -shares[i])
