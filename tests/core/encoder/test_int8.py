"""int8 feed-forward parts against the floats they stand for."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from dqlore.core import device
from dqlore.core.encoder import load_encoder
from dqlore.core.encoder.bert import Bert, FeedForward, Layer, Linear, Norm
from dqlore.core.encoder.int8 import with_int8

WIDTH, WIDE = 48, 96


@pytest.fixture
def preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every machine prefer int8; torch multiplies it on all of them."""
    monkeypatch.setattr(device, "prefers_int8", lambda chosen: True)


def bert(seed: int = 0) -> Bert:
    """Return a model of one layer in float32, whose norm makes some values much larger than others."""
    draws = torch.Generator().manual_seed(seed)

    def normal(*size: int) -> torch.Tensor:
        return torch.randn(size, generator=draws)

    norm = Norm(normal(WIDTH).exp(), normal(WIDTH), 1e-12)
    feed_forward = FeedForward(
        Linear(normal(WIDE, WIDTH) / 8, normal(WIDE)), Linear(normal(WIDTH, WIDE) / 8, normal(WIDTH))
    )
    projections = Linear(normal(3 * WIDTH, WIDTH), normal(3 * WIDTH)), Linear(normal(WIDTH, WIDTH), normal(WIDTH))
    layer = Layer(*projections, norm, feed_forward, norm)
    return Bert(normal(9, WIDTH), normal(9, WIDTH), norm, (layer,), 4, torch.float32)


def rows_of(model: Bert, count: int) -> torch.Tensor:
    return model.layers[0].attended_norm(torch.randn(count, WIDTH, generator=torch.Generator().manual_seed(1)))


def test_int8_is_close_to_the_float_layers() -> None:
    model = bert()
    rows = rows_of(model, 1_100)  # two blocks and a part
    exact = model.layers[0].feed_forward(rows)
    rounded = with_int8(model, model).layers[0].feed_forward(rows)
    assert rounded.shape == exact.shape and rounded.dtype == exact.dtype
    assert (rounded - exact).norm() < 0.02 * exact.norm()
    assert not torch.equal(rounded, exact)


def test_rows_do_not_touch_one_another() -> None:
    model = bert()
    rounded = with_int8(model, model).layers[0].feed_forward
    rows = rows_of(model, 700)
    rows[0], rows[1] = 0, 1e4
    together = rounded(rows)
    assert torch.isfinite(together).all()
    alone = torch.cat([rounded(rows[i : i + 1]) for i in (0, 1, 2, 699)])
    torch.testing.assert_close(together[[0, 1, 2, 699]], alone)


def test_what_is_no_number_stays_none() -> None:
    model = bert()
    rows = rows_of(model, 3)
    rows[1, 5] = torch.nan
    out = with_int8(model, model).layers[0].feed_forward(rows)
    assert out.isnan().all(dim=1).tolist() == [False, True, False]


def test_the_bundled_encoder_keeps_its_vectors_in_int8(preferred: None, data: Path) -> None:
    rows = [json.loads(line) for line in (data / "gsm8k" / "test.jsonl").read_text().splitlines()[:48]]
    texts = [f"{row['question']}\n{row['answer']}" for row in rows]
    exact, fast = load_encoder("minilm", device="cpu", dtype="float32"), load_encoder("minilm", device="cpu")
    assert fast.dtype.endswith("+int8") and fast.fingerprint == exact.fingerprint
    cosines = (exact.encode(texts).vectors * fast.encode(texts).vectors).sum(axis=1)
    assert 0.999 <= cosines.min() < 0.99999


def test_a_named_dtype_computes_in_nothing_else(preferred: None) -> None:
    for dtype in ("float32", "bfloat16"):
        assert load_encoder("minilm", device="cpu", dtype=dtype).dtype == dtype


def test_a_model_that_int8_would_change_stays_as_it_is(preferred: None, tiny: Callable[..., Path]) -> None:
    folder = tiny()
    file = folder / "model.safetensors"
    weights = load_file(file)
    for layer in (0, 1):
        # One huge weight, by which all others of its output are rounded away, and whose input is always 0.
        weights[f"encoder.layer.{layer}.output.dense.weight"][:, 0] = 1e4
        weights[f"encoder.layer.{layer}.intermediate.dense.weight"][0] = 0
        weights[f"encoder.layer.{layer}.intermediate.dense.bias"][0] = 0
    save_file(weights, file, {"format": "pt"})
    usual = load_encoder(str(folder), device="cpu")
    assert "int8" not in usual.dtype
    named = load_encoder(str(folder), device="cpu", dtype=usual.dtype)
    found, expected = (encoder.encode(["how many apples"]).vectors for encoder in (usual, named))
    np.testing.assert_array_equal(found, expected)
