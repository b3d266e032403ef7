"""Sentence encoders s_e: texts in, float32 vectors out."""

from pathlib import Path

from ..errors import UsageError
from ..progress import Progress, silent
from .base import Encoded, Encoder, Normalize, cut_warning

__all__ = ["Encoded", "Encoder", "Normalize", "cut_warning", "load_encoder"]


def load_encoder(
    name: str,
    *,
    device: str = "auto",
    dtype: str = "auto",
    normalize: Normalize = "model",
    cache_dir: Path | None = None,
    progress: Progress = silent,
) -> Encoder:
    """Return the encoder called `name`: the bundled "minilm", a model folder, or a Hugging Face id.

    `normalize` makes vectors unit length as the model says, always, or never. Code that comes with a model is never
    run. With `dtype` "auto", a BERT on a CPU that prefers it computes its feed-forward parts in int8, if that hardly
    moves its vectors. `cache_dir` keeps the hashes of model files. Raises UsageError or LMError (a hub that does not
    answer).
    """
    from .folder import model_folder
    from .hashes import FileHashes

    if normalize not in ("model", "always", "never"):
        raise UsageError(f"unknown normalize {normalize!r}: use model, always or never")
    progress("load encoder", 0, None)
    hashes = FileHashes(cache_dir)
    folder = model_folder(name, hashes, progress)

    from ..device import pick_device, prefers_int8
    from .recipe import light_recipe

    chosen = pick_device(device, dtype)
    recipe = light_recipe(folder)
    try:
        if recipe is None:
            from .full import FullEncoder

            return FullEncoder(name, hashes.folder(folder, f"normalize={normalize}"), folder, normalize, chosen)
        from .light import LightEncoder

        normalized = recipe.normalized if normalize == "model" else normalize == "always"
        fingerprint = hashes.folder(folder, f"normalized={normalized}")
        return LightEncoder(name, fingerprint, recipe, normalized, chosen, dtype == "auto" and prefers_int8(chosen))
    finally:
        hashes.save()
