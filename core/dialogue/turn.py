"""A turn of a dialogue: what stood, what was said, what changed; and the exemplar that shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import UsageError
from ..exemplars import Exemplar
from .coreference import with_references
from .state import Change, State, Value, change_between
from .update import NO_CHANGE, render


@dataclass(frozen=True, slots=True)
class Turn:
    """One user turn. `number` counts from 0; `system` is what the system said before it, "" at the start.

    `state` is the state after the turn; `accepted` holds other values of its slots that are as right (Schema-Guided
    data list several ways to say one). `references` are the slots whose value the data mark as taken from another.
    """

    dialogue: str
    number: int
    previous: State
    system: str
    user: str
    state: State
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)

    @property
    def change(self) -> dict[str, Value]:
        """What the turn changes, with references to the slots whose values it takes."""
        return with_references(
            change_between(self.previous, self.state),
            self.previous,
            said=f"{self.system}\n{self.user}",
            marked=self.references,
        )


def context(previous: State, system: str, user: str) -> str:
    """Return the turn's context as encoder and model see it: previous state, last system turn, user turn."""
    state = render(previous) if previous else "none"
    heard = f"System: {_line(system)}\n" if system.strip() else ""
    return f"State: {state}\n{heard}User: {_line(user)}"


def exemplar_of(turn: Turn, id: str) -> Exemplar:
    """Return the turn as an exemplar: its context is the question, its change the answer."""
    meta: dict[str, object] = {
        "dialogue": turn.dialogue,
        "turn": turn.number,
        "previous": dict(turn.previous),
        "system": turn.system,
        "user": turn.user,
        "state": dict(turn.state),
    }
    if turn.accepted:
        meta["accepted"] = {slot: list(others) for slot, others in turn.accepted.items()}
    if turn.references:
        meta["references"] = dict(turn.references)
    question = context(turn.previous, turn.system, turn.user)
    return Exemplar(id, question, "", render(turn.change), meta=meta)


def turn_of(exemplar: Exemplar) -> Turn:
    """Return the turn that an exemplar was made of. Raises UsageError for any other exemplar."""
    meta = exemplar.meta
    texts = [meta.get(name) for name in ("dialogue", "system", "user")]
    states = [meta.get(name, {}) for name in ("previous", "state", "references")]
    accepted = meta.get("accepted", {})
    number = meta.get("turn")
    if not (
        all(isinstance(text, str) for text in texts)
        and isinstance(number, int)
        and "state" in meta
        and all(isinstance(state, Mapping) and _texts(state.values()) for state in states)
        and isinstance(accepted, Mapping)
        and all(isinstance(others, list | tuple) and _texts(others) for others in accepted.values())
    ):
        raise UsageError(
            f"{exemplar.id} is no dialogue turn: it needs meta with dialogue, turn, previous, system, user and "
            "state, as `dqlore data convert woz FILE.jsonl` writes them"
        )
    dialogue, system, user = map(str, texts)
    previous, state, references = (dict(s) for s in states if isinstance(s, Mapping))
    ways = {slot: tuple(others) for slot, others in accepted.items()}
    return Turn(dialogue, number, previous, system, user, state, ways, references)


def is_turn(exemplar: Exemplar) -> bool:
    """Return whether the exemplar is a turn of a dialogue."""
    return isinstance(exemplar.meta.get("dialogue"), str) and "turn" in exemplar.meta


def change_of(exemplar: Exemplar) -> Change:
    """Return the state change that the exemplar's answer is. Raises UsageError where it is none."""
    from .update import parse

    parsed = parse(exemplar.answer)
    if not parsed.read or parsed.notes:
        raise UsageError(f"{exemplar.id}: the answer {exemplar.answer!r} is no state change, nor {NO_CHANGE!r}")
    return parsed.change


def _texts(values: object) -> bool:
    return all(isinstance(value, str) for value in values)  # type: ignore[attr-defined]


def _line(text: str) -> str:
    return " ".join(text.split())
