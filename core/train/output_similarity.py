"""Training on output similarity (RefPyDST, section 3.2): near shall be what has the like output, no model asked.

Each exemplar's nearest 200 under the current encoder are ranked by how alike their outputs are; the first and the
last 5 % are its positives and its hard negatives.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..dialogue.similarity import sim_f1
from ..dialogue.state import Change
from ..dialogue.turn import change_of
from ..errors import UsageError
from ..evaluate.stats import token_f1
from ..exemplars import Exemplar, Pool, retrieval_text
from ..progress import Progress, silent
from ..tasks import STATE
from .rows import Scored

NEAREST = 200
SHARE = 0.05

#: How alike the outputs of two exemplars are, from 0 to 1.
OutputSimilarity = Callable[[Exemplar, Exemplar], float]
FloatArray = npt.NDArray[np.float32]

_BLOCK = 256


def output_similarity(kind: str) -> OutputSimilarity:
    """Return the similarity for a kind of answer: sim_F1 for dialogue turns, else token F1 of rationale and answer.

    Raises UsageError, when called, for a turn whose answer is no state change.
    """
    if kind == STATE:
        changes: dict[str, Change] = {}

        def by_change(a: Exemplar, b: Exemplar) -> float:
            for exemplar in (a, b):
                if exemplar.id not in changes:
                    changes[exemplar.id] = change_of(exemplar)
            return sim_f1(changes[a.id], changes[b.id])

        return by_change
    return lambda a, b: token_f1(retrieval_text(a.rationale, a.answer), retrieval_text(b.rationale, b.answer))


def ends(nearest: int = NEAREST, share: float = SHARE) -> int:
    """Return how many exemplars the best and the worst `share` of the `nearest` are: t of the triplets."""
    return max(1, round(share * nearest))


def score_outputs(
    pool: Pool,
    queries: FloatArray,
    vectors: FloatArray,
    similarity: OutputSimilarity,
    *,
    nearest: int = NEAREST,
    progress: Progress = silent,
) -> list[Scored]:
    """Return, for each exemplar, its nearest others by cosine and how alike their outputs are to its own.

    `queries` (size, d) are the exemplars as they are asked, `vectors` (size, d) as they are found. Never among the
    nearest are the same question, and the other turns of the same dialogue. Raises UsageError for a pool of one.
    """
    scored = []
    for anchor, found in enumerate(_nearest(pool, queries, vectors, nearest)):
        if found:
            scores = tuple(similarity(pool[anchor], pool[other]) for other in found)
            scored.append(Scored(pool[anchor].id, tuple(pool[other].id for other in found), scores))
        progress("output similarity", anchor + 1, len(pool))
    if not scored:
        raise UsageError(f"{pool.source} has no two exemplars to compare; train on a larger pool")
    return scored


def _nearest(pool: Pool, queries: FloatArray, vectors: FloatArray, most: int) -> Iterator[list[int]]:
    """Yield the positions of each exemplar's nearest others, the nearest first; ties keep the pool's order."""
    asked, found = _unit(queries), _unit(vectors)
    for start in range(0, len(pool), _BLOCK):
        cosines = asked[start : start + _BLOCK] @ found.T
        for row, cosine in enumerate(cosines):
            out = _left_out(pool, start + row)
            cosine[out] = -np.inf
            size = min(most, len(pool) - len(out))
            likely = np.argpartition(-cosine, size - 1)[:size] if 0 < size < len(pool) else np.arange(len(pool))
            order = likely[np.lexsort((likely, -cosine[likely]))]
            yield order[:size].tolist()


def _left_out(pool: Pool, position: int) -> Sequence[int]:
    exemplar = pool[position]
    dialogue = exemplar.meta.get("dialogue")
    turns = pool.turns_of(dialogue) if isinstance(dialogue, str) else ()
    return sorted({position, *pool.positions_of(exemplar.question), *turns})


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0, 1, lengths)
