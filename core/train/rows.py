"""The rows that pass between the stages: `mined.jsonl`, `scored.jsonl`, `subsets.jsonl`, one row per anchor.

Ids are those of the pool's exemplars. Candidates stand in the order in which they were mined, best first.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..errors import UsageError
from ..exemplars import Pool
from ..files import write_atomic
from ..rows import read_jsonl
from .stages import told

MINED = "mined.jsonl"
SCORED = "scored.jsonl"


@dataclass(frozen=True, slots=True)
class Mined:
    """An anchor and the exemplars that may help with it, D' of DQ-LoRe, section 3.2."""

    anchor: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """An anchor, its candidates, and score(d'_j) = log P_LM(y_i | d'_j, x_i) of each in nats; higher is better."""

    anchor: str
    candidates: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Subsets:
    """An anchor, its candidates, sets of them (indices, best first), and log P_LM(y | the set, x) of each in nats."""

    anchor: str
    candidates: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    scores: tuple[float, ...]


R = TypeVar("R", Mined, Scored, Subsets)


def write_rows(path: Path, rows: Sequence[Mined] | Sequence[Scored] | Sequence[Subsets]) -> None:
    """Write the rows atomically. Raises DqloreError where they cannot be written."""
    lines = [json.dumps(asdict(row), ensure_ascii=False, allow_nan=False) + "\n" for row in rows]
    with told(path):
        write_atomic(path, "".join(lines))


def read_mined(path: Path, pool: Pool) -> list[Mined]:
    """Read `mined.jsonl`. Raises UsageError with file and line, also for ids that `pool` does not hold."""
    return list(_read(path, pool, lambda fields: Mined(_id(fields), _candidates(fields))))


def read_scored(path: Path, pool: Pool) -> list[Scored]:
    """Read `scored.jsonl`. Raises UsageError with file and line, also for ids that `pool` does not hold."""
    return list(_read(path, pool, _scored))


def read_sets(path: Path, pool: Pool) -> list[Subsets]:
    """Read `subsets.jsonl`. Raises UsageError with file and line, also for ids that `pool` does not hold."""
    return list(_read(path, pool, _subsets))


def _read(path: Path, pool: Pool, row: Callable[[Mapping[str, Any]], R]) -> Iterator[R]:
    known = {exemplar.id for exemplar in pool}
    lines: dict[str, int] = {}
    for line, fields in read_jsonl(path):
        try:
            read = row(fields)
            _check_ids(read, known, pool.source)
            if (earlier := lines.setdefault(read.anchor, line)) != line:
                raise ValueError(f"the anchor '{read.anchor}' has a row already, in line {earlier}")
        except (ValueError, OverflowError) as error:  # an integer can be too large for a float
            raise UsageError(f"{path}, line {line}: {error}") from None
        yield read
    if not lines:
        raise UsageError(f"{path} holds no rows: delete it and run its stage again")


def _check_ids(row: Mined | Scored | Subsets, known: AbstractSet[str], source: str) -> None:
    for name in (row.anchor, *row.candidates):
        if name not in known:
            raise ValueError(f"the id '{name}' is not in {source}; give the pool that was mined, or mine again")
    if len(set(row.candidates)) < len(row.candidates) or row.anchor in row.candidates:
        raise ValueError("each candidate stands once in a row, and the anchor is none of them")


def _id(fields: Mapping[str, Any]) -> str:
    value = fields.get("anchor")
    if not isinstance(value, str):
        raise ValueError("'anchor' must be the id of an exemplar")
    return value


def _candidates(fields: Mapping[str, Any]) -> tuple[str, ...]:
    value = fields.get("candidates")
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise ValueError("'candidates' must be a list of ids of exemplars")
    return tuple(value)


def _scored(fields: Mapping[str, Any]) -> Scored:
    candidates = _candidates(fields)
    return Scored(_id(fields), candidates, _scores(fields, len(candidates), "candidate"))


def _subsets(fields: Mapping[str, Any]) -> Subsets:
    candidates = _candidates(fields)
    sets = _sets(fields, len(candidates))
    return Subsets(_id(fields), candidates, sets, _scores(fields, len(sets), "set"))


def _scores(fields: Mapping[str, Any], count: int, what: str) -> tuple[float, ...]:
    value = fields.get("scores")
    right = isinstance(value, list) and all(type(score) in (int, float) for score in value)
    if value and right and len(value) == count:
        return tuple(map(float, value))
    raise ValueError(f"'scores' must be a list of numbers, one for each {what}")


def _sets(fields: Mapping[str, Any], count: int) -> tuple[tuple[int, ...], ...]:
    value = fields.get("sets")
    if isinstance(value, list) and value and all(isinstance(each, list) and each for each in value):
        found = tuple(map(tuple, value))
        within = all(type(i) is int and 0 <= i < count for each in found for i in each)
        if within and all(len(set(each)) == len(each) == len(found[0]) for each in found):
            return found
    raise ValueError(f"'sets' must be a list of sets of one size, each with different places from 0 to {count - 1}")
