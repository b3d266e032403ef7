"""From the name a user wrote to a folder with a model in it."""

import os
from pathlib import Path

from ..errors import BUNDLED_INSTALL, LMError, UsageError
from ..progress import Progress
from .bundled import NAME, bundled_folder
from .hashes import FileHashes

_WAYS = (
    f"use the bundled '{NAME}', the path of a sentence-transformers, BERT or RoBERTa folder, or a Hugging Face id "
    "like 'sentence-transformers/all-mpnet-base-v2'"
)
_WANTED = ["*.safetensors", "*.json", "*.txt", "*.model"]


def model_folder(name: str, hashes: FileHashes, progress: Progress) -> Path:
    """Return the folder of the encoder called `name`, fetched from the Hugging Face hub if it is not on this disk.

    Raises UsageError for a folder that holds no such model and for an id the hub does not have; LMError where the hub
    does not answer.
    """
    if name == NAME:
        return bundled_folder(hashes)
    path = Path(name).expanduser()
    if name.strip() and path.exists():
        return _checked(path)
    if not name.strip() or path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1 or "\\" in name:
        raise UsageError(f"there is no encoder folder '{name}': {_WAYS}")
    return _checked(_from_hub(name, progress))


def _checked(folder: Path) -> Path:
    if not folder.is_dir():
        raise UsageError(f"the encoder {folder} is a file: give the folder it is in, or {_WAYS}")
    if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
        raise UsageError(f"{folder} is no encoder: it has neither modules.json nor config.json; {_WAYS}")
    if not any(folder.rglob("*.safetensors")):
        raise UsageError(
            f"{folder} holds no weights in the safetensors format, the only one that is read (others can run code): "
            "open the model with transformers and save it again with save_pretrained"
        )
    return folder


def _from_hub(name: str, progress: Progress) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    missing: Exception | None = None
    # As in sentence-transformers, a bare name may also be one of its own models.
    for repository in [name] if "/" in name else [name, f"sentence-transformers/{name}"]:
        try:
            return Path(snapshot_download(repository, allow_patterns=_WANTED, local_files_only=True))
        except HFValidationError:
            raise UsageError(f"'{name}' is neither a folder here nor a Hugging Face id: {_WAYS}") from None
        except LocalEntryNotFoundError:
            progress(f"download {repository}", 0, None)
        try:
            return Path(snapshot_download(repository, allow_patterns=_WANTED))
        except RepositoryNotFoundError as error:
            missing = error
        except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
            raise LMError(
                f"the encoder '{name}' is no folder here, and the hub "
                f"{os.environ.get('HF_ENDPOINT', 'https://huggingface.co')} did not give it ({first_line(error)}): "
                f"check the connection, or give the path of a downloaded folder; the bundled '{NAME}' needs neither "
                f"(`{BUNDLED_INSTALL}`)"
            ) from None
    raise UsageError(
        f"the encoder '{name}' is neither a folder here nor a public model on the Hugging Face hub: {_WAYS}"
    ) from missing


def first_line(error: Exception) -> str:
    """Return the first line of what an error says, or its kind where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
