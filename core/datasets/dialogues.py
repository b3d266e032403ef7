"""What the datasets of dialogues share: their files as JSON, and a turn as a row."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..dialogue.turn import Turn, exemplar_of
from ..errors import UsageError
from ..exemplars import Exemplar
from ..rows import Row
from ..rows.source import opened
from .base import Fields

TURN = "turn"


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


@contextmanager
def in_shape(where: str, shape: str) -> Iterator[None]:
    """Turn a failure to find or convert a part of a document into a UsageError that shows the expected shape."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        reason = f"no field {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(f"{where}: not in the published shape ({reason}); expected {shape}") from None


def as_text(value: object) -> str:
    """Return a text of a document. Raises TypeError for anything else, and for half a character."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.40} stands where a text is expected")
    value.encode()  # UnicodeEncodeError is a ValueError
    return value


def turn_rows(turns: Iterable[tuple[str, Turn]]) -> Iterator[Row]:
    """Yield a row for each (where it stands, turn)."""
    for number, (where, turn) in enumerate(turns, start=1):
        yield Row(number, where, {TURN: turn})


def parse_turn(fields: Fields, id: str) -> Exemplar:
    """Return the turn as an exemplar. Its dialogue is named by dataset and split too: ids repeat between splits."""
    turn: Turn = fields[TURN]
    return exemplar_of(replace(turn, dialogue=f"{id.rpartition('-')[0]}-{turn.dialogue}"), id)
