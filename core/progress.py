"""How core tells of long work: it reports, the caller draws."""

from typing import Protocol


class Progress(Protocol):
    """Called as work advances. `total` is None while the amount of work is unknown."""

    def __call__(self, stage: str, done: int, total: int | None, /) -> None: ...


def silent(stage: str, done: int, total: int | None, /) -> None:
    """Report nothing."""
