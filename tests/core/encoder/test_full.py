from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dqlore.core.encoder import load_encoder
from dqlore.core.encoder.full import FullEncoder
from dqlore.core.errors import UsageError

TEXTS = ["how many apples", "ann eats one apples . so two is left", "the answer " * 30]


def test_a_folder_with_a_dense_layer_gives_the_library_s_vectors(tiny: Callable[..., Path]) -> None:
    from sentence_transformers import SentenceTransformer

    folder = tiny(dense=True)
    encoder = load_encoder(str(folder), device="cpu", dtype="float32")
    assert isinstance(encoder, FullEncoder) and (encoder.dim, encoder.max_tokens) == (8, 20)
    encoded = encoder.encode(TEXTS)
    np.testing.assert_allclose(
        encoded.vectors, SentenceTransformer(str(folder), device="cpu").encode(TEXTS), atol=1e-6
    )
    assert encoded.cut_rows == (2,)


def test_normalization_is_a_setting(tiny: Callable[..., Path]) -> None:
    folder = str(tiny(pooling="max"))
    model, never, always = (
        load_encoder(folder, device="cpu", dtype="float32", normalize=choice)
        for choice in ("model", "never", "always")
    )
    raw = never.encode(TEXTS).vectors
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    assert (abs(lengths - 1) > 1e-3).all()
    np.testing.assert_allclose(model.encode(TEXTS).vectors, raw / lengths, atol=1e-6)
    np.testing.assert_allclose(always.encode(TEXTS).vectors, raw / lengths, atol=1e-6)
    assert model.fingerprint != never.fingerprint


def test_a_rationale_is_not_lost_behind_a_long_question(tiny: Callable[..., Path]) -> None:
    encoder = load_encoder(str(tiny(dense=True)), device="cpu", dtype="float32")
    pairs = encoder.encode_pairs(["ann eats apples " * 20, "one"] * 2, ["two is left", "so", "bob gives one", "so"])
    assert pairs.cut_rows == (0, 2)
    assert not np.allclose(pairs.vectors[0], pairs.vectors[2])
    np.testing.assert_allclose(pairs.vectors[1], encoder.encode(["one\nso"]).vectors[0], atol=1e-6)


def test_a_model_that_brings_its_own_code_is_refused(tiny: Callable[..., Path]) -> None:
    folder = tiny(dense=True)
    ran = folder / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    modules = (folder / "modules.json").read_text()
    (folder / "modules.json").write_text(modules.replace("sentence_transformers.models.Dense", "own.Dense"))
    with pytest.raises(UsageError, match="cannot be opened"):
        load_encoder(str(folder), device="cpu")
    assert not ran.exists()
