from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.train.presets import Recipe
from dqlore.core.train.rows import Scored
from tiny_encoder import WORDS, write_encoder


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sums do not depend on the number of threads, and tiny products gain nothing from them."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def words(random: np.random.Generator, count: int) -> str:
    return " ".join(random.choice(WORDS, count))


@pytest.fixture
def pool() -> Pool:
    """Thirty exemplars in words that the tiny encoder knows."""
    random = np.random.default_rng(5)
    return Pool(tuple(Exemplar(f"e{i}", words(random, 6), words(random, 9), str(i)) for i in range(30)), "a pool")


@pytest.fixture
def scored(pool: Pool) -> list[Scored]:
    """Twelve candidates for each exemplar, scored by chance."""
    random = np.random.default_rng(6)
    rows = []
    for exemplar in pool:
        others = [other.id for other in pool if other.id != exemplar.id]
        candidates = tuple(str(name) for name in random.permutation(others)[:12])
        rows.append(Scored(exemplar.id, candidates, tuple(random.normal(size=12).tolist())))
    return rows


@pytest.fixture
def recipe(tmp_path: Path) -> Callable[..., Recipe]:
    """Return a function that changes a recipe of 20 steps with two checkpoints for a tiny encoder."""
    encoder = write_encoder(tmp_path / "tiny-encoder", normalize=False, limit=40)
    usual = Recipe(
        encoder=str(encoder),
        view="question+cot",
        objective="epr",
        t=3,
        held_out=0.4,
        seed=0,
        epochs=4,
        batch_size=4,
        learning_rate=1e-3,
        warmup=0.1,
        dropout=0.1,
        similarity="dot",
        scale=1.0,
        checks=2,
        patience=9,
    )

    def change(**values: Any) -> Recipe:
        return replace(usual, **values)

    return change
