"""BM25: the exemplars that share the rarest words with a query."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from ..exemplars import Exemplar, Pool, retrieval_text
from .hits import FloatArray, Hits, IntArray
from .words import word_splitter

Field = Literal["question", "rationale", "both"]

_K1, _B = 1.5, 0.75


class BM25Retriever:
    """Scores a pool by Lucene's BM25, with k1 = 1.5 and b = 0.75.

    The score of an exemplar is the sum over the query's words, repeated ones counted again, of
    log(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 (1 - b + b length / mean length)).
    `field` is the text of an exemplar that is searched; `stem` names the language whose word endings are folded.
    """

    def __init__(self, pool: Pool, field: Field = "question", stem: str | None = None) -> None:
        self._size = len(pool)
        self._split = word_splitter(stem)
        texts = [self._split(_text(exemplar, field)) for exemplar in pool]
        self._vocabulary: dict[str, int] = {}
        words = [self._vocabulary.setdefault(word, len(self._vocabulary)) for text in texts for word in text]
        lengths = np.array([len(text) for text in texts], dtype=np.int64)

        # A posting is an exemplar that holds a word; the postings lie word after word, each word's in pool order.
        rows = np.repeat(np.arange(self._size), lengths)
        postings, tf = np.unique(np.array(words, dtype=np.int64) * self._size + rows, return_counts=True)
        posting_words, self._rows = np.divmod(postings, max(1, self._size))
        df = np.bincount(posting_words, minlength=len(self._vocabulary))
        idf = np.log1p((self._size - df + 0.5) / (df + 0.5))
        share = lengths[self._rows] * (self._size / max(1, len(words)))
        # All that does not depend on the query is computed here, so a search only adds numbers up.
        self._weights = idf[posting_words] * tf / (tf + _K1 * (1 - _B + _B * share))
        self._ends = np.cumsum(df).tolist()

    def scores(self, query: str) -> FloatArray:
        """Return the score of every exemplar (N,); all zero where no word of the query is in the pool."""
        counts = Counter(self._vocabulary[word] for word in self._split(query) if word in self._vocabulary)
        if not counts:
            return np.zeros(self._size)
        spans = [(slice(self._ends[word - 1] if word else 0, self._ends[word]), n) for word, n in counts.items()]
        rows = np.concatenate([self._rows[span] for span, _ in spans])
        weights = np.concatenate([self._weights[span] * n for span, n in spans])
        return np.asarray(np.bincount(rows, weights, minlength=self._size), dtype=np.float64)

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
