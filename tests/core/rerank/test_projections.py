"""The projecting re-rankers agree with scikit-learn's PCA, KernelPCA and FastICA."""

import warnings

import numpy as np
import pytest
from sklearn.decomposition import PCA, FastICA, KernelPCA

from dqlore.core.errors import UsageError
from dqlore.core.rerank import fit_projection, rerank


def rows_of(query, candidates):
    return np.vstack([candidates, query]).astype(float)


def inner_with_last(points):
    return points[:-1] @ points[-1]


def assert_agrees(ranking, scores):
    np.testing.assert_allclose(ranking.scores, scores, rtol=1e-5, atol=1e-5 * np.abs(scores).max())
    assert ranking.order.tolist() == np.argsort(-scores, kind="stable").tolist()


def test_pca_equals_scikit_learn_at_every_dim(question):
    points = PCA(n_components=64, svd_solver="full").fit_transform(rows_of(*question))
    for dim in range(1, 65):
        ranking = rerank("pca", *question, dim=dim)
        assert_agrees(ranking, inner_with_last(points[:, :dim]))
        assert ranking.warnings == ()


@pytest.mark.parametrize("dim", [65, 128, 256, 512])
def test_pca_above_the_rank_is_the_centred_inner_product_and_says_so(question, dim):
    rows = rows_of(*question)
    ranking = rerank("pca", *question, dim=dim)
    assert_agrees(ranking, inner_with_last(rows - rows.mean(axis=0)))
    assert ranking.warnings == (f"pca: dim {dim} clamped to 64, the most that 65 centred rows of 384 values allow",)


def test_pca_keeps_everything_by_default_without_a_warning(question):
    full = rerank("pca", *question, dim=64)
    ranking = rerank("pca", *question)
    assert ranking.order.tolist() == full.order.tolist()
    assert ranking.warnings == ()


def test_pca_names_the_rank_where_candidates_repeat(make_question):
    query, candidates = make_question(3, count=10, width=40)
    ranking = rerank("pca", query, np.repeat(candidates, 2, axis=0), dim=15)
    assert ranking.warnings == ("pca: dim 15 clamped to 10, the rank of 21 rows",)


def test_pca_names_the_width_where_vectors_are_short(make_question):
    query, candidates = make_question(3, count=30, width=5)
    (warning,) = rerank("pca", query, candidates, dim=8).warnings
    assert warning == "pca: dim 8 clamped to 5, the most that 31 centred rows of 5 values allow"


@pytest.mark.parametrize("count", [3, 1])
def test_pca_of_few_candidates_ranks_them_all_with_one_notice(make_question, count):
    ranking = rerank("pca", *make_question(5, count=count), dim=64)
    assert sorted(ranking.order.tolist()) == list(range(count))
    assert len(ranking.warnings) == 1 and f"clamped to {count}" in ranking.warnings[0]


def test_pca_is_exact_far_from_the_origin(make_question):
    query, candidates = make_question(7, count=20, width=30)
    near = rerank("pca", query, candidates, dim=6)
    far = rerank("pca", query + 1e6, candidates + 1e6, dim=6)
    np.testing.assert_allclose(far.scores, near.scores, atol=1e-8)


@pytest.mark.parametrize("dim", [1, 3, 8, 20])
def test_pca_fitted_on_the_pool_equals_scikit_learn(make_question, dim):
    query, candidates = make_question(2, count=12, width=20, unit=False)
    pool = np.random.default_rng(4).standard_normal((200, 20)) * np.arange(1, 21)
    model = PCA(n_components=dim, svd_solver="full").fit(pool)
    ranking = rerank("pca", query, candidates, dim=dim, fit="pool", projection=fit_projection(pool))
    assert_agrees(ranking, model.transform(candidates) @ model.transform(query[None])[0])


def test_pca_fitted_on_the_pool_reduces_where_candidates_alone_could_not(gsm8k_vectors):
    query, pool = gsm8k_vectors[0], gsm8k_vectors[1:]
    projection = fit_projection(pool)
    ranking = rerank("pca", query, pool[:64], dim=128, fit="pool", projection=projection)
    model = PCA(n_components=128, svd_solver="full").fit(pool.astype(float))
    assert_agrees(ranking, model.transform(pool[:64].astype(float)) @ model.transform(query[None].astype(float))[0])
    assert ranking.warnings == ()


