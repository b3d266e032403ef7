"""How fast pairs of training are scored, against padded batches of eight through transformers.

    python bench/scoring.py [--exemplars 2] [--anchors 2] [--rounds 1] [--data FOLDER]

All of GSM8K's training problems are mined; each exemplar is then a candidate of 49 anchors on average. Speed is that
of a sample of exemplars with 45 to 53 anchors, and all of these. Rankings are compared on other pairs: a sample of
anchors with all their 49 candidates. The plain way takes the pairs in the order of the file, eight at a time and
padded, makes all logits and takes the cross-entropy in float32. Each way has a process of its own, in turn. Ratios
are those of the processor seconds that the process took, which what else the machine does changes least.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median

import torch
from scipy.stats import spearmanr

from dqlore.core.datasets import load_dataset
from dqlore.core.exemplars import Pool
from dqlore.core.lm.bundled import bundled_folder
from dqlore.core.lm.local import load_local
from dqlore.core.memory import keep_freed_memory
from dqlore.core.prompts import Prompt
from dqlore.core.tasks import instruction
from dqlore.core.train.mine import mine
from dqlore.core.train.rows import Mined
from dqlore.core.train.score import pair_prompt, units_of_work
from dqlore.core.train.score_log import Pair

MODEL = "smollm2-135m"
WAYS = ("plain", "float32", "bfloat16")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exemplars", type=int, default=2)
    parser.add_argument("--anchors", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / f"dqlore-test-cache-{os.getuid()}"
    )
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)  # what a process of one way is started with
    parser.add_argument("--sample", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        measure(given)
        return
    bundled_folder(given.cache)  # converted before the clock starts
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "sample.json"
        sample.write_text(json.dumps(draw(given)))
        found: dict[str, list[dict[str, list[float]]]] = {way: [] for way in WAYS}
        for number in range(given.rounds):
            for way in WAYS:
                command = [sys.executable, *sys.argv, "--way", way, "--sample", str(sample)]
                result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
                found[way].append(result)
                wall, cpu = result["seconds"]
                print(f"round {number + 1}: {way:10} {wall:7.1f} s, {cpu:7.1f} s of processors", flush=True)
        show(found, json.loads(sample.read_text()))


def draw(given: argparse.Namespace) -> dict[str, list[Pair]]:
    """Mine all problems; return the pairs of the speed sample in file order, and those of the rankings."""
    pool = load_dataset("gsm8k", "train", data_dir=given.data)
    start = time.perf_counter()
    mined = mine(pool)
    print(f"mined {len(mined)} anchors in {time.perf_counter() - start:.1f} s")
    groups: dict[str, int] = defaultdict(int)
    for row in mined:
        for candidate in row.candidates:
            groups[candidate] += 1
    sizes = groups.values()
    print(f"an exemplar is a candidate of {mean(sizes):.1f} anchors on average, median {median(sizes)}")
    draws = random.Random(0)
    usual = {*draws.sample([name for name, size in groups.items() if 45 <= size <= 53], given.exemplars)}
    return {
        "speed": [(row.anchor, c) for row in mined for c in row.candidates if c in usual],
        "rankings": [(row.anchor, c) for row in draws.sample(mined, given.anchors) for c in row.candidates],
    }


def measure(given: argparse.Namespace) -> None:
    """Time one way; print its seconds (wall, processors) for the speed sample and all scores per pair."""
    torch.set_num_threads(given.threads)
    pool = load_dataset("gsm8k", "train", data_dir=given.data)
    sample = {name: [tuple(pair) for pair in pairs] for name, pairs in json.loads(given.sample.read_text()).items()}
    way = plain(given.cache) if given.way == "plain" else ours(pool, given)
    prompts = {name: asked(pool, pairs) for name, pairs in sample.items()}
    way(sample["speed"][:2], prompts["speed"][:2])
    wall, cpu = time.perf_counter(), time.process_time()
    speed = way(sample["speed"], prompts["speed"])
    seconds = [time.perf_counter() - wall, time.process_time() - cpu]
    rankings = [] if given.way == "plain" else way(sample["rankings"], prompts["rankings"])
    print(json.dumps({"seconds": seconds, "speed": speed, "rankings": rankings}))


def asked(pool: Pool, pairs: Sequence[Pair]) -> list[tuple[Prompt, str]]:
    by_id = {exemplar.id: exemplar for exemplar in pool}
    return [pair_prompt(by_id[anchor], [by_id[candidate]], instruction("number")) for anchor, candidate in pairs]


def ours(pool: Pool, given: argparse.Namespace):  # type: ignore[no-untyped-def]
    keep_freed_memory()
    lm = load_local(MODEL, device="cpu", dtype=given.way, cache_dir=given.cache)

    def scores(pairs: Sequence[Pair], prompts: Sequence[tuple[Prompt, str]]) -> list[float]:
        of_pair = dict(zip(pairs, prompts, strict=True))
        rows: dict[str, list[str]] = defaultdict(list)
        for anchor, candidate in pairs:
            rows[anchor].append(candidate)
        found: dict[Pair, float] = {}
        for unit in units_of_work([Mined(anchor, tuple(own)) for anchor, own in rows.items()], pool):
            totals = asyncio.run(lm.log_likelihoods([of_pair[pair] for pair in unit]))
            found |= {pair: score.total for pair, score in zip(unit, totals, strict=True)}
        return [found[pair] for pair in pairs]

    return scores


def plain(cache: Path):  # type: ignore[no-untyped-def]
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = cache / "models" / MODEL
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="right")

    @torch.inference_mode()
    def scores(pairs: Sequence[Pair], prompts: Sequence[tuple[Prompt, str]]) -> list[float]:
        found: list[float] = []
        for start in range(0, len(prompts), 8):
            heads = [
                tokenizer.apply_chat_template(
                    prompt.messages(), add_generation_prompt=True, tokenize=True, return_dict=False
                )
                for prompt, _ in prompts[start : start + 8]
            ]
            tails = [tokenizer.encode(rationale) for _, rationale in prompts[start : start + 8]]
            batch = tokenizer.pad(
                {"input_ids": [h + t for h, t in zip(heads, tails, strict=True)]}, return_tensors="pt"
            )
            logits = model(**batch).logits
            wanted = batch["input_ids"][:, 1:]
            losses = torch.nn.functional.cross_entropy(
                logits[:, :-1].float().flatten(0, 1), wanted.flatten(), reduction="none"
            ).view_as(wanted)
            for row, head, tail in zip(losses, heads, tails, strict=True):
                found.append(-float(row[len(head) - 1 : len(head) + len(tail) - 1].sum()))
        return found

    return scores


def show(found: dict[str, list[dict[str, list[float]]]], sample: dict[str, list[Pair]]) -> None:
    pairs = len(sample["speed"])
    base = found["plain"]
    print(f"\n{'':12} {'pairs/s':>8} {'processor s':>12} {'times as fast':>14} {'largest difference':>19}")
    for way, rounds in found.items():
        cpu = median(r["seconds"][1] for r in rounds)
        wall = median(r["seconds"][0] for r in rounds)
        ratio = median(b["seconds"][1] / r["seconds"][1] for b, r in zip(base, rounds, strict=True))
        far = max(abs(a - b) / abs(b) for a, b in zip(rounds[0]["speed"], base[0]["speed"], strict=True))
        print(f"{way:12} {pairs / wall:8.2f} {cpu:12.1f} {ratio:14.1f} {far:19.1e}")
    exact, rounded = (found[way][0]["rankings"] for way in ("float32", "bfloat16"))
    anchors = [anchor for anchor, _ in sample["rankings"]]
    correlations = []
    for anchor in dict.fromkeys(anchors):
        own = [i for i, name in enumerate(anchors) if name == anchor]
        correlations.append(float(spearmanr([exact[i] for i in own], [rounded[i] for i in own]).statistic))
    if not correlations:
        return
    print(
        f"Spearman of bfloat16 with float32 within an anchor: mean {mean(correlations):.4f}, "
        f"least {min(correlations):.4f} of {len(correlations)}; differences relative to a pair's total"
    )


if __name__ == "__main__":
    main()
