"""Picking candidates one after another, each pick changing what the others are worth."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .base import FloatArray, IntArray, Ranking, rankings

SPENT = 1e-12
"""Share of its squared length below which what is left of a vector is rounding: it adds nothing new."""


def pick_all(
    values: FloatArray,
    tolerance: FloatArray | float,
    revalue: Callable[[int, IntArray], FloatArray],
) -> list[Ranking]:
    """Pick every candidate, the most valuable first; among equals (within `tolerance`) the first in base order.

    `values` (b, M) hold before the first pick. After each, `revalue(step, picked)` gets the indices (b,) just picked
    and returns the new values (b, M). A candidate's score is its value when it was picked.
    """
    batch, count = values.shape
    rows = np.arange(batch)
    orders = np.empty((batch, count), dtype=np.intp)
    scores = np.empty((batch, count))
    picked_before = np.zeros((batch, count), dtype=bool)
    for step in range(count):
        open_values = np.where(picked_before, -np.inf, values)
        best = open_values.max(axis=1, keepdims=True)
        picked = (open_values >= best - tolerance).argmax(axis=1)
        orders[:, step] = picked
        scores[rows, picked] = values[rows, picked]
        picked_before[rows, picked] = True
        if step + 1 < count:
            values = revalue(step, picked)
    return rankings(orders, scores)


class Remainder:
    """What is left of vectors when the directions of picked ones are removed, kept as inner products.

    Only their Gram matrices (b, n, n) are needed: removing a vector's direction from all others is one step of a
    pivoted Cholesky decomposition. `squares` (b, n) are the squared lengths of what is left.
    """

    def __init__(self, gram: FloatArray) -> None:
        self._gram = gram
        self._removed = np.zeros_like(gram)
        self.squares = np.diagonal(gram, axis1=1, axis2=2).copy()
        self._floor = SPENT * self.squares

    @property
    def spent(self) -> npt.NDArray[np.bool_]:
        """Tell (b, n) of which vectors nothing is left."""
        return self.squares <= self._floor

    def remove(self, step: int, picked: IntArray) -> FloatArray:
        """Remove the directions of the picked vectors (b,) and return every vector's share (b, n) in them.

        A spent vector has no direction: every share in it is 0.
        """
        rows = np.arange(len(picked))
        before = self._removed[:, :step]
        along = self._gram[rows, picked] - (before[rows, :, picked][:, None, :] @ before)[:, 0]
        left = np.where(self.spent[rows, picked], np.inf, self.squares[rows, picked])
        shares = along / np.sqrt(left)[:, None]
        self._removed[:, step] = shares
        self.squares -= shares**2
        return shares
