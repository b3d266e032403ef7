"""Runs as they lie on disk: what an evaluation came to and its records, and how the loss of a training fell."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILTERS = ("all", "wrong", "flipped")


@dataclass(frozen=True)
class Run:
    """The folder of an evaluation. `summary` is empty while it is not complete."""

    path: Path
    config: Mapping[str, Any]
    summary: Mapping[str, Any]

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """Return dataset, method, number of questions and accuracy."""
        return self._said("dataset"), self._said("method"), self._said("n"), self._accuracy

    @property
    def _accuracy(self) -> str:
        """Return the accuracy with its interval, in percent."""
        value, interval = self.summary.get("accuracy"), self.summary.get("ci95")
        if not isinstance(value, int | float):
            return "" if self.summary else "unfinished"
        ends = (
            f" ({interval[0]:.1%} to {interval[1]:.1%})" if isinstance(interval, list) and len(interval) == 2 else ""
        )
        return f"{value:.1%}{ends}"

    def _said(self, name: str) -> str:
        return str(self.summary.get(name, self.config.get(name, "")))


@dataclass(frozen=True)
class Training:
    """The folder of `dqlore train`; `losses` are (step, loss) as far as it has come."""

    path: Path
    document: Mapping[str, Any]
    losses: Sequence[tuple[float, float]]

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """Return what stands in the columns of an evaluation: that it is a training, of what, its steps, its loss."""
        made_with = self.document.get("made_with")
        recipe = made_with if isinstance(made_with, dict) else {}
        state = "" if self.document.get("complete") else "unfinished, "
        steps = f"{self.losses[-1][0]:g}" if self.losses else "0"
        return "training", str(recipe.get("objective", "")), steps, state + self.fall

    @property
    def fall(self) -> str:
        """Return the first and the last loss, and how a metric on held-out anchors changed."""
        parts = [f"loss {self.losses[0][1]:.3f} to {self.losses[-1][1]:.3f}"] if self.losses else ["no step yet"]
        metrics = self.document.get("metrics")
        for name, change in metrics.items() if isinstance(metrics, dict) else ():
            ends = [change.get(end) for end in ("before", "after")] if isinstance(change, dict) else []
            if ends and all(isinstance(end, float) for end in ends):
                parts.append(f"{name} {ends[0]:.3f} to {ends[1]:.3f}")
        return ", ".join(parts)


def find_runs(folder: Path) -> list[Run | Training]:
    """Return the runs in the folders of `folder`, newest first; what is no run is passed over."""
    files = [
        *(path.with_name("records.jsonl") for path in folder.glob("*/config.json")),
        *folder.glob("*/history.jsonl"),
    ]
    found = sorted((file for file in files if file.is_file()), key=lambda file: file.stat().st_mtime, reverse=True)
    return [_opened(file) for file in found]


def _opened(file: Path) -> Run | Training:
    if file.name == "records.jsonl":
        return Run(file.parent, _object(file.with_name("config.json")), _object(file.with_name("summary.json")))
    losses = [
        (float(row["step"]), float(row["loss"]))
        for row in _rows(file)
        if all(isinstance(row.get(name), int | float) for name in ("step", "loss"))
    ]
    return Training(file.parent, _object(file.with_name("train.json")), losses)


def read_records(run: Run) -> list[dict[str, Any]]:
    """Return the records of a run."""
    return [row for row in _rows(run.path / "records.jsonl") if isinstance(row.get("question"), str)]


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


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines, without a half line, which a running process leaves."""
    for line in file.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
