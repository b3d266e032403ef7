"""Modified Gram-Schmidt: each pick takes away what it already tells about the target."""

import numpy as np

from .base import ROUNDING, FloatArray, IntArray, Ranking
from .greedy import Remainder, pick_all


def mgs(rows: FloatArray) -> list[Ranking]:
    """Pick the largest ⟨q_r, e_r⟩, remove that candidate's direction from the target and all candidates, repeat.

    A candidate of which nothing is left has the value 0; several such keep the base order.
    """
    gram = rows @ rows.transpose(0, 2, 1)
    remainder = Remainder(gram)
    lengths = np.sqrt(remainder.squares)
    tolerance = ROUNDING * lengths[:, -1:] * lengths[:, :-1].max(axis=1, keepdims=True)
    values = gram[:, :-1, -1].copy()

    def revalue(step: int, picked: IntArray) -> FloatArray:
        shares = remainder.remove(step, picked)
        values[:] -= shares[:, :-1] * shares[:, -1:]
        values[remainder.spent[:, :-1]] = 0.0
        return values

    return pick_all(values, tolerance, revalue)
