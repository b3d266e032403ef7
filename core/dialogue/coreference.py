"""Which new values are another slot's: "a taxi to my hotel" takes the hotel's name."""

import re
from collections.abc import Mapping

from .state import Change, Ref, State, Value
from .values import DONT_CARE, folded


def with_references(change: Change, previous: State, *, said: str, marked: Mapping[str, str]) -> dict[str, Value]:
    """Return the change with a Ref for each value that is taken from a slot of another domain.

    Those are the slots that the data mark (`marked`: slot to its source), and otherwise new values that the previous
    state holds in another domain while nobody `said` them in this turn. Numbers and yes/no are taken only from a slot
    of the same name, for "4" is many things. A slot that this very change fills anew is no source, so a Ref always
    stands for the value it replaces.
    """
    heard = folded(said)
    sources = {slot: value for slot, value in previous.items() if slot not in change}
    found = {slot: _source(slot, value, sources, heard, marked) for slot, value in change.items()}
    return {slot: Ref(source) if (source := found[slot]) else value for slot, value in change.items()}


def _source(slot: str, value: Value, previous: State, heard: str, marked: Mapping[str, str]) -> str | None:
    if not isinstance(value, str) or value == DONT_CARE:
        return None
    source = marked.get(slot)
    if source is not None and previous.get(source) == value:
        return source
    domain, _, name = slot.partition("-")
    holders = [other for other, held in previous.items() if held == value and other.partition("-")[0] != domain]
    same_name = [other for other in holders if other.partition("-")[2] == name]
    if _said(folded(value), heard):
        return None
    if same_name:
        return same_name[-1]
    is_common = value.isdigit() or folded(value) in ("true", "false", "yes", "no", "none")
    return holders[-1] if holders and not is_common else None


def _said(value: str, heard: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", heard) is not None
