"""FAISS, the library that finds the nearest vectors; nothing else imports it.

On macOS, the OpenMP of FAISS and that of torch clash in one process unless FAISS stays with one thread; on Linux both
use GNU OpenMP and get along.
"""

import sys
from typing import Any

import numpy as np

from ..encoder.base import Vectors
from .hits import IntArray


def flat_engine(vectors: Vectors) -> Any:
    """Return an exact inner-product index of (n, d) vectors, or None where FAISS cannot be imported."""
    faiss = _faiss()
    if faiss is None:
        return None
    engine = faiss.IndexFlatIP(vectors.shape[1])
    engine.add(np.ascontiguousarray(vectors))
    return engine


def find(engine: Any, queries: Vectors, k: int) -> IntArray:
    """Return the positions (b, k) of the best rows, best first; -1 where there are fewer."""
    positions: IntArray = engine.search(queries, k)[1]
    return positions


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        return None
    if sys.platform == "darwin":
        faiss.omp_set_num_threads(1)
    return faiss
