"""Independent components: the inner product of the components that FastICA finds.

FastICA whitens the centred rows, scales them to unit variance, and then only turns them: its unmixing matrix is
orthogonal at every step, converged or not. Turning changes no inner product. So the score is known without the
search: it is that of the whitened rows, whatever the seed, the contrast function or the number of iterations.
"""

import numpy as np

from .base import ROUNDING, FloatArray, Ranking, rank_by_score
from .settings import whole_number
from .spectrum import Spectrum, centre, clamp_warning, spectrum

SETTINGS = {"dim": whole_number(16)}


def ica(rows: FloatArray, *, dim: int | None) -> list[Ranking]:
    """Rank by the inner product of `dim` independent components of the rows [E; q], each of unit variance.

    Components that span all the rows set them equally far apart: from M components on, all candidates tie.
    """
    noise = centre(rows)
    parts = spectrum(rows @ rows.transpose(0, 2, 1), noise)
    count = rows.shape[1]
    kept = dim or count
    scores = count * parts.scores(kept, whiten=True)
    all_tie = "; so many leave all candidates equal, in base order"
    warnings = [
        clamp_warning("ica", dim, rank, f"the rank of {count} rows" + (all_tie if rank == count - 1 else ""))
        for rank in parts.ranks
    ]
    return rank_by_score(scores, _tolerance(parts, kept), warnings)


def _tolerance(parts: Spectrum, kept: int) -> FloatArray:
    """Whitening also magnifies the rounding in the smallest direction kept."""
    last = np.clip(np.minimum(kept, parts.ranks) - 1, 0, None)[:, None]
    smallest = np.take_along_axis(parts.values, last, axis=1)
    largest = parts.values[:, :1]
    count = parts.values.shape[1]
    magnified: FloatArray = np.divide(largest, smallest, out=np.ones_like(largest), where=smallest > 0)
    magnified *= ROUNDING * count
    return magnified
