"""Running the pipeline from a command."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dqlore.core.parts import Parts

T = TypeVar("T")


def run(parts: "Parts", work: Coroutine[Any, Any, T]) -> T:
    """Await `work` in a loop of its own, and close the models it opened before that loop ends."""

    async def closing() -> T:
        try:
            return await work
        finally:
            await parts.aclose()

    return asyncio.run(closing())
