"""What training on output similarity and MMR do to the exemplars of dialogue turns, on WOZ 2.0.

    python bench/dialogue.py --data ~/datasets [--epochs 15] [--epochs-all 15] [--out FOLDER]

The retriever is trained from 5 % and from all of the training dialogues; every test turn, on its gold previous state,
then retrieves from all training turns. Encoders that FOLDER holds already are not trained again.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from dqlore.core import load_settings
from dqlore.core.datasets import load_dataset
from dqlore.core.dialogue.metrics import dialogue_interval
from dqlore.core.dialogue.similarity import sim_f1
from dqlore.core.dialogue.turn import change_of, turn_of
from dqlore.core.encoder import load_encoder
from dqlore.core.exemplars import Pool
from dqlore.core.rerank import rerank
from dqlore.core.train.fit import ENCODER, fit
from dqlore.core.train.output_similarity import nearest_others, output_similarity, score_outputs
from dqlore.core.train.presets import NEAREST, recipe

POOLED, SHOWN = 100, 10
ALPHAS = (0.0, 0.05, 0.1, 0.2, 0.3)


def share_of(pool: Pool, share: float) -> Pool:
    """Return the turns of a seeded share of the dialogues."""
    dialogues = sorted({turn_of(e).dialogue for e in pool})
    kept = set(np.random.default_rng(0).permutation(dialogues)[: round(share * len(dialogues))].tolist())
    return Pool(tuple(e for e in pool if turn_of(e).dialogue in kept), f"{share:.0%} of {pool.source}")


def train(pool: Pool, out: Path, epochs: int, cache: Path) -> None:
    """Train MiniLM on a pool's output similarity into out/encoder."""
    if (out / ENCODER).is_dir():
        return
    out.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    vectors = load_encoder("minilm", cache_dir=cache).encode([e.question for e in pool]).vectors
    mined = nearest_others(pool, list(range(len(pool))), vectors, vectors, NEAREST)
    rows = score_outputs(pool, mined, output_similarity("state"))
    held_out = max(0.01, 14 / len(pool))
    train = {"signal": "output-similarity", "epochs": epochs, "held_out": held_out, "checks": 3, "patience": 3}
    fitted = fit(pool, rows, out, recipe(load_settings({"train": train})), cache_dir=cache)
    steps = f"best step {fitted.best} of {fitted.done}"
    seconds = time.perf_counter() - started
    print(f"{out.name}: {len(pool)} turns, {fitted.anchors['train']} anchors, {steps}, {seconds:.0f} s", flush=True)


def measure(name: str, encoder: str, pool: Pool, asked: Pool, cache: Path, base: np.ndarray | None) -> np.ndarray:
    """Print a line for each α and return the mean sim_F1 of the 10 nearest of each turn."""
    loaded = load_encoder(encoder, cache_dir=cache)
    vectors, queries = (
        loaded.encode([e.question for e in rows]).vectors.astype(np.float64) for rows in (pool, asked)
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    changes, wanted = [change_of(e) for e in pool], [change_of(e) for e in asked]
    answers = [e.answer for e in pool]
    first = None
    for alpha in ALPHAS:
        alike, distinct = np.zeros(len(asked)), np.zeros(len(asked))
        for i, query in enumerate(queries):
            near = np.argsort(-(vectors @ query), kind="stable")[:POOLED]
            chosen = near[rerank("mmr", query, vectors[near], alpha=alpha).order[:SHOWN]]
            alike[i] = np.mean([sim_f1(changes[j], wanted[i]) for j in chosen])
            distinct[i] = len({answers[j] for j in chosen})
        first = alike if first is None else first
        gain = ""
        if base is not None and alpha == 0:
            by_dialogue: dict[str, list[float]] = {}
            for e, difference in zip(asked, alike - base, strict=True):
                by_dialogue.setdefault(turn_of(e).dialogue, []).append(difference)
            low, high = dialogue_interval([(sum(d), float(len(d))) for d in by_dialogue.values()]) or (0, 0)
            gain = f"{(alike - base).mean():+.3f} ({low:+.3f} to {high:+.3f})"
        print(f"| {name} | {alpha} | {alike.mean():.3f} | {distinct.mean():.2f} | {gain} |", flush=True)
    assert first is not None
    return first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("runs/dialogue"))
    parser.add_argument("--epochs", type=int, default=15, help="of the 5 %%")
    parser.add_argument("--epochs-all", type=int, default=15, help="of all training dialogues")
    parser.add_argument("--limit", type=int, help="test turns")
    given = parser.parse_args()
    cache = load_settings().cache.path
    pool = load_dataset("woz", "train", data_dir=given.data)
    asked = load_dataset("woz", "test", data_dir=given.data, limit=given.limit)
    few = share_of(pool, 0.05)
    train(few, given.out / "share-5", given.epochs, cache)
    train(pool, given.out / "share-100", given.epochs_all, cache)
    print("| encoder | α | sim_F1 of 10 | distinct changes of 10 | over untrained (95 %) |\n|---|--:|--:|--:|---|")
    base = measure("untrained", "minilm", pool, asked, cache, None)
    measure("trained, 5 %", str(given.out / "share-5" / ENCODER), pool, asked, cache, base)
    measure("trained, 100 %", str(given.out / "share-100" / ENCODER), pool, asked, cache, base)


if __name__ == "__main__":
    main()
