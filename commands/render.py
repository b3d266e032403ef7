"""The one output layer: results to stdout, the rest to stderr, no escape code where none is wanted.

Texts of users, pools and models pass through `printable` or `one_line` and are never read as markup.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from dqlore.core.progress import Progress
from dqlore.core.text import one_line, printable

__all__ = ["Progress", "console", "emit_json", "fancy", "note", "one_line", "printable", "progress", "rows", "warn"]

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def fancy(stream: IO[str]) -> bool:
    """Whether colours and live displays are welcome on `stream`."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") not in (None, "", "dumb")


def console(stream: IO[str] | None = None) -> "Console":
    """Return a Rich console that never reads data as markup, and writes no escape code unless welcome."""
    from rich.console import Console

    stream = stream or sys.stdout
    plain = not fancy(stream)
    return Console(
        file=stream,
        markup=False,
        emoji=False,
        highlight=False,
        no_color=plain,
        force_terminal=False if plain else None,
    )


def emit_json(value: Any) -> None:
    """Print one JSON document on one line. On a terminal every control character is escaped."""
    sys.stdout.write(json.dumps(value, ensure_ascii=sys.stdout.isatty(), allow_nan=False) + "\n")
    sys.stdout.flush()


def note(message: str) -> None:
    """Print a message for people on stderr."""
    print(printable(message), file=sys.stderr)


def warn(messages: Iterable[str]) -> None:
    """Print each warning once on stderr."""
    for message in dict.fromkeys(messages):
        note(f"warning: {message}")


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a Progress that draws bars on a terminal and writes sparse plain lines elsewhere, on stderr."""
    if not fancy(sys.stderr):
        yield _PlainProgress()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=console(sys.stderr), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def draw(stage: str, done: int, total: int | None, /) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)
            if done == total:
                bars.remove_task(tasks.pop(stage))

        yield draw


class _PlainProgress:
    """A line when a stage has taken a while, then every few seconds, and at its end if it was announced."""

    SECONDS = 3.0

    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        self._announced: set[str] = set()

    def __call__(self, stage: str, done: int, total: int | None, /) -> None:
        now = time.monotonic()
        due = self._next.setdefault(stage, now + self.SECONDS)
        finished = done == total
        if now >= due or (finished and stage in self._announced):
            print(f"{stage}: {done}" + (f"/{total}" if total is not None else ""), file=sys.stderr, flush=True)
            self._announced.add(stage)
            self._next[stage] = now + self.SECONDS
        if finished:
            self._next.pop(stage, None)
            self._announced.discard(stage)


#: No column but the last is wider than this on a terminal.
WIDEST_CELL = 28


def rows(header: tuple[str, ...], lines: Iterable[tuple[object, ...]], limit: int | None = None) -> None:
    """Print a table: aligned and cut to the width on a terminal; tab-separated, whole and headless elsewhere."""
    lines = list(lines)
    if not fancy(sys.stdout):
        for line in lines:
            print("\t".join(one_line(str(cell)) for cell in line))
        return
    console().print(_table(header, lines[:limit]))
    if limit is not None and len(lines) > limit:
        print(f"  … {len(lines) - limit} more (--json has all)")


def _table(header: tuple[str, ...], lines: list[tuple[object, ...]]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    for i, name in enumerate(header):
        if i == len(header) - 1:  # the long text at the end gives way, never the figures before it
            table.add_column(Text(name), no_wrap=True, overflow="ellipsis", ratio=1)
        else:
            width = min(WIDEST_CELL, max(len(str(cell)) for cell in (name, *(line[i] for line in lines))))
            table.add_column(Text(name), no_wrap=True, overflow="ellipsis", justify="right", min_width=width)
    for line in lines:
        table.add_row(*(Text(one_line(str(cell))) for cell in line))
    return table
