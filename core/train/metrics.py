"""How well an encoder ranks the candidates of held-out anchors, by the LM's scores of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

NAMES = ("mrr", "ndcg@8", "spearman")
DEPTH = 8


def ranking_metrics(
    scores: Sequence[Sequence[float]], similarities: Sequence[npt.ArrayLike]
) -> dict[str, FloatArray]:
    """Return each metric of each anchor, (anchors,), from the LM's scores and the encoder's similarities.

    mrr: one over the place of the LM's best candidate in the encoder's order; ndcg@8: the gain of a candidate is the
    share of the others that the LM puts below it; spearman: the rank correlation, 0 where either ranks nothing.
    """
    rows = [
        _of_anchor(np.asarray(score, np.float64), np.asarray(similarity, np.float64))
        for score, similarity in zip(scores, similarities, strict=True)
    ]
    return {name: np.array([row[i] for row in rows]) for i, name in enumerate(NAMES)}


def _of_anchor(scores: FloatArray, similarities: FloatArray) -> tuple[float, float, float]:
    from scipy.stats import rankdata, spearmanr
    from sklearn.metrics import ndcg_score

    best = similarities[scores.argmax()]
    # Ties count against the encoder by half, as if broken by chance.
    place = 1 + (similarities > best).sum() + ((similarities == best).sum() - 1) / 2
    if len(scores) < 2 or np.ptp(scores) == 0:
        return 1 / place, 1.0, 0.0
    gains = (rankdata(scores) - 1) / (len(scores) - 1)
    ndcg = float(ndcg_score(gains[None], similarities[None], k=DEPTH))
    correlation = float(spearmanr(scores, similarities).statistic) if np.ptp(similarities) > 0 else 0.0
    return 1 / place, ndcg, correlation


@dataclass(frozen=True, slots=True)
class Change:
    """Means of a metric over the same anchors before and after, and the difference with its 95 % interval."""

    before: float
    after: float
    difference: float
    low: float
    high: float


def changes(
    before: Mapping[str, FloatArray], after: Mapping[str, FloatArray], seed: int, resamples: int = 9_999
) -> dict[str, Change]:
    """Return how each metric changed; the interval is the percentile bootstrap over the anchors' differences.

    (Efron and Tibshirani 1993, chapter 13.) With a single anchor it is the difference itself.
    """
    return {name: _change(before[name], after[name], seed, resamples) for name in before}


def _change(before: FloatArray, after: FloatArray, seed: int, resamples: int) -> Change:
    from scipy.stats import bootstrap

    differences = after - before
    mean = float(differences.mean())
    low = high = mean
    if np.ptp(differences) > 0:
        drawn = bootstrap(
            (differences,), np.mean, n_resamples=resamples, method="percentile", rng=np.random.default_rng(seed)
        ).confidence_interval
        low, high = float(drawn.low), float(drawn.high)
    return Change(float(before.mean()), float(after.mean()), mean, low, high)
