"""Load a pool from a file, and save it. What is wrong with a file is found here, not at query time."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_uppercase

from .errors import UsageError
from .exemplars import Exemplar, Pool, question_key
from .files import write_atomic
from .options import answer_letter, number_base
from .pool_fields import checked_mapping, exemplar_from, listed
from .rows import JSON_SUFFIXES, Row, read_rows


@dataclass(frozen=True, slots=True)
class LoadedPool:
    """A pool, what is odd about it in one sentence each, and how many bad rows were passed over."""

    pool: Pool
    warnings: tuple[str, ...] = ()
    skipped: int = 0


def load_pool(path: Path | str, *, mapping: Mapping[str, str] | None = None, skip_bad: bool = False) -> LoadedPool:
    """Return the pool in a JSON Lines, JSON, CSV or Parquet file.

    `mapping` names the field that holds one of ours: {"question": "prompt"}. Where no row has an id, the line (or
    row) number is the id. Where a row has options, its answer becomes the letter of the one option it names, by
    letter, by text, or by number if the file as a whole leaves no doubt whether numbers count from 0 or 1; else it
    stays. Raises UsageError for the first bad row, naming file, line and field; with `skip_bad` such rows are
    counted instead.
    """
    names = checked_mapping(mapping or {})
    bad: list[UsageError] = []

    def on_bad(error: UsageError) -> None:
        if not skip_bad:
            raise error
        bad.append(error)

    rows = list(read_rows(path, on_bad=on_bad))
    _check_whole(rows, names, path)
    exemplars = _lettered(_with_ids(_read(rows, names, on_bad), on_bad))
    if not exemplars:
        raise UsageError(f"{path} holds no rows" + (f" that can be used; the first: {bad[0]}" if bad else ""))
    pool = Pool(tuple(exemplars), source=str(path))
    return LoadedPool(pool, tuple(_warnings(pool, bad)), len(bad))


def save_pool(pool: Pool, path: Path | str) -> None:
    """Write the pool as JSON Lines, whole or not at all; `load_pool` gives it back. Raises UsageError."""
    check_pool_name(path)
    lines = "".join(map(_json_line, pool))
    try:
        write_atomic(Path(path), lines)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


def check_pool_name(path: Path | str) -> None:
    """Raise UsageError for a name by which `load_pool` would not know JSON Lines again."""
    suffix = Path(path).suffix.lower()
    if suffix not in JSON_SUFFIXES:
        raise UsageError(f"{path}: a pool is written as JSON Lines; call the file {Path(path).stem}.jsonl")


def _json_line(exemplar: Exemplar) -> str:
    fields: dict[str, object] = {name: getattr(exemplar, name) for name in ("id", "question", "rationale", "answer")}
    if exemplar.options:
        fields["options"] = exemplar.options
    if exemplar.meta:
        fields["meta"] = dict(exemplar.meta)
    try:
        line = json.dumps(fields, ensure_ascii=False, allow_nan=False)
        line.encode()
    except (TypeError, ValueError) as error:
        raise UsageError(f"the exemplar '{exemplar.id}' cannot be written as JSON: {error}") from None
    # These may stand in JSON as they are, but many programs end the line there.
    return line.replace("\x85", "\\u0085").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"


def _check_whole(rows: Sequence[Row], names: Mapping[str, str], path: Path | str) -> None:
    """Refuse a mapping to a field that no row has, and a file in which no question has a word."""
    found = list(dict.fromkeys(name for row in rows for name in row.fields))
    for field, name in names.items():
        if rows and name != field and name not in found:
            raise UsageError(f"{path}: --map {field}={name}, but no row has a field '{name}'; found: {listed(found)}")
    questions = [row.fields[names["question"]] for row in rows if names["question"] in row.fields]
    if questions and not any(question is not None and re.search(r"[^\W_]", str(question)) for question in questions):
        raise UsageError(f"{path}: no usable text in the pool: not one question has a letter or a digit")


def _read(
    rows: Sequence[Row], names: Mapping[str, str], on_bad: Callable[[UsageError], None]
) -> Iterator[tuple[Row, Exemplar]]:
    for row in rows:
        try:
            exemplar = exemplar_from(row, names)
        except UsageError as error:
            on_bad(error)
        else:
            yield row, exemplar


def _with_ids(read: Iterator[tuple[Row, Exemplar]], on_bad: Callable[[UsageError], None]) -> list[Exemplar]:
    pairs = list(read)
    if not any(exemplar.id for _, exemplar in pairs):
        return [replace(exemplar, id=str(row.number)) for row, exemplar in pairs]
    first: dict[str, tuple[Row, Exemplar]] = {}
    for row, exemplar in pairs:
        if not exemplar.id:
            on_bad(UsageError(f"{row.where}: no id, while other rows have one; give every row an id, or none"))
        elif exemplar.id in first:
            earlier = first[exemplar.id][0].where
            on_bad(UsageError(f"{row.where}: the id '{exemplar.id}' is taken by {earlier}; give each row its own"))
        else:
            first[exemplar.id] = row, exemplar
    return [exemplar for _, exemplar in first.values()]


def _lettered(exemplars: Sequence[Exemplar]) -> list[Exemplar]:
    """Replace each answer that names one of its options by that option's letter."""
    letters = [answer_letter(e.answer, e.options) if e.options else None for e in exemplars]
    numbers = {
        position: int(e.answer)
        for position, (e, letter) in enumerate(zip(exemplars, letters, strict=True))
        if e.options and letter is None and re.fullmatch(r"\s*\d{1,3}\s*", e.answer)
    }
    base = number_base((number, len(exemplars[position].options)) for position, number in numbers.items())
    if base is not None:
        for position, number in numbers.items():
            letters[position] = ascii_uppercase[number - base]
    return [replace(e, answer=letter) if letter else e for e, letter in zip(exemplars, letters, strict=True)]


def _warnings(pool: Pool, bad: Sequence[UsageError]) -> Iterator[str]:
    many = f"of {len(pool)} exemplars"
    if bad:
        yield f"{len(bad)} bad rows of {pool.source} were skipped; the first: {bad[0]}"
    repeated = len(pool) - len({question_key(e.question) for e in pool})
    if repeated:
        yield f"{repeated} {many} in {pool.source} repeat the question of an earlier one"
    empty = sum(not e.rationale.strip() for e in pool)
    if empty:
        yield f"{empty} {many} in {pool.source} have no rationale"
    silent = sum(not e.answer.strip() for e in pool)
    if silent:
        yield f"{silent} {many} in {pool.source} have an empty answer"
    unmatched = sum(bool(e.options) and e.answer not in ascii_uppercase[: len(e.options)] for e in pool)
    if unmatched:
        yield f"{unmatched} {many} in {pool.source} have an answer that names none of their options, or more than one"
