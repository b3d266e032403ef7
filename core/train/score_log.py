"""Every score as soon as it is known, so that a killed run goes on where it stopped.

The first line says what is scored by what; each other line holds the pairs of one unit of work:
{"unit": 3, "pairs": [[anchor, candidate, log-likelihood, tokens, cut], …]}. A line that was cut at the end is taken
out, and its unit scored again.
"""

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from ..errors import UsageError
from ..lm.base import LogLikelihood
from .stages import refuse_changes, told

#: Ids of an anchor and of a candidate.
Pair = tuple[str, str]


class ScoreLog:
    """The log at `path`, open for writing by this process alone. A context manager."""

    def __init__(self, path: Path, key: Mapping[str, Any], units: Sequence[Sequence[Pair]]) -> None:
        """Open the log of these units of work; `done` holds the scores of those that are finished, by their number.

        Raises UsageError if the log holds scores of other pairs or by other means, or another process writes it;
        DqloreError where it cannot be written.
        """
        self.path = path
        self.done: dict[int, list[LogLikelihood]] = {}
        self._units = units
        self._file: BinaryIO | None = None
        with told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(path.with_name(f".{path.name}.lock"))
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                raise UsageError(f"another process is writing {path}; wait for it, or name another --out") from None
            try:
                end = self._read(key) if path.exists() else 0
                self._file = path.open("r+b" if path.exists() else "wb")
                self._file.truncate(end)
                self._file.seek(end)
                if not end:
                    self._append({"made_with": key})
            except BaseException:
                self.close()
                raise

    def append(self, unit: int, scores: Sequence[LogLikelihood]) -> None:
        """Add the scores of a unit; they are whole in the file when this returns, also if the process dies then."""
        scored = zip(self._units[unit], scores, strict=True)
        pairs = [[*pair, score.total, score.tokens, score.cut] for pair, score in scored]
        with told(self.path):
            self._append({"unit": unit, "pairs": pairs})
        self.done[unit] = list(scores)

    def close(self) -> None:
        """Let go of the file. What `append` has written is in it; where that failed, it has said so."""
        if self._file is not None:
            with contextlib.suppress(OSError), self._file:
                os.fsync(self._file.fileno())
            self._file = None
        self._lock.release()

    def __enter__(self) -> "ScoreLog":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, row: Mapping[str, Any]) -> None:
        assert self._file is not None
        self._file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        self._file.flush()

    def _read(self, key: Mapping[str, Any]) -> int:
        """Take in the finished units; return where the last whole line ends, in bytes."""
        end = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                where = f"{self.path}, line {number}"
                try:
                    row = json.loads(line)
                    if number == 1:
                        refuse_changes(self.path, row["made_with"], key)
                    else:
                        self.done[row["unit"]] = self._scores(row)
                except (ValueError, KeyError, TypeError, IndexError, RecursionError):
                    raise UsageError(
                        f"{where}: not a line of scores for these pairs; take it out to have its pairs scored again"
                    ) from None
                end += len(line)
        return end

    def _scores(self, row: Mapping[str, Any]) -> list[LogLikelihood]:
        pairs = row["pairs"]
        if [tuple(pair[:2]) for pair in pairs] != list(self._units[row["unit"]]):
            raise ValueError
        return [LogLikelihood(float(total), int(tokens), bool(cut)) for _, _, total, tokens, cut in pairs]
