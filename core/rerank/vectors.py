"""The check of vectors that come from outside: shape, number type, finite values."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError

LARGEST = 1e100
"""Larger values are refused: their products would leave the range of float64."""


def vectors_of(name: str, value: npt.ArrayLike, axes: tuple[str, ...]) -> npt.NDArray[Any]:
    """Return `value` as an array with one axis per name in `axes`; no rows at all are allowed, rows of no values not.

    Raises UsageError that names the array, and the row where a value is NaN, infinite or above 1e100 in size.
    """
    shape = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    try:
        array = np.asarray(value)
    except ValueError:
        raise UsageError(f"{name} must be numbers of shape {shape}; the rows differ in length.") from None
    if array.shape == (0,):  # an empty list says nothing about the other axes
        array = array.reshape((0,) * len(axes))
    if array.dtype.kind not in "fiu":
        raise UsageError(f"{name} must be real numbers of shape {shape}, not {array.dtype}.")
    if array.ndim != len(axes) or (array.shape[-1] == 0 and 0 not in array.shape[:-1]):
        raise UsageError(f"{name} must have the shape {shape}, not {array.shape}.")
    if array.size and not (
        float(array.max()) <= LARGEST and float(array.min()) >= -LARGEST
    ):  # NaN fails both comparisons
        first = tuple(np.argwhere(~(np.abs(array.astype(np.float64)) <= LARGEST))[0])
        raise UsageError(
            f"{name}{_place(axes, first)}: {array[first]} is not a finite number of at most 1e100 in size."
        )
    return array


def _place(axes: tuple[str, ...], index: tuple[int, ...]) -> str:
    if axes[:-1] == ("b", "M"):
        return f", question {index[0]}, row {index[1]}"
    return f", row {index[0]}" if len(axes) > 1 else ""
