"""Threads that compute side by side, for work that falls into parts of its own."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager


@contextmanager
def parallel_workers(parts: int) -> Iterator[Executor]:
    """As many workers as there are parts, but no more than torch has threads; they divide its threads among them.

    Left to torch, the threads would wait for one another after every small step, which costs a seventh of the time,
    and on a busy machine more than the step. An error or an interrupt calls off what has not begun.
    """
    import torch

    threads = torch.get_num_threads()
    workers = max(1, min(parts, threads))
    pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(threads // workers,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)  # a worker's setting is also what threads made later start with
