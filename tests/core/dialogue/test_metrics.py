import pytest

from dqlore.core.dialogue.metrics import Overlap, dialogue_interval, overlap, ratio, slot_matches
from dqlore.core.dialogue.ontology import Ontology

OPEN = Ontology({"hotel-area": (), "hotel-time": (), "hotel-date": ()})


@pytest.mark.parametrize(
    ("gold", "predicted", "strict", "lenient", "verbatim"),
    [
        ({"hotel-area": "dontcare"}, {}, False, True, False),
        ({}, {"hotel-area": "dontcare"}, False, True, False),
        ({}, {"hotel-area": "none"}, True, True, True),
        ({"hotel-area": "none"}, {}, True, True, True),
        ({"hotel-area": "dontcare"}, {"hotel-area": "don't care"}, True, True, False),
        ({"hotel-area": "dontcare"}, {"hotel-area": "east"}, False, False, False),
        ({"hotel-area": "east"}, {"hotel-area": "west"}, False, False, False),
        ({"hotel-area": "east"}, {"hotel-area": "east", "hotel-time": "7pm"}, False, False, False),
        ({}, {}, True, True, True),
    ],
)
def test_values_that_are_none_and_values_that_do_not_matter(
    gold: dict[str, str], predicted: dict[str, str], strict: bool, lenient: bool, verbatim: bool
) -> None:
    assert overlap(predicted, gold, OPEN).exact is strict
    assert overlap(predicted, gold, OPEN, "lenient").exact is lenient
    assert overlap(predicted, gold, OPEN, "verbatim").exact is verbatim


def test_other_spellings_are_equal_but_not_verbatim() -> None:
    gold = {"hotel-time": "19:00", "hotel-area": "centre", "hotel-date": "march 3"}
    predicted = {"hotel-time": "7pm", "hotel-area": "center", "hotel-date": "March 3rd"}
    assert overlap(predicted, gold, OPEN) == Overlap(3, 3, 3)
    assert overlap(predicted, gold, OPEN, "verbatim") == Overlap(0, 3, 3)


def test_any_accepted_value_is_right() -> None:
    accepted = {"hotel-area": ("city centre", "downtown")}
    assert overlap({"hotel-area": "Downtown"}, {"hotel-area": "centre"}, OPEN, "strict", accepted).exact
    assert not overlap({"hotel-area": "Downtown"}, {"hotel-area": "centre"}, OPEN, "verbatim", accepted).exact
    assert overlap({"hotel-area": "downtown"}, {"hotel-area": "centre"}, OPEN, "verbatim", accepted).exact


def test_slot_f1_worked_by_hand() -> None:
    # 2 and 1 shared; 2 + 3 predicted; 3 + 1 gold: F1 = 2·3 / 9
    matches = slot_matches([Overlap(2, 2, 3), Overlap(1, 3, 1)])
    assert matches == (6.0, 9.0)
    assert ratio([matches]) == pytest.approx(2 / 3)
    assert ratio([(1.0, 2.0), (3.0, 3.0)]) == pytest.approx(4 / 5)
    assert ratio([(0.0, 0.0)]) == 1.0


def test_the_interval_is_over_dialogues() -> None:
    assert dialogue_interval([(1.0, 2.0)]) is None
    assert dialogue_interval([(1.0, 2.0), (2.0, 4.0)]) == (0.5, 0.5)
    low, high = dialogue_interval([(5.0, 5.0)] * 20 + [(0.0, 5.0)] * 20) or (0, 0)
    # 40 dialogues at 0 or 1: 1.96·√(0.25/40) = 0.155 on each side; 200 single turns would give 0.069
    assert low == pytest.approx(0.5 - 0.155, abs=0.03) and high == pytest.approx(0.5 + 0.155, abs=0.03)
