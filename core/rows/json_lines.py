"""Rows of JSON Lines, or of a file that is one JSON list."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import UsageError
from .source import OnBad, Row, text_lines


def json_rows(file: Iterable[bytes | str], name: str, on_bad: OnBad) -> Iterator[Row]:
    """Yield the objects; what is none goes to `on_bad`. Raises UsageError for a list that cannot be read."""
    lines = text_lines(file, name, on_bad)
    first = True
    for number, line in lines:
        if line.isspace():
            continue
        if first and line.lstrip().startswith("["):
            yield from _json_list(line + "".join(rest for _, rest in lines), number, name, on_bad)
            return
        first = False
        where = f"{name}, line {number}"
        try:
            value = _decode(line.rstrip("\r\n"), number, name, where)
            fields = _object(value, where, escapes="\\u" in line)
        except UsageError as error:
            on_bad(error)
        else:
            yield Row(number, where, fields)


def _json_list(text: str, first_line: int, name: str, on_bad: OnBad) -> Iterator[Row]:
    escapes = "\\u" in text
    for number, value in enumerate(_decode(text.rstrip(), first_line, name, name), start=1):
        where = f"{name}, item {number}"
        try:
            fields = _object(value, where, escapes=escapes)
        except UsageError as error:
            on_bad(error)
        else:
            yield Row(number, where, fields)


class _BadValue(ValueError):
    """JSON that the standard library reads but that would lose or change something here."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _BadValue(f"the field '{twice}' stands twice in one object")
    return fields


def _finite(literal: str) -> float:
    number = float(literal)
    if not math.isfinite(number):
        raise _BadValue(f"{literal} is not a number that JSON can hold; write null")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_finite)


def _decode(text: str, first_line: int, name: str, where: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"{name}, line {first_line + error.lineno - 1}, column {error.colno}"
        raise UsageError(f"{place}: not valid JSON ({error.msg}); expected one object a line, or one list") from None
    except RecursionError:
        raise UsageError(f"{where}: lists or objects are nested too deeply") from None
    except _BadValue as error:
        raise UsageError(f"{where}: {error}") from None
    except ValueError:  # the limit that Python sets on the digits of an integer
        raise UsageError(f"{where}: a number has too many digits; write it as text") from None


def _object(value: object, where: str, *, escapes: bool) -> dict[str, Any]:
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number or a truth value")
        raise UsageError(f"{where}: {kind} stands where an object with named fields is expected")
    if escapes:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            raise UsageError(f"{where}: {half} is half a character; its other half is missing") from None
    return value
