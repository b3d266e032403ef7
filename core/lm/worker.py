"""The one thread that runs a model: it takes what is waiting, batch by batch."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, Protocol, TypeVar


class Job(Protocol):
    """Work with a result. Cancelling the result takes the job out of the queue, or ends it early."""

    @property
    def result(self) -> "Future[Any]": ...


J = TypeVar("J", bound=Job)


class Worker(Generic[J]):
    """Runs jobs in a thread that lives only while there are any, so that nothing has to be shut down.

    `choose` picks the next batch out of the waiting jobs, oldest first; `run` sets the results of its jobs, or
    raises, and then they all fail with that error.
    """

    def __init__(self, choose: Callable[[Sequence[J]], Sequence[J]], run: Callable[[Sequence[J]], None]) -> None:
        self._choose = choose
        self._run = run
        self._waiting: list[J] = []
        self._running: Sequence[J] = ()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, jobs: Sequence[J]) -> None:
        """Queue the jobs. May be called from any thread."""
        with self._lock:
            self._waiting += jobs
            if self._waiting and self._thread is None:
                self._thread = threading.Thread(target=self._work, name="dqlore-lm")
                self._thread.start()

    def cancel_all(self) -> None:
        """Cancel what waits and what runs, and return when the thread has ended."""
        with self._lock:
            thread = self._thread
            for job in (*self._waiting, *self._running):
                job.result.cancel()
        if thread:
            thread.join()

    def _work(self) -> None:
        while batch := self._next_batch():
            try:
                self._run(batch)
            except BaseException as error:
                for job in batch:
                    if not job.result.done():
                        job.result.set_exception(error)

    def _next_batch(self) -> Sequence[J]:
        with self._lock:
            self._waiting = [job for job in self._waiting if not job.result.cancelled()]
            self._running = ()
            if not self._waiting:
                self._thread = None
                return ()
            waiting = list(self._waiting)
        batch = self._choose(waiting)
        with self._lock:
            self._running = batch
            chosen = set(map(id, batch))
            self._waiting = [job for job in self._waiting if id(job) not in chosen]
        return batch
