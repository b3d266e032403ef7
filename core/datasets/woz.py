"""WOZ 2.0: restaurants by food, area and price. A list of dialogues; of a turn these fields are read:

{"dialogue_idx": 7, "dialogue": [
  {"turn_idx": 0, "system_transcript": "", "transcript": "Somewhere cheap, please.",
   "belief_state": [{"act": "inform", "slots": [["price range", "cheap"]]}]}]}

The state is what was informed; `request` acts ask for a fact and are no goal. `system_transcript` came before the
user's turn. The ontology lies beside the dialogues.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..dialogue.ontology import Ontology
from ..dialogue.state import slot_name
from ..dialogue.turn import Turn
from ..rows import Row
from ..rows.whole import read_json
from .base import Dataset
from .dialogues import as_text, in_shape, parse_turn, turn_rows

DOMAIN = "restaurant"
ONTOLOGY = "ontology_dstc2_en.json"


def read(path: Path) -> Iterator[Row]:
    """Yield the turns, dialogue by dialogue. Raises UsageError."""
    return turn_rows(_turns(path))


def _turns(path: Path) -> Iterator[tuple[str, Turn]]:
    document = read_json(path)
    with in_shape(str(path), WOZ.shape):
        dialogues = list(enumerate(document, start=1))
    for number, dialogue in dialogues:
        where = f"{path}, dialogue {number}"
        with in_shape(where, WOZ.shape):
            turns = list(_of_dialogue(dialogue))
        yield from ((where, turn) for turn in turns)


def _of_dialogue(dialogue: Any) -> Iterator[Turn]:
    previous: dict[str, str] = {}
    for number, turn in enumerate(dialogue["dialogue"]):
        state = {
            slot_name(DOMAIN, as_text(slot)): as_text(value)
            for belief in turn["belief_state"]
            if belief["act"] == "inform"
            for slot, value in belief["slots"]
        }
        said = as_text(turn["system_transcript"]).strip(), as_text(turn["transcript"]).strip()
        yield Turn(str(dialogue["dialogue_idx"]), number, previous, *said, state)
        previous = state


def ontology(path: Path) -> Ontology:
    """Return the slots and values of the ontology beside `path`. Raises UsageError."""
    beside = path.parent / ONTOLOGY
    document = read_json(beside)
    with in_shape(str(beside), '{"informable": {"area": ["centre", ...], ...}}'):
        return Ontology(
            {
                slot_name(DOMAIN, slot): tuple(map(as_text, known))
                for slot, known in document["informable"].items()
                if slot != "request"
            }
        )


WOZ = Dataset(
    name="woz",
    kind="state",
    description="WOZ 2.0, restaurant dialogues: what the user wants after each turn",
    source="https://github.com/nmrksic/neural-belief-tracker/tree/master/data/woz",
    licence="Apache-2.0",
    shape='[{"dialogue_idx": 0, "dialogue": [{"system_transcript": "", "transcript": "", "belief_state": []}]}]',
    files={"train": "woz_train_en.json", "validate": "woz_validate_en.json", "test": "woz_test_en.json"},
    counts={"train": 2536, "validate": 830, "test": 1646},
    parse=parse_turn,
    read=read,
    ontology=ontology,
)
