"""SHA-256 of model files, remembered by path, size and time of change so that start-up need not read them again."""

import contextlib
import json
from pathlib import Path

from ..files import file_sha256, fingerprint, write_atomic

#: What decides a model's vectors; read-me files and other weight formats do not.
_PARTS = ("*.safetensors", "*.json", "*.txt", "*.model")


class FileHashes:
    """Hashes files, and keeps what it found in `cache_dir` if that can be written."""

    def __init__(self, cache_dir: Path | None) -> None:
        self._store = cache_dir / "file-hashes.json" if cache_dir is not None else None
        self._known: dict[str, list[object]] = {}
        if self._store is not None:
            with contextlib.suppress(OSError, ValueError):
                known = json.loads(self._store.read_bytes())
                self._known = known if isinstance(known, dict) else {}
        self._changed = False

    def sha256(self, path: Path) -> str:
        """Return the SHA-256 of the file's bytes."""
        name = str(path.resolve())
        state = path.stat()
        seen = self._known.get(name)
        if isinstance(seen, list) and len(seen) == 3 and seen[:2] == [state.st_size, state.st_mtime_ns]:
            return str(seen[2])
        found = file_sha256(path)
        self._known[name] = [state.st_size, state.st_mtime_ns, found]
        self._changed = True
        return found

    def folder(self, folder: Path, *settings: str) -> str:
        """Return a fingerprint of the model files below `folder` and of `settings`."""
        paths = sorted({path for part in _PARTS for path in folder.rglob(part)})
        parts = [part for path in paths for part in (path.relative_to(folder).as_posix(), self.sha256(path))]
        return fingerprint(*parts, *settings)

    def save(self) -> None:
        """Write what is new; a cache folder that cannot be written costs time at the next start, no more."""
        if self._store is not None and self._changed:
            with contextlib.suppress(OSError):
                write_atomic(self._store, json.dumps(self._known))
