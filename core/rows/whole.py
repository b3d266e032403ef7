"""A file that is one JSON document, often an object around a list, as many published tasks are."""

import json
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .source import opened


def read_json(path: Path) -> Any:
    """Return what a JSON file holds. Raises UsageError with file and line."""
    try:
        with opened(path) as file:
            return json.loads(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}, byte {error.start + 1}: not UTF-8; save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        where = f"{path}, line {error.lineno}, column {error.colno}"
        raise UsageError(f"{where}: not valid JSON ({error.msg}); the file may be cut off") from None
    except RecursionError:
        raise UsageError(f"{path}: lists or objects are nested too deeply") from None
    except ValueError:  # the limit that Python sets on the digits of an integer
        raise UsageError(f"{path}: a number has too many digits; write it as text") from None


def json_list(path: Path, field: str, shape: str) -> list[Any]:
    """Return the list that a file's object holds under `field`; `shape` shows such a file. Raises UsageError."""
    value = read_json(path)
    found = value.get(field) if isinstance(value, dict) else None
    if not isinstance(found, list):
        raise UsageError(f"{path}: expected one JSON object with a list '{field}', as in {shape}")
    return found
