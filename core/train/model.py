"""The encoder that training starts from, made ready for it."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..device import Device
from ..encoder.folder import model_folder
from ..encoder.full import drop_normalization, open_model
from ..encoder.hashes import FileHashes
from ..progress import Progress
from .presets import Recipe

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


def open_for_training(
    recipe: Recipe, device: Device, cache_dir: Path | None, progress: Progress
) -> "SentenceTransformer":
    """Return the model with the recipe's head and dropout, its weights in float32 (autocast rounds, not they).

    For raw inner products it ends in its pooling, for cosines in a Normalize layer. Raises UsageError or LMError (a
    hub that does not answer).
    """
    import torch
    from sentence_transformers.sentence_transformer.modules import Normalize

    torch.manual_seed(recipe.seed)  # layers that the folder has no weights for
    hashes = FileHashes(cache_dir)
    model = open_model(model_folder(recipe.encoder, hashes, progress), device.name, torch.float32)
    hashes.save()
    drop_normalization(model)
    if recipe.similarity == "cosine":
        model.append(Normalize())
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = recipe.dropout
    return model
