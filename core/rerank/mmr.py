"""Maximal marginal relevance, as RefPyDST selects exemplars: near the target, unlike those already picked."""

import numpy as np

from .base import ROUNDING, FloatArray, IntArray, Ranking, cosines_of
from .greedy import pick_all
from .settings import not_negative

SETTINGS = {"alpha": not_negative(0.3)}


def mmr(rows: FloatArray, *, alpha: float) -> list[Ranking]:
    """Pick the largest cos(q, e) - α Σ cos(e, s) over the s already picked, repeat. α = 0 is the plain cosine order.

    The cosine with a zero vector is 0.
    """
    cosines = cosines_of(rows)
    likeness, values = cosines[:, :-1, :-1], cosines[:, :-1, -1].copy()
    questions = np.arange(len(rows))

    def revalue(step: int, picked: IntArray) -> FloatArray:
        values[:] -= alpha * likeness[questions, picked]
        return values

    return pick_all(values, ROUNDING * (1 + alpha * values.shape[1]), revalue)
