"""BM25: the exemplars that share the rarest words with a query."""

import re
from collections.abc import Sequence
from typing import Literal

import bm25s
import numpy as np

from ..exemplars import Exemplar, Pool, retrieval_text
from .hits import FloatArray, Hits, IntArray

Field = Literal["question", "rationale", "both"]

# Chinese and Japanese put no space between words, so there each character counts as a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


class BM25Retriever:
    """Scores a pool by Lucene's BM25, with k1 = 1.5 and b = 0.75.

    The score of an exemplar is the sum over the query's words, repeated ones counted again, of
    log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 (1 - b + b length / mean length)).
    `field` is the text of an exemplar that is searched. Words are runs of letters and digits, without regard to case.
    """

    def __init__(self, pool: Pool, field: Field = "question") -> None:
        self._size = len(pool)
        words = [_words(_text(exemplar, field)) for exemplar in pool]
        self._vocabulary: dict[str, int] = {}
        ids = [[self._vocabulary.setdefault(word, len(self._vocabulary)) for word in text] for text in words]
        self._bm25: bm25s.BM25 | None = None
        if self._vocabulary:
            self._bm25 = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            self._bm25.index((ids, self._vocabulary), create_empty_token=False, show_progress=False)

    def scores(self, query: str) -> FloatArray:
        """Return the score of every exemplar (N,); all zero where no word of the query is in the pool."""
        ids = [self._vocabulary[word] for word in _words(query) if word in self._vocabulary]
        if self._bm25 is None or not ids:
            return np.zeros(self._size)
        return np.asarray(self._bm25.get_scores_from_ids(ids), dtype=np.float64)

    def search(self, queries: Sequence[str], m: int, exclude: Sequence[Sequence[int]] | None = None) -> Hits:
        """Return the m best exemplars of each query, best first; equal scores keep the pool's order.

        `exclude` holds, per query, pool positions never to return. Fewer than m come back where the pool is smaller.
        """
        positions, scores = [], []
        for query, barred in zip(queries, exclude or [()] * len(queries), strict=True):
            scored = self.scores(query)
            scored[list(barred)] = -np.inf
            best = _best(scored, min(m, self._size - len(set(barred))))
            positions.append(best)
            scores.append(scored[best])
        return Hits(positions, scores)


def _best(scores: FloatArray, m: int) -> IntArray:
    """Return the positions of the m highest scores, best first, the first of equals first."""
    if m <= 0:
        return np.empty(0, dtype=np.int64)
    near = np.flatnonzero(scores >= np.partition(scores, -m)[-m])
    return near[np.argsort(-scores[near], kind="stable")][:m].astype(np.int64)


def _text(exemplar: Exemplar, field: Field) -> str:
    if field == "question":
        return exemplar.question
    return exemplar.rationale if field == "rationale" else retrieval_text(exemplar.question, exemplar.rationale)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
