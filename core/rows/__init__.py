"""Read rows from JSON Lines, JSON, CSV and Parquet files, and say exactly where a file is wrong."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ..errors import UsageError
from .json_lines import json_rows
from .source import OnBad, Row, opened, stop_at
from .tables import csv_rows, parquet_rows

__all__ = ["JSON_SUFFIXES", "Row", "read_jsonl", "read_rows"]

JSON_SUFFIXES = (".jsonl", ".ndjson", ".json", "")
_CSV = (".csv", ".tsv")
_PARQUET = (".parquet",)


def read_rows(path: Path | str, *, on_bad: OnBad = stop_at) -> Iterator[Row]:
    """Yield the rows of a file, its format told by its extension (JSON Lines where it has none).

    `on_bad` is called for each row that cannot be read on its own; the rest of the file is still read if it returns.
    Raises UsageError where the file as a whole cannot be read.
    """
    suffix = Path(path).suffix.lower()
    with opened(path) as file:
        if suffix in JSON_SUFFIXES:
            yield from json_rows(file, str(path), on_bad)
        elif suffix in _CSV:
            yield from csv_rows(file, str(path), on_bad)
        elif suffix in _PARQUET:
            yield from parquet_rows(file, str(path))
        else:
            known = ", ".join((*JSON_SUFFIXES[:-1], *_CSV, *_PARQUET))
            raise UsageError(f"{path}: cannot tell the format from the extension '{suffix}'; use one of {known}")


def read_jsonl(
    source: Path | str | IO[bytes] | IO[str], *, on_bad: OnBad = stop_at
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, object) of a JSON Lines file or stream; of a JSON list, (item number, object).

    Lines end at \\n or \\r\\n only, blank ones are passed over but counted. Raises UsageError with file, line
    and column.
    """
    if isinstance(source, (str, Path)):
        with opened(source) as file:
            yield from ((row.number, row.fields) for row in json_rows(file, str(source), on_bad))
    else:
        stream = getattr(source, "buffer", source)
        name = str(getattr(source, "name", "input"))
        yield from ((row.number, row.fields) for row in json_rows(stream, name, on_bad))
