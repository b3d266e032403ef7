"""From the pieces of a reply to the events that tell of them, for exemplars and passages alike."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

from .events import Answered, AnswerToken, Event, Notice, PromptBuilt
from .lm.base import Completion


class Read(Protocol):
    """Returns the answer that a reply gives, None for none; of a cut reply only what it states counts."""

    def __call__(self, reply: str, *, stated_only: bool) -> str | None: ...


async def answer_events(
    asking: AsyncGenerator[str | Completion | PromptBuilt | Notice, None], read: Read
) -> AsyncGenerator[Event, None]:
    """Yield an `AnswerToken` for each piece and an `Answered` for each whole reply; all else goes through."""
    started = time.perf_counter()
    async with aclosing(asking) as replies:
        async for item in replies:
            if isinstance(item, str):
                yield AnswerToken(item)
            elif isinstance(item, Completion):
                cut = item.finish_reason == "length"
                if cut:
                    yield Notice("the reply was cut off at lm.max_tokens")
                yield Answered(item, read(item.text, stated_only=cut), time.perf_counter() - started)
            else:
                yield item
