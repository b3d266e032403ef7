"""Join calls that come one by one into batches, without waiting for a batch to fill."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batcher(Generic[Item, Result]):
    """Runs `work` in a thread, one batch at a time; what comes meanwhile makes the next batch, of at most `most`.

    `work` returns one result an item, in order. What it raises is raised to every caller of that batch. The thread is
    always the same one: a model that works in many threads keeps memory in each of them.
    """

    def __init__(self, work: Callable[[list[Item]], list[Result]], most: int = 64) -> None:
        self._work = work
        self._most = most
        self._thread = ThreadPoolExecutor(1)
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, item: Item) -> Result:
        """Return the result of `item`."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await future

    async def _run(self) -> None:
        await asyncio.sleep(0)  # calls that are ready at the same moment go together
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                loop = asyncio.get_running_loop()
                results = await loop.run_in_executor(self._thread, self._work, [item for item, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), result in zip(batch, results, strict=True):
                if not future.done():  # its caller may have been cancelled
                    future.set_result(result)
