"""Low-rank approximation: the inner product after PCA (DQ-LoRe, section 3.3).

Fitted on the candidates, the M+1 rows [E; q] are centred by their own mean and have at most M directions: with
M = 64, a `dim` of 64 or more keeps everything. Fitted on the pool, mean and directions are learnt once and shared.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from .base import ROUNDING, FloatArray, Ranking, inner, lengths, rank_by_score, with_target
from .settings import Setting, one_of, whole_number
from .spectrum import bound_reason, centred, centring_noise, clamp_warning, spectrum
from .vectors import vectors_of


@dataclass(frozen=True, eq=False)
class Projection:
    """What PCA learnt from a pool: the `mean` (d,) and the `components` (r, d), orthonormal, the largest first."""

    mean: FloatArray
    components: FloatArray


SETTINGS = {
    "dim": whole_number(None),
    "fit": one_of("candidates", "candidates", "pool"),
    "projection": Setting(
        None,
        "a Projection as fit_projection returns it",
        lambda value: value is None or isinstance(value, Projection),
    ),
}


def pca(
    queries: FloatArray,
    candidates: FloatArray,
    *,
    dim: int | None,
    fit: str,
    projection: Projection | None,
) -> list[Ranking]:
    """Rank by the inner product of the projected candidate and the projected target."""
    if fit == "pool":
        if projection is None:
            raise UsageError("Re-ranker 'pca': fit='pool' needs projection=, as fit_projection returns it.")
        return _ranked_in_pool_space(queries, candidates, dim, projection)
    if projection is not None:
        raise UsageError("Re-ranker 'pca': projection= is used with fit='pool' only.")
    rows = with_target(queries, candidates)
    left = centred(rows)
    count, width = candidates.shape[1:]
    most = min(count, width)
    if dim is None or dim >= most:  # nothing is left out: the centred inner product needs no decomposition
        notes = clamp_warning("pca", dim, most, bound_reason(count + 1, width))
        norms = lengths(left)
        tolerance = ROUNDING * norms[:, :-1] * norms[:, -1:]
        return rank_by_score(inner(left[:, :-1], left[:, -1]), tolerance, [notes] * len(rows))
    gram = left @ left.transpose(0, 2, 1)
    parts = spectrum(gram, centring_noise(rows))
    warnings = [clamp_warning("pca", dim, rank, f"the rank of {count + 1} rows") for rank in parts.ranks]
    tolerance = ROUNDING * np.trace(gram, axis1=1, axis2=2)[:, None]
    return rank_by_score(parts.scores(dim), tolerance, warnings)


def fit_projection(vectors: npt.ArrayLike) -> Projection:
    """Return the mean and all right-singular directions of the centred pool vectors (n, d), the largest first.

    Directions that the vectors do not span (singular values below 1e-6 of the largest) are left out. Each direction's
    largest entry by size is positive, so that the result does not depend on the signs a solver happens to choose.
    Raises UsageError unless `vectors` is a non-empty array of finite numbers.
    """
    rows = vectors_of("The pool", vectors, ("n", "d")).astype(np.float64)
    if len(rows) == 0:
        raise UsageError("The pool holds no vectors, so no projection can be fitted on it.")
    mean = rows.mean(axis=0)
    left = rows - mean
    if len(left) > left.shape[1]:  # R of a QR decomposition has the same right-singular directions and is d×d
        left = np.linalg.qr(left, mode="r")
    _, sizes, directions = np.linalg.svd(left, full_matrices=False)
    floor = max(1e-6 * sizes[0], np.sqrt(centring_noise(rows[None])[0]))
    components = directions[sizes > floor]
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    return Projection(mean, components * np.sign(largest))


def _ranked_in_pool_space(
    queries: FloatArray,
    candidates: FloatArray,
    dim: int | None,
    projection: Projection,
) -> list[Ranking]:
    rank, width = projection.components.shape
    if width != queries.shape[1]:
        raise UsageError(
            f"Re-ranker 'pca': the pool's projection is for vectors of {width} values, not {queries.shape[1]}; "
            "build the index again with this encoder."
        )
    directions = projection.components[:dim].T
    targets = (queries - projection.mean) @ directions
    points = (candidates - projection.mean) @ directions
    notes = clamp_warning("pca", dim, rank, "the rank of the pool")
    tolerance = ROUNDING * lengths(points) * lengths(targets)[:, None]
    return rank_by_score(inner(points, targets), tolerance, [notes] * len(queries))
