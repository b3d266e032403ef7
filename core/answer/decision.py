"""The rule by which sure decides, apart from any model."""

from collections.abc import Sequence

from ..events import Comparison, Judged


def pair_points(in_order: int | None, turned: int | None, first: int) -> float:
    """Return what the candidate `first` gains from a pair that was compared in both orders: 1, ½ or 0.

    `in_order` and `turned` are the candidates preferred when `first` was shown first and last, None for neither. A
    preference counts only if it survives the change of places, so a judge that always takes the same place gives ½.
    """
    if in_order is None or in_order != turned:
        return 0.5
    return 1.0 if in_order == first else 0.0


def ranking(k: int, comparisons: Sequence[Comparison]) -> tuple[float, ...]:
    """Return r(s_k) = Σ_{i≠k} of the points of each pair (SuRe, step 4).

    `comparisons` holds all pairs, each in both orders.
    """
    preferred = {(c.first, c.second): c.preferred for c in comparisons}
    return tuple(
        sum(pair_points(preferred[one, other], preferred[other, one], one) for other in range(k) if other != one)
        for one in range(k)
    )


def choose(valid: Sequence[bool | None], points: Sequence[float]) -> int:
    """Return argmax v(s_k) + r(s_k); on a tie the candidate that the model named first.

    v is 1 where a summary bears out its candidate, and 0 where it does not or the reply says neither.
    """
    totals = [(v is True) + r for v, r in zip(valid, points, strict=True)]
    return totals.index(max(totals))


def verdicts(judged: Judged) -> list[tuple[str, str, str]]:
    """Return v(s_k), r(s_k) and their sum for each candidate, in words and figures."""
    said = {True: "yes", False: "no", None: "unclear"}
    return [
        (said[valid], f"{points:g}", f"{(valid is True) + points:g}")
        for valid, points in zip(judged.valid, judged.ranking, strict=True)
    ]
