"""What the datasets of dialogues share: texts of a document in a known shape, and a turn as a row."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from ..dialogue.turn import Turn, exemplar_of
from ..errors import UsageError
from ..exemplars import Exemplar
from ..rows import Row
from .base import Fields

TURN = "turn"


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
