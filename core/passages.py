"""Passages to read an answer from: a collection in a file or of a dataset, or those given with a question."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from .errors import UsageError
from .exemplars import Exemplar, Pool
from .rows import read_rows
from .squad import is_squad, read_squad

FIELDS = ("id", "title", "text")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to read, with the title of what it is taken from ("" for none)."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Collection(Sequence[Passage]):
    """Passages in a fixed order with unique ids. `source` names where they came from, for messages."""

    passages: tuple[Passage, ...]
    source: str = "passages"

    def __len__(self) -> int:
        return len(self.passages)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.passages[index]

    @cached_property
    def pool(self) -> Pool:
        """The collection as the retrievers and the index see it: a title in place of a question, then the text."""
        return Pool(tuple(Exemplar(p.id, p.title, p.text, "") for p in self.passages), self.source)


def load_passages(path: Path | str, *, mapping: Mapping[str, str] | None = None) -> Collection:
    """Return the collection in a JSON Lines, JSON, CSV or Parquet file with a field `text`, or in a SQuAD file.

    `title` and `id` may be there; without ids, the line (or row) number is the id. `mapping` names the field that
    holds one of ours. Raises UsageError for the first bad row, naming file, line and field.
    """
    names = _checked_mapping(mapping or {})
    path = Path(path).expanduser()
    if path.suffix.lower() == ".json" and is_squad(path):
        found = [Passage(str(i), p.title, p.text) for i, p in enumerate(read_squad(path), start=1)]
    else:
        found = _with_ids(
            (row.where, str(row.number), _passage(row.fields, row.where, names)) for row in read_rows(path)
        )
    return _whole(found, str(path))


def collection_named(name: str, data_dir: Path | None = None) -> Collection | None:
    """Return the paragraphs that a dataset's questions are about; None for a file and for any other name.

    Raises UsageError for a dataset that brings none.
    """
    from .datasets import DATASETS, pool_named

    rows = pool_named(name, data_dir)
    if rows is None:
        return None
    dataset = name.partition(":")[0]
    texts = {row.meta["context"]: str(row.meta.get("title", "")) for row in rows if "context" in row.meta}
    if not texts:
        with_passages = ", ".join(n for n, d in DATASETS.items() if d.brings_passages)
        raise UsageError(f"{dataset} brings no passages; datasets that do: {with_passages}")
    found = [Passage(f"{dataset}-{i}", title, str(text)) for i, (text, title) in enumerate(texts.items(), start=1)]
    return _whole(found, rows.source)


def given_passages(value: object, where: str) -> tuple[Passage, ...]:
    """Return the passages that came with a question: a list of texts or of objects with a text, or one text.

    Their ids count from 1 where they have none. Raises UsageError that names the question and the passage.
    """
    if isinstance(value, str) and value.lstrip().startswith("["):  # a list in a CSV cell
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise UsageError(f"{where}: its passages begin like a list and are no valid JSON") from None
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise UsageError(f"{where}: its passages should be a list of texts, or of objects with a text")
    names = _checked_mapping({})
    rows = (
        (f"{where}, passage {i}", str(i), item if isinstance(item, Mapping) else {"text": item})
        for i, item in enumerate(value, start=1)
    )
    return tuple(_with_ids((here, number, _passage(fields, here, names)) for here, number, fields in rows))


def _checked_mapping(mapping: Mapping[str, str]) -> dict[str, str]:
    for field, name in mapping.items():
        if field not in FIELDS:
            raise UsageError(
                f"passages.map {field} = {name!r}: there is no such field; use one of {', '.join(FIELDS)}"
            )
    return {field: mapping.get(field, field) for field in FIELDS}


def _passage(fields: Mapping[str, Any], where: str, names: Mapping[str, str]) -> Passage:
    if names["text"] not in fields:
        raise UsageError(
            f"{where}: no field '{names['text']}'; fields found: {', '.join(map(str, fields)) or 'none'}; a passage "
            "has a text (optional: id, title). Another name? Say so with --set 'passages.map={ text = \"FIELD\" }'"
        )
    values = {}
    for field, name in names.items():
        value = fields.get(name)
        if isinstance(value, (list, dict, bool)):
            raise UsageError(f"{where}: the field '{name}' should be a text")
        values[field] = "" if value is None else str(value).strip()
    if not values["text"]:
        raise UsageError(f"{where}: the field '{names['text']}' is empty; every passage needs a text")
    return Passage(**values)


def _with_ids(read: Iterator[tuple[str, str, Passage]]) -> list[Passage]:
    """Number the passages where none has an id. Raises UsageError for an id that is missing or taken."""
    rows = list(read)
    if not any(passage.id for _, _, passage in rows):
        return [replace(passage, id=number) for _, number, passage in rows]
    first: dict[str, str] = {}
    for where, _, passage in rows:
        if not passage.id:
            raise UsageError(f"{where}: no id, while other passages have one; give every passage an id, or none")
        if passage.id in first:
            raise UsageError(f"{where}: the id '{passage.id}' is taken by {first[passage.id]}; give each its own")
        first[passage.id] = where
    return [passage for _, _, passage in rows]


def _whole(passages: Sequence[Passage], source: str) -> Collection:
    if not passages:
        raise UsageError(f"{source} holds no passages")
    return Collection(tuple(passages), source)
