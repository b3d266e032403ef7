"""The Schema-Guided format, which MultiWOZ 2.2 also uses: dialogues_*.json beside a schema. Of a user turn are read:

{"dialogue_id": "1_00000", "turns": [
  {"speaker": "USER", "utterance": "A cab to my hotel.", "frames": [
    {"service": "Taxi_1", "state": {"slot_values": {"destination": ["Grand Hotel", "the Grand"]}},
     "slots": [{"slot": "destination", "copy_from": "Hotels_1-name"}]}]}]}

The values of a slot are several ways to say one; the first is the state's and the others are accepted. A service that
has no frame in a turn keeps its state. `copy_from` (MultiWOZ 2.2) names the slot whose value is meant.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..dialogue.ontology import Ontology
from ..dialogue.state import slot_name, slot_names
from ..dialogue.turn import Turn
from ..errors import UsageError
from ..rows import Row
from ..rows.whole import read_json
from .base import Dataset
from .dialogues import as_text, in_shape, parse_turn, turn_rows

SHAPE = '[{"dialogue_id": "...", "turns": [{"speaker": "USER", "utterance": "...", "frames": [...]}]}]'


def read(path: Path) -> Iterator[Row]:
    """Yield the turns of all dialogues_*.json in the folder of `path`. Raises UsageError."""
    return turn_rows(_turns(path.parent))


def _turns(folder: Path) -> Iterator[tuple[str, Turn]]:
    files = sorted(folder.glob("dialogues_*.json"))
    if not files:
        raise UsageError(f"{folder} has no dialogues_*.json")
    for file in files:
        document = read_json(file)
        with in_shape(str(file), SHAPE):
            dialogues = list(enumerate(document, start=1))
        for number, dialogue in dialogues:
            where = f"{file}, dialogue {number}"
            with in_shape(where, SHAPE):
                turns = list(_of_dialogue(dialogue))
            yield from ((where, turn) for turn in turns)


def _of_dialogue(dialogue: Any) -> Iterator[Turn]:
    id = as_text(dialogue["dialogue_id"])
    current = Turn(id, -1, {}, "", "", {})
    system = ""
    for turn in dialogue["turns"]:
        said = as_text(turn["utterance"]).strip()
        if turn["speaker"] != "USER":
            system = said
            continue
        state, accepted = dict(current.state), dict(current.accepted)
        references: dict[str, str] = {}
        for frame in turn["frames"]:
            service = as_text(frame["service"])
            _replace(service, frame["state"]["slot_values"], state, accepted)
            references |= _references(service, frame.get("slots") or ())
        current = replace(
            current,
            number=current.number + 1,
            previous=current.state,
            system=system,
            user=said,
            state=state,
            accepted=accepted,
            references=references,
        )
        yield current


def _replace(
    service: str, values: Mapping[str, Any], state: dict[str, str], accepted: dict[str, tuple[str, ...]]
) -> None:
    """Put the values of a service's frame in place of what the state holds for it; known slots keep their place."""
    found = {_name(service, slot): tuple(map(as_text, ways)) for slot, ways in values.items() if ways}
    for slot in [held for held in state if held.startswith(f"{slot_name(service, 'x')[:-1]}") and held not in found]:
        del state[slot]
        accepted.pop(slot, None)
    for slot, (first, *others) in found.items():
        state[slot] = first
        accepted.pop(slot, None)
        if others:
            accepted[slot] = tuple(others)


def _references(service: str, slots: Any) -> dict[str, str]:
    found = {}
    for slot in slots:
        if "copy_from" in slot:
            source_service, _, source = as_text(slot["copy_from"]).partition("-")
            found[_name(service, slot["slot"])] = slot_name(source_service, source)
    return found


def _name(service: str, slot: str) -> str:
    """Return the slot's name; MultiWOZ 2.2 writes the service in front of it already."""
    return slot_name(service, as_text(slot).removeprefix(f"{service}-"))


def _ontology(schema: Path) -> Ontology:
    document = read_json(schema)
    with in_shape(str(schema), '[{"service_name": "...", "slots": [{"name": "...", "possible_values": []}]}]'):
        slots = {
            (service["service_name"], slot["name"].removeprefix(f"{service['service_name']}-")): tuple(
                map(as_text, slot.get("possible_values") or ())
            )
            for service in document
            for slot in service["slots"]
        }
        names = slot_names(slots)
        return Ontology({names[slot]: values for slot, values in slots.items()})


SGD = Dataset(
    name="sgd",
    kind="state",
    description="Schema-Guided Dialogue: many services, each with its schema",
    source="https://github.com/google-research-datasets/dstc8-schema-guided-dialogue",
    licence="CC BY-SA 4.0",
    shape=SHAPE,
    files={
        "train": "train/schema.json",
        "loose": "schema.json",  # dialogue files that lie in the dataset's own folder
        "dev": "dev/schema.json",
        "test": "test/schema.json",
    },
    counts={},
    parse=parse_turn,
    read=read,
    ontology=_ontology,
)

MULTIWOZ22 = Dataset(
    name="multiwoz22",
    kind="state",
    description="MultiWOZ 2.2: dialogues over hotels, restaurants, trains, taxis and sights",
    source="https://github.com/budzianowski/multiwoz/tree/master/data/MultiWOZ_2.2",
    licence="MIT",
    shape=SHAPE,
    files={split: f"{split}/dialogues_001.json" for split in ("train", "dev", "test")},
    counts={},
    parse=parse_turn,
    read=read,
    ontology=lambda path: _ontology(path.parents[1] / "schema.json"),
)
