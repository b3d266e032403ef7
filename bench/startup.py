"""How long `dqlore select` takes on a warm index, as a process of its own, against `python -c "import torch"`.

    python bench/startup.py [--rows N] [--rounds R]

The index has N rows (default: as many as GSM8K's training split); the question comes with its rationale, so that no
language model is asked. Both run in turns; the ratio is of their best rounds.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MAIN = "from dqlore.commands.main import main; main()"
QUESTION = ("How many rolls are on 6 trays of 12?", "--cot", "6 * 12 = 72 rolls.")


def warm_index(cache: Path, rows: int) -> None:
    """Write an index with random unit vectors; the vectors' values change no time."""
    from dqlore.core.encoder import load_encoder
    from dqlore.core.exemplars import Exemplar, Pool
    from dqlore.core.index import index_from_vectors
    from dqlore.core.index_folder import write_folder

    encoder = load_encoder("minilm", device="cpu", cache_dir=cache)
    text = "A baker fills trays with a dozen rolls each and sells most of them before noon. " * 3
    pool = Pool(tuple(Exemplar(str(i), f"{i} {text}", f"{text} {i}", str(i)) for i in range(rows)))
    vectors = np.random.default_rng(0).normal(size=(rows, encoder.dim)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = index_from_vectors(pool, vectors, encoder="minilm", encoder_fingerprint=encoder.fingerprint)
    write_folder(cache / "index", pool, index.vectors, index.projection, index.meta)


def seconds(*arguments: str, **environment: str) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=7_473)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        warm_index(Path(folder), options.rows)
        select = ("-c", MAIN, "select", *QUESTION, "--index", f"{folder}/index", "--json")
        ways = {"import torch": ("-c", "import torch"), "dqlore select": select}
        rounds = [
            {name: seconds(*arguments, DQLORE_CACHE__PATH=folder) for name, arguments in ways.items()}
            for _ in range(options.rounds)
        ]
    base = min(r["import torch"] for r in rounds)
    print(f"{options.rows} rows, best of {options.rounds} rounds in turns")
    for name in ways:
        best = min(r[name] for r in rounds)
        print(f"{name:24}{best:8.2f} s{best / base:8.2f} times")


if __name__ == "__main__":
    main()
