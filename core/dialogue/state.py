"""Dialogue states: which slots hold which values, and how a turn changes them.

A slot is written "domain-slot" ("hotel-book_day"); both parts are Python identifiers, so that a state change can be
written as function calls. Published names that are none ("price range") are made so once, when they are loaded.
"""

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

State = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ref:
    """A value that is another slot's value: a taxi to "my hotel" goes to Ref("hotel-name")."""

    slot: str


#: What a change says of a slot: its new value, whose value it takes, or None where it was taken back.
Value = str | Ref | None
Change = Mapping[str, Value]


def slot_name(domain: str, slot: str) -> str:
    """Return "domain-slot", both as identifiers: ("restaurant", "price range") is restaurant-price_range."""
    return f"{identifier(domain)}-{identifier(slot)}"


def slot_names(slots: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the name of each (domain, slot). Raises ValueError where two would be called the same."""
    names: dict[tuple[str, str], str] = {}
    owners: dict[str, tuple[str, str]] = {}
    for pair in slots:
        name = slot_name(*pair)
        if owners.setdefault(name, pair) != pair:
            raise ValueError(f"the slots {owners[name]} and {pair} would both be called {name}")
        names[pair] = name
    return names


def identifier(name: str) -> str:
    """Return `name` as a Python identifier: what else it holds becomes _, a keyword or digit gets one beside it."""
    plain = re.sub(r"\W", "_", name.strip(), flags=re.ASCII) or "_"
    if plain[0].isdigit():
        return f"_{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def change_between(before: State, after: State) -> dict[str, Value]:
    """Return what leads from one state to the other: new values, then None for slots that were taken back."""
    changed: dict[str, Value] = {slot: value for slot, value in after.items() if before.get(slot) != value}
    return changed | {slot: None for slot in before if slot not in after}


def apply(change: Change, before: State) -> dict[str, str]:
    """Return the state after a change. A reference to a slot without a value changes nothing.

    References are read in the state as this change leaves it, so that one call may use what an earlier one set.
    """
    after = dict(before)
    for slot, value in change.items():
        found = resolve(value, after)
        if found is not None:
            after[slot] = found
        elif value is None:
            after.pop(slot, None)
    return after


def resolve(value: Value, state: State) -> str | None:
    """Return the text that a value stands for in `state`, None where it stands for none."""
    return state.get(value.slot) if isinstance(value, Ref) else value
