"""history.jsonl: one line per told step, for whoever draws the run while it trains or later."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from ..errors import UsageError
from ..files import write_atomic

HISTORY = "history.jsonl"


@dataclass(frozen=True, slots=True)
class Step:
    """The loss of a step, or the metrics of the held-out anchors after it."""

    step: int
    steps: int
    epoch: float
    loss: float | None = None
    learning_rate: float | None = None
    metrics: dict[str, float] | None = None


class History:
    """Appends to `path` and passes on. What was written after step `start`, where a run goes on, is dropped."""

    def __init__(self, path: Path, start: int, tell: Callable[[Step], None]) -> None:
        self.steps = [step for step in read_history(path) if step.step <= start] if path.exists() else []
        self._path = path
        self._tell = tell
        write_atomic(path, "".join(map(_line, self.steps)))

    def add(self, step: Step) -> None:
        """Take note of a step."""
        self.steps.append(step)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(step))
        self._tell(step)


def read_history(path: Path) -> list[Step]:
    """Return the steps in a history file; a half-written last line is passed over. Raises UsageError."""
    steps = []
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            break
        try:
            steps.append(Step(**json.loads(line)))
        except (ValueError, TypeError):
            raise UsageError(f"{path}, line {number}: no step of a training run; remove the file") from None
    return steps


def _line(step: Step) -> str:
    known = {name: value for name, value in asdict(step).items() if value is not None}
    return json.dumps(known, allow_nan=False) + "\n"
