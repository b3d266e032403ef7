"""Published values, independent formulas and coverage of the intervals."""

import math
import random

import pytest
from scipy.stats import binomtest, ttest_rel

from dqlore.core.evaluate.stats import (
    Interval,
    Paired,
    mcnemar_exact,
    mean_difference,
    paired_difference,
    wilson_interval,
)


@pytest.mark.parametrize(("correct", "n"), [(81, 263), (15, 148), (0, 20), (1, 29), (29, 29), (480, 600)])
def test_wilson_equals_scipy(correct, n):
    theirs = binomtest(correct, n).proportion_ci(0.95, method="wilson")
    ours = wilson_interval(correct, n)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_wilson_gives_newcombes_published_limits():
    # Newcombe 1998, Statistics in Medicine 17:857-872, table I, method 3
    for correct, n, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)):
        interval = wilson_interval(correct, n)
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)


def test_without_questions_every_accuracy_is_possible():
    assert wilson_interval(0, 0) == Interval(0.0, 1.0)
    assert paired_difference(Paired(0, 0, 0, 0)) == (0.0, Interval(-1.0, 1.0))


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (10, 10), (3, 14), (14, 3), (121, 59), (0, 6), (400, 350)])
def test_mcnemar_equals_the_binomial_test(b, c):
    expected = binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_by_hand():
    assert mcnemar_exact(6, 0) == 2 / 64
    assert mcnemar_exact(1, 4) == 2 * (1 + 5) / 32


def test_paired_difference_by_hand():
    """a = 20, b = 12, c = 2, d = 16, the formula written out."""
    difference, interval = paired_difference(Paired(20, 12, 2, 16))
    one, two = wilson_interval(32, 50), wilson_interval(22, 50)
    phi = (20 * 16 - 12 * 2 - 25) / math.sqrt(32 * 18 * 22 * 28)
    low = difference - math.sqrt(
        (0.64 - one.low) ** 2 - 2 * phi * (0.64 - one.low) * (two.high - 0.44) + (two.high - 0.44) ** 2
    )
    high = difference + math.sqrt(
        (one.high - 0.64) ** 2 - 2 * phi * (one.high - 0.64) * (0.44 - two.low) + (0.44 - two.low) ** 2
    )
    assert difference == pytest.approx(0.2)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)


def test_paired_difference_covers_the_truth_in_95_of_100_samples():
    draw = random.Random(1)
    chances = (0.45, 0.2, 0.1, 0.25)  # both, only a, only b, neither
    covered = 0
    for _ in range(2000):
        cells = draw.choices(range(4), chances, k=80)
        _, interval = paired_difference(Paired(*(cells.count(cell) for cell in range(4))))
        covered += interval.low <= 0.1 <= interval.high
    assert 0.935 < covered / 2000 < 0.97


def test_paired_difference_changes_sign_with_the_order():
    difference, interval = paired_difference(Paired(30, 9, 4, 7))
    swapped, mirrored = paired_difference(Paired(30, 4, 9, 7))
    assert difference == -swapped
    assert (interval.low, interval.high) == pytest.approx((-mirrored.high, -mirrored.low))


def test_mean_difference_equals_scipy():
    draw = random.Random(2)
    a = [draw.gauss(1.4, 0.3) for _ in range(40)]
    b = [x + draw.gauss(0.1, 0.2) for x in a]
    theirs = ttest_rel(a, b).confidence_interval(0.95)
    mean, interval = mean_difference(a, b)
    assert mean == pytest.approx(sum(a) / 40 - sum(b) / 40)
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high))
