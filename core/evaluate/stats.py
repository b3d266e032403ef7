"""The statistics of right and wrong answers. Each function is one published formula."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: The 97.5 % point of the standard normal distribution: intervals here are two-sided, 95 %.
Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Paired:
    """How two methods did on the same questions."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @property
    def n(self) -> int:
        return self.both + self.only_a + self.only_b + self.neither


def wilson_interval(correct: int, n: int) -> Interval:
    """Return Wilson's score interval of a proportion (Wilson 1927, JASA 22:209-212); [0, 1] for n = 0.

    (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
    """
    if n == 0:
        return Interval(0.0, 1.0)
    p = correct / n
    centre = p + Z**2 / (2 * n)
    half = Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    scale = 1 + Z**2 / n
    return Interval(
        0.0 if correct == 0 else (centre - half) / scale,
        1.0 if correct == n else (centre + half) / scale,
    )


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Return the two-sided p value of McNemar's exact test (McNemar 1947, Psychometrika 12:153-157).

    Questions that one method alone got right are as likely to fall to either if the methods are equally good, so
    p = min(1, 2 P(X ≤ min(only_a, only_b))) with X binomial of only_a + only_b trials of chance ½.
    """
    n = only_a + only_b
    tail = sum(math.comb(n, k) for k in range(min(only_a, only_b) + 1))
    return min(1.0, float(2 * tail / 2**n))


def paired_difference(table: Paired) -> tuple[float, Interval]:
    """Return accuracy of a minus accuracy of b on the same questions, with its interval.

    The interval is method 10 of Newcombe (1998, Statistics in Medicine 17:2635-2650): the Wilson limits of both
    accuracies, joined with regard to their correlation φ. For n = 0 it is [-1, 1].
    """
    n = table.n
    if n == 0:
        return 0.0, Interval(-1.0, 1.0)
    right_a, right_b = table.both + table.only_a, table.both + table.only_b
    p_a, p_b = right_a / n, right_b / n
    of_a, of_b = wilson_interval(right_a, n), wilson_interval(right_b, n)
    phi = _newcombe_phi(table)
    below_a, above_a = p_a - of_a.low, of_a.high - p_a
    below_b, above_b = p_b - of_b.low, of_b.high - p_b
    down = math.sqrt(max(0.0, below_a**2 - 2 * phi * below_a * above_b + above_b**2))
    up = math.sqrt(max(0.0, above_a**2 - 2 * phi * above_a * below_b + below_b**2))
    difference = (table.only_a - table.only_b) / n
    return difference, Interval(max(-1.0, difference - down), min(1.0, difference + up))


def _newcombe_phi(table: Paired) -> float:
    """Return φ with the continuity correction of method 10; 0 where a margin of the table is empty."""
    a, b, c, d = table.both, table.only_a, table.only_b, table.neither
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    cross = a * d - b * c
    if cross > 0:
        return max(cross - table.n / 2, 0.0) / math.sqrt(margins)
    return cross / math.sqrt(margins)


def mean_difference(a: Sequence[float], b: Sequence[float]) -> tuple[float, Interval]:
    """Return the mean of a_i - b_i with Student's paired interval (Student 1908, Biometrika 6:1-25).

    mean ± t(0.975, n-1) s/√n; the whole line for n < 2.
    """
    from scipy.stats import t

    differences = [x - y for x, y in zip(a, b, strict=True)]
    n = len(differences)
    if n < 2:
        return (differences[0] if differences else 0.0), Interval(-math.inf, math.inf)
    mean = math.fsum(differences) / n
    variance = math.fsum((x - mean) ** 2 for x in differences) / (n - 1)
    half = float(t.ppf(0.975, n - 1)) * math.sqrt(variance / n)
    return mean, Interval(mean - half, mean + half)
