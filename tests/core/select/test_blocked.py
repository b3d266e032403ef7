import numpy as np
import pytest
import torch

from dqlore.core.select.blocked import top_inner_products

DTYPES = ("bfloat16", "float32")


def brute_force(vectors, queries, m, allowed=None):
    """All inner products in float64, by falling score, equal scores by position."""
    scores = np.stack([(vectors.astype(np.float64) * q.astype(np.float64)).sum(axis=1) for q in queries])
    rows = np.arange(len(vectors)) if allowed is None else np.flatnonzero(allowed)
    positions = np.stack([rows[np.lexsort((rows, -row[rows]))][:m] for row in scores])
    return np.take_along_axis(scores, positions, axis=1), positions


def assert_exact(vectors, queries, m, allowed=None, dtype="auto"):
    scores, positions = top_inner_products(vectors, queries, m, allowed, dtype)
    expected_scores, expected = brute_force(vectors, queries, m, allowed)
    np.testing.assert_array_equal(positions, expected)
    np.testing.assert_array_equal(scores, expected_scores)


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("n", "d", "b", "m"), [(40_001, 24, 9, 64), (70_000, 8, 3, 200), (33, 5, 2, 33), (100, 3, 1, 7), (5, 1, 2, 9)]
)
def test_finds_what_brute_force_finds(n, d, b, m, dtype):
    assert_exact(normal(0, n, d), normal(1, b, d), m, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors_too_close_for_bfloat16_are_told_apart(dtype):
    vectors = 1 + normal(2, 35_000, 16) * 1e-4
    assert_exact(vectors, np.ones((2, 16), dtype=np.float32), 50, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_equal_rows_are_ordered_by_position_across_blocks(dtype):
    few = normal(3, 7, 12)
    vectors = few[np.random.default_rng(4).integers(0, 7, 40_000)]
    assert_exact(vectors, normal(5, 3, 12), 100, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [1e-18, 1e-3, 1e15])
def test_lengths_may_differ_by_any_factor(scale, dtype):
    vectors = normal(6, 40_000, 12)
    vectors[::1000] *= np.float32(scale)
    assert_exact(vectors, normal(7, 3, 12) * np.float32(scale), 64, dtype=dtype)


def test_zero_vectors_tie_in_the_order_of_the_rows():
    vectors = np.zeros((20_000, 4), dtype=np.float32)
    vectors[17_000] = 1
    queries = np.stack([np.zeros(4), np.ones(4), -np.ones(4)]).astype(np.float32)
    _, positions = top_inner_products(vectors, queries, 3)
    assert positions.tolist() == [[0, 1, 2], [17_000, 0, 1], [0, 1, 2]]


def test_rows_outside_the_mask_are_never_returned():
    vectors, queries = normal(8, 40_000, 12), normal(9, 4, 12)
    allowed = np.random.default_rng(10).random(40_000) < 0.3
    assert_exact(vectors, queries, 64, allowed)
    allowed[50:] = False
    assert_exact(vectors, queries, 64, allowed)
    assert top_inner_products(vectors, queries, 5, np.zeros(40_000, dtype=bool))[1].shape == (4, 0)


def test_more_queries_than_are_multiplied_at_a_time():
    assert_exact(normal(11, 20_000, 8), normal(12, 300, 8), 5)


def test_nothing_asked_for_or_nothing_there():
    vectors = normal(13, 10, 4)
    assert top_inner_products(vectors, vectors[:0], 3)[1].shape == (0, 3)
    assert top_inner_products(vectors, vectors, 0)[1].shape == (10, 0)
    assert top_inner_products(vectors[:0], vectors, 3)[1].shape == (10, 0)


@pytest.mark.filterwarnings("error")
def test_vectors_mapped_from_a_file_are_searched_without_a_warning(tmp_path):
    np.save(tmp_path / "vectors.npy", normal(14, 500, 6))
    assert_exact(np.load(tmp_path / "vectors.npy", mmap_mode="r"), normal(15, 2, 6), 10)


def test_the_number_of_threads_of_torch_stays_as_it_was():
    before = torch.get_num_threads()
    top_inner_products(normal(16, 100, 4), normal(17, 2, 4), 3)
    assert torch.get_num_threads() == before
