"""What a step of fitting costs on this machine: passes of like length, bfloat16, and malloc that keeps its memory.

python bench/fitting.py --data DATA [--steps 5]

A step is 16 GSM8K triplets of question and rationale through the bundled encoder, forward, backward and Adam. The
variants take turns in one process; those with another malloc have a process of their own.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median


def measure(data: Path, steps: int, memory: bool) -> dict[str, float]:
    """Return the median seconds of a step by variant."""
    import torch

    from dqlore.core.datasets import load_dataset
    from dqlore.core.device import Device
    from dqlore.core.exemplars import retrieval_text
    from dqlore.core.memory import keep_freed_memory
    from dqlore.core.progress import silent
    from dqlore.core.settings import load_settings
    from dqlore.core.train.loss import ContrastiveLoss
    from dqlore.core.train.model import open_for_training
    from dqlore.core.train.presets import recipe

    torch.set_num_threads(2)
    if memory:
        keep_freed_memory()
    texts = [retrieval_text(e.question, e.rationale) for e in load_dataset("gsm8k", "train", data_dir=data)]
    model = open_for_training(recipe(load_settings()), Device("cpu", "float32", ""), None, silent)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-6)
    variants = {"float32, one pass": (48, False), "float32": (12, False), "bfloat16": (12, True)}
    losses = {
        name: (ContrastiveLoss(model, scale=20.0, similarity="cosine", at_a_time=rows), bf16)
        for name, (rows, bf16) in variants.items()
    }
    taken: dict[str, list[float]] = {name: [] for name in variants}
    for step in range(steps + 1):
        batch = texts[48 * step : 48 * step + 48]
        for name, (loss, bf16) in losses.items():
            started = time.perf_counter()
            with torch.autocast("cpu", torch.bfloat16, enabled=bf16):
                value = loss([model.preprocess(batch)], torch.arange(48))
            value.backward()
            optimizer.step()
            optimizer.zero_grad()
            if step:  # the first one also warms up
                taken[name].append(time.perf_counter() - started)
    return {name: median(times) for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--memory", choices=("kept", "given back"))
    options = parser.parse_args()
    if options.memory:
        for name, seconds in measure(options.data, options.steps, options.memory == "kept").items():
            print(f"{name:20} {options.memory:12} {seconds:6.2f} s a step")
        return
    for memory in ("given back", "kept"):
        command = [sys.executable, __file__, "--data", str(options.data), "--steps", str(options.steps)]
        subprocess.run([*command, "--memory", memory], check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})


if __name__ == "__main__":
    main()
