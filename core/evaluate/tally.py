"""How far an evaluation is: what a progress display shows."""

import time
from dataclasses import dataclass, field

from .records import FAILED, RIGHT, Record


@dataclass
class Tally:
    """Counts of one method's run. `done` includes the `before` that an earlier session had answered."""

    method: str
    total: int
    judged: bool = True
    done: int = 0
    before: int = 0
    right: int = 0
    failed: int = 0
    tokens: int = 0
    last_error: str = ""
    started: float = field(default_factory=time.monotonic)

    def add_earlier(self, row: Record) -> None:
        """Count a record of an earlier session."""
        self._add(row)
        self.before += 1

    def add(self, row: Record) -> None:
        """Count a record of this session."""
        self._add(row)
        self.tokens += sum(row["usage"][kind] or 0 for kind in ("prompt_tokens", "completion_tokens"))

    def _add(self, row: Record) -> None:
        self.done += 1
        self.right += row["status"] == RIGHT
        if row["status"] == FAILED:
            self.failed += 1
            self.last_error = row["error"]

    @property
    def fresh(self) -> int:
        """Questions answered in this session."""
        return self.done - self.before

    @property
    def per_second(self) -> float:
        """Questions a second in this session."""
        return self.fresh / max(time.monotonic() - self.started, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        """Seconds to go at this rate, None before the first answer."""
        return (self.total - self.done) / self.per_second if self.fresh else None
