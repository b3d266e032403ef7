"""How long a fresh process takes to its first dense search, against `python -c "import torch"`.

    python bench/startup.py [--rows N] [--rounds R]

The process loads a warm index of N rows (default: as many as GSM8K's training set has), opens the bundled encoder,
encodes one question with its rationale, and searches. Both run in turns; the ratio is of their best rounds.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SEARCH = """
import sys
from pathlib import Path
from dqlore.core.encoder import load_encoder
from dqlore.core.index import load_index
from dqlore.core.select.dense import search

cache = Path(sys.argv[1])
index = load_index(cache / "index")
encoder = load_encoder("minilm", device="cpu", cache_dir=cache)
index.check(None, encoder)
query = encoder.encode_pairs(["How many rolls are on 6 trays of 12?"], ["6 * 12 = 72 rolls."]).vectors
assert len(search(index, query, 64).positions[0]) == 64
"""


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
    write_folder(cache / "index", pool, index.vectors, index.projection, None, index.meta)


def seconds(*arguments: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=7_473)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        warm_index(Path(folder), options.rows)
        ways = {"import torch": ("-c", "import torch"), "first dense search": ("-c", SEARCH, folder)}
        rounds = [{name: seconds(*arguments) for name, arguments in ways.items()} for _ in range(options.rounds)]
    base = min(r["import torch"] for r in rounds)
    print(f"{options.rows} rows, best of {options.rounds} rounds in turns")
    for name in ways:
        best = min(r[name] for r in rounds)
        print(f"{name:24}{best:8.2f} s{best / base:8.2f} times")


if __name__ == "__main__":
    main()
