"""How fast a pool is encoded, against `SentenceTransformer(folder).encode(texts)` with its defaults in float32.

    python bench/encoding.py [--limit N] [--rounds R] [--threads T]

Needs GSM8K's train.jsonl below DQLORE_DATA or ../shared/data. All run in turns in one process, so that a busy
machine slows them alike; ratios are of the best rounds. Where others compete for the cores, `--threads 1` and the
ratio of CPU times say more than the clock.
"""

import argparse
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np


def pool_texts(limit: int | None) -> tuple[list[str], list[str]]:
    """Return questions and rationales of GSM8K's training set, without its calculator marks."""
    data = Path(os.environ.get("DQLORE_DATA", Path(__file__).parents[2] / "shared" / "data"))
    lines = (data / "gsm8k" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    rows = rows[:: max(1, len(rows) // limit)][:limit] if limit else rows
    answers = [re.sub(r"<<.*?>>", "", row["answer"].split("####")[0]).strip() for row in rows]
    return [row["question"] for row in rows], answers


def timed(action: Callable[[], np.ndarray]) -> tuple[float, float, np.ndarray]:
    """Return wall seconds, CPU seconds and the result."""
    started, used = time.perf_counter(), time.process_time()
    result = action()
    return time.perf_counter() - started, time.process_time() - used, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, help="encode this many texts, spread over the set")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, help="torch threads (default: torch's own choice)")
    options = parser.parse_args()

    import torch
    from sentence_transformers import SentenceTransformer

    from dqlore.core.encoder import load_encoder
    from dqlore.core.encoder.bundled import bundled_folder
    from dqlore.core.encoder.hashes import FileHashes
    from dqlore.core.exemplars import retrieval_text

    if options.threads:
        torch.set_num_threads(options.threads)
    questions, rationales = pool_texts(options.limit)
    texts = [retrieval_text(*pair) for pair in zip(questions, rationales, strict=True)]
    plain = SentenceTransformer(str(bundled_folder(FileHashes(None))), device="cpu")
    ours = {dtype: load_encoder("minilm", device="cpu", dtype=dtype) for dtype in ("float32", "auto")}
    ways: dict[str, Callable[[], np.ndarray]] = {
        "sentence-transformers float32": lambda: plain.encode(texts, show_progress_bar=False),
        **{
            f"dqlore {encoder.dtype}": lambda encoder=encoder: encoder.encode(texts).vectors
            for encoder in ours.values()
        },
    }
    plain.encode(texts[:32], show_progress_bar=False)
    for encoder in ours.values():
        encoder.encode(texts[:32])
    rounds = [{name: timed(way) for name, way in ways.items()} for _ in range(options.rounds)]
    reference = rounds[0]["sentence-transformers float32"][2]
    slowest = [min(r["sentence-transformers float32"][clock] for r in rounds) for clock in (0, 1)]
    print(f"{len(texts)} texts, {torch.get_num_threads()} threads, best of {options.rounds} rounds in turns")
    print(f"{'':32}{'seconds':>9}{'CPU s':>9}{'texts/s':>9}{'min cosine':>12}{'times as fast':>15}{'by CPU s':>10}")
    for name in ways:
        seconds, used = (min(r[name][clock] for r in rounds) for clock in (0, 1))
        cosine = (rounds[0][name][2] * reference).sum(axis=1).min()
        print(
            f"{name:32}{seconds:9.2f}{used:9.2f}{len(texts) / seconds:9.0f}{cosine:12.6f}"
            f"{slowest[0] / seconds:15.2f}{slowest[1] / used:10.2f}"
        )


if __name__ == "__main__":
    main()
