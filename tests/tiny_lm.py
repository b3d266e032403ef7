"""A causal language model with random weights: small enough to score a whole pool in a second."""

from pathlib import Path

from dqlore.core.lm.bundled import bundled_folder
from dqlore.core.lm.local import LocalLM, load_local


def tiny_lm(folder: Path, cache: Path, window: int | None = None) -> LocalLM:
    """Write the model into `folder`, with the tokenizer of the bundled one but no chat template, and load it."""
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    if not (folder / "config.json").exists():
        torch.manual_seed(0)
        config = LlamaConfig(
            vocab_size=49152,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=512,
            initializer_range=0.5,
        )
        LlamaForCausalLM(config).save_pretrained(folder)
        tokenizer = AutoTokenizer.from_pretrained(bundled_folder(cache))
        tokenizer.chat_template = None
        tokenizer.save_pretrained(folder)
    return load_local(str(folder), device="cpu", dtype="float32", cache_dir=cache, context_window=window)
