"""FAISS, the library that finds the nearest vectors; nothing else imports it.

On macOS, the OpenMP of FAISS and that of torch clash in one process unless FAISS stays with one thread; on Linux both
use GNU OpenMP and get along.
"""

import sys
from typing import Any

import numpy as np

from ..encoder.base import Vectors

#: Links per vector of the HNSW graph, and how many vectors its search keeps in view, at least.
_LINKS, _IN_VIEW = 32, 128


def flat_engine(vectors: Vectors) -> Any:
    """Return an exact inner-product index of (n, d) vectors, or None where FAISS cannot be imported."""
    faiss = _faiss()
    if faiss is None:
        return None
    engine = faiss.IndexFlatIP(vectors.shape[1])
    engine.add(np.ascontiguousarray(vectors))
    return engine


def graph_bytes(vectors: Vectors) -> bytes | None:
    """Return an HNSW graph of (n, d) vectors, serialized, or None where FAISS cannot be imported."""
    faiss = _faiss()
    if faiss is None:
        return None
    engine = faiss.IndexHNSWFlat(vectors.shape[1], _LINKS, faiss.METRIC_INNER_PRODUCT)
    engine.add(np.ascontiguousarray(vectors))
    return bytes(faiss.serialize_index(engine))


def graph_engine(raw: bytes, shape: tuple[int, ...]) -> Any:
    """Return the index that `graph_bytes` wrote for vectors of `shape`. Raises ValueError if it is not that.

    Bytes, not a path: FAISS opens no path with other than ASCII characters on every system.
    """
    faiss = _faiss()
    if faiss is None:
        return None
    try:
        engine = faiss.deserialize_index(np.frombuffer(raw, dtype=np.uint8))
    except RuntimeError:
        raise ValueError("index.faiss is not what was written") from None
    if (engine.ntotal, engine.d) != shape:
        raise ValueError("index.faiss is of another size than the vectors")
    return engine


def find(engine: Any, queries: Vectors, k: int, allowed: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and positions (b, k) of the `allowed` rows (bool mask), best first; -1 where there are fewer."""
    faiss = _faiss()
    selected = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little")) if allowed is not None else None
    if isinstance(engine, faiss.IndexFlat):
        params = faiss.SearchParameters(sel=selected)
    else:
        params = faiss.SearchParametersHNSW(sel=selected, efSearch=max(_IN_VIEW, 2 * k))
    scores, positions = engine.search(queries, k, params=params)
    return scores, positions


def is_exact(engine: Any) -> bool:
    """Return whether the engine compares a query with every row."""
    return isinstance(engine, _faiss().IndexFlat)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        return None
    if sys.platform == "darwin":
        faiss.omp_set_num_threads(1)
    return faiss
