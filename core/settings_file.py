"""The settings file: all defaults, commented out, and changing keys while all the rest stays as it is."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import tomli

from .errors import UsageError
from .files import write_atomic
from .settings import Section, Settings

Values = Mapping[str, Mapping[str, object | None]]


def default_toml() -> str:
    """Return a settings file in which every key stands commented out, with its default and what it does."""
    lines = [
        "# Settings of dqlore. Remove the # in front of a key to change it.",
        "# Order: flag > DQLORE_SECTION__KEY in the environment > this file > the user's file > default.",
        "# Relative paths start at the folder that dqlore is run in.",
        "",
    ]
    lines += _entry("data", Settings.model_fields["data"])
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, Section):
            lines += ["", f"[{name}]"]
            for key, sub in type(field.default).model_fields.items():
                lines += _entry(key, sub)
    return "\n".join(lines) + "\n"


def write_settings(path: Path, values: Values) -> None:
    """Set keys by section ({"select": {"m": 32}}) in a settings file, which need not exist; None takes a key out.

    Raises UsageError where the file is no TOML, or is written so that its lines cannot be changed one by one.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig") if path.exists() else ""
        write_atomic(path, updated(text, values, str(path)))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be changed: {error}") from None


def updated(text: str, values: Values, name: str = "settings") -> str:
    """Return the text of a settings file with `values` set. Raises UsageError; see `write_settings`."""
    try:
        wanted = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise UsageError(f"{name}: not valid TOML: {error}") from None
    lines = text.splitlines()
    found: dict[str, Any] = {}
    if all(isinstance(wanted.setdefault(section, {}), dict) for section in values):
        for section, keys in values.items():
            for key, value in keys.items():
                _set(lines, section, key, value)
            wanted[section] = {k: v for k, v in {**wanted[section], **keys}.items() if v is not None}
        with suppress(tomli.TOMLDecodeError):
            found = tomli.loads("\n".join(lines))
    if not found or _without_empty(found) != _without_empty(wanted):
        pairs = [(f"{section}.{key}", value) for section, keys in values.items() for key, value in keys.items()]
        shown = ", ".join(f"{key} = {_toml(value)}" for key, value in pairs if value is not None)
        raise UsageError(f"{name}: its lines cannot be changed one by one; set by hand: {shown}")
    return "\n".join(lines) + "\n"


def _without_empty(tables: Mapping[str, Any]) -> dict[str, Any]:
    return {name: table for name, table in tables.items() if table != {}}


def _set(lines: list[str], section: str, key: str, value: object | None) -> None:
    """Change, uncomment or add the line of one key; with None, comment it out."""
    start, end = _section(lines, section)
    active, commented = (
        next((i for i in range(start, end) if re.match(rf"\s*{mark}{re.escape(key)}\s*=", lines[i])), None)
        for mark in ("", r"#\s*")
    )
    if value is None:
        if active is not None:
            lines[active] = f"#{lines[active].lstrip()}"
        return
    line = f"{key} = {_toml(value)}"
    if active is not None:
        comment = re.search(r"\s+#[^\"']*$", lines[active])
        lines[active] = line + (comment[0] if comment else "")
    elif commented is not None:
        lines[commented] = line
    else:
        if start == end == len(lines) and f"[{section}]" not in (text.strip() for text in lines):
            lines += ["", f"[{section}]"] if lines else [f"[{section}]"]
            start = len(lines)
        lines.insert(start, line)


def _section(lines: list[str], section: str) -> tuple[int, int]:
    """Return where the lines of a section begin and end; the file's end where there is no such section."""
    head = next((i for i, line in enumerate(lines) if re.match(rf"\s*\[\s*{re.escape(section)}\s*\]", line)), None)
    if head is None:
        return len(lines), len(lines)
    after = (i for i in range(head + 1, len(lines)) if re.match(r"\s*\[", lines[i]))
    return head + 1, next(after, len(lines))


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _entry(key: str, field: Any) -> list[str]:
    choices = _choices(field.annotation)
    hint = f" One of: {', '.join(choices)}." if choices else ""
    # Where the cache lies differs by machine, so the template does not spell it out.
    value = "" if field.default is None or isinstance(field.default, Path) else _toml(field.default)
    return [f"# {field.description}{hint}", f"#{key} = {value}" if value else f"#{key} ="]


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    if get_origin(annotation) in (Union, UnionType):
        return [choice for part in get_args(annotation) for choice in _choices(part)]
    return []
