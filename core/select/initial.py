"""Initial exemplars: what opens the first query, or is the whole selection of the methods without retrieval.

Each function returns pool positions, best first, and never the positions in `exclude`.
"""

import random
import re
from collections.abc import Collection, Sequence

import numpy as np

from ..errors import UsageError
from ..exemplars import Exemplar, Pool, question_key
from ..files import fingerprint
from ..parts import Parts
from .candidates import nearest

INITIAL = ("none", "manual", "complex", "random", "bm25", "auto", "epr", "ceil", "socratic")

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)")


def reasoning_steps(rationale: str) -> int:
    """Return the number of steps: lines, or sentences where the rationale is written on one line."""
    lines = [line for line in rationale.splitlines() if line.strip()]
    return len(lines) if len(lines) > 1 else max(len(lines), len(_SENTENCE_END.findall(rationale)))


def complexity_order(pool: Pool) -> list[int]:
    """Return all positions, most reasoning steps first; ties by longer rationale, then pool order."""

    def key(position: int) -> tuple[int, int, int]:
        rationale = pool[position].rationale
        return (-reasoning_steps(rationale), -len(rationale), position)

    return sorted(range(len(pool)), key=key)


def take(order: Sequence[int], n: int, exclude: Collection[int]) -> list[int]:
    """Return the first n positions of `order` that are not excluded."""
    banned = set(exclude)
    return [position for position in order if position not in banned][:n]


def random_positions(pool: Pool, question: str, n: int, exclude: Collection[int]) -> list[int]:
    """Return n positions drawn with the question as the seed: the same question gets the same exemplars."""
    allowed = take(range(len(pool)), len(pool), exclude)
    seed = fingerprint("0", question)  # another number would draw others for every question
    return random.Random(seed).sample(allowed, min(n, len(allowed)))


def question_clusters(question_vectors: np.ndarray, n: int) -> list[list[int]]:
    """Return n k-means clusters of the question vectors (pool size, d), members nearest to the centre first.

    Larger clusters come first, so that a prompt that must be shortened keeps the common kinds (Auto-CoT).
    """
    if n == 0:
        return []
    from sklearn.cluster import KMeans

    distinct = len(np.unique(question_vectors, axis=0))
    fitted = KMeans(min(n, distinct), n_init=4, random_state=0).fit(question_vectors)
    distances = fitted.transform(question_vectors)
    clusters = []
    for centre in range(fitted.n_clusters):
        members = np.flatnonzero(fitted.labels_ == centre)
        clusters.append(members[np.argsort(distances[members, centre], kind="stable")].tolist())
    return sorted(clusters, key=len, reverse=True)


def representatives(clusters: Sequence[Sequence[int]], exclude: Collection[int]) -> list[int]:
    """Return the first member of each cluster that is not excluded."""
    return [position for cluster in clusters for position in take(cluster, 1, exclude)]


def initial_exemplars(
    parts: Parts, name: str, question: str, n: int, dialogue: str | None = None
) -> tuple[Exemplar, ...]:
    """Return the n initial exemplars called `name` for `question`, best first.

    Never among them are the question itself and other turns of its `dialogue`. Raises UsageError for an unknown name.
    """
    if name == "manual":
        return tuple(e for e in parts.manual if question_key(e.question) != question_key(question))[:n]
    pool, exclude = parts.pool, parts.excluded(question, dialogue)
    if name == "none":
        positions: Sequence[int] = ()
    elif name in ("complex", "socratic"):  # socratic then rewrites their rationales
        positions = take(parts.complexity_order, n, exclude)
    elif name == "random":
        positions = random_positions(pool, question, n, exclude)
    elif name == "bm25":
        positions = parts.bm25.search([question], n, [exclude]).positions[0].tolist()
    elif name == "auto":
        positions = representatives(parts.clusters(n), exclude)
    elif name in ("epr", "ceil"):
        vectors = parts.encode_queries([question], [""])
        positions = nearest(parts, vectors, n, [exclude], diverse=name == "ceil").positions[0].tolist()
    else:
        raise UsageError(f"unknown initial exemplars {name!r}; known: {', '.join(INITIAL)}")
    return tuple(pool[position] for position in positions)
