"""What the encoder is trained with: a preset's values, replaced by those that are set."""

from dataclasses import dataclass, fields
from typing import Any, Literal

from ..errors import UsageError
from ..settings import Settings


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to fit; `settings.TrainSettings` says what each value is, `encoder` is what training starts from."""

    encoder: str
    view: Literal["question+cot", "question"]
    objective: Literal["epr", "ceil"]
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
    signal: Literal["lm", "output-similarity"] = "lm"


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
        "epochs": 6,
        "batch_size": 16,
        "learning_rate": 5e-5,
        "warmup": 0.1,
        "dropout": 0.1,
        "similarity": "cosine",
        "scale": 20.0,
        "checks": 6,
        "patience": 3,
    },
}


#: What output similarity does otherwise (RefPyDST, section 3.2), on the first and last 5 % of the nearest 200.
OUTPUT_SIMILARITY: dict[str, Any] = {"view": "question", "epochs": 15, "similarity": "cosine", "scale": 20.0}
NEAREST, SHARE = 200, 0.05
_PAPER_ENCODER = "sentence-transformers/all-mpnet-base-v2"


def recipe(settings: Settings) -> Recipe:
    """Return what to train with by the settings; `encoder.name` replaces the preset's encoder where it is set.

    Raises UsageError for an objective that the signal has no scores for.
    """
    chosen = settings.train
    given = chosen.model_dump(exclude_none=True, include={field.name for field in fields(Recipe)})
    values = {**PRESETS[chosen.preset], **given}
    if chosen.signal == "output-similarity":
        if chosen.objective == "ceil":
            raise UsageError("train.objective = ceil needs sets scored by a language model: use --signal lm")
        own = {name: value for name, value in OUTPUT_SIMILARITY.items() if name not in chosen.model_fields_set}
        if "t" not in chosen.model_fields_set:
            own["t"] = max(1, round(SHARE * candidates(settings)))
        if chosen.preset == "paper":
            own["encoder"] = _PAPER_ENCODER
        values |= own
    if "name" in settings.encoder.model_fields_set:
        values["encoder"] = settings.encoder.name
    return Recipe(**values)


def candidates(settings: Settings) -> int:
    """Return how many exemplars are compared with each anchor."""
    chosen = settings.train
    if chosen.signal == "lm" or "k" in chosen.model_fields_set:
        return chosen.k
    return NEAREST
