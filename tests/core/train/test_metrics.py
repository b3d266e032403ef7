import math

import numpy as np
import pytest

from dqlore.core.train.metrics import NAMES, changes, ranking_metrics


def literal(scores, similarities):
    """The three metrics of one anchor, from their definitions, without ties."""
    k = len(scores)
    order = sorted(range(k), key=lambda i: -similarities[i])
    gains = [sum(other < scores[i] for other in scores) / (k - 1) for i in range(k)]
    mrr = 1 / (1 + order.index(max(range(k), key=lambda i: scores[i])))
    dcg = sum(gains[i] / math.log2(place + 2) for place, i in enumerate(order[:8]))
    best = sum(gain / math.log2(place + 2) for place, gain in enumerate(sorted(gains, reverse=True)[:8]))
    ranks = (
        [sum(other < x for other in scores) for x in scores],
        [sum(o < x for o in similarities) for x in similarities],
    )
    squares = sum((a - b) ** 2 for a, b in zip(*ranks, strict=True))
    return mrr, dcg / best, 1 - 6 * squares / (k * (k**2 - 1))


@pytest.mark.parametrize("k", [2, 5, 8, 49])
def test_each_metric_by_its_definition(k):
    random = np.random.default_rng(k)
    scores, similarities = random.normal(size=(6, k)), random.normal(size=(6, k))
    found = ranking_metrics(scores.tolist(), list(similarities))
    for i in range(6):
        assert [found[name][i] for name in NAMES] == pytest.approx(literal(scores[i], similarities[i]))


def test_an_encoder_that_agrees_with_the_model_is_perfect():
    found = ranking_metrics([[3.0, 1.0, 2.0]], [[9.0, 7.0, 8.0]])
    assert [float(found[name][0]) for name in NAMES] == [1, 1, 1]


def test_an_encoder_that_tells_nothing_apart_is_no_better_than_chance():
    found = ranking_metrics([[3.0, 1.0, 2.0]], [[1.0, 1.0, 1.0]])
    assert found["mrr"][0] == 1 / 2
    assert found["spearman"][0] == 0
    assert 0.5 < found["ndcg@8"][0] < 1


def test_the_interval_of_a_change_is_paired_and_repeats():
    random = np.random.default_rng(0)
    before = random.normal(size=100)
    after = before + random.normal(0.05, 0.1, size=100)
    change = changes({"mrr": before}, {"mrr": after}, seed=1)["mrr"]
    assert change.difference == pytest.approx(after.mean() - before.mean())
    assert change.before == pytest.approx(before.mean())
    half = 1.96 * (after - before).std() / 10
    assert (change.high - change.low) / 2 == pytest.approx(half, rel=0.1)  # not the 0.28 of the values themselves
    assert change == changes({"mrr": before}, {"mrr": after}, seed=1)["mrr"]


def test_no_change_is_no_interval():
    change = changes({"mrr": np.ones(1)}, {"mrr": np.ones(1)}, seed=0)["mrr"]
    assert (change.low, change.difference, change.high) == (0, 0, 0)
