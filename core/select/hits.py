"""What a retriever returns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Hits:
    """Per query, the pool positions found, best first, and their scores (higher is better, aligned with positions)."""

    positions: list[IntArray]
    scores: list[FloatArray]
