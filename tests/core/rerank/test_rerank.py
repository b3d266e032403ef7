"""What holds for every re-ranker: shapes, few or equal candidates, batches, and refusals that name what is wrong."""

import numpy as np
import pytest

from dqlore.core.errors import UsageError
from dqlore.core.rerank import RERANKERS, Ranking, rerank, rerank_batch

every = pytest.mark.parametrize("name", RERANKERS)


def test_the_table_of_re_rankers():
    assert list(RERANKERS) == ["none", "pca", "gaussian", "kernel-pca", "ica", "mgs", "mmr", "dpp"]
    assert set(RERANKERS["kernel-pca"].settings) == {"dim", "sigma"}
    assert RERANKERS["dpp"].settings["lam"].default == 0.1


@every
def test_all_candidates_are_ordered_and_scored(name, question):
    ranking = rerank(name, *question)
    assert isinstance(ranking, Ranking)
    assert sorted(ranking.order.tolist()) == list(range(64))
    assert ranking.scores.shape == (64,)
    assert np.isfinite(ranking.scores).all()


@every
def test_lists_and_any_number_type_are_taken(name):
    query, candidates = [3, 1, 0], [[2, 0, 1], [0, 1, 0], [1, 1, 1]]
    expected = rerank(name, query, candidates)
    for dtype in (np.float16, np.float32, np.float64, np.int8):
        ranking = rerank(name, np.array(query, dtype), np.array(candidates, dtype))
        assert ranking.order.tolist() == expected.order.tolist()
        np.testing.assert_allclose(ranking.scores, expected.scores)


@every
def test_given_arrays_are_left_as_they_were(name, make_question):
    query, candidates = make_question(1, count=9, width=20)
    before = query.copy(), candidates.copy()
    rerank(name, query, candidates)
    assert (query == before[0]).all() and (candidates == before[1]).all()


@every
@pytest.mark.parametrize("candidates", [[], np.empty((0, 4))])
def test_no_candidates_give_an_empty_ranking(name, candidates):
    ranking = rerank(name, np.ones(4), candidates)
    assert ranking.order.shape == ranking.scores.shape == (0,)
    assert ranking.order.dtype.kind == "i"


@every
def test_a_single_candidate_comes_first(name, make_question):
    assert rerank(name, *make_question(0, count=1)).order.tolist() == [0]


@every
@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1e6 / 3])
def test_equal_vectors_keep_the_base_order(name, value):
    same = np.full((7, 5), value)
    assert rerank(name, same[0], same).order.tolist() == list(range(7))
    assert rerank(name, np.arange(5.0), same).order.tolist() == list(range(7))


@every
def test_copies_keep_the_base_order_among_themselves(name, make_question):
    query, distinct = make_question(9, count=12, width=40)
    places = np.random.default_rng(3).integers(0, 12, size=50)
    places[:12] = np.random.default_rng(4).permutation(12)
    params = {"dim": 6} if "dim" in RERANKERS[name].settings else {}
    order = rerank(name, query, distinct[places], **params).order
    for vector in range(12):
        copies = [j for j in order if places[j] == vector]
        assert copies == sorted(copies)


@every
def test_zero_vectors_are_ranked_without_complaint(name, make_question, recwarn):
    query, candidates = make_question(2, count=6, width=10)
    candidates[[1, 4]] = 0
    for target in (query, np.zeros(10)):
        ranking = rerank(name, target, candidates)
        assert sorted(ranking.order.tolist()) == list(range(6))
        assert np.isfinite(ranking.scores).all()
    assert not recwarn.list


@every
@pytest.mark.parametrize("scale", [1e-120, 1e99])
def test_tiny_and_huge_vectors_stay_finite(name, scale, make_question):
    query, candidates = make_question(2, count=6, width=10)
    ranking = rerank(name, query * scale, candidates * scale)
    assert np.isfinite(ranking.scores).all()


@every
def test_a_batch_gives_each_question_its_own_ranking(name, make_question):
    questions = [make_question(seed) for seed in range(45)]  # more than one part of the batch
    queries, candidates = (np.stack(parts) for parts in zip(*questions, strict=True))
    params = {"dim": 10} if "dim" in RERANKERS[name].settings else {}
    together = rerank_batch(name, queries, candidates, **params)
    assert len(together) == 45
    for ranking, (query, own) in zip(together, questions, strict=True):
        alone = rerank(name, query, own, **params)
        np.testing.assert_allclose(ranking.scores, alone.scores, atol=1e-10)
        assert ranking.order.tolist() == alone.order.tolist()


