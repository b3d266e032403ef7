"""What every re-ranker returns, and how scores become an order in which ties keep the base order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]

ROUNDING = 1e-13
"""Relative size below which a difference of two float64 inner products is taken for rounding."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The candidates of one question, re-ranked.

    `order` (M,) holds candidate indices, best first. `scores` (M,) is aligned with the candidates, higher is better;
    a greedy re-ranker's score is the value a candidate had when it was picked, so there the order is that of picking.
    `warnings` say where a setting was cut to what the data allow.
    """

    order: IntArray
    scores: FloatArray
    warnings: tuple[str, ...] = ()


def stable_order(scores: FloatArray, tolerance: FloatArray | float) -> IntArray:
    """Return indices (b, M) by falling score (b, M); scores no further apart than `tolerance` keep their order.

    Equal vectors can get scores that differ in the last bits, as their place in a matrix decides how it is summed.
    Neighbours in the sorted row that differ by at most the tolerance are therefore one group, ordered by index.
    `tolerance` is a number, or one per score, or one per row (b, 1).
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    falling = np.take_along_axis(scores, order, axis=1)
    allowed = np.take_along_axis(np.broadcast_to(tolerance, scores.shape), order, axis=1)
    with np.errstate(invalid="ignore"):  # two infinite scores are a tie: their difference, NaN, is no gap
        gaps = falling[:, :-1] - falling[:, 1:] > np.maximum(allowed[:, :-1], allowed[:, 1:])
    groups = np.zeros_like(order)
    np.cumsum(gaps, axis=1, out=groups[:, 1:])
    return np.take_along_axis(order, np.argsort(groups * scores.shape[1] + order, axis=1), axis=1)


def rank_by_score(
    scores: FloatArray,
    tolerance: FloatArray | float,
    warnings: Sequence[tuple[str, ...]] | None = None,
) -> list[Ranking]:
    """Return one `Ranking` per row of `scores` (b, M); `warnings` holds one tuple per row."""
    return rankings(stable_order(scores, tolerance), scores, warnings)


def rankings(
    orders: IntArray,
    scores: FloatArray,
    warnings: Sequence[tuple[str, ...]] | None = None,
) -> list[Ranking]:
    """Return one `Ranking` per row of `orders` and `scores` (both (b, M))."""
    notes = warnings if warnings is not None else [()] * len(orders)
    return [Ranking(*parts) for parts in zip(orders, scores, notes, strict=True)]


def inner_with_target(rows: FloatArray) -> FloatArray:
    """Return the inner products (b, M) of all rows (b, M+1, d) but the last with the last."""
    return (rows[:, :-1] @ rows[:, -1, :, None])[:, :, 0]


def inner_tolerance(rows: FloatArray) -> FloatArray:
    """Return how far rounding can move each of these inner products (b, M)."""
    norms = lengths(rows)
    return ROUNDING * norms[:, :-1] * norms[:, -1:]


def lengths(vectors: FloatArray) -> FloatArray:
    """Return the Euclidean norms (...,) of vectors (..., d)."""
    norms: FloatArray = np.sqrt(np.einsum("...d,...d->...", vectors, vectors))
    return norms


def cosines_of(rows: FloatArray) -> FloatArray:
    """Return the cosines (b, n, n) between rows (b, n, d); those of a zero vector are 0, also with itself."""
    norms = lengths(rows)[..., None]
    unit: FloatArray = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return unit @ unit.transpose(0, 2, 1)


def rows_of(queries: npt.NDArray[Any], candidates: npt.NDArray[Any]) -> FloatArray:
    """Return the M+1 rows [E; q] (b, M+1, d) of each question, the target last, as new float64 values."""
    batch, count, width = candidates.shape
    rows = np.empty((batch, count + 1, width))
    rows[:, :-1] = candidates
    rows[:, -1] = queries
    return rows
