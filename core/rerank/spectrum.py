"""Scores in the leading directions of centred rows, from the eigenvectors of their Gram matrix.

With centred rows X = U Σ Vᵀ, projecting on the first k right-singular directions gives U_k Σ_k, and X Xᵀ = U Σ² Uᵀ.
So the (M+1)×(M+1) Gram matrix holds all that is needed, whatever the width of the vectors; and a kernel matrix,
centred, can stand in its place.
"""

from dataclasses import dataclass

import numpy as np

from .base import FloatArray, IntArray

RANK_TOLERANCE = 1e-12
"""Eigenvalues below this share of the largest count as zero: singular values below 1e-6, float32 rounding."""


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues (b, n) from the largest, eigenvectors (b, n, n) in columns, and the numerical ranks (b,)."""

    values: FloatArray
    vectors: FloatArray
    ranks: IntArray

    def scores(self, dim: int, *, whiten: bool = False) -> FloatArray:
        """Return the inner products (b, n-1) of every row but the last with the last, in `dim` directions.

        A row has the coordinates U Σ, or U alone when whitened. Directions beyond the rank are left out.
        """
        kept = np.arange(self.values.shape[1]) < np.minimum(dim, self.ranks)[:, None]
        weights = np.where(kept, 1.0 if whiten else self.values, 0.0)
        return (self.vectors[:, :-1] @ (self.vectors[:, -1] * weights)[:, :, None])[:, :, 0]


def spectrum(gram: FloatArray, noise: FloatArray) -> Spectrum:
    """Return the spectrum of symmetric matrices (b, n, n); eigenvalues up to `noise` (b,) also count as zero."""
    values, vectors = np.linalg.eigh(gram)
    values, vectors = values[:, ::-1], vectors[:, :, ::-1]
    floor = np.maximum(RANK_TOLERANCE * values[:, 0], noise)
    ranks = np.count_nonzero(values > floor[:, None], axis=1)
    return Spectrum(values, vectors, ranks)


def centre(rows: FloatArray) -> FloatArray:
    """Take their mean from rows (b, n, d), in place; return what squares (b,) rounding may leave of equal rows."""
    squares: FloatArray = np.einsum("bnd,bnd->b", rows, rows)
    rows -= rows.mean(axis=1, keepdims=True)
    return 1e-28 * squares


def clamp_warning(reranker: str, dim: int | None, most: int, reason: str) -> tuple[str, ...]:
    """Return the warning that `dim` was cut to `most`, or none where it was not, or where all were asked for."""
    if dim is None or dim <= most:
        return ()
    return (f"{reranker}: dim {dim} clamped to {most}, {reason}",)


def bound_reason(rows: int, width: int) -> str:
    """Return why no more than min(rows - 1, width) directions exist."""
    return f"the most that {rows} centred rows of {width} values allow"