def test_a_batch_of_no_questions_is_empty():
    assert rerank_batch("pca", np.empty((0, 3)), np.empty((0, 5, 3))) == []
    assert rerank_batch("pca", [], []) == []


def test_a_batch_warns_per_question(make_question):
    _, distinct = make_question(0, count=8, width=30)
    copied = np.repeat(distinct[:4], 2, axis=0)
    first, second = rerank_batch("pca", np.zeros((2, 30)), np.stack([distinct, copied]), dim=6)
    assert first.warnings == ()
    assert second.warnings == ("pca: dim 6 clamped to 4, the rank of 9 rows",)


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        ("svd", {}, "choose one of none, pca, gaussian, kernel-pca, ica, mgs, mmr, dpp"),
        ("pca", {"sigma": 1}, "no setting 'sigma'; it takes dim, fit, projection"),
        ("mgs", {"dim": 3}, "no setting 'dim'; it takes no settings"),
        ("pca", {"dim": 0}, "dim must be a whole number of 1 or more, or None for all, not 0"),
        ("ica", {"dim": 2.5}, "dim must be"),
        ("kernel-pca", {"dim": True}, "dim must be"),
        ("pca", {"fit": "all"}, "fit must be one of 'candidates', 'pool', not 'all'"),
        ("pca", {"fit": "pool", "projection": np.eye(3)}, "projection must be a Projection"),
        ("gaussian", {"sigma": 0}, "sigma must be a finite number above 0, not 0"),
        ("gaussian", {"sigma": float("inf")}, "sigma must be"),
        ("kernel-pca", {"sigma": float("nan")}, "sigma must be"),
        ("kernel-pca", {"sigma": "1"}, "sigma must be a finite number above 0, not '1'"),
        ("gaussian", {"sigma": 10**400}, "sigma must be"),
        ("mmr", {"alpha": -0.1}, "alpha must be a finite number of 0 or more, not -0.1"),
        ("dpp", {"lam": 0.0}, "lam must be a finite number above 0"),
    ],
)
def test_a_wrong_name_or_setting_is_refused_with_what_is_allowed(name, params, said):
    with pytest.raises(UsageError) as caught:
        rerank(name, np.ones(3), np.eye(3), **params)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("query", "candidates", "said"),
    [
        ([1, 2], [[1, 2], [3, np.nan]], "The candidates, row 1: nan"),
        ([1, 2], np.array([[1, 2], [-np.inf, 0]], np.float32), "The candidates, row 1: -inf"),
        ([1, np.inf], [[1, 2]], "The query: inf"),
        ([1, 2], [[1, 2], [1e101, 0]], "row 1"),
        ([1, 2], [[1, 2, 3]], "The query has 2 values and the candidates have 3"),
        ([1, 2], [[1, 2], [3]], "the rows differ in length"),
        ([1, 2], [1, 2], "shape (M, d), not (2,)"),
        ([[1, 2]], [[1, 2]], "shape (d,), not (1, 2)"),
        ([], [[1, 2]], "shape (d,), not (0,)"),
        ([1, 2], [[], []], "shape (M, d), not (2, 0)"),
        (["a", "b"], [[1, 2]], "real numbers"),
        ([1, 2], [[1j, 2]], "real numbers"),
        ([1, 2], None, "real numbers"),
    ],
)
def test_unfit_vectors_are_refused_with_their_place(query, candidates, said):
    with pytest.raises(UsageError) as caught:
        rerank("none", query, candidates)
    assert said in str(caught.value)


def test_unfit_batches_are_refused_with_their_place():
    candidates = np.ones((2, 3, 4))
    with pytest.raises(UsageError, match="1 queries, 2 lists"):
        rerank_batch("none", np.ones((1, 4)), candidates)
    candidates[1, 2, 0] = np.nan
    with pytest.raises(UsageError, match="question 1, row 2: nan"):
        rerank_batch("none", np.ones((2, 4)), candidates)
