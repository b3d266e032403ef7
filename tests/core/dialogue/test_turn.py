from dataclasses import replace

import pytest

from dqlore.core.dialogue.coreference import with_references
from dqlore.core.dialogue.state import Ref, apply
from dqlore.core.dialogue.turn import Turn, context, exemplar_of, turn_of
from dqlore.core.errors import UsageError
from dqlore.core.exemplars import Exemplar

TAXI = Turn(
    "d1",
    3,
    {"hotel-name": "Alexander", "hotel-stars": "4"},
    "Your room is\nbooked.",
    "Now a taxi to my hotel, for 4.",
    {"hotel-name": "Alexander", "hotel-stars": "4", "taxi-destination": "Alexander", "taxi-people": "4"},
    accepted={"taxi-destination": ("the Alexander",)},
)


def test_a_turn_is_an_exemplar_and_back() -> None:
    exemplar = exemplar_of(TAXI, "t-1")
    assert exemplar.question == (
        "State: hotel(name='Alexander', stars='4')\n"
        "System: Your room is booked.\n"
        "User: Now a taxi to my hotel, for 4."
    )
    assert exemplar.answer == "taxi(destination=hotel.name, people='4')"
    assert turn_of(exemplar) == TAXI


def test_the_first_turn_has_neither_state_nor_system() -> None:
    assert context({}, "", " A hotel,\nplease ") == "State: none\nUser: A hotel, please"


def test_references_stand_for_the_very_value() -> None:
    assert apply(TAXI.change, TAXI.previous) == TAXI.state


def refs(change: dict[str, str | Ref | None], previous: dict[str, str], said: str, **marked: str) -> object:
    return with_references(change, previous, said=said, marked={k.replace("_", "-"): v for k, v in marked.items()})


def test_what_was_said_in_the_turn_is_no_reference() -> None:
    change: dict[str, str | Ref | None] = {"taxi-destination": "Acorn"}
    assert refs(change, {"hotel-name": "Acorn"}, "To the acorn, please") == change
    assert refs(change, {"hotel-name": "Acorn"}, "Acorns are nice") == {"taxi-destination": Ref("hotel-name")}
    assert refs(change, {"taxi-departure": "Acorn"}, "Back there") == change  # within a domain it may be chance


def test_numbers_corefer_only_to_the_same_slot() -> None:
    previous = {"hotel-stars": "4", "hotel-people": "4"}
    assert refs({"taxi-people": "4"}, previous, "for all of us") == {"taxi-people": Ref("hotel-people")}
    assert refs({"taxi-people": "4"}, {"hotel-stars": "4"}, "for us") == {"taxi-people": "4"}
    assert refs({"taxi-area": "dontcare"}, {"hotel-area": "dontcare"}, "") == {"taxi-area": "dontcare"}


def test_marked_references_count_where_they_hold() -> None:
    change: dict[str, str | Ref | None] = {"taxi-from": "Acorn"}
    marked = {"taxi_from": "hotel-name"}
    assert refs(change, {"hotel-name": "Acorn"}, "from the Acorn", **marked) == {"taxi-from": Ref("hotel-name")}
    assert refs(change, {"hotel-name": "Alex"}, "from the Acorn", **marked) == change


def test_a_slot_that_changes_itself_is_no_source() -> None:
    previous = {"hotel-name": "Acorn"}
    change: dict[str, str | Ref | None] = {"hotel-name": "Alex", "taxi-to": "Acorn"}
    assert refs(change, previous, "The other one, and a taxi to the first") == change


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"dialogue": "d", "turn": "0", "system": "", "user": "", "state": {}},
        {"dialogue": "d", "turn": 0, "system": "", "user": ""},
        {"dialogue": "d", "turn": 0, "system": "", "user": "", "state": {"a-b": 1}},
        {"dialogue": "d", "turn": 0, "system": "", "user": "", "state": ["x"]},
        {"dialogue": "d", "turn": 0, "system": "", "user": "", "state": {}, "accepted": {"a-b": "x"}},
        {"dialogue": "d", "turn": 0, "system": None, "user": "", "state": {}},
    ],
)
def test_other_rows_are_refused_by_name(meta: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"row-9 is no dialogue turn.*data convert woz"):
        turn_of(Exemplar("row-9", "x", "", "pass", meta=meta))


def test_a_cleared_slot_is_none() -> None:
    turn = replace(TAXI, state={"hotel-name": "Alexander"}, accepted={})
    assert exemplar_of(turn, "x").answer == "hotel(stars=None)"
