"""From queries to their top-M candidates, for many questions in one batch."""

import time
from collections.abc import Sequence

import numpy as np

from ..events import Candidate, Candidates, Query
from ..exemplars import retrieval_text
from ..methods import Method
from ..parts import Parts
from ..rerank import rerank
from .hits import Hits

#: The determinantal process chooses among this many nearest neighbours (CEIL, section 4.2).
DPP_NEAREST = 100


def find_candidates(
    parts: Parts,
    method: Method,
    queries: Sequence[Query],
    cots: Sequence[str],
    *,
    vectors: bool,
    m: int | None = None,
) -> list[Candidates]:
    """Return the top m of each query (the settings' M); `cots` are the rationales that join it ("" for none).

    The exemplar that asks the same question is never among them. With `vectors`, they come with the query's and
    their own vectors, also where the retriever works on words. Times are shares of the batch.
    """
    texts = [retrieval_text(query.question, cot) for query, cot in zip(queries, cots, strict=True)]
    exclude = [parts.excluded(query.question, query.dialogue) for query in queries]
    m = parts.settings.select.m if m is None else m
    started = time.perf_counter()
    encoded = np.empty((len(texts), 0), dtype=np.float32)
    if vectors or method.encodes:
        parts.index  # noqa: B018 - opened before the clock of the retrieval starts
        encoded = parts.encode_queries([query.question for query in queries], cots)
    encode_seconds = (time.perf_counter() - started) / max(1, len(texts))

    return _search(parts, method, texts, encoded, m, exclude, encode_seconds)


def search_again(parts: Parts, method: Method, query: Query, cot: str, found: Candidates, m: int) -> Candidates:
    """Return the m candidates of a question whose vector is known from `found`: no text is encoded."""
    texts, encoded = [retrieval_text(query.question, cot)], found.query[None]
    exclude = [parts.excluded(query.question, query.dialogue)]
    return _search(parts, method, texts, encoded, m, exclude, found.encode_seconds)[0]


def _search(
    parts: Parts,
    method: Method,
    texts: Sequence[str],
    encoded: np.ndarray,
    m: int,
    exclude: Sequence[Sequence[int]],
    encode_seconds: float,
) -> list[Candidates]:
    started = time.perf_counter()
    if method.retriever == "bm25":
        hits = parts.bm25.search(texts, m, exclude)
    else:
        hits = nearest(parts, encoded, m, exclude, diverse=method.retriever == "dpp")
    seconds = (time.perf_counter() - started) / max(1, len(texts))

    no_vectors = np.empty((0, 0), dtype=np.float32)
    return [
        Candidates(
            tuple(
                Candidate(parts.pool[int(position)], rank, float(score))
                for rank, (position, score) in enumerate(zip(positions, scores, strict=True), start=1)
            ),
            query,
            parts.index.vectors[positions] if encoded.shape[1] else no_vectors,
            encode_seconds,
            seconds,
        )
        for query, positions, scores in zip(encoded, hits.positions, hits.scores, strict=True)
    ]


def nearest(parts: Parts, vectors: np.ndarray, m: int, exclude: Sequence[Sequence[int]], *, diverse: bool) -> Hits:
    """Return the m nearest exemplars of each vector (b, d), or, if `diverse`, m of them by greedy DPP."""
    from .dense import search

    if not diverse:
        return search(parts.index, vectors, m, exclude)
    near = search(parts.index, vectors, max(m, DPP_NEAREST), exclude)
    lam = parts.settings.rerank.lam
    params = {} if lam is None else {"lam": lam}  # the other settings are those of the re-ranker that follows
    positions, scores = [], []
    for vector, found in zip(vectors, near.positions, strict=True):
        ranking = rerank("dpp", vector, parts.index.vectors[found], **params)
        best = ranking.order[:m]
        positions.append(found[best])
        scores.append(ranking.scores[best])
    return Hits(positions, scores)
