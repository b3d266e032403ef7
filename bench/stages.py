"""Seconds of each stage of selection, for every re-ranker, over all test questions of GSM8K.

    python bench/stages.py --data FOLDER [-m 64] [--rounds 3]

The chains of thought are recorded ones, from FOLDER/recorded; no language model is asked. The pool is the training
split, whose index is kept in the cache. Questions are encoded and searched for in batches of 256, as `dqlore select
--in` does; re-rankers take turns, and each figure is the median of the rounds.
"""

import argparse
from pathlib import Path
from statistics import mean, median

from dqlore.core.datasets import load_dataset
from dqlore.core.events import Candidates, Query
from dqlore.core.exemplars import question_key
from dqlore.core.methods import find_method
from dqlore.core.parts import Parts
from dqlore.core.rerank import RERANKERS
from dqlore.core.rows import read_jsonl
from dqlore.core.select.candidates import find_candidates
from dqlore.core.select.picks import rerank_candidates
from dqlore.core.settings import load_settings

BATCH = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-m", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    parts = Parts(load_settings({"select": {"m": given.m}}), pool=load_dataset("gsm8k", "train", data_dir=given.data))
    recorded = read_jsonl(given.data / "recorded" / "gsm8k_test.jsonl")
    cots = {question_key(row["question"]): row["completion"] for _, row in recorded}
    asked = load_dataset("gsm8k", "test", data_dir=given.data)
    queries = [Query(e.question, cot=cots.get(question_key(e.question), "")) for e in asked]
    found: list[list[Candidates]] = []
    for start in range(0, len(queries), BATCH):
        batch = queries[start : start + BATCH]
        found.append(
            find_candidates(parts, find_method("dq-lore"), batch, [q.cot or "" for q in batch], vectors=True)
        )
    everything = [candidates for batch in found for candidates in batch]
    encode = mean(c.encode_seconds for c in everything) * 1e3
    retrieve = mean(c.seconds for c in everything) * 1e3
    ways = [(name, name, {}) for name in RERANKERS]
    ways += [(f"{name} dim=16", name, {"dim": 16}) for name in ("pca", "kernel-pca")]
    ways.append(("pca dim=16 fit=pool", "pca", {"dim": 16, "fit": "pool", "projection": parts.index.projection}))
    times: dict[str, list[float]] = {label: [] for label, _, _ in ways}
    for _ in range(given.rounds):
        for label, name, params in ways:
            ranked = [one for batch in found for one in rerank_candidates(batch, name, 8, params)]
            times[label].append(mean(one.seconds for one in ranked) * 1e3)
    print(f"{len(queries)} questions, M = {given.m}, pool of {len(parts.pool)}; milliseconds a question\n")
    print("| re-ranker | encode | retrieve | re-rank | all |\n|---|---|---|---|---|")
    for label, each in times.items():
        rerank = median(each)
        print(f"| {label} | {encode:.2f} | {retrieve:.2f} | {rerank:.3f} | {encode + retrieve + rerank:.2f} |")


if __name__ == "__main__":
    main()
