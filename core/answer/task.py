"""One question to answer from passages, and how models are asked about it: at once, with what fits the window."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from ..errors import ContextOverflow
from ..events import Notice, PromptBuilt, Query
from ..lm.base import LM, Completion, Sampling
from ..passages import Passage
from ..prompts import Prompt
from ..tasks import extract_answer
from ..together import together

Passages = tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A question with its passages, best first, and the model. `limit` narrows the prompt below the window."""

    query: Query
    passages: Passages
    lm: LM
    kind: str
    sampling: Sampling
    limit: int | None = None

    def read(self, reply: str, *, stated_only: bool = False) -> str | None:
        """Return the answer that a reply gives, None for none."""
        return extract_answer(self.kind, reply, self.query.options, stated_only=stated_only)


async def complete(lm: LM, prompts: Sequence[Prompt], sampling: Sampling) -> list[Completion]:
    """Return one reply to each prompt, all asked at the same time."""
    one = replace(sampling, n=1)
    return [replies[0] for replies in await together(lm.complete(prompt, one) for prompt in prompts)]


async def complete_fitting(
    task: Task, prompts: Callable[[Passages], Sequence[Prompt]]
) -> tuple[list[Completion], Task, list[Notice]]:
    """Return one reply to each prompt about the task's passages, and the task with the passages that were read.

    Whole passages that do not fit are dropped, the lowest-ranked first, and a notice says so; also where only the
    server knows. Raises LMError, ContextOverflow if the prompt is too long without any passage.
    """
    notices: list[Notice] = []
    task = _fitted(task, lambda passages: _longest(task.lm, prompts(passages)), notices)
    while True:
        try:
            return await complete(task.lm, prompts(task.passages), task.sampling), task, notices
        except ContextOverflow as overflow:
            task = _shorter(task, overflow, notices)


async def stream_fitting(
    task: Task, prompt: Callable[[Passages], Prompt], *, stream: bool
) -> AsyncGenerator[str | Completion | PromptBuilt | Notice, None]:
    """Yield the prompt that fits and the pieces of its reply, or, without `stream`, `sampling.n` whole replies."""
    whole = len(task.passages)
    notices: list[Notice] = []
    task = _fitted(task, lambda passages: task.lm.count_tokens(prompt(passages)), notices)
    while True:
        built = prompt(task.passages)
        for notice in notices:
            yield notice
        notices.clear()
        yield PromptBuilt(built, whole - len(task.passages), task.lm.count_tokens(built))
        try:
            if not stream:
                for completion in await task.lm.complete(built, task.sampling):
                    yield completion
                return
            async with aclosing(task.lm.stream(built, task.sampling)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        except ContextOverflow as overflow:
            task = _shorter(task, overflow, notices)


def _longest(lm: LM, prompts: Sequence[Prompt]) -> int | None:
    counts = [lm.count_tokens(prompt) for prompt in prompts]
    return None if None in counts else max(filter(None, counts), default=0)


def _fitted(task: Task, count: Callable[[Passages], int | None], notices: list[Notice]) -> Task:
    """Return the task with as many of its best passages as leave room for the reply."""
    window = task.lm.context_window
    rooms = [room for room in (task.limit, window and window - task.sampling.max_tokens) if room is not None]
    if not rooms:
        return task
    kept = len(task.passages)
    while kept and (tokens := count(task.passages[:kept])) is not None and tokens > min(rooms):
        kept -= 1
    return _with_first(task, kept, notices)


def _shorter(task: Task, overflow: ContextOverflow, notices: list[Notice]) -> Task:
    """Return the task with half of its passages after a server refused them all."""
    if not task.passages:
        raise overflow
    return _with_first(task, len(task.passages) // 2, notices)


def _with_first(task: Task, kept: int, notices: list[Notice]) -> Task:
    if kept < (had := len(task.passages)):
        notices.append(Notice(f"{had - kept} of {had} passages dropped: the prompt was too long"))
    return replace(task, passages=task.passages[:kept])
