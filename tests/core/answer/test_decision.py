"""The rule of sure against tables of all outcomes, worked out apart from the code."""

from itertools import combinations, permutations, product

import pytest

from dqlore.core.answer.decision import choose, pair_points, ranking
from dqlore.core.events import Comparison

# What candidate 1 gains from its pair with 2, by who was preferred when 1 and when 2 was shown first; "-" is neither.
PAIR = {
    ("1", "1"): 1.0, ("1", "2"): 0.5, ("1", "-"): 0.5,
    ("2", "1"): 0.5, ("2", "2"): 0.0, ("2", "-"): 0.5,
    ("-", "1"): 0.5, ("-", "2"): 0.5, ("-", "-"): 0.5,
}  # fmt: skip

# The answer for each validity of candidates 1 and 2, where 1 wins, ties and loses.
TWO = {"00": "112", "01": "122", "10": "111", "11": "112"}

# For three: 27 outcomes of the pairs 1-2, 1-3, 2-3, each a win, a tie, a loss of the one named first; the last pair
# changes fastest, and a group of nine belongs to one outcome of the pair 1-2.
THREE = {
    "000": "111111133 111213233 221223223",
    "001": "111133333 113233333 223233233",
    "010": "111211223 221222223 222222222",
    "011": "111233233 223223233 222223223",
    "100": "111111111 111111113 111211223",
    "101": "111111133 111113333 111233233",
    "110": "111111111 111211223 221222222",
    "111": "111111133 111213233 221223223",
}


@pytest.mark.parametrize(("verdicts", "points"), PAIR.items())
def test_a_pair(verdicts, points):
    preferred = [{"1": 0, "2": 1, "-": None}[verdict] for verdict in verdicts]
    assert pair_points(*preferred, 0) == points
    assert pair_points(*reversed(preferred), 1) == 1 - points


def comparisons(outcomes):
    """Return verdicts in both orders that give these outcomes (1, 0.5, 0) of the pairs (0, 1), (0, 2), (1, 2)."""
    made = []
    for (one, other), outcome in outcomes.items():
        winner = {1: (one, one), 0: (other, other), 0.5: (one, other)}[outcome]  # a tie: whoever is shown first
        made += [Comparison(one, other, winner[0]), Comparison(other, one, winner[1])]
    return made


@pytest.mark.parametrize(("k", "table"), [(2, TWO), (3, THREE)])
def test_the_answer_is_that_of_the_table_for_every_outcome(k, table):
    pairs = list(combinations(range(k), 2))
    seen = 0
    for validity, row in table.items():
        valid = [digit == "1" for digit in validity]
        answers = row.replace(" ", "")
        for outcome, answer in zip(product((1, 0.5, 0), repeat=len(pairs)), answers, strict=True):
            points = ranking(k, comparisons(dict(zip(pairs, outcome, strict=True))))
            assert choose(valid, points) + 1 == int(answer), (validity, outcome)
            assert sum(points) == len(pairs)
            seen += 1
    assert seen == {2: 4 * 3, 3: 8 * 27}[k]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_a_judge_that_takes_the_first_place_or_neither_makes_all_pairs_ties(k):
    for preferred in (lambda pair: pair[0], lambda pair: pair[1], lambda _: None):
        asked = [Comparison(*pair, preferred(pair)) for pair in permutations(range(k), 2)]
        assert ranking(k, asked) == ((k - 1) / 2,) * k


def test_a_verdict_that_is_unclear_counts_as_not_valid():
    assert choose([None, True], (0.5, 0.5)) == 1
    assert choose([None, False], (0.5, 0.5)) == 0


def test_one_candidate_needs_no_comparison():
    assert ranking(1, []) == (0,)
    assert choose([False], (0,)) == 0
