"""BM25: the exemplars that share the rarest words with a query."""

from collections.abc import Sequence
from typing import Literal

import bm25s
import numpy as np

from ..exemplars import Exemplar, Pool, retrieval_text
from .hits import FloatArray, Hits, IntArray
from .words import word_splitter

Field = Literal["question", "rationale", "both"]


class BM25Retriever:
    """Scores a pool by Lucene's BM25, with k1 = 1.5 and b = 0.75.

    The score of an exemplar is the sum over the query's words, repeated ones counted again, of
    log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 (1 - b + b length / mean length)).
    `field` is the text of an exemplar that is searched; `stem` names the language whose word endings are folded.
    """

    def __init__(self, pool: Pool, field: Field = "question", stem: str | None = None) -> None:
        self._size = len(pool)
        self._split = word_splitter(stem)
        texts = [self._split(field_text(exemplar, field)) for exemplar in pool]
        self._vocabulary: dict[str, int] = {}
        ids = [[self._vocabulary.setdefault(word, len(self._vocabulary)) for word in text] for text in texts]
        if self._vocabulary:
            bm25 = bm25s.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
            bm25.index((ids, self._vocabulary), create_empty_token=False, show_progress=False)
            # A column per word: the exemplars that hold it, and what it adds to their scores.
            self._added, self._rows, self._ends = (bm25.scores[part] for part in ("data", "indices", "indptr"))

    def scores(self, query: str) -> FloatArray:
        """Return the score of every exemplar (N,); all zero where no word of the query is in the pool.

        One pass over the query's columns, summed in float64, is several times as fast as adding column by column.
        """
        words = [self._vocabulary[word] for word in self._split(query) if word in self._vocabulary]
        if not words:
            return np.zeros(self._size)
        spans = [slice(self._ends[word], self._ends[word + 1]) for word in words]
        rows = np.concatenate([self._rows[span] for span in spans])
        added = np.concatenate([self._added[span] for span in spans])
        return np.asarray(np.bincount(rows, added, minlength=self._size), dtype=np.float64)

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


def field_text(exemplar: Exemplar, field: Field) -> str:
    """Return the text of an exemplar that `field` names."""
    if field == "question":
        return exemplar.question
    return exemplar.rationale if field == "rationale" else retrieval_text(exemplar.question, exemplar.rationale)
