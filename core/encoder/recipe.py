"""What a model folder's own files say about how it encodes, as far as the light path can follow them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .bert import Pooling

#: Tokens that a text can be cut to: first, last, and one between them.
_SHORTEST = 3
_BERT = "bert"
_ROBERTA = ("roberta", "xlm-roberta", "camembert")
#: Keys of a Transformer module's file that change nothing here, with the values for which that holds.
_HARMLESS: dict[str, object] = {
    "transformer_task": "feature-extraction",
    "module_output_name": "token_embeddings",
    "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the light path encodes: `transformer` is the folder of weights and tokenizer, `config` its config.json.

    `first_position` is the row of the first token in the position table.
    """

    transformer: Path
    config: dict[str, Any]
    pooling: Pooling
    normalized: bool
    max_tokens: int
    first_position: int


def light_recipe(folder: Path) -> Recipe | None:
    """Return the recipe if `folder` is BERT or RoBERTa, mean or cls pooled, with or without Normalize; else None.

    A plain BERT or RoBERTa folder is mean pooled and not normalized, as sentence-transformers does it.
    Raises UsageError for a file that is no JSON.
    """
    modules = _modules(folder / "modules.json") if (folder / "modules.json").is_file() else None
    pooling: Pooling | None = "mean"
    normalized = False
    transformer = folder
    if modules is not None:
        kinds = [str(module.get("type", "")).rsplit(".", 1)[-1] for module in modules]
        if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
            return None
        transformer = folder / str(modules[0].get("path", ""))
        pooling = _pooling(_read(folder / str(modules[1].get("path", "")) / "config.json"))
        normalized = len(kinds) == 3
    weights, tokenizer = transformer / "model.safetensors", transformer / "tokenizer.json"
    if pooling is None or not weights.is_file() or not tokenizer.is_file() or _has_default_prompt(folder):
        return None
    config = _read(transformer / "config.json")
    if not _is_plain_bert(config):
        return None
    limit = _limit(transformer, config)
    if limit is None:
        return None
    for key in ("hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size"):
        _whole(config.get(key), key, transformer / "config.json")
    first = 0 if config["model_type"] == _BERT else int(config.get("pad_token_id", 1)) + 1
    return Recipe(transformer, config, pooling, normalized, limit, first)


def _is_plain_bert(config: dict[str, Any]) -> bool:
    return (
        config.get("model_type") in (_BERT, *_ROBERTA)
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and not config.get("is_decoder")
    )


def _pooling(settings: dict[str, Any]) -> Pooling | None:
    if "pooling_mode" in settings:
        mode = settings["pooling_mode"]
    else:
        chosen = [key for key, value in settings.items() if key.startswith("pooling_mode_") and value is True]
        mode = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}.get("".join(chosen))
    return mode if mode in ("mean", "cls") else None


def _limit(transformer: Path, config: dict[str, Any]) -> int | None:
    """Return the longest text in tokens, None if the folder asks for something the light path does not do."""
    own = transformer / "sentence_bert_config.json"
    settings = _read(own) if own.is_file() else {}
    limit = settings.pop("max_seq_length", None)
    if any(value and value != _HARMLESS.get(key) for key, value in settings.items()):
        return None
    if limit is None:
        tokenizer = transformer / "tokenizer_config.json"
        limit = (_read(tokenizer) if tokenizer.is_file() else {}).get("model_max_length")
    places = _whole(
        config.get("max_position_embeddings", 512), "max_position_embeddings", transformer / "config.json"
    )
    if config.get("model_type") != _BERT:
        places -= int(config.get("pad_token_id", 1)) + 1
    return min(_whole(limit, "the longest text", transformer, _SHORTEST), places) if limit else places


def _has_default_prompt(folder: Path) -> bool:
    own = folder / "config_sentence_transformers.json"
    return own.is_file() and bool(_read(own).get("default_prompt_name"))


def _whole(value: object, name: str, path: Path, least: int = 1) -> int:
    if not isinstance(value, int | float) or value < least or not float(value).is_integer():
        raise UsageError(f"{path}: {name} should be a whole number from {least}, not {value!r:.40}")
    return int(value)


def _modules(path: Path) -> list[dict[str, Any]]:
    modules = _json(path)
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise UsageError(f"the encoder's file {path} should hold a list of modules")
    return modules


def _read(path: Path) -> dict[str, Any]:
    settings = _json(path)
    if not isinstance(settings, dict):
        raise UsageError(f"the encoder's file {path} should hold a JSON object")
    return settings


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"the encoder's file {path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise UsageError(f"the encoder's file {path} is damaged: {error}") from None
