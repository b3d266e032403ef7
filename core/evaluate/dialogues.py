"""Dialogues in an evaluation: turns asked in sequence, each on the state that the replies before it left."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..dialogue.metrics import READINGS, Overlap, dialogue_interval, overlap, ratio, slot_matches
from ..dialogue.ontology import Ontology
from ..dialogue.state import State, apply
from ..dialogue.turn import context, turn_of
from ..dialogue.update import parse
from ..errors import UsageError
from ..events import Failed, Query
from ..exemplars import Exemplar
from .records import FAILED, RIGHT, WRONG, Record, record

Ask = Callable[[Exemplar, Query], Awaitable[Record]]


def sequences(rows: Iterable[Exemplar]) -> list[list[Exemplar]]:
    """Return the turns of each dialogue in order.

    Raises UsageError for rows that are none, for two of the same turn, and where earlier ones are missing: a turn can
    only be asked on the state that they led to.
    """
    dialogues: dict[str, dict[int, Exemplar]] = {}
    for row in rows:
        turn = turn_of(row)
        same = dialogues.setdefault(turn.dialogue, {}).setdefault(turn.number, row)
        if same is not row:
            raise UsageError(f"{same.id} and {row.id} are both turn {turn.number} of the dialogue {turn.dialogue}")
    for dialogue, turns in dialogues.items():
        missing = set(range(len(turns))) - turns.keys()
        if missing:
            raise UsageError(f"the dialogue {dialogue} has no turn {min(missing)}: its turns are asked in sequence")
    return [[turns[number] for number in sorted(turns)] for turns in dialogues.values()]


async def follow(
    turns: Sequence[Exemplar],
    ontology: Ontology,
    states: Mapping[str, State],
    ask: Ask,
    keep: Callable[[Record], None],
) -> None:
    """Ask a dialogue's turns one after the other and `keep` each judged record.

    `states` holds, by their ids, what the turns answered in an earlier session left. Once a model fails on a turn the
    rest of its dialogue fails too, to be asked again with it: without that turn nobody knows their state.
    """
    state: State = {}
    failure: str | None = None
    for row in turns:
        if row.id in states and failure is None:
            state = states[row.id]
            continue
        turn = turn_of(row)
        asked = context(ontology.normalized(state), turn.system, turn.user)
        query = Query(asked, id=row.id, dialogue=turn.dialogue)
        if failure is None:
            answered = await ask(row, query)
        else:
            answered = record(row, "state", [Failed(f"turn {failure}")])
        if answered["status"] == FAILED and failure is None:
            failure = f"{turn.number} of its dialogue failed: {answered['error']}"
        found = judged(answered, row, query, state, ontology)
        state = found["dialogue"]["state"]
        keep(found)


def judged(answered: Record, row: Exemplar, query: Query, state: State, ontology: Ontology) -> Record:
    """Return a turn's record with its judgement under `dialogue`: the states, their overlap, notes on the reply.

    Slots that the ontology does not have are left out of the update. A reply that holds no update leaves the state as
    it was and reaches no goal. The turn is right where its whole state is, under the strict reading.
    """
    turn, answer, reply = turn_of(row), answered["predicted"], answered["completion"]
    change, unknown = ontology.known_part({} if answer is None else parse(answer).change)
    after = apply(change, state)
    lost = [
        f"{slot.replace('-', '.', 1)} takes the value of an empty slot"
        for slot, value in change.items()
        if value is not None and slot not in after
    ]
    overlaps = {reading: overlap(after, turn.state, ontology, reading, turn.accepted) for reading in READINGS}
    goals = {reading: answer is not None and found.exact for reading, found in overlaps.items()}
    status = answered["status"] if answer is None else RIGHT if goals["strict"] else WRONG
    return {
        **answered,
        "correct": goals["strict"],
        "status": status,
        "dialogue": {
            "id": turn.dialogue,
            "turn": turn.number,
            "context": query.question,
            "state": after,
            "gold_state": dict(turn.state),
            "goal": goals,
            "overlap": {reading: asdict(found) for reading, found in overlaps.items()},
            "notes": [*(() if reply is None else parse(reply).notes), *unknown, *lost],
        },
    }


def summarize_turns(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return joint goal accuracy and slot F1 of each reading, with 95 % intervals over dialogues.

    `rows` are what records hold under `dialogue`; `noted` counts the replies that were not wholly understood.
    """
    dialogues: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        dialogues.setdefault(row["id"], []).append(row)
    noted = sum(bool(turn["notes"]) for turns in dialogues.values() for turn in turns)
    readings = {str(reading): _figures(list(dialogues.values()), reading) for reading in READINGS}
    return {"count": len(dialogues), "noted": noted, **readings}


def _figures(dialogues: Sequence[Sequence[Mapping[str, Any]]], reading: str) -> dict[str, Any]:
    goals = [(float(sum(turn["goal"][reading] for turn in turns)), float(len(turns))) for turns in dialogues]
    slots = [slot_matches([Overlap(**turn["overlap"][reading]) for turn in turns]) for turns in dialogues]
    return {
        "joint_goal_accuracy": ratio(goals),
        "joint_goal_ci95": dialogue_interval(goals),
        "slot_f1": ratio(slots),
        "slot_f1_ci95": dialogue_interval(slots),
    }
