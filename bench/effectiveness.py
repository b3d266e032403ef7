"""How well each way of choosing exemplars prepares a model for the gold answer, without generating anything.

    python bench/effectiveness.py --data FOLDER [--gsm8k 200] [--svamp 100] [--out docs/effectiveness.json]

Figure: mean negative log-likelihood per token of the gold rationale and answer, in nats, under the bundled language
model with the final prompt (8 exemplars, M = 64); lower is better. Chains of thought are recorded ones, from
FOLDER/recorded. GSM8K questions choose from GSM8K's training split, SVAMP ones from SVAMP's. Differences are
paired by question, with a 95 % bootstrap interval. Scores are kept in the cache: a run that was stopped goes on.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from dqlore.core.datasets import load_dataset
from dqlore.core.events import Candidates, Query, Reranked
from dqlore.core.exemplars import Exemplar, question_key
from dqlore.core.files import write_atomic
from dqlore.core.parts import Parts
from dqlore.core.pipeline import DualQuery
from dqlore.core.prompts import shot
from dqlore.core.rows import read_jsonl
from dqlore.core.select.picks import rerank_candidates
from dqlore.core.settings import load_settings

METHODS = {"zero-shot": ("epr", 0), "random": ("random", 8), "bm25": ("bm25", 8), "epr": ("epr", 8)}
RERANKERS = [
    ("dq", "none", {}),
    *((f"dq-lore pca {dim}", "pca", {"dim": dim}) for dim in (4, 8, 16, 32)),
    ("dq-lore pca 64 (all)", "pca", {}),
    ("dq-lore gaussian", "gaussian", {}),
    ("dq-lore kernel-pca 16", "kernel-pca", {"dim": 16}),
    ("dq-lore ica 16", "ica", {}),
    ("dq-lore mgs", "mgs", {}),
    ("dq-lore mmr", "mmr", {}),
    ("dq-lore dpp", "dpp", {}),
]
RESAMPLES = 10_000

Chosen = dict[str, list[list[Exemplar]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--gsm8k", type=int, default=200)
    parser.add_argument("--svamp", type=int, default=100)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    results = {}
    for name, limit in (("gsm8k", arguments.gsm8k), ("svamp", arguments.svamp)):
        if limit:
            results[name] = asyncio.run(measure(name, limit, arguments.data))
            print_table(name, results[name])
    if arguments.out:
        write_atomic(arguments.out, json.dumps(results, indent=1) + "\n")


async def measure(name: str, limit: int, data: Path) -> dict[str, list[float]]:
    """Return the figure of each question by way of choosing."""
    recorded = data / "recorded" / ("gsm8k_test.jsonl" if name == "gsm8k" else "svamp.jsonl")
    cots = {question_key(row["question"]): row["completion"] for _, row in read_jsonl(recorded)}
    golds = [e for e in load_dataset(name, "test", data_dir=data) if question_key(e.question) in cots][:limit]
    pool = load_dataset(name, "train", data_dir=data)
    queries = [Query(gold.question, cot=cots[question_key(gold.question)]) for gold in golds]

    def pipeline(method: str, n: int) -> DualQuery:
        return DualQuery(Parts(load_settings({"select": {"method": method, "n": n}}), pool=pool))

    dual = pipeline("dq-lore", 8)
    chosen: Chosen = {}
    for label, (method, n) in METHODS.items():
        events = await pipeline(method, n).select(queries)
        chosen[label] = [exemplars(find(one, Reranked)) for one in events]
    found = [find(one, Candidates) for one in await dual.select(queries)]
    for label, reranker, params in RERANKERS:
        chosen[label] = [exemplars(one) for one in rerank_candidates(found, reranker, 8, params)]

    # Question by question, so that a run stopped early has whole questions; equal prompts are scored once.
    started = time.monotonic()
    scores: dict[str, list[float]] = {label: [] for label in chosen}
    for i, (query, gold) in enumerate(zip(queries, golds, strict=True)):
        pairs = {label: (dual.prompt(query, picks[i]), target(gold)) for label, picks in chosen.items()}
        distinct = list(dict.fromkeys(pairs.values()))
        found_scores = dict(zip(distinct, await dual.parts.lm.log_likelihoods(distinct), strict=True))
        for label, pair in pairs.items():
            scores[label].append(-found_scores[pair].total / found_scores[pair].tokens)
        if i % 10 == 9:
            seconds = time.monotonic() - started
            print(f"{name}: {i + 1}/{len(golds)} questions, {seconds:.0f} s", file=sys.stderr, flush=True)
    return scores


def target(gold: Exemplar) -> str:
    """Return the reply that an exemplar of this question would show; SVAMP's test split has answers only."""
    return shot(gold).reply


T = TypeVar("T")


def find(events: Iterable[object], kind: type[T]) -> T:
    return next(event for event in events if isinstance(event, kind))


def exemplars(reranked: Reranked) -> list[Exemplar]:
    return [pick.exemplar for pick in reranked.exemplars]


def print_table(name: str, scores: dict[str, list[float]]) -> None:
    """Print the mean of each way and its paired differences to random and to dq."""
    arrays = {label: np.array(values) for label, values in scores.items()}
    count = len(arrays["random"])
    print(f"\n{name}, {count} questions\n\n| way of choosing | nats per token | minus random | minus dq |")
    print("|---|---|---|---|")
    for label, values in arrays.items():
        against = " | ".join(interval(values - arrays[other]) if label != other else "" for other in ("random", "dq"))
        print(f"| {label} | {values.mean():.4f} | {against} |")


def interval(differences: Sequence[float] | np.ndarray) -> str:
    """Return the mean difference and the 95 % percentile interval of its bootstrap."""
    values = np.asarray(differences)
    draws = np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return f"{values.mean():+.4f} [{low:+.4f}, {high:+.4f}]"


if __name__ == "__main__":
    main()
