"""Working through a large batch in cache-sized parts, on all cores.

The matrices of one question are so small that a BLAS library gains nothing from its own threads and, on a busy
machine, loses much by waiting for them. So each part is computed by one thread, and the parts run side by side.
"""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")

PART_VALUES = 2**20
"""Vector values per part: 8 MiB of float64."""

_blas_lock = threading.Lock()


def in_parts(work: Callable[[slice], list[T]], count: int, values_each: int) -> list[T]:
    """Return the results of `work` on slices that cover range(count), in order; `values_each` sizes the parts."""
    size = max(1, PART_VALUES // max(1, values_each))
    parts = [slice(start, min(start + size, count)) for start in range(0, count, size)]
    with _one_blas_thread():
        if len(parts) == 1:
            return work(parts[0])
        with ThreadPoolExecutor(min(len(parts), os.cpu_count() or 1, 8)) as pool:
            return [result for results in pool.map(work, parts) for result in results]


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """The limit holds for the whole process; the lock keeps two batches from restoring each other's."""
    with _blas_lock, _blas().limit(limits=1):
        yield


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController().select(user_api="blas")
