"""How a running training looks on stderr: live with the curve of the loss on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from dqlore.core.progress import Progress

from . import render

if TYPE_CHECKING:
    from dqlore.core.train.history import Step

#: Seconds between two plain lines, and between two drawings of the live one.
PLAIN, LIVE = 5.0, 0.2

#: Characters of the curve.
WIDTH = 40
_BARS = "▁▂▃▄▅▆▇█"


@contextmanager
def train_progress(out: Path) -> Iterator[tuple[Progress, "Callable[[Step], None]"]]:
    """Yield what draws the stages and what draws the steps of the fit; an interruption says how to go on."""
    started = False

    def noted(lines: Lines) -> "tuple[Progress, Callable[[Step], None]]":
        def stage(stage: str, done: int, total: int | None, /) -> None:
            nonlocal started
            started |= stage in ("score", "score sets") and done > 0
            lines.stage(stage, done, total)

        def step(step: "Step") -> None:
            nonlocal started
            started = True
            lines.step(step)

        return stage, step

    try:
        if render.fancy(sys.stderr):
            from rich.live import Live
            from rich.text import Text

            with Live(console=render.console(sys.stderr), auto_refresh=False, transient=True) as live:
                yield noted(Lines(LIVE, lambda line: live.update(Text(line), refresh=True)))
        else:
            yield noted(Lines(PLAIN, lambda line: print(line, file=sys.stderr, flush=True)))
    except BaseException:
        if started:
            render.note(f"what is done is kept; --resume --out {render.one_line(str(out))} goes on with it")
        raise


class Lines:
    """Turns progress into lines, at most one in `every` seconds and one at the end of what took longer."""

    def __init__(self, every: float, draw: Callable[[str], None]) -> None:
        self._every = every
        self._draw = draw
        self._due = time.monotonic() + every
        self._stage = ""
        self._begun = (0, 0.0)  # what a stage had done when it was first told, and when that was
        self._drawn = False
        self._losses: list[float] = []
        self._held_out = ""

    def stage(self, stage: str, done: int, total: int | None, /) -> None:
        """Tell of a stage; see `core.progress`."""
        self._tell(stage, done, total, "pairs" if stage == "score" else "", "")

    def step(self, step: "Step") -> None:
        """Tell of a step of the fit."""
        if step.loss is not None:
            self._losses.append(step.loss)
        if step.metrics is not None:
            self._held_out = ", held-out " + " ".join(f"{name} {value:.3f}" for name, value in step.metrics.items())
        curve = f", loss {self._losses[-1]:.3f} {sparkline(self._losses, WIDTH)}" if self._losses else ""
        self._tell("fit", step.step, step.steps, "steps", curve + self._held_out)

    def _tell(self, stage: str, done: int, total: int | None, unit: str, more: str) -> None:
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._begun, self._drawn, self._due = stage, (done, now), False, now + self._every
        finished = done == total
        if now < self._due and not (finished and self._drawn):
            return
        self._due, self._drawn = now + self._every, not finished
        line = f"{stage}: {done}" + (f"/{total}" if total is not None else "")
        fresh, seconds = done - self._begun[0], now - self._begun[1]
        if fresh > 0 and seconds > 0:
            line += f", {fresh / seconds:.1f} {unit}/s" if unit else ""
            if total is not None and not finished:
                minutes, left = divmod(round((total - done) * seconds / fresh), 60)
                line += f", {minutes // 60}:{minutes % 60:02}:{left:02} left"
        self._draw(line + more)


def sparkline(values: Sequence[float], width: int) -> str:
    """Return the values as bars between their least and their greatest; neighbours are averaged to fit `width`."""
    count = min(width, len(values))
    edges = [round(i * len(values) / count) for i in range(count + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in pairwise(edges)]
    low, high = min(means), max(means)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((mean - low) * scale)] for mean in means)
