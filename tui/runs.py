"""Evaluation runs as they lie on disk: what they came to, and their records."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILTERS = ("all", "wrong", "flipped")


@dataclass(frozen=True)
class Run:
    """A run folder. `summary` is empty while the run is not complete."""

    path: Path
    config: Mapping[str, Any]
    summary: Mapping[str, Any]

    @property
    def accuracy(self) -> str:
        """Return the accuracy with its interval, in percent."""
        value, interval = self.summary.get("accuracy"), self.summary.get("ci95")
        if not isinstance(value, int | float):
            return "" if self.summary else "unfinished"
        ends = (
            f" ({interval[0]:.1%} to {interval[1]:.1%})" if isinstance(interval, list) and len(interval) == 2 else ""
        )
        return f"{value:.1%}{ends}"

    def said(self, name: str) -> str:
        """Return a field of the summary, or of the configuration, as text."""
        return str(self.summary.get(name, self.config.get(name, "")))


def find_runs(folder: Path) -> list[Run]:
    """Return the runs in the folders of `folder`, newest first; what is no run is passed over."""
    found = [path.parent for path in folder.glob("*/config.json") if (path.parent / "records.jsonl").is_file()]
    newest = sorted(found, key=lambda path: (path / "records.jsonl").stat().st_mtime, reverse=True)
    return [Run(path, _object(path / "config.json"), _object(path / "summary.json")) for path in newest]


def read_records(run: Run) -> list[dict[str, Any]]:
    """Return the records of a run; a line that is not whole, as a running evaluation leaves one, is passed over."""
    records = []
    for line in (run.path / "records.jsonl").read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get("question"), str):
            records.append(row)
    return records


def filtered(
    records: Sequence[dict[str, Any]], kind: str, other: Sequence[dict[str, Any]] = ()
) -> list[dict[str, Any]]:
    """Return all records, the wrong ones, or those that are right here and wrong in `other`, or the reverse."""
    if kind == "wrong":
        return [row for row in records if not row.get("correct")]
    if kind == "flipped":
        before = {row.get("id"): bool(row.get("correct")) for row in other}
        return [row for row in records if before.get(row.get("id"), row.get("correct")) != bool(row.get("correct"))]
    return list(records)


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
