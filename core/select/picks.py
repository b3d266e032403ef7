"""From candidates to the top n: array work only, so that settings can change without a model call."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..events import Candidates, Pick, Reranked
from ..rerank import Ranking, rerank_batch


def rerank_candidates(
    found: Sequence[Candidates], reranker: str, n: int, params: Mapping[str, Any] | None = None
) -> list[Reranked]:
    """Return the best n of each query's candidates by the re-ranker called `reranker`.

    "none" keeps the retriever's own order and scores. Queries with equally many candidates are ranked in one batch.
    """
    by_size: dict[int, list[int]] = defaultdict(list)
    for i, candidates in enumerate(found):
        by_size[len(candidates.candidates)].append(i)
    results: dict[int, Reranked] = {}
    for m, members in by_size.items():
        started = time.perf_counter()
        batch = [found[i] for i in members]
        if m == 0 or reranker == "none":
            rankings = [_as_retrieved(candidates) for candidates in batch]
        else:
            queries = np.stack([candidates.query for candidates in batch])
            vectors = np.stack([candidates.vectors for candidates in batch])
            rankings = rerank_batch(reranker, queries, vectors, **(params or {}))
        seconds = (time.perf_counter() - started) / len(members)
        for i, candidates, ranking in zip(members, batch, rankings, strict=True):
            results[i] = Reranked(_top(candidates, ranking, n), ranking, seconds)
    return [results[i] for i in range(len(found))]


def _as_retrieved(candidates: Candidates) -> Ranking:
    scores = np.array([candidate.score for candidate in candidates.candidates])
    return Ranking(np.arange(len(scores)), scores)


def _top(candidates: Candidates, ranking: Ranking, n: int) -> tuple[Pick, ...]:
    picks = []
    for rank, position in enumerate(ranking.order[:n], start=1):
        candidate = candidates.candidates[position]
        score = float(ranking.scores[position])
        picks.append(Pick(candidate.exemplar, rank, score, candidate.rank, candidate.score))
    return tuple(picks)
