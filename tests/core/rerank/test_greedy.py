"""The greedy re-rankers agree with literal loops over vectors, similarities and determinants."""

import numpy as np
import pytest

from dqlore.core.rerank import rerank


def gram_schmidt(query, candidates):
    target, left = query.astype(float), candidates.astype(float)
    order, scores = [], np.zeros(len(candidates))
    for _ in candidates:
        rest = [j for j in range(len(left)) if j not in order]
        best = max(rest, key=lambda j: left[j] @ target)
        order.append(best)
        scores[best] = left[best] @ target
        direction = left[best] / np.linalg.norm(left[best])
        target = target - (target @ direction) * direction
        left = left - np.outer(left @ direction, direction)
    return order, scores


def cosine(a, b):
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def marginal_relevance(query, candidates, alpha):
    order, scores = [], np.zeros(len(candidates))
    for _ in candidates:
        values = {
            j: cosine(query, e) - alpha * sum(cosine(e, candidates[s]) for s in order)
            for j, e in enumerate(candidates)
            if j not in order
        }
        best = max(values, key=values.__getitem__)
        order.append(best)
        scores[best] = values[best]
    return order, scores


def log_determinants(query, candidates, lam, picks):
    """Return the first picks and their gains, from the determinant of L restricted to every possible next set."""
    relevance = [np.exp((cosine(query, e) + 1) / 2 / (2 * lam)) for e in candidates]
    kernel = [
        [(cosine(e, f) + 1) / 2 * r * s for f, s in zip(candidates, relevance, strict=True)]
        for e, r in zip(candidates, relevance, strict=True)
    ]
    kernel, order, gains, reached = np.array(kernel), [], [], 0.0
    for _ in range(picks):
        values = {}
        for j in range(len(candidates)):
            if j not in order:
                chosen = [*order, j]
                values[j] = np.linalg.slogdet(kernel[np.ix_(chosen, chosen)])[1]
        best = max(values, key=values.__getitem__)
        order.append(best)
        gains.append(values[best] - reached)
        reached = values[best]
    return order, gains


def test_mgs_equals_gram_schmidt_on_the_vectors(question):
    order, scores = gram_schmidt(*question)
    ranking = rerank("mgs", *question)
    np.testing.assert_allclose(ranking.scores, scores, atol=1e-5 * np.abs(scores).max())
    assert ranking.order.tolist() == order


def test_mgs_picks_by_hand():
    query = [2.0, 1.0, 0.0]
    candidates = [[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.5, 0.5]]
    ranking = rerank("mgs", query, candidates)
    assert ranking.order.tolist() == [0, 2, 1]  # once 0 is taken, little is left of 1
    np.testing.assert_allclose(ranking.scores, [2.0, 0.05, 0.5], atol=1e-12)


def test_mgs_scores_what_is_already_spanned_as_nothing(make_question):
    query, candidates = make_question(3, count=9, width=4)
    ranking = rerank("mgs", query, candidates)
    spanned = [j for j in ranking.order if ranking.scores[j] == 0]
    assert len(spanned) >= 9 - 4
    assert spanned == sorted(spanned)


@pytest.mark.parametrize("alpha", [0.0, 0.05, 0.3, 2.0])
def test_mmr_equals_the_literal_loop(question, alpha):
    query, candidates = question[0], question[1][:24]
    order, scores = marginal_relevance(query, candidates, alpha)
    ranking = rerank("mmr", query, candidates, alpha=alpha)
    np.testing.assert_allclose(ranking.scores, scores, atol=1e-5)
    assert ranking.order.tolist() == order


def test_mmr_picks_by_hand():
    query = [1.0, 1.0]
    candidates = [[1.0, 0.9], [1.0, 0.8], [0.0, 1.0]]
    assert rerank("mmr", query, candidates, alpha=0).order.tolist() == [0, 1, 2]
    assert rerank("mmr", query, candidates, alpha=1).order.tolist() == [0, 2, 1]


@pytest.mark.parametrize("lam", [0.02, 0.1, 1.0])
def test_dpp_equals_the_greedy_search_over_determinants(question, lam):
    query, candidates = question
    order, gains = log_determinants(query, candidates, lam, picks=8)
    ranking = rerank("dpp", query, candidates, lam=lam)
    assert ranking.order[:8].tolist() == order
    np.testing.assert_allclose(ranking.scores[order], gains, rtol=1e-5)


def test_dpp_orders_a_small_set_to_its_end_as_the_determinants_do(make_question):
    query, candidates = make_question(8, count=10, width=16)
    order, gains = log_determinants(query, candidates, 0.1, picks=10)
    ranking = rerank("dpp", query, candidates)
    assert ranking.order.tolist() == order
    np.testing.assert_allclose(ranking.scores[order], gains, rtol=1e-5, atol=1e-8)


def test_dpp_gains_fall_so_that_scores_and_order_agree(question):
    ranking = rerank("dpp", *question)
    assert (np.diff(ranking.scores[ranking.order]) <= 1e-9).all()


def test_dpp_puts_what_adds_no_volume_last_in_base_order(make_question):
    query, candidates = make_question(2, count=6, width=20)
    doubled = np.concatenate([candidates, candidates])
    ranking = rerank("dpp", query, doubled)
    assert sorted(ranking.order[:6] % 6) == list(range(6))
    assert ranking.order[6:].tolist() == sorted(ranking.order[6:])
    assert np.isfinite(ranking.scores).all()
    assert len(set(ranking.scores[ranking.order[6:]])) == 1
    assert ranking.scores[ranking.order[6:]].max() < ranking.scores[ranking.order[:6]].min()


def test_dpp_with_a_tiny_lam_is_the_cosine_order(question):
    query, candidates = question
    ranking = rerank("dpp", query, candidates, lam=1e-9)
    assert ranking.order.tolist() == rerank("mmr", query, candidates, alpha=0).order.tolist()
    assert np.isfinite(ranking.scores).all()
