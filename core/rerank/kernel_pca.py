"""PCA in the space of the Gaussian kernel: eq. 4 and low-rank approximation joined."""

import numpy as np

from .base import ROUNDING, FloatArray, Ranking, rank_by_score
from .settings import positive, whole_number
from .spectrum import centre, clamp_warning, spectrum

SETTINGS = {"dim": whole_number(None), "sigma": positive(1.0)}


def kernel_pca(rows: FloatArray, *, dim: int | None, sigma: float) -> list[Ranking]:
    """Rank by the inner product in the first `dim` directions of K = exp(-‖x - y‖² / 2σ²) on the rows [E; q]."""
    noise = centre(rows)
    gram = rows @ rows.transpose(0, 2, 1)
    squares = np.diagonal(gram, axis1=1, axis2=2)
    distances = np.maximum(squares[:, :, None] + squares[:, None, :] - 2 * gram, 0.0)
    with np.errstate(over="ignore"):  # a distance too large for its sigma has the kernel value 0
        exponents = distances / sigma / sigma / 2
        spread = squares.max(axis=1) / sigma / sigma / 2
        noise = noise / sigma / sigma / 2
    kernel = np.expm1(-exponents)  # K - 1 has the same centred form, and stays exact where sigma is large
    kernel -= kernel.mean(axis=1, keepdims=True)
    kernel -= kernel.mean(axis=2, keepdims=True)
    count = rows.shape[1] - 1
    scale = np.trace(kernel, axis1=1, axis2=2)
    tolerance = (ROUNDING * scale * (1 + np.minimum(spread, 1e6)))[:, None]  # the exponent magnifies rounding
    if dim is None or dim >= count:
        notes = clamp_warning("kernel-pca", dim, count, f"the most that {count + 1} rows allow")
        return rank_by_score(kernel[:, :-1, -1], tolerance, [notes] * len(rows))
    parts = spectrum(kernel, noise)
    reason = f"the rank of the kernel of {count + 1} rows"
    warnings = [clamp_warning("kernel-pca", dim, rank, reason) for rank in parts.ranks]
    return rank_by_score(parts.scores(dim), tolerance, warnings)
