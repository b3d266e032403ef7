"""The base score, and the Gaussian kernel that no sigma can re-order."""

import numpy as np
import pytest

from dqlore.core.rerank import rerank


def test_none_is_the_inner_product(question):
    query, candidates = question
    ranking = rerank("none", query, candidates)
    np.testing.assert_allclose(ranking.scores, candidates.astype(float) @ query.astype(float), atol=1e-12)
    assert ranking.order.tolist() == np.argsort(-ranking.scores, kind="stable").tolist()


@pytest.mark.parametrize("sigma", [0.7, 1.0, 30.0])
def test_gaussian_equals_equation_four(question, sigma):
    query, candidates = question
    distances = [float(np.sum((query.astype(float) - e.astype(float)) ** 2)) for e in candidates]
    ranking = rerank("gaussian", query, candidates, sigma=sigma)
    np.testing.assert_allclose(ranking.scores, np.exp(-np.array(distances) / (2 * sigma**2)), atol=1e-12)
    assert ranking.order.tolist() == np.argsort(distances, kind="stable").tolist()


@pytest.mark.parametrize("sigma", [1e-300, 1e-6, 1.0, 1e6, 1e300])
def test_gaussian_order_is_the_same_where_the_kernel_underflows_or_saturates(question, sigma):
    ranking = rerank("gaussian", *question, sigma=sigma)
    assert ranking.order.tolist() == rerank("gaussian", *question).order.tolist()
    assert np.isfinite(ranking.scores).all()


def test_gaussian_keeps_the_base_order_of_unit_vectors(make_question):
    assert rerank("gaussian", *make_question(6)).order.tolist() == list(range(64))


def test_gaussian_re_orders_vectors_of_unequal_length():
    ranking = rerank("gaussian", [1.0, 0.0], [[9.0, 0.0], [1.0, 0.1]])
    assert ranking.order.tolist() == [1, 0]


def test_gaussian_of_the_target_itself_is_one():
    ranking = rerank("gaussian", [1.0, 2.0], [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]])
    assert ranking.scores[:2].tolist() == [1.0, 1.0]
    assert ranking.order.tolist() == [0, 1, 2]
