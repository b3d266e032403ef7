"""Determinantal point process, as CEIL selects exemplars: sets that are relevant and diverse at once.

For a set Y, log det L_Y = Σ 2 log r_j + log det S_Y. The greedy search works with this sum and the Cholesky
decomposition of S alone, so that no λ, however small, overflows.
"""

import math

import numpy as np

from .base import ROUNDING, FloatArray, IntArray, Ranking, cosines_of
from .greedy import SPENT, Remainder, pick_all
from .settings import positive

SETTINGS = {"lam": positive(0.1)}

LEAST_GAIN = math.log(SPENT / 2)
"""Below the gain of anything with volume left: relevance is at least 0, and S has at least 1/2 on its diagonal."""


def dpp(rows: FloatArray, *, lam: float) -> list[Ranking]:
    """Pick the largest gain in log det L, L = diag(r) S diag(r), repeat: greedy MAP.

    S = (cos + 1) / 2 between candidates, r = exp((cos(q, e) + 1) / 4λ). The score is the gain when picked. What adds
    no volume (its gain is minus infinity) comes after all that does, in base order, with the score LEAST_GAIN, below
    every other. The cosine with a zero vector is 0, also its own.
    """
    similarity = (cosines_of(rows) + 1) / 2
    remainder = Remainder(similarity[:, :-1, :-1])
    relevance = similarity[:, :-1, -1] / lam

    def gains() -> FloatArray:
        volumes = np.where(remainder.spent, 1.0, remainder.squares)
        return np.where(remainder.spent, LEAST_GAIN, relevance + np.log(volumes))

    def revalue(step: int, picked: IntArray) -> FloatArray:
        remainder.remove(step, picked)
        return gains()

    return pick_all(gains(), ROUNDING * (1 + 1 / lam), revalue)
