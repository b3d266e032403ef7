"""The methods: which exemplars open the first query, what is retrieved by, and what orders the result.

Those with `reads` choose no exemplars: they answer from passages.
"""

import difflib
from dataclasses import dataclass
from typing import Literal

from .errors import UsageError

Reads = Literal["sure", "retrieval", "no-retrieval", "generic-summary"]

#: Model calls a question: of sure with K candidates 1 + K + K + K (K - 1), here K = 2.
READING_CALLS: dict[Reads, int] = {"sure": 7, "retrieval": 1, "no-retrieval": 1, "generic-summary": 2}


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the table.

    `initial` names the initial exemplars. With a `retriever` they open the first query; without one they are the
    exemplars themselves. `dual` puts the first query's chain of thought into the retrieval query (+dq). `m` and `n`
    are the method's own where the settings leave them open. `reads` names the way a zero-shot answer is found in
    passages (`core.answer`); None is few-shot, with exemplars.
    """

    initial: str
    dual: bool
    retriever: Literal["dense", "dpp", "bm25"] | None
    reranker: str
    summary: str
    m: int | None = None
    n: int | None = None
    reads: Reads | None = None

    @property
    def retrieves_passages(self) -> bool:
        """Whether it needs a collection of passages."""
        return self.reads not in (None, "no-retrieval")

    @property
    def encodes(self) -> bool:
        """Whether retrieval works on vectors."""
        return self.retriever in ("dense", "dpp")

    @property
    def encode_calls(self) -> int:
        """Texts encoded per question: the retrieval query, and the question alone for epr's and ceil's exemplars."""
        return int(self.encodes) + int(self.dual and self.initial in ("epr", "ceil"))

    @property
    def lm_calls(self) -> int:
        """Model calls per answered question; of sure, with its default of two answer candidates."""
        return 2 if self.dual else 1 if self.reads is None else READING_CALLS[self.reads]


def _reading(reads: Reads, summary: str) -> Method:
    return Method("none", False, None, "none", summary, reads=reads)


# fmt: off
METHODS: dict[str, Method] = {
    #                     initial    dual   retriever  re-ranker
    "cot":         Method("manual",  False, None,      "none", "the same hand-written exemplars for every question"),
    "complex-cot": Method("complex", False, None,      "none", "the pool's exemplars with the most reasoning steps"),
    "auto-cot":    Method("auto",    False, None,      "none", "one exemplar from each of n question clusters"),
    "random":      Method("random",  False, None,      "none", "n exemplars drawn by the question"),
    "bm25":        Method("none",    False, "bm25",    "none", "the exemplars whose words match the question best"),
    "epr":         Method("none",    False, "dense",   "none", "nearest by the question alone"),
    "ceil":        Method("none",    False, "dpp",     "none", "near and diverse at once: a determinantal process"),
    "mmr":         Method("none",    False, "dense",   "mmr",  "near, minus what resembles those already picked"),
    "dq-lore":     Method("complex", True,  "dense",   "pca",  "near by question and rationale, low-rank re-ranked"),
    "epr+dq":      Method("epr",     True,  "dense",   "none", "epr with the first query's rationale"),
    "epr+lore":    Method("none",    False, "dense",   "pca",  "epr, low-rank re-ranked"),
    "epr+dq+lore": Method("epr",     True,  "dense",   "pca",  "dq-lore that opens with epr's exemplars"),
    "ceil+dq":     Method("ceil",    True,  "dpp",     "none", "ceil with the first query's rationale"),
    "ceil+lore":   Method("none",    False, "dpp",     "pca",  "ceil, low-rank re-ranked"),
    "ceil+dq+lore":Method("ceil",    True,  "dpp",     "pca",  "ceil with both"),
    "refpydst":    Method("none",    False, "dense",   "mmr",  "10 of the nearest 100: mmr for dialogues", 100, 10),
    "sure":            _reading("sure", "the answer that a summary of passages bears out best"),
    "retrieval":       _reading("retrieval", "the answer read from passages"),
    "generic-summary": _reading("generic-summary", "the answer read from one summary of passages"),
    "no-retrieval":    _reading("no-retrieval", "the question alone, nothing to read"),
}
# fmt: on


def find_method(name: str) -> Method:
    """Return the method called `name`. Raises UsageError that lists the names."""
    if name not in METHODS:
        close = difflib.get_close_matches(name, METHODS, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UsageError(f"unknown method {name!r}.{hint} Known: {', '.join(METHODS)}.")
    return METHODS[name]
