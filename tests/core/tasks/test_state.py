import pytest

from dqlore.core.tasks import extract_answer, infer_kind, is_correct, normalize_answer, reply_of


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("hotel( area = \"east\" )", "hotel(area='east')"),
        ("taxi(to=hotel.name)\nhotel(area='east')", "taxi(to=hotel.name); hotel(area='east')"),
        ("pass", "pass"),
        ("I would pass on that", None),
        ("agent.state(hotel=__import__('os').system('true'))", None),
        ("", None),
    ],
)  # fmt: skip
def test_an_update_is_read_from_a_reply(reply: str, answer: str | None) -> None:
    assert extract_answer("state", reply) == answer


def test_of_a_reply_that_was_cut_off_only_whole_arguments_count() -> None:
    assert extract_answer("state", "hotel(area='east', name='The Gr", stated_only=True) == "hotel(area='east')"
    assert extract_answer("state", "pass", stated_only=True) is None


def test_updates_are_equal_whatever_their_order_and_spelling() -> None:
    assert is_correct("state", "hotel(time='7pm', area='east')", "hotel(area='East', time='19:00')")
    assert not is_correct("state", "hotel(area=None)", "pass")
    assert not is_correct("state", "taxi(to='hotel.name')", "taxi(to=hotel.name)")
    assert not is_correct("state", None, "pass")


def test_a_gold_answer_is_nothing_but_an_update() -> None:
    assert normalize_answer("state", "hotel(area='east')") == "hotel(area='east')"
    assert normalize_answer("state", "hotel(area='east') please") is None


def test_a_pool_of_updates_is_told_from_other_texts() -> None:
    assert infer_kind([("pass", ()), ("hotel(area='east')", ())]) == "state"
    assert infer_kind([("pass", ()), ("pass", ())]) == "span"
    assert infer_kind([("hotel", ())]) == "span"


def test_what_is_scored_of_a_reply() -> None:
    assert reply_of("state", "hotel(area='east')  # near", "hotel(area='east')") == "hotel(area='east')"
    assert reply_of("number", "2 + 5.\nThe answer is 7.\nQuestion: x", "7") == "2 + 5.\nThe answer is 7."
