import pytest

from dqlore.core.dialogue.state import Ref, apply, change_between, identifier, slot_name, slot_names


def test_a_change_leads_from_one_state_to_the_other() -> None:
    before = {"hotel-area": "east", "hotel-stars": "4", "taxi-time": "7pm"}
    after = {"hotel-area": "west", "taxi-time": "7pm", "hotel-name": "Alex"}
    change = change_between(before, after)
    assert change == {"hotel-area": "west", "hotel-name": "Alex", "hotel-stars": None}
    assert apply(change, before) == after


def test_a_reference_takes_the_value_of_the_other_slot() -> None:
    state = {"hotel-name": "Alexander"}
    assert apply({"taxi-destination": Ref("hotel-name")}, state)["taxi-destination"] == "Alexander"
    assert apply({"taxi-destination": Ref("hotel-area")}, state) == state


def test_a_reference_sees_what_an_earlier_call_set() -> None:
    change = {"hotel-name": "Acorn", "taxi-destination": Ref("hotel-name")}
    assert apply(change, {"hotel-name": "Alexander"})["taxi-destination"] == "Acorn"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("price range", "price_range"), ("from", "from_"), ("2nd", "_2nd"), ("café", "caf_"), ("", "_"), ("a-b", "a_b")],
)
def test_names_become_identifiers(name: str, expected: str) -> None:
    assert identifier(name) == expected
    assert slot_name("hotel", name) == f"hotel-{expected}"


def test_two_slots_never_share_a_name() -> None:
    assert slot_names([("hotel", "book day")]) == {("hotel", "book day"): "hotel-book_day"}
    with pytest.raises(ValueError, match="would both be called hotel-book_day"):
        slot_names([("hotel", "book day"), ("hotel", "book-day")])
