"""Checkpoints that a kill or a full disk cannot turn into a trap: only those with a matching seal are used.

checkpoints/checkpoint-STEP/    weights (safetensors), optimizer, schedule, random state, trainer_state.json
                    seal.json   SHA-256 of each file, written last and in one step
"""

import json
from pathlib import Path

from ..files import file_sha256, write_atomic

SEAL = "seal.json"


def seal(folder: Path) -> None:
    """Write down what the folder holds, which makes it a whole checkpoint. Raises OSError."""
    write_atomic(folder / SEAL, json.dumps(_hashes(folder), indent=1) + "\n")


def newest_whole(root: Path) -> tuple[Path | None, list[str]]:
    """Return the newest whole checkpoint below `root`, None without one, and what is to be said of newer ones."""
    steps = sorted(
        (int(path.name.rsplit("-", 1)[1]), path)
        for path in root.glob("checkpoint-*")
        if path.name.rsplit("-", 1)[1].isdigit()
    )
    said: list[str] = []
    for _, path in reversed(steps):
        damage = _damage(path)
        if damage is None:
            return path, said
        said.append(f"the checkpoint {path} is not whole ({damage}), so an older one is used")
    return None, said


def _damage(folder: Path) -> str | None:
    """Return what is wrong with a checkpoint, None if nothing is."""
    try:
        sealed = json.loads((folder / SEAL).read_bytes())
        found = _hashes(folder)
    except FileNotFoundError:
        return "it was being written when the run ended"
    except (OSError, ValueError) as error:
        return f"it cannot be read: {error}"
    if not isinstance(sealed, dict):
        return f"{SEAL} is not what was written"
    wrong = [name for name, digest in sealed.items() if found.get(name) != digest]
    return f"{wrong[0]} is not what was written" if wrong else None


def _hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): file_sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != SEAL
    }
