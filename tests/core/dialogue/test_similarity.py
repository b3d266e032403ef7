import pytest

from dqlore.core.dialogue.similarity import sim_f1
from dqlore.core.dialogue.state import Ref
from dqlore.core.dialogue.turn import Turn


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({"hotel-area": "east"}, {"hotel-area": "east"}, 1.0),
        # the slots agree, the value does not: (1 + 0) / 2
        ({"hotel-area": "east"}, {"hotel-area": "west"}, 0.5),
        # slots: 1 shared of 1 and 2, F1 = 2/3; pairs as well: (2/3 + 2/3) / 2
        ({"hotel-area": "east"}, {"hotel-area": "east", "hotel-stars": "4"}, 2 / 3),
        # slots: 2 shared of 2 and 3, F1 = 4/5; pairs: 1 shared, F1 = 2/5: (4/5 + 2/5) / 2
        (
            {"hotel-area": "east", "hotel-stars": "4"},
            {"hotel-area": "east", "hotel-stars": "3", "hotel-name": "Alex"},
            3 / 5,
        ),
        ({"hotel-area": "east"}, {"taxi-area": "east"}, 0.0),
        ({}, {}, 1.0),
        ({}, {"hotel-area": "east"}, 0.0),
        ({"hotel-area": None}, {"hotel-area": None}, 1.0),
    ],
)
def test_worked_by_hand(a: dict[str, str], b: dict[str, str], expected: float) -> None:
    assert sim_f1(a, b) == sim_f1(b, a) == pytest.approx(expected)


def taxi(hotel: str, said: str) -> Turn:
    before = {"hotel-name": hotel}
    return Turn("d", 1, before, "", said, before | {"taxi-destination": hotel})


def test_values_of_another_slot_are_that_slot() -> None:
    """Taxis to two hotels, each said as "my hotel", are one change; a hotel called by its name is another."""
    mine, yours = taxi("Alexander", "A taxi to my hotel."), taxi("Acorn", "And a cab to the hotel")
    named = taxi("Acorn", "A cab to Acorn")
    assert mine.change == {"taxi-destination": Ref("hotel-name")}
    assert sim_f1(mine.change, yours.change) == 1.0
    assert named.change == {"taxi-destination": "Acorn"}
    assert sim_f1(yours.change, named.change) == 0.5
