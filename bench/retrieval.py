"""Speed of BM25 against rank-bm25, and of exact dense search against FAISS; the contenders take turns.

    python bench/retrieval.py [--data FOLDER] [--rows 1000000] [--width 384] [--queries 64] [-m 64] [--rounds 5]

BM25: the questions of GSM8K's training split are the pool, those of its test split the queries. Both split texts
into the same words, and splitting the queries counts for both. rank-bm25 answers 20 of the queries a round, others
each time, and dqlore all of them. Without GSM8K (--data or DQLORE_DATA) this part is left out.

Dense: random unit vectors. Rank by rank, the scores must be those of FAISS to the rounding of float32; so the rows
are the same up to ties.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
from rank_bm25 import BM25Okapi

from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.select.blocked import top_inner_products
from dqlore.core.select.bm25 import BM25Retriever
from dqlore.core.select.words import word_splitter

SLOW_QUERIES = 20
FLOAT32_ROUNDING = 1e-6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("DQLORE_DATA"), help="folder that holds gsm8k/")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--queries", type=int, default=64)
    parser.add_argument("-m", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if given.data:
        words(Path(given.data) / "gsm8k", given.m, given.rounds)
    dense(given.rows, given.width, given.queries, given.m, given.rounds)


def words(folder: Path, m: int, rounds: int) -> None:
    pool, queries = (read_questions(folder / f"{split}.jsonl") for split in ("train", "test"))
    retriever = BM25Retriever(Pool(tuple(Exemplar(str(i), text, "", "") for i, text in enumerate(pool))))
    split = word_splitter()
    other = BM25Okapi([split(text) for text in pool])
    print(f"BM25, {len(pool)} questions, {len(queries)} queries, {m} best")
    slow, fast = [], []
    for i in range(rounds):
        share = queries[i * SLOW_QUERIES :][:SLOW_QUERIES]
        slow.append(clock(lambda: [np.argsort(-other.get_scores(split(q)))[:m] for q in share]) / len(share))  # noqa: B023
        fast.append(clock(lambda: retriever.search(queries, m)) / len(queries))
    report("rank-bm25", slow, fast, "query")


def dense(rows: int, width: int, count: int, m: int, rounds: int) -> None:
    vectors, queries = unit_vectors(0, rows, width), unit_vectors(1, count, width)
    index = faiss.IndexFlatIP(width)
    index.add(vectors)
    print(f"\nExact search, {rows} vectors of {width} numbers, {count} queries, {m} best")
    slow, fast = [], []
    for _ in range(rounds):
        slow.append(clock(lambda: index.search(queries, m)))
        fast.append(clock(lambda: top_inner_products(vectors, queries, m)))
    report("faiss.IndexFlatIP", slow, fast, "batch")
    theirs, _ = index.search(queries, m)
    ours, positions = top_inner_products(vectors, queries, m)
    assert np.abs(ours - theirs).max() < FLOAT32_ROUNDING, "other scores than those of FAISS"
    assert all(len(set(row.tolist())) == m for row in positions), "a row was returned twice"
    print("the scores are those of FAISS, rank by rank")


def report(name: str, slow: list[float], fast: list[float], unit: str) -> None:
    for who, seconds in ((name, slow), ("dqlore", fast)):
        print(f"{who:<20} {statistics.median(seconds) * 1e3:10.3f} ms a {unit}")
    ratios = [a / b for a, b in zip(slow, fast, strict=True)]
    print(f"dqlore is {statistics.median(ratios):.1f} times as fast ({min(ratios):.1f} to {max(ratios):.1f})")


def clock(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def read_questions(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line)["question"] for line in file]


def unit_vectors(seed: int, rows: int, width: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((rows, width), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


if __name__ == "__main__":
    main()
