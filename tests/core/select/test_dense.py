import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dqlore.core.errors import UsageError
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.index import BLOCKS_ABOVE, Index, index_from_vectors
from dqlore.core.select.dense import search


def index_of(vectors: np.ndarray) -> Index:
    return index_from_vectors(Pool(tuple(Exemplar(str(i), f"q{i}", "", "") for i in range(len(vectors)))), vectors)


def by_hand(vectors: np.ndarray, query: np.ndarray, m: int, left_out: set[int]) -> list[tuple[int, float]]:
    """Return the m best rows by a plain loop."""
    scores = [float(np.dot(row.astype(np.float64), query.astype(np.float64))) for row in vectors]
    rows = sorted((i for i in range(len(vectors)) if i not in left_out), key=lambda i: (-scores[i], i))
    return [(i, scores[i]) for i in rows[:m]]


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 80),
    m=st.integers(0, 90),
    batch=st.integers(1, 30),
    coarse=st.booleans(),
)
def test_the_result_is_that_of_a_plain_loop(seed: int, n: int, m: int, batch: int, coarse: bool) -> None:
    """Coarse vectors hold small whole numbers, so that many scores are equal."""
    random = np.random.default_rng(seed)
    vectors, queries = (
        (random.integers(-1, 2, (rows, 4)) if coarse else random.normal(size=(rows, 4))).astype(np.float32)
        for rows in (n, batch)
    )
    exclude = [random.choice(n, random.integers(0, n + 1), replace=False).tolist() for _ in range(batch)]
    hits = search(index_of(vectors), queries, m, exclude)
    for query, some, positions, scores in zip(queries, exclude, hits.positions, hits.scores, strict=True):
        right = by_hand(vectors, query, m, set(some))
        assert positions.tolist() == [position for position, _ in right]
        np.testing.assert_allclose(scores, [score for _, score in right], atol=1e-12)


def test_equal_rows_beyond_the_border_come_in_pool_order() -> None:
    vectors = np.ones((500, 8), dtype=np.float32)
    vectors[400] *= 2
    hits = search(index_of(vectors), np.ones((1, 8)), 5, [[1]])
    assert hits.positions[0].tolist() == [400, 0, 2, 3, 4]


def test_a_pool_too_large_for_faiss_is_searched_exactly() -> None:
    vectors = np.random.default_rng(0).integers(-9, 10, (BLOCKS_ABOVE + 1, 6)).astype(np.float32)
    index = index_of(vectors)
    hits = search(index, vectors[:2], 40, [range(0, 20_000), [4]])
    assert index.engine is None
    for query, left_out, positions, scores in zip(
        vectors[:2], [np.arange(20_000), [4]], hits.positions, hits.scores, strict=True
    ):
        all_scores = vectors @ query  # small whole numbers, so exact
        all_scores[left_out] = -np.inf
        assert positions.tolist() == np.argsort(-all_scores, kind="stable")[:40].tolist()
        assert scores.tolist() == all_scores[positions].tolist()


def test_scores_do_not_depend_on_the_batch() -> None:
    random = np.random.default_rng(0)
    vectors, queries = random.normal(size=(1000, 64)), random.normal(size=(40, 64))
    index = index_of(vectors)
    together = search(index, queries, 20)
    for i, query in enumerate(queries):
        alone = search(index, query[None], 20)
        assert alone.positions[0].tolist() == together.positions[i].tolist()
        assert alone.scores[0].tolist() == together.scores[i].tolist()


def test_a_row_is_its_own_nearest_with_the_best_score_there_is() -> None:
    vectors = np.random.default_rng(0).normal(size=(50, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    hits = search(index_of(vectors), vectors, 50)
    for row, (positions, scores) in enumerate(zip(hits.positions, hits.scores, strict=True)):
        assert positions[0] == row and scores[0] == pytest.approx(1, abs=1e-6)
        assert scores.max() <= 1 and scores.min() >= -1 and (np.diff(scores) <= 0).all()


def test_fewer_rows_than_asked_for_come_once_each() -> None:
    hits = search(index_of(np.eye(3)), np.array([[3.0, 2.0, 1.0]]), 10)
    assert hits.positions[0].tolist() == [0, 1, 2] and hits.scores[0].tolist() == [3, 2, 1]


def test_no_queries_give_no_hits() -> None:
    assert search(index_of(np.eye(3)), np.empty((0, 3)), 2).positions == []


def test_queries_of_another_size_are_refused_with_both_sizes() -> None:
    with pytest.raises(UsageError, match=r"\(1, 4\).*vectors of 3 numbers"):
        search(index_of(np.eye(3)), np.ones((1, 4)), 1)


def test_a_query_that_is_not_finite_is_refused() -> None:
    with pytest.raises(UsageError, match="NaN"):
        search(index_of(np.eye(3)), np.array([[1.0, np.nan, 0.0]]), 1)
