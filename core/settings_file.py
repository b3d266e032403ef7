"""Change keys of a settings file and leave all the rest of it, comments too, as it is."""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomli

from .errors import UsageError
from .files import write_atomic

Values = Mapping[str, Mapping[str, object | None]]


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
