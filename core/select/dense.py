"""Dense retrieval: the pool rows with the largest inner product ⟨q, e_j⟩.

FAISS finds the candidates; their scores are then computed once more in float64, row by row. So a score does not
depend on how many queries were asked together, equal rows have equal scores, and ties are ordered by pool position.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..encoder.base import Vectors
from ..errors import UsageError
from ..index import Index
from .engine import find, is_exact
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
    allowed: npt.NDArray[np.bool_] | None = None,
) -> Hits:
    """Return the m best rows of each query (b, d): the inner product, higher is better, in [-1, 1] for unit vectors.

    Per query, the pool positions in `exclude` are left out; rows outside the mask `allowed` (n,) are never looked at.
    Where fewer than m rows remain, each is returned once. Raises UsageError for queries of another size than the
    index, and for numbers that are not finite.
    """
    rows = _checked(index, queries)
    open_rows = np.ones(len(index.vectors), dtype=bool) if allowed is None else np.asarray(allowed, dtype=bool)
    barred = [np.unique(np.asarray(some, dtype=np.int64)) for some in exclude or [()] * len(rows)]
    if open_rows.shape != (len(index.vectors),) or len(barred) != len(rows):
        raise ValueError("`allowed` needs one entry per pool row, `exclude` one list per query")
    k = min(int(open_rows.sum()), max(m, 0) + max(map(len, barred), default=0) + _SPARE)
    found: Sequence[IntArray | None] = [None] * len(rows)
    if k and len(rows) and m > 0 and index.engine is not None:
        _, positions = find(index.engine, rows, k, None if allowed is None else open_rows)
        found = list(positions)
    hits = [_settled(index, *each, m, open_rows) for each in zip(rows, found, barred, strict=True)]
    return Hits([positions for positions, _ in hits], [scores for _, scores in hits])


def _settled(
    index: Index, query: Vectors, found: IntArray | None, barred: IntArray, m: int, open_rows: npt.NDArray[np.bool_]
) -> tuple[IntArray, FloatArray]:
    """Return the best m of the rows found, or of all rows where those found do not settle the question."""
    if m <= 0:
        return np.empty(0, dtype=np.int64), np.empty(0)
    if found is not None:
        found = found[found >= 0]
        positions, scores = _ranked(index, query, np.setdiff1d(found, barred))
        available = int(open_rows.sum()) - int(open_rows[barred].sum())
        if len(positions) == available:
            return positions[:m], scores[:m]
        border = scores[m - 1] - scores[-1] if len(positions) > m else 0.0
        if len(positions) >= m and (border > _slack(index, query, positions) or not is_exact(index.engine)):
            return positions[:m], scores[:m]
    left = open_rows.copy()
    left[barred] = False
    near = np.flatnonzero(left)
    if len(near) > m:
        rough = index.vectors[near] @ query
        floor = np.partition(rough, -m)[-m] - 2 * _ROUNDING * np.abs(rough).max()
        near = near[rough >= floor]
    positions, scores = _ranked(index, query, near)
    return positions[:m], scores[:m]


def _ranked(index: Index, query: Vectors, positions: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the positions by falling score, equal scores by position, and those scores."""
    scores = (index.vectors[positions].astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    if index.meta.unit and abs(np.linalg.norm(query) - 1) < 1e-4:
        scores = scores.clip(-1, 1)
    order = np.lexsort((positions, -scores))
    return positions[order], scores[order]


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
