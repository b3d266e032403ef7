"""Short ways to ask a model in tests."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from dqlore.core.lm.base import LM, Completion, Sampling
from dqlore.core.lm.openai import Endpoint, OpenAILM
from dqlore.core.prompts import Prompt

T = TypeVar("T")

GREEDY = Sampling()


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(work, 120))


def model(url: str, **fields: Any) -> OpenAILM:
    """Return a model at `url` that is impatient enough for tests."""
    return OpenAILM(Endpoint("tiny", url, **{"max_wait": 0.05, "max_retries": 2, "idle_timeout": 5, **fields}))


def complete(lm: LM, prompt: Prompt | str = "How many?", sampling: Sampling = GREEDY) -> list[Completion]:
    """Ask once and close."""

    async def ask() -> list[Completion]:
        try:
            return await lm.complete(_prompt(prompt), sampling)
        finally:
            await lm.aclose()

    return run(ask())


def streamed(
    lm: LM, prompt: Prompt | str = "How many?", sampling: Sampling = GREEDY, pieces: list[str] | None = None
) -> tuple[list[str], Completion]:
    """Return the pieces of a stream and its completion; `pieces` keeps them when the stream fails."""
    seen = [] if pieces is None else pieces

    async def ask() -> Completion:
        try:
            async with aclosing(lm.stream(_prompt(prompt), sampling)) as items:
                async for item in items:
                    if isinstance(item, Completion):
                        return item
                    seen.append(item)
            raise AssertionError("the stream ended without a completion")
        finally:
            await lm.aclose()

    return seen, run(ask())


def _prompt(prompt: Prompt | str) -> Prompt:
    return Prompt(prompt) if isinstance(prompt, str) else prompt
