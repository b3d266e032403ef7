"""Two runs on the same questions: who got which right, and whether the difference is more than chance."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .folder import SUMMARY, read_config, read_records
from .records import FAILED, Record
from .stats import Paired, mcnemar_exact, mean_difference, paired_difference


def compare(a: Path, b: Path) -> dict[str, Any]:
    """Return the paired comparison of two runs over the questions that both asked; a minus b.

    Whatever is not right counts as not right, failed questions too. Runs of the metric nll are compared by the mean
    difference per token; there a negative one means that a is better. `warnings` says where the runs differ in more
    than the method. Raises UsageError where they share no question, or have different metrics.
    """
    configs = [read_config(path) for path in (a, b)]
    if configs[0]["metric"] != configs[1]["metric"]:
        raise UsageError(
            f"{a} has the metric {configs[0]['metric']} and {b} {configs[1]['metric']}: nothing to compare"
        )
    first = {row["id"]: _short(row) for row in read_records(a)}
    pairs = [(first[row["id"]], _short(row)) for row in read_records(b) if row["id"] in first]
    pairs = [(x, y) for x, y in pairs if (x["question"], x["gold"]) == (y["question"], y["gold"])]
    if not pairs:
        raise UsageError(f"{a} and {b} share no question; compare runs on the same questions")
    order = {id: position for position, id in enumerate(first)}
    pairs.sort(key=lambda pair: order[pair[0]["id"]])
    counts = [len(first), sum(1 for _ in read_records(b))]
    return {
        **{name: _run(path, config) for name, path, config in zip("ab", (a, b), configs, strict=True)},
        "n": len(pairs),
        **(_likelihoods(pairs) if configs[0]["metric"] == "nll" else _answers(pairs)),
        "warnings": [*_unfinished({"a": a, "b": b}), *_warnings(configs, counts, len(pairs))],
    }


def _answers(pairs: list[tuple[Record, Record]]) -> dict[str, Any]:
    cells = [(x["correct"], y["correct"]) for x, y in pairs]
    table = Paired(*(cells.count(cell) for cell in ((True, True), (True, False), (False, True), (False, False))))
    difference, interval = paired_difference(table)
    return {
        "both_right": table.both,
        "only_a": table.only_a,
        "only_b": table.only_b,
        "both_wrong": table.neither,
        "accuracy": {"a": (table.both + table.only_a) / table.n, "b": (table.both + table.only_b) / table.n},
        "difference": difference,
        "ci95": [interval.low, interval.high],
        "p": mcnemar_exact(table.only_a, table.only_b),
        "flipped": [
            {
                "id": x["id"],
                "question": x["question"],
                "gold": x["gold"],
                "better": "a" if x["correct"] else "b",
                **{name: {key: row[key] for key in ("predicted", "status")} for name, row in (("a", x), ("b", y))},
            }
            for x, y in pairs
            if x["correct"] != y["correct"]
        ],
    }


def _likelihoods(pairs: list[tuple[Record, Record]]) -> dict[str, Any]:
    scored = [pair for pair in pairs if all(row["nll"] is not None for row in pair)]
    if len(scored) < 2:
        raise UsageError("fewer than two questions were scored in both runs: nothing to compare")
    a, b = ([pair[side]["nll"] for pair in scored] for side in (0, 1))
    difference, interval = mean_difference(a, b)
    return {
        "scored": len(scored),
        "nll": {"a": sum(a) / len(a), "b": sum(b) / len(b)},
        "difference": difference,
        "ci95": list(asdict(interval).values()),
        "a_better": sum(x < y for x, y in zip(a, b, strict=True)),
        "b_better": sum(x > y for x, y in zip(a, b, strict=True)),
    }


def _short(row: Record) -> Record:
    """Keep what a comparison needs, so that the texts of two long runs need no memory."""
    nll = -row["log_likelihood"] / row["tokens"] if row.get("tokens") and row["status"] != FAILED else None
    return {key: row[key] for key in ("id", "question", "gold", "predicted", "correct", "status")} | {"nll": nll}


def _run(path: Path, config: dict[str, Any]) -> dict[str, Any]:
    return {"run": str(path), **{key: config[key] for key in ("dataset", "split", "method")}}


def _unfinished(runs: dict[str, Path]) -> Iterator[str]:
    for name, path in runs.items():
        if not (path / SUMMARY).is_file():
            yield f"{name} is not complete: only the questions it has asked so far are compared"


def _warnings(configs: list[dict[str, Any]], counts: list[int], shared: int) -> Iterator[str]:
    for key, what in (("lm", "language model"), ("sampling", "decoding"), ("pool", "pool"), ("strategy", "strategy")):
        values = [_identity(config[key]) for config in configs]
        if values[0] != values[1]:
            yield f"the runs differ in the {what}, not only in the method"
    read = [_identity(config.get("passages")) for config in configs]
    if None not in read and read[0] != read[1]:  # a method that reads nothing differs by being what it is
        yield "the runs differ in the passages, not only in the method"
    for name, count in zip("ab", counts, strict=True):
        if shared < count:
            yield f"{count - shared} of the {count} records of {name} have no counterpart"


def _identity(value: Any) -> Any:
    return value.get("identity") or value.get("sha256") or value if isinstance(value, dict) else value
