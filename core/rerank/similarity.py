"""The re-rankers that compare each candidate with the target alone."""

import numpy as np

from .base import (
    ROUNDING,
    FloatArray,
    Ranking,
    inner_tolerance,
    inner_with_target,
    lengths,
    rank_by_score,
    rankings,
    stable_order,
)
from .settings import positive

GAUSSIAN_SETTINGS = {"sigma": positive(1.0)}


def base_score(rows: FloatArray) -> list[Ranking]:
    """Rank by the inner product ⟨q, e⟩, the score of the first retrieval."""
    return rank_by_score(inner_with_target(rows), inner_tolerance(rows))


def gaussian(rows: FloatArray, *, sigma: float) -> list[Ranking]:
    """Rank by exp(-‖q - e‖² / 2σ²) (DQ-LoRe, eq. 4).

    The order is taken from the distance: σ cannot change it, not even where the exponential underflows to 0.
    """
    distances = lengths(rows[:, :-1] - rows[:, -1:])
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        scores = np.exp(-0.5 * (distances / sigma) ** 2)
        nearness = -np.log(distances)
    return rankings(stable_order(nearness, ROUNDING), scores)
