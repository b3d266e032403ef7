"""How a running evaluation looks on stderr: a live line on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dqlore.core.evaluate.tally import Tally
from dqlore.core.text import one_line

from . import render

#: Seconds between two plain lines, and between two drawings of the live one.
PLAIN, LIVE = 5.0, 0.1


@contextmanager
def eval_progress(method: str, path: Path) -> Iterator[Callable[[Tally], None]]:
    """Yield what draws a tally; an interruption says what is kept and how to go on."""
    latest: list[Tally] = []
    try:
        if render.fancy(sys.stderr):
            from rich.live import Live
            from rich.text import Text

            with Live(console=render.console(sys.stderr), auto_refresh=False, transient=True) as live:
                yield _every(LIVE, latest, lambda tally: live.update(Text(line(tally)), refresh=True))
        else:
            yield _every(PLAIN, latest, lambda tally: print(line(tally), file=sys.stderr, flush=True))
    except BaseException:
        if latest:
            done = f"{latest[-1].done} of {latest[-1].total} records of {method} are kept"
            render.note(f"{done}; --resume --out {one_line(str(path))} goes on with them")
        raise


def line(tally: Tally) -> str:
    """Return the state of an evaluation on one line."""
    parts = [f"{tally.method}: {tally.done}/{tally.total}"]
    if tally.judged and tally.done:
        parts.append(f"accuracy {tally.right / tally.done:.3f}")
    if tally.failed:
        parts.append(f"{tally.failed} failed")
    if tally.fresh:
        parts.append(f"{tally.per_second:.2f} questions/s")
    if tally.tokens:
        parts.append(f"{tally.tokens:,} tokens")
    if tally.seconds_left:
        minutes, seconds = divmod(round(tally.seconds_left), 60)
        parts.append(f"{minutes // 60}:{minutes % 60:02}:{seconds:02} left")
    return ", ".join(parts)


def _every(seconds: float, latest: list[Tally], draw: Callable[[Tally], None]) -> Callable[[Tally], None]:
    """Return a callback that draws at most once in `seconds`, and when all is done."""
    due = time.monotonic() + seconds

    def tell(tally: Tally) -> None:
        nonlocal due
        latest[:] = [tally]
        now = time.monotonic()
        if now >= due or (tally.done == tally.total and tally.fresh):
            due = now + seconds
            draw(tally)

    return tell
