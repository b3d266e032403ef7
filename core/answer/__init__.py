"""Ways to an answer: read from passages, zero-shot (`sure`, and `reading` to compare it with), or chosen by `pmi`."""

from collections.abc import AsyncGenerator

from ..events import Event
from ..methods import Reads
from ..settings import SureSettings
from .reading import generic_summary, no_retrieval, retrieval
from .sure import sure
from .task import Task

__all__ = ["Task", "answer"]


def answer(reads: Reads, task: Task, chosen: SureSettings, *, stream: bool) -> AsyncGenerator[Event, None]:
    """Return the events by which a method answers `task`, `Answered` at the end. They raise LMError."""
    if reads == "sure":
        return sure(task, chosen.k, chosen.verdict_tokens, stream=stream)
    readers = {"retrieval": retrieval, "no-retrieval": no_retrieval, "generic-summary": generic_summary}
    return readers[reads](task, stream=stream)
