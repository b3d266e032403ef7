"""What a dataset is here, and the helpers by which each family reads its rows."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..dialogue.ontology import Ontology
from ..exemplars import Exemplar
from ..rows import Row, read_rows

Fields = Mapping[str, Any]


class RowError(ValueError):
    """A row is not in the dataset's published shape; the loader adds where it stands."""


@dataclass(frozen=True, slots=True)
class Hub:
    """Where the Hugging Face hub keeps a dataset; `splits` names ours that are called otherwise there."""

    id: str
    config: str | None = None
    splits: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A public dataset: what it asks for, where its files come from, and how a row becomes an exemplar.

    `files` are the published files by split, `counts` how many rows each is published with. `parse` gets a row's
    fields and the exemplar's id; it raises RowError. `shape` shows a row in one line, for messages. Where the splits
    share a file, `in_split` tells from the file and a split's name which rows are its own. Dialogues have an
    `ontology`, read from beside a split's file.
    With `brings_passages`, the rows' `meta` holds the paragraph that the question is about (`context`, `title`).
    """

    name: str
    kind: str
    description: str
    source: str
    licence: str
    shape: str
    files: Mapping[str, str]
    counts: Mapping[str, int]
    parse: Callable[[Fields, str], Exemplar]
    hf: Hub | None = None
    read: Callable[[Path], Iterator[Row]] = read_rows
    in_split: Callable[[Path, str], Callable[[Fields], bool]] | None = None
    ontology: Callable[[Path], Ontology] | None = None
    brings_passages: bool = False

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits, the one to choose exemplars from first."""
        return tuple(self.files)


def text(fields: Fields, *names: str) -> str:
    """Return the text of the first of `names` that the row has, stripped, with plain line ends. Raises RowError."""
    for name in names:
        if name in fields:
            value = fields[name]
            if not isinstance(value, str) or not value.strip():
                raise RowError(f"the field '{name}' should be a text and is {_shown(value)}")
            return "\n".join(re.split(r"\r\n?|\n", value)).strip()
    raise RowError(f"no field '{names[0]}'; fields found: {', '.join(fields) or 'none'}")


def number(fields: Fields, name: str) -> str:
    """Return a numeric field (8.0, "8.0", [8.0]) as text for the gold answer. Raises RowError."""
    value = fields.get(name)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise RowError(f"the field '{name}' should be one number and is {_shown(value)}")
    return str(value)


def _shown(value: object) -> str:
    text = "missing" if value is None else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
