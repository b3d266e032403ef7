"""Time per question of every re-ranker, and of PCA against scikit-learn's, question by question.

    python bench/reranking.py [--questions 1319] [--candidates 64] [--width 384] [--dim 16] [--vectors FILE.npz]

Vectors are drawn at random on the unit sphere, or taken from an .npz file with `queries` (b, d) and `candidates`
(b, M, d). The contenders take turns on the same share of the questions (scikit-learn on the first 60 of it), and each
figure is the median of the turns. scikit-learn runs with the threads that its BLAS library takes by itself and with
one; the better of the two counts.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

from dqlore.core.rerank import RERANKERS, fit_projection, rerank_batch

ROUNDS = 5
SLOW_QUESTIONS = 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=1319)
    parser.add_argument("--candidates", type=int, default=64)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--dim", type=int, default=16, help="directions kept where PCA reduces")
    parser.add_argument("--vectors", help=".npz file with queries (b, d) and candidates (b, M, d)")
    given = parser.parse_args()
    queries, candidates = (
        load(given.vectors) if given.vectors else draw(given.questions, given.candidates, given.width)
    )
    batch, count, width = candidates.shape
    print(f"{batch} questions, {count} candidates of {width} values ({candidates.dtype})\n")
    times = measure(contenders(candidates, given.dim), queries, candidates)
    for name, milliseconds in times.items():
        print(f"{name:<44} {statistics.median(milliseconds):8.3f} ms a question")
    print()
    best = min((name for name in times if name.startswith("scikit-learn")), key=lambda n: statistics.median(times[n]))
    for name in (f"pca dim={given.dim}", "pca"):
        ratios = [slow / fast for slow, fast in zip(times[best], times[name], strict=True)]
        spread = f"{min(ratios):.1f} to {max(ratios):.1f}"
        print(f"{name} is {statistics.median(ratios):.1f} times as fast as {best} ({spread})")


def contenders(candidates: np.ndarray, dim: int) -> dict[str, Callable[[np.ndarray, np.ndarray], object]]:
    projection = fit_projection(candidates[:, 0])
    table = {name: (lambda q, e, name=name: rerank_batch(name, q, e)) for name in RERANKERS}
    table[f"pca dim={dim}"] = lambda q, e: rerank_batch("pca", q, e, dim=dim)
    pool = {"dim": dim, "fit": "pool", "projection": projection}
    table[f"pca dim={dim} fit=pool"] = lambda q, e: rerank_batch("pca", q, e, **pool)
    table[f"kernel-pca dim={dim}"] = lambda q, e: rerank_batch("kernel-pca", q, e, dim=dim)
    table[f"scikit-learn PCA({dim}), its own threads"] = lambda q, e: scikit_learn(q, e, dim)
    table[f"scikit-learn PCA({dim}), one thread"] = lambda q, e: scikit_learn(q, e, dim, threads=1)
    return table


def scikit_learn(queries: np.ndarray, candidates: np.ndarray, dim: int, threads: int | None = None) -> None:
    with threadpool_limits(limits=threads, user_api="blas"):
        for query, own in zip(queries, candidates, strict=True):
            points = PCA(n_components=dim).fit_transform(np.vstack([own, query]))
            np.argsort(-(points[:-1] @ points[-1]), kind="stable")


def measure(
    table: dict[str, Callable[[np.ndarray, np.ndarray], object]],
    queries: np.ndarray,
    candidates: np.ndarray,
) -> dict[str, list[float]]:
    """Return the milliseconds per question of each contender in each round."""
    times: dict[str, list[float]] = {name: [] for name in table}
    for share in np.array_split(np.arange(len(queries)), min(ROUNDS, len(queries))):
        for name, run in table.items():
            own = share[:SLOW_QUESTIONS] if name.startswith("scikit-learn") else share
            own_queries, own_candidates = queries[own], candidates[own]
            start = time.perf_counter()
            run(own_queries, own_candidates)
            times[name].append((time.perf_counter() - start) * 1e3 / len(own))
    return times


def draw(questions: int, count: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    vectors = np.random.default_rng(0).standard_normal((questions, count + 1, width), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors[:, -1], vectors[:, :-1]


def load(path: str) -> tuple[np.ndarray, np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        return arrays["queries"], arrays["candidates"]


if __name__ == "__main__":
    main()
