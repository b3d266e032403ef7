"""What a retriever returns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hits:
    """Per query, the pool positions found, best first, and their scores (aligned; higher is better)."""

    positions: list[IntArray]
    scores: list[FloatArray]
