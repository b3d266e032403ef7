"""What the encoder is trained with: a preset's values, replaced by those that are set."""

from dataclasses import dataclass, fields
from typing import Any, Literal

from ..settings import Settings


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to fit; `settings.TrainSettings` says what each value is, `encoder` is what training starts from."""

    encoder: str
    view: Literal["question+cot", "question"]
    objective: Literal["epr", "ceil", "pairs"]
    t: int
    held_out: float
    seed: int
    epochs: int
    batch_size: int
    learning_rate: float
    warmup: float
    dropout: float
    similarity: Literal["dot", "cosine"]
    scale: float
    checks: int
    patience: int


#: `paper` is section 4 of DQ-LoRe; docs/training.md has the measurements behind `quick`.
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {
        "encoder": "bert-base-uncased",
        "epochs": 120,
        "batch_size": 16,
        "learning_rate": 1e-5,
        "warmup": 0.1,
        "dropout": 0.1,
        "similarity": "dot",
        "scale": 1.0,
        "checks": 120,
        "patience": 20,
    },
    "quick": {
        "encoder": "minilm",
        "epochs": 10,
        "batch_size": 16,
        "learning_rate": 5e-5,
        "warmup": 0.1,
        "dropout": 0.1,
        "similarity": "cosine",
        "scale": 20.0,
        "checks": 10,
        "patience": 4,
    },
}


def recipe(settings: Settings) -> Recipe:
    """Return what to train with by the settings; `encoder.name` replaces the preset's encoder where it is set."""
    chosen = settings.train
    given = chosen.model_dump(exclude_none=True, include={field.name for field in fields(Recipe)})
    if "name" in settings.encoder.model_fields_set:
        given["encoder"] = settings.encoder.name
    return Recipe(**{**PRESETS[chosen.preset], **given})
