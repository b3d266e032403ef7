"""Turn one row of a file into an exemplar, or say which field is wrong.

How values become text: true is "yes" and false "no"; 2.0 is "2" and 2.5 is "2.5"; null is a missing value; lists and
objects are refused. Ids lose the white space around them. Fields without a meaning here go to `meta`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import UsageError
from .exemplars import Exemplar
from .options import split_options
from .rows import Row

REQUIRED = ("question", "answer")
FIELDS = (*REQUIRED, "rationale", "id", "options", "meta")
MAX_OPTIONS = 26

#: Names under which the files of others keep our fields.
_ALIASES = {
    "question": ("prompt", "input", "query", "problem", "instruction", "text", "q", "squestion", "body", "stem"),
    "answer": (
        "label",
        "target",
        "output",
        "gold",
        "solution",
        "response",
        "completion",
        "correct",
        "answerkey",
        "a",
    ),
}


def checked_mapping(mapping: Mapping[str, str]) -> dict[str, str]:
    """Return the name in the file of each of our fields. Raises UsageError for a field we do not have."""
    for field, name in mapping.items():
        if field not in FIELDS:
            raise UsageError(f"--map {field}={name}: there is no field '{field}'; use one of {', '.join(FIELDS)}")
    return {field: mapping.get(field, field) for field in FIELDS}


def exemplar_from(row: Row, mapping: Mapping[str, str]) -> Exemplar:
    """Return the row as an exemplar; its id is empty where the row has none. Raises UsageError."""
    absent = [field for field in REQUIRED if mapping[field] not in row.fields]
    if absent:
        raise UsageError(_absent_message(row, mapping, absent))
    texts = {field: _text_field(row, mapping[field]) for field in (*REQUIRED, "rationale", "id")}
    question, answer = texts["question"], texts["answer"]
    if question is None or not question.strip():
        raise UsageError(f"{row.where}: the field '{mapping['question']}' is empty; every exemplar needs a question")
    if answer is None:
        raise UsageError(f"{row.where}: the field '{mapping['answer']}' is empty; every exemplar needs an answer")
    return Exemplar(
        (texts["id"] or "").strip(),
        question,
        texts["rationale"] or "",
        answer,
        _options(row, mapping),
        _meta(row, mapping),
    )


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return the names for a message, cut where there are very many."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _absent_message(row: Row, mapping: Mapping[str, str], absent: Sequence[str]) -> str:
    found = list(row.fields)
    missing = " and ".join(f"'{mapping[field]}'" for field in absent)
    guesses = " ".join(f"--map {field}={_guess(field, found) or 'FIELD'}" for field in absent)
    return (
        f"{row.where}: no field {missing}; fields found: {listed(found) or 'none'}; fields expected: "
        f"question, answer (optional: rationale, id, options, meta). Other names here? Say so with {guesses}"
    )


def _guess(field: str, found: Sequence[str]) -> str | None:
    by_key = {name.strip().casefold(): name for name in reversed(found)}
    return next((by_key[alias] for alias in (field, *_ALIASES[field]) if alias in by_key), None)


def _text_field(row: Row, name: str) -> str | None:
    try:
        return _text(row.fields.get(name))
    except TypeError as error:
        raise UsageError(f"{row.where}: the field '{name}' is {error} where text is expected") from None


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    raise TypeError("a list" if isinstance(value, list) else "an object")


def _options(row: Row, mapping: Mapping[str, str]) -> tuple[str, ...]:
    value = row.fields.get(mapping["options"])
    where = f"{row.where}: the field '{mapping['options']}'"
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _parsed(value, value)  # a list in a CSV cell
    if value is None or value == "":
        return ()
    if not isinstance(value, (str, list)):
        raise UsageError(f"{where} is neither a list of texts nor one text")
    try:
        texts = value if isinstance(value, str) else [_text(option) or "" for option in value]
        options = split_options(texts)
    except TypeError as error:
        raise UsageError(f"{where} holds {error} where a text is expected") from None
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None
    if len(options) > MAX_OPTIONS or not all(option.strip() for option in options):
        raise UsageError(f"{where} has an empty option, or more than {MAX_OPTIONS}")
    return options


def _meta(row: Row, mapping: Mapping[str, str]) -> dict[str, Any]:
    name = mapping["meta"]
    own = row.fields.get(name)
    if isinstance(own, str):
        own = _parsed(own, None)
    if own is None and row.fields.get(name) in (None, ""):
        own = {}
    if not isinstance(own, dict):
        raise UsageError(f"{row.where}: the field '{name}' is not an object with named fields; rename it to keep it")
    known = set(mapping.values())
    rest = {field: value for field, value in row.fields.items() if field not in known}
    twice = sorted(rest.keys() & own.keys())
    if twice:
        raise UsageError(f"{row.where}: the field '{twice[0]}' stands both in the row and in its '{name}'")
    return {**own, **rest}


def _parsed(text: str, otherwise: object) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise
