"""The bundled model, loaded once, and tiny models with random weights for what does not depend on sense."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dqlore.core.lm.local import LocalLM, load_local


@pytest.fixture(scope="session")
def smollm2(model_cache: Path) -> LocalLM:
    return load_local("smollm2-135m", device="cpu", dtype="float32", cache_dir=model_cache)


@pytest.fixture(scope="session")
def model_folder(
    smollm2: LocalLM, model_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """Return a function that writes a tiny model of a config class, with SmolLM2's tokenizer but no chat template."""

    def write(config_class: str, chat_template: str | None = None, **changes: Any) -> Path:
        import torch
        import transformers

        torch.manual_seed(0)
        sizes = {
            "vocab_size": 49152,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 256,
            "initializer_range": 0.5,
        }
        config = getattr(transformers, config_class)(**{**sizes, **changes})
        folder = tmp_path_factory.mktemp(config_class)
        transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
        source = transformers.AutoTokenizer.from_pretrained(model_cache / "models" / "smollm2-135m")
        source.chat_template = chat_template
        source.save_pretrained(folder)
        return folder

    return write
