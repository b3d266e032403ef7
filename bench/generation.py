"""How fast the local model answers few-shot questions in a batch, against one by one through transformers.

    python bench/generation.py [--questions 8] [--max-tokens 128] [--rounds 2] [--data FOLDER]

Eight fixed GSM8K training problems stand before each test question. In every round each way has a process of its
own, in turn, so that whatever else the machine does falls on all of them and no way finds the memory of another; the
ratios are within a round. All ways decode greedily up to the token limit or the end token. "first time" reads the
eight problems, "again" finds them read.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import torch

from dqlore.core.datasets import load_dataset
from dqlore.core.lm.base import Sampling
from dqlore.core.lm.bundled import bundled_folder
from dqlore.core.lm.local import LocalLM, load_local
from dqlore.core.prompts import Prompt, build_prompt

MODEL = "smollm2-135m"
WAYS = ("transformers", "float32", "bfloat16")

Answers = Callable[[Sequence[Prompt], int], int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / f"dqlore-test-cache-{os.getuid()}"
    )
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)  # what a process of one way is started with
    given = parser.parse_args()
    if given.way:
        measure(given)
        return
    bundled_folder(given.cache)  # converted before the clock starts
    seconds: dict[str, list[float]] = {}
    for number in range(given.rounds):
        for way in WAYS:
            command = [sys.executable, *sys.argv, "--way", way]
            out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            for name, took, tokens in map(json.loads, out.splitlines()):
                seconds.setdefault(name, []).append(took)
                print(f"round {number + 1}: {name:45} {took:7.1f} s {tokens:5} tokens", flush=True)
    baseline = next(iter(seconds.values()))
    print(f"\n{'median of ' + str(given.rounds):45} {'seconds':>8} {'times as fast':>14}")
    for name, took in seconds.items():
        ratio = median(b / t for b, t in zip(baseline, took, strict=True))
        print(f"{name:45} {median(took):8.1f} {ratio:14.1f}")


def measure(given: argparse.Namespace) -> None:
    """Time one way after a short warm-up; print a JSON line of name, seconds and tokens for each of its turns."""
    shots = list(load_dataset("gsm8k", "train", data_dir=given.data, limit=8))
    asked = load_dataset("gsm8k", "test", data_dir=given.data, limit=given.questions)
    prompts = [build_prompt(exemplar.question, shots) for exemplar in asked]
    if given.way == "transformers":
        turns = {"transformers generate, float32, one by one": generate(given.cache)}
    else:
        lm = load_local(MODEL, device="cpu", dtype=given.way, cache_dir=given.cache)
        short = [Prompt(f"What is {number} plus {number}, and what is twice that?") for number in (1, 2)]
        asyncio.run(together(lm, short, 4))

        def batch(prompts: Sequence[Prompt], max_tokens: int) -> int:
            return asyncio.run(together(lm, prompts, max_tokens))

        turns = {f"{given.way}, one batch, first time": batch, f"{given.way}, one batch, again": batch}
    for name, answers in turns.items():
        start = time.perf_counter()
        tokens = answers(prompts, given.max_tokens)
        print(json.dumps([name, time.perf_counter() - start, tokens]))


def generate(cache: Path) -> Answers:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = cache / "models" / MODEL
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(folder)

    def answers(prompts: Sequence[Prompt], max_tokens: int) -> int:
        written = 0
        for prompt in prompts:
            read = tokenizer.apply_chat_template(
                prompt.messages(), add_generation_prompt=True, return_dict=True, return_tensors="pt"
            )
            out = model.generate(**read, max_new_tokens=max_tokens, do_sample=False)
            written += out.shape[1] - read["input_ids"].shape[1]
        return written

    answers([Prompt("What is 1 plus 1?")], 4)
    return answers


async def together(lm: LocalLM, prompts: Sequence[Prompt], max_tokens: int) -> int:
    replies = await asyncio.gather(*(lm.complete(prompt, Sampling(max_tokens=max_tokens)) for prompt in prompts))
    return sum(reply[0].completion_tokens or 0 for reply in replies)


if __name__ == "__main__":
    main()
