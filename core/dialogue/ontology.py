"""The slots there are and the values they take."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from . import values
from .state import Change, Ref, State

#: A slot with more values than this is open: its values are not listed to the model.
_LISTED = 8


@dataclass(frozen=True)
class Ontology:
    """Each slot with its known values, () where any text goes."""

    slots: Mapping[str, tuple[str, ...]]

    @cached_property
    def _by_spelling(self) -> dict[str, dict[str, str]]:
        return {slot: {values.loose(value): value for value in known} for slot, known in self.slots.items()}

    def normal(self, slot: str, value: str) -> str | None:
        """Return the value in its normal spelling, None where it means that the slot is not filled.

        What the ontology lists for a slot is a value there, also where it is called "None".
        """
        known = self._by_spelling.get(slot, {}).get(values.loose(value))
        if known is None:
            return values.normal(value)
        return values.normal(known) or values.folded(known)

    def normalized(self, state: State) -> dict[str, str]:
        """Return the filled slots of a state with normal values."""
        found = {slot: self.normal(slot, value) for slot, value in state.items()}
        return {slot: value for slot, value in found.items() if value is not None}

    def known_part(self, change: Change) -> tuple[dict[str, str | Ref | None], list[str]]:
        """Return the part of a change that is about slots of the ontology, and a note for each other one."""
        known: dict[str, str | Ref | None] = {}
        notes: list[str] = []
        for slot, value in change.items():
            unknown = next(
                (s for s in (slot, value.slot if isinstance(value, Ref) else slot) if s not in self.slots), None
            )
            if unknown is None:
                known[slot] = value
            else:
                notes.append(f"unknown slot: {unknown.replace('-', '.', 1)}")
        return known, notes

    def signatures(self) -> str:
        """Return a line for each domain that shows its function: "restaurant(food, area: centre | north)"."""
        domains: dict[str, list[str]] = {}
        for slot, known in self.slots.items():
            domain, _, name = slot.partition("-")
            shown = f"{name}: {' | '.join(known)}" if 0 < len(known) <= _LISTED else name
            domains.setdefault(domain, []).append(shown)
        return "\n".join(f"{domain}({', '.join(slots)})" for domain, slots in domains.items())


def ontology_of(states: Iterable[State]) -> Ontology:
    """Return the slots that states fill. Their values are left open: others may be right as well."""
    return Ontology(dict.fromkeys(sorted({slot for state in states for slot in state}), ()))
