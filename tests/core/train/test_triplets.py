import pytest

from dqlore.core.train.rows import Scored
from dqlore.core.train.triplets import draw, epoch_order, sides

NAMES = tuple("abcdefghijkl")
TEXTS = {name: f"text of {name}" for name in NAMES}


def row(count: int, anchor: str = "anchor") -> Scored:
    """Candidates whose scores rise with the alphabet."""
    return Scored(anchor, NAMES[:count], tuple(float(i) for i in range(count)))


def test_positives_are_the_first_and_negatives_the_last_of_the_ranking():
    both = sides(row(12), 5, TEXTS)
    assert both.positives == ("l", "k", "j", "i", "h")
    assert both.negatives == ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(("count", "size"), [(2, 1), (3, 1), (4, 2), (9, 4), (10, 5), (11, 5)])
def test_the_sides_never_meet(count, size):
    both = sides(row(count), 5, TEXTS)
    assert len(both.positives) == len(both.negatives) == size
    assert not set(both.positives) & set(both.negatives)


@pytest.mark.parametrize("scored", [Scored("x", ("a",), (1.0,)), Scored("x", ("a", "b", "c"), (2.0, 2.0, 2.0))])
def test_an_anchor_without_a_preference_has_no_sides(scored):
    assert sides(scored, 5, TEXTS) is None


def test_a_text_is_on_one_side_only():
    texts = TEXTS | {"a": "the same", "d": "the same"}
    both = sides(row(4), 5, texts)
    assert both.positives == ("d",) and both.negatives == ("b",)


def test_each_epoch_draws_anew_and_repeats_itself():
    both = sides(row(12), 5, TEXTS)
    drawn = [draw(both, 3, epoch) for epoch in range(200)]
    assert drawn == [draw(both, 3, epoch) for epoch in range(200)]
    assert {t.positive for t in drawn} == set(both.positives)
    assert {t.negative for t in drawn} == set(both.negatives)
    assert len({(t.positive, t.negative) for t in drawn}) == 25
    assert drawn != [draw(both, 4, epoch) for epoch in range(200)]
    other = sides(row(12, "another"), 5, TEXTS)
    assert [t.positive for t in drawn] != [draw(other, 3, epoch).positive for epoch in range(200)]


def test_the_order_of_an_epoch_depends_on_seed_and_epoch_alone():
    assert sorted(epoch_order(50, 0, 0)) == list(range(50))
    assert epoch_order(50, 0, 0) == epoch_order(50, 0, 0)
    assert len({tuple(epoch_order(50, seed, epoch)) for seed in range(3) for epoch in range(3)}) == 9
