"""MultiWOZ 2.1 and 2.4: one data.json with all dialogues, and lists that say which are for testing. Read are:

{"MUL0001.json": {"log": [
  {"text": "A cheap hotel for 2 nights.", "metadata": {}},
  {"text": "Which day?", "metadata": {
    "hotel": {"semi": {"pricerange": "cheap", "name": "not mentioned"}, "book": {"booked": [], "stay": "2"}}}}]}}

Turns alternate, the user's first; the state after a user's turn stands with the system's turn that answers it.
Booking slots are called book_stay and so on. "cheap|moderate" are two accepted values.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..dialogue.ontology import Ontology
from ..dialogue.state import slot_name
from ..dialogue.turn import Turn
from ..errors import UsageError
from ..rows import Row
from ..rows.whole import read_json
from .base import Dataset, Fields
from .dialogues import TURN, as_text, in_shape, parse_turn, turn_rows

_UNFILLED = ("", "not mentioned", "none")
_LISTS = {"test": "testListFile", "dev": "valListFile"}


def read(path: Path) -> Iterator[Row]:
    """Yield the turns of all dialogues. Raises UsageError."""
    return turn_rows(_turns(path))


def _turns(path: Path) -> Iterator[tuple[str, Turn]]:
    document = read_json(path)
    with in_shape(str(path), MULTIWOZ.shape):
        dialogues = document.items()
    for name, dialogue in dialogues:
        where = f"{path}, dialogue {name}"
        with in_shape(where, MULTIWOZ.shape):
            turns = list(_of_dialogue(name.removesuffix(".json"), dialogue["log"]))
        yield from ((where, turn) for turn in turns)


def _of_dialogue(id: str, log: list[Any]) -> Iterator[Turn]:
    previous: dict[str, str] = {}
    system = ""
    for number, (user, reply) in enumerate(zip(log[::2], log[1::2], strict=False)):
        found = dict(_slots(reply["metadata"]))
        state = {slot: ways[0] for slot, ways in found.items()}
        accepted = {slot: tuple(ways[1:]) for slot, ways in found.items() if len(ways) > 1}
        yield Turn(id, number, previous, system, as_text(user["text"]).strip(), state, accepted)
        previous, system = state, as_text(reply["text"]).strip()


def _slots(metadata: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for domain, parts in metadata.items():
        for kind, prefix in (("semi", ""), ("book", "book ")):
            for slot, value in parts[kind].items():
                if slot != "booked":
                    ways = [way.strip() for way in _value(value).split("|") if way.strip() not in _UNFILLED]
                    if ways:
                        yield slot_name(domain, f"{prefix}{slot}"), ways


def _value(value: object) -> str:
    """Return a value; version 2.4 has lists of one in places."""
    return "|".join(map(as_text, value)) if isinstance(value, list) else as_text(value)


def in_split(path: Path, split: str) -> Callable[[Fields], bool]:
    """Return which rows belong to a split, by the lists beside `path`. Raises UsageError where they are missing."""
    listed = {name: _listed(path.parent, file) for name, file in _LISTS.items()}
    if split in listed:
        return lambda fields: fields[TURN].dialogue in listed[split]
    elsewhere = set().union(*listed.values())
    return lambda fields: fields[TURN].dialogue not in elsewhere


def _listed(folder: Path, name: str) -> set[str]:
    for file in (folder / f"{name}.json", folder / f"{name}.txt"):
        if file.is_file():
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            return {line.strip().removesuffix(".json") for line in lines}
    raise UsageError(f"there is no {name}.json or {name}.txt in {folder}: it says which dialogues are in which split")


def ontology(path: Path) -> Ontology:
    """Return the slots that the dialogues fill, with the values that the ontology beside `path` lists for them."""
    slots = sorted({slot for _, turn in _turns(path) for slot in turn.state})
    beside = path.parent / "ontology.json"
    listed: dict[str, tuple[str, ...]] = {}
    if beside.is_file():
        document = read_json(beside)
        with in_shape(str(beside), '{"hotel-semi-area": ["centre", ...], ...}'):
            listed = {_loose(name): tuple(map(as_text, known)) for name, known in document.items()}
    return Ontology({slot: listed.get(_loose(slot), ()) for slot in slots})


def _loose(name: str) -> str:
    """Return what "hotel-semi-pricerange", "hotel-price range" and "hotel-pricerange" have in common."""
    domain, _, slot = name.lower().partition("-")
    return f"{domain}-{re.sub(r'[^a-z]', '', slot.removeprefix('semi-'))}"


MULTIWOZ = Dataset(
    name="multiwoz",
    kind="state",
    description="MultiWOZ 2.1 or 2.4, whichever data.json lies in the folder",
    source="https://github.com/smartyfh/MultiWOZ2.4",
    licence="MIT",
    shape='{"MUL0001.json": {"log": [{"text": "...", "metadata": {}}, ...]}, ...}',
    files=dict.fromkeys(("train", "dev", "test"), "data.json"),
    counts={},
    parse=parse_turn,
    read=read,
    in_split=in_split,
    ontology=ontology,
)
