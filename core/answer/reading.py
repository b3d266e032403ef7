"""What sure is compared with: the answer read from the passages, from one summary of them, or from nothing."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from ..events import Answered, Event, Summarized
from ..prompts import Prompt
from ..replying import answer_events
from . import prompts
from .task import Passages, Task, complete_fitting, stream_fitting


def retrieval(task: Task, *, stream: bool = False) -> AsyncGenerator[Event, None]:
    """Read the answer from the passages. One call."""
    return _ask(task, lambda some: prompts.answer(task.query, some), stream)


def no_retrieval(task: Task, *, stream: bool = False) -> AsyncGenerator[Event, None]:
    """Ask the question alone, in the same words. One call."""
    return _ask(task, lambda _: prompts.answer(task.query, ()), stream)


async def generic_summary(task: Task, *, stream: bool = False) -> AsyncGenerator[Event, None]:
    """Summarize the passages with the question in mind but no answer, and read the answer from that. Two calls.

    Of several sampled answers the first carries the call of the summary, which they share.
    """
    started = time.perf_counter()
    summaries, task, notices = await complete_fitting(task, lambda some: [prompts.summary(task.query, some)])
    for notice in notices:
        yield notice
    yield Summarized((), tuple(summaries), time.perf_counter() - started)
    text = summaries[0].text.strip()
    task, before = replace(task, passages=()), tuple(summaries)  # the passages are not in the prompt
    async with aclosing(_ask(task, lambda _: prompts.answer_from(task.query, text), stream)) as events:
        async for event in events:
            if isinstance(event, Answered):
                steps, before = (*before, event.completion), ()
                event = replace(event, steps=steps, seconds=time.perf_counter() - started)
            yield event


def _ask(task: Task, prompt: Callable[[Passages], Prompt], stream: bool) -> AsyncGenerator[Event, None]:
    return answer_events(stream_fitting(task, prompt, stream=stream), task.read)
