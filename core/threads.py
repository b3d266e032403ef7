"""Threads that compute side by side, for work that falls into parts of its own."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Protocol, TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


class Map(Protocol):
    """What `map` does."""

    def __call__(self, work: Callable[[Part], Result], parts: Iterable[Part], /) -> Iterator[Result]: ...


@contextmanager
def parallel_map(parts: int) -> Iterator[Map]:
    """A `map` with a worker for each part, but no more than torch has threads; they divide its threads among them.

    Left to torch, the threads would wait for one another after every small step, which costs a seventh of the time,
    and on a busy machine more than the step. An error or an interrupt calls off what has not begun.
    """
    import torch

    threads = torch.get_num_threads()
    workers = min(parts, threads)
    if workers < 2:
        yield map
        return
    started = Barrier(workers + 1)

    def begin() -> None:
        torch.get_num_threads()  # a thread takes over the process's setting when it first asks; not after its own
        torch.set_num_threads(threads // workers)
        started.wait()

    pool = ThreadPoolExecutor(workers, initializer=begin)
    try:
        for _ in range(workers):
            pool.submit(int)  # starts one: none is idle before all are there
        started.wait()
        torch.set_num_threads(threads)  # a worker's setting is also what threads made later start with
        yield pool.map
    finally:
        started.abort()  # nobody waits for a worker that never came
        pool.shutdown(cancel_futures=True)
