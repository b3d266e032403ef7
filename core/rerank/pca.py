"""Low-rank approximation: the inner product after PCA (DQ-LoRe, section 3.3).

Fitted on the candidates, the M+1 rows [E; q] are centred by their own mean and have at most M directions: with
M = 64, a `dim` of 64 or more keeps everything. Fitted on the pool, mean and directions are learnt once and shared.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from .base import ROUNDING, FloatArray, Ranking, inner_tolerance, inner_with_target, rank_by_score
from .settings import Setting, one_of, whole_number
from .spectrum import bound_reason, centre, clamp_warning, spectrum
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
    rows: FloatArray,
    *,
    dim: int | None,
    fit: str,
    projection: Projection | None,
) -> list[Ranking]:
    """Rank by the inner product of the projected candidate and the projected target."""
    if fit == "pool":
        if projection is None:
            raise UsageError("Re-ranker 'pca': fit='pool' needs projection=, as fit_projection returns it.")
        return _ranked_in_pool_space(rows, dim, projection)
    if projection is not None:
        raise UsageError("Re-ranker 'pca': projection= is used with fit='pool' only.")
    count, width = rows.shape[1] - 1, rows.shape[2]
    noise = centre(rows)
    most = min(count, width)
    if dim is None or dim >= most:  # nothing is left out: the centred inner product needs no decomposition
        notes = clamp_warning("pca", dim, most, bound_reason(count + 1, width))
        return rank_by_score(inner_with_target(rows), inner_tolerance(rows), [notes] * len(rows))
    gram = rows @ rows.transpose(0, 2, 1)
    parts = spectrum(gram, noise)
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
    noise = centre(rows[None])[0]
    left = rows
    if len(left) > left.shape[1]:  # R of a QR decomposition has the same right-singular directions and is d×d
        left = np.asarray(np.linalg.qr(left, mode="r"))
    _, sizes, directions = np.linalg.svd(left, full_matrices=False)
    floor = max(1e-6 * sizes[0], np.sqrt(noise))
    components = directions[sizes > floor]
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    return Projection(mean, components * np.sign(largest))


def _ranked_in_pool_space(
    rows: FloatArray,
    dim: int | None,
    projection: Projection,
) -> list[Ranking]:
    rank, width = projection.components.shape
    if width != rows.shape[2]:
        raise UsageError(
            f"Re-ranker 'pca': the pool's projection is for vectors of {width} values, not {rows.shape[2]}; "
            "build the index again with this encoder."
        )
    directions = projection.components[:dim].T
    points = (rows - projection.mean) @ directions
    notes = clamp_warning("pca", dim, rank, "the rank of the pool")
    return rank_by_score(inner_with_target(points), inner_tolerance(points), [notes] * len(rows))
