"""What a stage was made with, written beside what it made: the proof that it is complete and still fits."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import DqloreError, UsageError
from ..exemplars import Pool
from ..files import file_sha256, write_atomic


def is_done(manifest: Path, made: Path, key: Mapping[str, Any]) -> bool:
    """Return whether `manifest` says that `made` is complete and was made with `key`.

    Raises UsageError if it was made with something else, or was changed since.
    """
    if not manifest.exists():
        return False
    stored = _read(manifest)
    refuse_changes(manifest, stored.get("made_with"), key)
    if not made.is_file():
        return False
    if file_sha256(made) != stored.get("sha256"):
        raise UsageError(f"{made} is not what {manifest.name} describes; delete {manifest} to make it again")
    return True


def finish(manifest: Path, made: Path, key: Mapping[str, Any], **more: object) -> None:
    """Write the manifest, which marks `made` as complete."""
    content = {"made_with": key, **more, "sha256": file_sha256(made)}
    with told(manifest):
        write_atomic(manifest, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def check_pool_of(manifest: Path, pool: Pool) -> None:
    """Raise UsageError if the stage of `manifest` (which may be missing) was made from another pool."""
    before = made_with(manifest)
    if isinstance(before, Mapping):
        refuse_changes(manifest, {"pool": before.get("pool")}, {"pool": pool.fingerprint})


def made_with(manifest: Path) -> Any:
    """Return what a stage was made with; None for rows that another program wrote, which have no manifest.

    Raises UsageError for a manifest that cannot be read.
    """
    return _read(manifest).get("made_with") if manifest.exists() else None


def refuse_changes(path: Path, before: object, now: Mapping[str, Any]) -> None:
    """Raise UsageError that names what differs between what `path` was made with and what is wanted now."""
    if not isinstance(before, Mapping):
        raise UsageError(f"{path} does not say what it was made with; delete it to start anew")
    after = json.loads(json.dumps(now))
    changed = [
        f"{key} was {_shown(before.get(key))} and is now {_shown(after.get(key))}"
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]
    if changed:
        raise UsageError(
            f"{path} was made with something else: {'; '.join(changed)}. Use the same again, or another --out."
        )


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn a file that cannot be written into an error that says so."""
    try:
        yield
    except OSError as error:
        raise DqloreError(
            f"{path} cannot be written: {error.strerror or error}; what is finished is kept: make room or choose a "
            "folder that can be written, and go on with --resume"
        ) from None


def _read(manifest: Path) -> dict[str, Any]:
    try:
        value = json.loads(manifest.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{manifest} cannot be read: {error}; delete it to make the stage again") from None
    return value if isinstance(value, dict) else {}


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
