"""Rows of CSV and Parquet files."""

import csv
import datetime
import decimal
import math
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from ..errors import UsageError
from .source import OnBad, Row, stop_at, text_lines


def csv_rows(file: IO[bytes], name: str, on_bad: OnBad) -> Iterator[Row]:
    """Yield the rows below the header; a row of another length goes to `on_bad`. Raises UsageError."""
    csv.field_size_limit(2**31 - 1)
    lines = text_lines(file, name, stop_at)
    blank_lines, first = next(((number - 1, line) for number, line in lines if not line.isspace()), (0, ""))
    delimiter = "\t" if name.lower().endswith(".tsv") else max(",;\t", key=first.count)
    rest = (line for _, line in lines)
    texts = (line[:-2] + "\n" if line.endswith("\r\n") else line for line in chain([first], rest))
    reader = csv.reader(texts, delimiter=delimiter, strict=True)
    header: list[str] = []
    rows = 0
    while True:
        number = blank_lines + reader.line_num + 1
        where = f"{name}, line {number}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise UsageError(f"{where}: not valid CSV ({error}); look for a quote that is not closed") from None
        if cells is None:
            break
        if not any(cell and not cell.isspace() for cell in cells):
            continue
        if not header:
            header = [cell.strip() or f"column {position}" for position, cell in enumerate(cells, start=1)]
            _refuse_twins(header, name)
            continue
        rows += 1
        if len(cells) == len(header):
            yield Row(number, where, {field: cell or None for field, cell in zip(header, cells, strict=True)})
        else:
            on_bad(UsageError(f"{where}: {len(cells)} fields where the header has {len(header)}"))
    if header and not rows:
        raise UsageError(f"{name} holds only a header ({', '.join(header)}) and no rows")


def parquet_rows(file: IO[bytes], name: str) -> Iterator[Row]:
    """Yield the rows of a Parquet file. Raises UsageError."""
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        table = pyarrow.parquet.ParquetFile(file)
        _refuse_twins(table.schema_arrow.names, name)
        for batch in table.iter_batches():
            for fields in batch.to_pylist():
                number += 1
                where = f"{name}, row {number}"
                yield Row(number, where, {field: _plain(value, where, field) for field, value in fields.items()})
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{name}, after row {number}: not a readable Parquet file ({reason})") from None


def _plain(value: Any, where: str, field: str) -> Any:
    """Return a Parquet value as what JSON could hold: NaN is null, dates and fractions of exact numbers are text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item, where, field) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, where, field) for key, item in value.items()}
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    raise UsageError(f"{where}: the field '{field}' holds {type(value).__name__}, not text or numbers; leave it out")


def _refuse_twins(names: list[str], source: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{source}: two columns are called '{name}'; rename one")
