"""How fast a pool is encoded, against `SentenceTransformer(folder).encode(texts)` with its defaults in float32.

    python bench/encoding.py [--limit N] [--rounds R] [--threads T]

Needs GSM8K's train.jsonl below DQLORE_DATA or ../shared/data. Each way runs in a process of its own, all in turns, so
that a busy machine slows them alike; ratios are of the best rounds. Where others compete for the cores, the ratio of
processor times says more than the clock. "Same 64" is the share of a text's 64 nearest neighbours among the others
that float32 finds, too.
"""

import argparse
import json
import os
import re
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

PLAIN = "sentence-transformers"
#: dtypes of dqlore; "auto" is the default.
WAYS = (PLAIN, "float32", "bfloat16", "auto")

#: Wall seconds, processor seconds, vectors, and the number format.
Measured = tuple[float, float, np.ndarray, str]


def pool_texts(limit: int | None) -> tuple[list[str], list[str]]:
    """Return questions and rationales of GSM8K's training set, without its calculator marks."""
    data = Path(os.environ.get("DQLORE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    lines = (data / "gsm8k" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    rows = rows[:: max(1, len(rows) // limit)][:limit] if limit else rows
    answers = [re.sub(r"<<.*?>>", "", row["answer"].split("####")[0]).strip() for row in rows]
    return [row["question"] for row in rows], answers


def measure(way: str, limit: int | None, threads: int | None) -> Measured:
    """Encode the texts in one way; a first small batch is not timed."""
    import torch

    from dqlore.core.encoder import load_encoder
    from dqlore.core.encoder.bundled import bundled_folder
    from dqlore.core.encoder.hashes import FileHashes
    from dqlore.core.exemplars import retrieval_text

    if threads:
        torch.set_num_threads(threads)
    texts = [retrieval_text(*pair) for pair in zip(*pool_texts(limit), strict=True)]
    if way == PLAIN:
        from sentence_transformers import SentenceTransformer

        plain = SentenceTransformer(str(bundled_folder(FileHashes(None))), device="cpu")
        encode, kind = (lambda batch: plain.encode(batch, show_progress_bar=False)), "float32"
    else:
        ours = load_encoder("minilm", device="cpu", dtype=way)
        encode, kind = (lambda batch: ours.encode(batch).vectors), ours.dtype
    encode(texts[:32])
    started, used = time.perf_counter(), time.process_time()
    vectors = encode(texts)
    return time.perf_counter() - started, time.process_time() - used, vectors, kind


def same_neighbours(vectors: np.ndarray, exact: np.ndarray, m: int = 64, queries: int = 500) -> float:
    """Return the share of the m nearest rows that both agree on, for the first rows as queries."""
    m = min(m, len(exact) - 1)
    found = []
    for rows in (vectors, exact):
        scores = rows[:queries] @ rows.T
        np.fill_diagonal(scores, -np.inf)
        found.append(np.argsort(-scores, axis=1)[:, :m])
    return float(np.mean([len(np.intersect1d(*pair)) / m for pair in zip(*found, strict=True)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, help="encode this many texts, spread over the set")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, help="torch threads (default: torch's own choice)")
    given = parser.parse_args()

    rounds: list[dict[str, Measured]] = []
    # A process that is new each time: what one way does to the memory must not help or harm another.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as processes:
        for _ in range(given.rounds):
            rounds.append({w: processes.submit(measure, w, given.limit, given.threads).result() for w in WAYS})
    exact = rounds[0][PLAIN][2]
    slowest = [min(r[PLAIN][clock] for r in rounds) for clock in (0, 1)]
    print(f"{len(exact)} texts, {given.threads or 'all'} threads, best of {given.rounds} rounds in turns")
    print(
        f"{'':36}{'seconds':>9}{'CPU s':>9}{'texts/s':>9}{'min cosine':>12}{'same 64':>9}{'times as fast':>15}"
        f"{'by CPU s':>10}"
    )
    for way in WAYS:
        seconds, used = (min(r[way][clock] for r in rounds) for clock in (0, 1))
        _, _, vectors, kind = rounds[0][way]
        cosine = (vectors * exact).sum(axis=1).min()
        print(
            f"{way + ' ' + kind:36}{seconds:9.2f}{used:9.2f}{len(exact) / seconds:9.0f}{cosine:12.6f}"
            f"{same_neighbours(vectors, exact):9.4f}{slowest[0] / seconds:15.2f}{slowest[1] / used:10.2f}"
        )


if __name__ == "__main__":
    main()
