"""Dense retrieval: the pool rows with the largest inner product ⟨q, e_j⟩.

FAISS finds the candidates of a pool of usual size; their scores are then computed once more in float64, row by row.
So a score does not depend on how many queries were asked together, equal rows have equal scores, and ties are ordered
by pool position. Large pools, and ties that go beyond what FAISS found, are left to the exact search in blocks.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..encoder.base import Vectors
from ..errors import UsageError
from ..index import Index
from .blocked import ranked, top_inner_products
from .engine import find
from .hits import FloatArray, Hits, IntArray

#: Rows fetched beyond those asked for, so that ties at the border are seen.
_SPARE = 16
#: Relative error of a float32 inner product, on the safe side.
_ROUNDING = 1e-5


def search(
    index: Index,
    queries: npt.ArrayLike,
    m: int,
    exclude: Sequence[Sequence[int]] | None = None,
) -> Hits:
    """Return the m best rows of each query (b, d): the inner product, higher is better, in [-1, 1] for unit vectors.

    Per query, the pool positions in `exclude` are left out. Where fewer than m rows remain, each is returned once.
    Raises UsageError for queries of another size than the index, and for numbers that are not finite.
    """
    rows = _checked(index, queries)
    barred = [np.unique(np.asarray(some, dtype=np.int64)) for some in exclude or [()] * len(rows)]
    if len(barred) != len(rows):
        raise ValueError("`exclude` needs one list per query")
    if m <= 0:
        return Hits([np.empty(0, dtype=np.int64)] * len(rows), [np.empty(0)] * len(rows))
    wanted = m + max(map(len, barred), default=0)
    if index.engine is None:
        _, found = top_inner_products(index.vectors, rows, wanted)
    else:
        found = find(index.engine, rows, wanted + _SPARE)
    best = [_best(index, *each, m) for each in zip(rows, found, barred, strict=True)]
    return Hits([positions for _, positions in best], [scores for scores, _ in best])


def _best(index: Index, query: Vectors, found: IntArray, barred: IntArray, m: int) -> tuple[FloatArray, IntArray]:
    """Return the best m of the rows found, or of all rows where FAISS may have left out one of equals."""
    scores, positions = ranked(index.vectors, np.setdiff1d(found[found >= 0], barred), query, len(found))
    if index.engine is not None:
        left = np.ones(len(index.vectors), dtype=bool)
        left[barred] = False
        complete = len(positions) == left.sum()
        if not complete and (len(positions) <= m or scores[m - 1] - scores[-1] <= _slack(index, query, positions)):
            (scores,), (positions,) = top_inner_products(index.vectors, query[None], m, left)
    if index.meta.unit and abs(np.linalg.norm(query) - 1) < 1e-4:
        scores = scores.clip(-1, 1)
    order = np.lexsort((positions, -scores))[:m]
    return scores[order], positions[order]


def _slack(index: Index, query: Vectors, positions: IntArray) -> float:
    """Return how far two float32 scores of these rows can be apart by rounding alone."""
    longest = np.linalg.norm(index.vectors[positions], axis=1).max()
    return float(2 * _ROUNDING * longest * np.linalg.norm(query))


def _checked(index: Index, queries: npt.ArrayLike) -> Vectors:
    rows = np.ascontiguousarray(queries, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != index.meta.dim:
        raise UsageError(
            f"the queries have the shape {rows.shape}, but the index, made with '{index.meta.encoder}', "
            f"holds vectors of {index.meta.dim} numbers"
        )
    if not np.isfinite(rows).all():
        raise UsageError("a query vector holds NaN or an infinite value")
    return rows
