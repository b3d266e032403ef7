"""Loading a causal language model: the bundled one, a folder, a GGUF file, or a model of the Hugging Face hub."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..device import Device, torch_dtype
from ..errors import DqloreError, LMError, UsageError
from ..files import file_sha256, fingerprint
from ..progress import Progress
from . import bundled

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")

#: Files of a folder up to this size count by content, larger ones (weights) by size and time of change.
_READ_WHOLE = 32 * 2**20


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model ready to run, its tokenizer, and what changes with the weights."""

    model: Any
    tokenizer: Any
    fingerprint: str
    context_window: int | None
    end_tokens: frozenset[int]


def load_checkpoint(model: str, device: Device, cache_dir: Path, progress: Progress) -> Checkpoint:
    """Load weights (safetensors or GGUF only, no code of the model's own) in the device's dtype.

    Raises UsageError for what cannot be a model, LMError where the hub does not answer.
    """
    place = _locate(model, cache_dir, progress)
    progress("load model", 0, None)
    with quiet_transformers(), _told(model, is_local=place.exists):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        with bundled.reported_dequantization("load model", progress):
            tokenizer = AutoTokenizer.from_pretrained(place.name, **place.file)
            loaded = AutoModelForCausalLM.from_pretrained(
                place.name, dtype=torch_dtype(device), use_safetensors=True, trust_remote_code=False, **place.file
            )
    loaded = loaded.to(device.name).eval()
    return Checkpoint(
        loaded,
        tokenizer,
        place.fingerprint or fingerprint(str(getattr(loaded.config, "_commit_hash", None))),
        _window(loaded.config, tokenizer),
        _end_tokens(loaded.generation_config, tokenizer),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    name: str
    file: dict[str, str]
    fingerprint: str | None

    @property
    def exists(self) -> bool:
        return self.fingerprint is not None


def _locate(model: str, cache_dir: Path, progress: Progress) -> _Place:
    if model == bundled.NAME:
        with quiet_transformers():
            folder = bundled.bundled_folder(cache_dir, progress)
        return _Place(str(folder), {}, bundled.FINGERPRINT)
    path = Path(model).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise UsageError(f"{path} is no model folder: it has no config.json")
        return _Place(str(path), {}, _fingerprint(sorted(file for file in path.iterdir() if file.is_file())))
    if path.is_file():
        if path.suffix != ".gguf":
            raise UsageError(f"{path} is no model: give a folder or a .gguf file")
        return _Place(str(path.parent), {"gguf_file": path.name}, _fingerprint([path]))
    if path.suffix == ".gguf" or not _HUB_ID.fullmatch(model):
        raise UsageError(f"there is no model folder or .gguf file {path}")
    return _Place(model, {}, None)


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Keep transformers from drawing bars and writing advice on stderr; errors still raise."""
    from transformers.utils import logging

    bars, verbosity = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity(logging.CRITICAL)
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _told(model: str, *, is_local: bool) -> Iterator[None]:
    """Turn what transformers and the hub raise for a bad model into one of our errors."""
    try:
        yield
    except DqloreError:
        raise
    except (OSError, ValueError, KeyError, ImportError) as error:
        said = " ".join(str(error).split())[:300] or type(error).__name__
        if is_local:
            raise UsageError(f"{model} cannot be loaded as a causal language model: {said}") from error
        if _is_unknown(error):
            raise UsageError(
                f"there is no model {model!r}: no folder here, and none (or none open to you) on the Hugging Face hub"
            ) from error
        raise LMError(
            f"could not load {model} from the Hugging Face hub: {said}; give the folder of a downloaded model, or "
            f"{bundled.NAME}, which needs no network"
        ) from error


def _is_unknown(error: BaseException | None) -> bool:
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    while error:
        if isinstance(error, (HFValidationError, RepositoryNotFoundError)):
            return True
        error = error.__cause__ or error.__context__
    return False


def _fingerprint(files: list[Path]) -> str:
    parts: list[str] = []
    for file in files:
        stat = file.stat()
        small = stat.st_size <= _READ_WHOLE
        parts += [file.name, file_sha256(file) if small else f"{stat.st_size} {stat.st_mtime_ns}"]
    return fingerprint(*parts)


def _window(config: Any, tokenizer: Any) -> int | None:
    # A tokenizer without a limit says 10^30.
    limits = [getattr(config.get_text_config(), "max_position_embeddings", None), tokenizer.model_max_length]
    return min((int(limit) for limit in limits if limit and limit < 10**9), default=None)


def _end_tokens(generation_config: Any, tokenizer: Any) -> frozenset[int]:
    named = generation_config.eos_token_id
    ends = {*(named if isinstance(named, list) else [named]), tokenizer.eos_token_id}
    return frozenset(end for end in ends if end is not None)