def test_pool_projection_is_orthonormal_sorted_and_has_fixed_signs():
    pool = np.random.default_rng(0).standard_normal((50, 8)) * np.arange(1, 9)
    projection = fit_projection(pool)
    np.testing.assert_allclose(projection.components @ projection.components.T, np.eye(8), atol=1e-12)
    spreads = ((pool - projection.mean) @ projection.components.T).std(axis=0)
    assert (np.diff(spreads) < 0).all()
    extremes = np.take_along_axis(projection.components, np.abs(projection.components).argmax(1)[:, None], axis=1)
    assert (extremes > 0).all()
    np.testing.assert_allclose(fit_projection(pool[::-1]).components, projection.components, atol=1e-10)


def test_pool_projection_leaves_out_directions_the_pool_does_not_span():
    few = np.random.default_rng(0).standard_normal((4, 8))
    assert fit_projection(few).components.shape == (3, 8)
    assert fit_projection(np.tile(few[0] + 1e3, (20, 1))).components.shape == (0, 8)
    ranking = rerank("pca", few[0], few[1:], dim=7, fit="pool", projection=fit_projection(few))
    assert ranking.warnings == ("pca: dim 7 clamped to 3, the rank of the pool",)


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ([], "no vectors"),
        ([1.0, 2.0], "shape (n, d)"),
        ([[1.0, np.nan], [0.0, 1.0]], "row 0"),
        ([["a"]], "real numbers"),
    ],
)
def test_unfit_pool_vectors_are_refused(pool, said):
    with pytest.raises(UsageError) as caught:
        fit_projection(pool)
    assert said in str(caught.value)


def test_a_pool_fit_needs_a_projection_of_the_same_width(make_question):
    query, candidates = make_question(1, count=5, width=6)
    projection = fit_projection(np.eye(7))
    with pytest.raises(UsageError, match="needs projection="):
        rerank("pca", query, candidates, fit="pool")
    with pytest.raises(UsageError, match="vectors of 7 values, not 6"):
        rerank("pca", query, candidates, fit="pool", projection=projection)
    with pytest.raises(UsageError, match="fit='pool' only"):
        rerank("pca", query, candidates, projection=projection)


@pytest.mark.parametrize("share", [0.5, 1.0, 20.0])
@pytest.mark.parametrize("dim", [1, 5, 16, 63, 64])
def test_kernel_pca_equals_scikit_learn(question, dim, share):
    sigma = share * np.median(np.linalg.norm(question[1] - question[0], axis=1))
    model = KernelPCA(n_components=dim, kernel="rbf", gamma=1 / (2 * sigma**2), eigen_solver="dense")
    points = model.fit_transform(rows_of(*question))
    ranking = rerank("kernel-pca", *question, dim=dim, sigma=sigma)
    assert_agrees(ranking, inner_with_last(points))
    assert ranking.warnings == ()


def test_kernel_pca_with_a_wide_kernel_orders_as_pca_does(question):
    wide = rerank("kernel-pca", *question, dim=10, sigma=1e6)
    assert wide.order.tolist() == rerank("pca", *question, dim=10).order.tolist()


def test_kernel_pca_clamps_to_the_rows(make_question):
    ranking = rerank("kernel-pca", *make_question(0, count=9), dim=12)
    assert ranking.warnings == ("kernel-pca: dim 12 clamped to 9, the most that 10 rows allow",)


@pytest.mark.parametrize(("dim", "seed", "contrast"), [(4, 0, "logcosh"), (16, 0, "logcosh"), (16, 7, "cube")])
def test_ica_equals_fast_ica_converged_or_not_and_whatever_its_seed(question, dim, seed, contrast):
    model = FastICA(n_components=dim, whiten="unit-variance", fun=contrast, random_state=seed, max_iter=50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it often does not converge on this few rows
        points = model.fit_transform(rows_of(*question))
    ranking = rerank("ica", *question, dim=dim)
    assert_agrees(ranking, inner_with_last(points))
    assert ranking.warnings == ()


def test_ica_takes_sixteen_components_by_default(question):
    assert rerank("ica", *question).scores.tolist() == rerank("ica", *question, dim=16).scores.tolist()


def test_ica_with_as_many_components_as_candidates_leaves_the_base_order_and_says_so(make_question):
    ranking = rerank("ica", *make_question(4, count=9))
    assert ranking.order.tolist() == list(range(9))
    np.testing.assert_allclose(ranking.scores, -1)
    (warning,) = ranking.warnings
    assert warning.startswith("ica: dim 16 clamped to 9, the rank of 10 rows") and "base order" in warning
