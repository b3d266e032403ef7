"""Runs questions through the pipeline into states. Every run ends once: done, failed or cancelled."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from dqlore.core.errors import DqloreError
from dqlore.core.events import Event, Query
from dqlore.core.methods import find_method

from .session import Session
from .setup import Setup
from .state import AskState, Phase


class Runner:
    """Asks, answers again and compares; `changed` is called after every event."""

    def __init__(self, session: Session, changed: Callable[[AskState], None]) -> None:
        self.session = session
        self._changed = changed
        self._loading: dict[str, asyncio.Task[None]] = {}

    async def load(self, setup: Setup) -> None:
        """Open what the setup's method needs, once; a failed attempt is made again by the next call."""
        loading = self._loading.get(setup.method)
        if loading is None or _failed(loading):
            for other in list(self._loading.values()):  # two threads must not open one model
                if not other.done():
                    await asyncio.wait([other])
            loading = asyncio.create_task(asyncio.to_thread(self.session.load, setup))
            self._loading[setup.method] = loading
        if not loading.done():
            # A cancelled question must not stop the loading: the next one waits for the same models.
            await asyncio.shield(loading)

    async def ask(self, state: AskState, query: Query, setup: Setup, *, gold: str | None = None) -> None:
        """Run the whole pipeline into `state`."""
        state.start(query, setup, gold=gold)
        self._changed(state)

        async def events() -> AsyncGenerator[Event, None]:
            await self.load(setup)
            pipeline = self.session.pipeline(setup)
            state.kind = pipeline.kind
            state.opened()
            async with aclosing(pipeline.run(query)) as running:
                async for event in running:
                    yield event

        await self._drain(state, events())

    async def answer_again(self, state: AskState) -> None:
        """Ask the final query of `state` with the exemplars or passages as they stand."""
        state.begin_answer()
        self._changed(state)
        passages = [found.passage for found in state.reading.passages]
        await self._drain(state, self.session.pipeline(state.setup).answer(state.query, state.exemplars, passages))

    async def compare(self, state: AskState, other: AskState, method: str) -> None:
        """Ask the question of `state` by another method into `other`; a chain of thought is not asked for twice."""
        cot = state.known_cot or None if find_method(method).dual else None
        setup = state.setup.with_method(method)
        await self.ask(other, replace(state.query, cot=cot), setup, gold=state.gold)

    async def _drain(self, state: AskState, events: AsyncGenerator[Event, None]) -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    state.apply(event)
                    self._changed(state)
                    await asyncio.sleep(0)  # a model that never waits must not shut out the keyboard
        except asyncio.CancelledError:
            state.stop(Phase.CANCELLED)
            raise
        except DqloreError as error:
            state.stop(Phase.FAILED, str(error))
        except Exception as error:  # the question is lost, the session is not
            state.stop(Phase.FAILED, f"unexpected {type(error).__name__}: {error}; please report this")
        finally:
            self._changed(state)


def _failed(task: "asyncio.Task[None]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
