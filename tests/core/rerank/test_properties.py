"""Laws that each re-ranker obeys on whatever it is given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dqlore.core.rerank import RERANKERS, rerank

GREEDY = ["mgs", "mmr", "dpp"]

seeds = st.integers(0, 2**32 - 1)
counts = st.integers(1, 14)
lives = settings(max_examples=40, deadline=None)


def draw(seed, count, width):
    vectors = np.random.default_rng(seed).standard_normal((count + 1, width))
    return vectors[0], vectors[1:]


def params_of(name, count):
    """Return settings under which no two directions matter equally: a dim below M, a sigma of the usual distance."""
    params = {"dim": max(1, count // 2)} if "dim" in RERANKERS[name].settings else {}
    return params | {"sigma": 4.0} if "sigma" in RERANKERS[name].settings else params


def assert_sorted(order, scores, within):
    assert (np.diff(scores[order]) <= within).all()


@pytest.mark.parametrize("name", RERANKERS)
@lives
@given(seed=seeds, count=counts)
def test_permuting_the_candidates_permutes_the_ranking(name, seed, count):
    query, candidates = draw(seed, count, 16)
    permutation = np.random.default_rng(seed + 1).permutation(count)
    before = rerank(name, query, candidates, **params_of(name, count))
    after = rerank(name, query, candidates[permutation], **params_of(name, count))
    np.testing.assert_allclose(after.scores, before.scores[permutation], atol=1e-7)
    if name in GREEDY:
        assert permutation[after.order].tolist() == before.order.tolist()
    else:  # two scores may lie closer together than rounding
        assert_sorted(permutation[after.order], before.scores, within=1e-7)


@pytest.mark.parametrize("name", sorted(set(RERANKERS) - set(GREEDY)))
@lives
@given(seed=seeds, count=counts)
def test_the_order_follows_the_scores(name, seed, count):
    ranking = rerank(name, *draw(seed, count, 6), **params_of(name, count))
    assert_sorted(ranking.order, ranking.scores, within=1e-12)


@lives
@given(seed=seeds, count=counts, scale=st.floats(1e-3, 1e3))
def test_scaling_and_rotating_leave_the_order_of_pca(seed, count, scale):
    query, candidates = draw(seed, count, 10)
    rotation = np.linalg.qr(np.random.default_rng(seed + 1).standard_normal((10, 10)))[0] * scale
    for name in ("pca", "ica"):
        before = rerank(name, query, candidates, **params_of(name, count))
        after = rerank(name, query @ rotation, candidates @ rotation, **params_of(name, count))
        assert_sorted(after.order, before.scores, within=1e-7)


@lives
@given(seed=seeds, count=counts)
def test_moving_all_vectors_leaves_the_scores_of_pca(seed, count):
    query, candidates = draw(seed, count, 10)
    shift = np.random.default_rng(seed + 1).standard_normal(10) * 10
    for name in ("pca", "kernel-pca", "gaussian", "ica"):
        before = rerank(name, query, candidates, **params_of(name, count))
        after = rerank(name, query + shift, candidates + shift, **params_of(name, count))
        np.testing.assert_allclose(after.scores, before.scores, atol=1e-7)


@lives
@given(seed=seeds, count=counts, sigma=st.floats(1e-3, 1e3))
def test_sigma_leaves_the_order_of_the_gaussian_kernel(seed, count, sigma):
    query, candidates = draw(seed, count, 5)
    ranking = rerank("gaussian", query, candidates, sigma=sigma)
    assert ranking.order.tolist() == rerank("gaussian", query, candidates).order.tolist()


@lives
@given(seed=seeds, count=counts)
def test_mmr_without_diversity_is_the_cosine_order(seed, count):
    query, candidates = draw(seed, count, 5)
    cosines = candidates @ query / np.linalg.norm(candidates, axis=1)
    assert rerank("mmr", query, candidates, alpha=0).order.tolist() == np.argsort(-cosines).tolist()


@pytest.mark.parametrize("name", GREEDY)
@lives
@given(seed=seeds, count=counts, share=st.floats(0, 1))
def test_the_first_picks_do_not_depend_on_what_is_never_picked(name, seed, count, share):
    query, candidates = draw(seed, count, 16)
    first = rerank(name, query, candidates).order[: 1 + int(share * (count - 1))]
    again = rerank(name, query, candidates[first])
    assert again.order.tolist() == list(range(len(first)))


@lives
@given(seed=seeds, count=st.integers(2, 14), dim=st.integers(1, 14))
def test_more_dimensions_than_the_rank_change_nothing(seed, count, dim):
    query, candidates = draw(seed, count, 4)
    rank = min(count, 4)
    for name in ("pca", "ica"):
        kept = rerank(name, query, candidates, dim=rank)
        over = rerank(name, query, candidates, dim=rank + dim)
        np.testing.assert_allclose(over.scores, kept.scores, atol=1e-8)
        assert len(over.warnings) == 1 and not kept.warnings


@lives
@given(seed=seeds, count=counts)
def test_gaussian_on_unit_vectors_is_the_base_order(seed, count):
    query, candidates = draw(seed, count, 8)
    query /= np.linalg.norm(query)
    candidates /= np.linalg.norm(candidates, axis=1, keepdims=True)
    assert rerank("gaussian", query, candidates).order.tolist() == rerank("none", query, candidates).order.tolist()
