"""Embeddings kept by text and encoder, so that indexing an edited pool encodes only what is new.

One SQLite file, safe for several processes. It only saves time: when it is damaged, locked or read-only, one notice
says so and the work goes on without it.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from ..files import fingerprint
from ..progress import Progress, silent
from .base import Encoded, Encoder, Vectors

#: Texts between two writes: what a killed run loses at most.
_CHUNK = 2_048
_TABLE = "CREATE TABLE IF NOT EXISTS embeddings (key BLOB PRIMARY KEY, vector BLOB, cut INTEGER) WITHOUT ROWID"


class EmbeddingCache:
    """The cache in the file at `path`; `notices` says what went wrong with it, once."""

    def __init__(self, path: Path) -> None:
        self.notices: list[str] = []
        self._path = path
        self._usable = True

    def get(self, keys: Sequence[bytes], dim: int) -> dict[bytes, tuple[Vectors, bool]]:
        """Return the vectors (dim,) found, each with whether its text was cut."""
        found: dict[bytes, tuple[Vectors, bool]] = {}

        def read(database: sqlite3.Connection) -> None:
            for key in keys:
                row = database.execute("SELECT vector, cut FROM embeddings WHERE key = ?", (key,)).fetchone()
                if row is not None and len(row[0]) == 4 * dim:
                    found[key] = np.frombuffer(row[0], dtype="<f4"), bool(row[1])

        self._use(read)
        return found

    def put(self, keys: Sequence[bytes], encoded: Encoded) -> None:
        """Keep the vectors of `encoded`, aligned with `keys`."""
        cut = set(encoded.cut_rows)
        rows = [
            (key, vector.astype("<f4").tobytes(), i in cut)
            for i, (key, vector) in enumerate(zip(keys, encoded.vectors, strict=True))
        ]
        self._use(lambda database: database.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?)", rows))

    def _use(self, action: Callable[[sqlite3.Connection], object]) -> None:
        """Run `action` in one transaction, unless the file has failed before."""
        if not self._usable:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=30)) as database, database:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = NORMAL")
                database.execute(_TABLE)
                action(database)
        except (sqlite3.Error, OSError) as error:
            self._usable = False
            self.notices.append(
                f"the embedding cache {self._path} cannot be used ({error}); every text is encoded anew: "
                "make it writable, or delete it if it is damaged"
            )


def encode_pairs_cached(
    encoder: Encoder,
    questions: Sequence[str],
    rationales: Sequence[str],
    cache: EmbeddingCache | None,
    progress: Progress = silent,
) -> Encoded:
    """Return what `encoder.encode_pairs` returns, encoding each distinct text once, and none that the cache holds."""
    keys = [
        bytes.fromhex(fingerprint(encoder.fingerprint, encoder.dtype, question, rationale))[:16]
        for question, rationale in zip(questions, rationales, strict=True)
    ]
    known = cache.get(keys, encoder.dim) if cache is not None else {}
    missing = {key: i for i, key in enumerate(keys) if key not in known}
    done = len(keys) - len(missing)
    progress("encode", done, len(keys))
    texts = list(missing)
    for start in range(0, len(texts), _CHUNK):
        some, before = texts[start : start + _CHUNK], done

        def report(stage: str, count: int, total: int | None, /, before: int = before) -> None:
            progress(stage, before + count, len(keys))

        rows = [missing[key] for key in some]
        encoded = encoder.encode_pairs([questions[i] for i in rows], [rationales[i] for i in rows], report)
        if cache is not None:
            cache.put(some, encoded)
        cut = set(encoded.cut_rows)
        known |= {key: (vector, i in cut) for i, (key, vector) in enumerate(zip(some, encoded.vectors, strict=True))}
        done += len(some)
    vectors = np.empty((len(keys), encoder.dim), dtype=np.float32)
    for row, key in enumerate(keys):
        vectors[row] = known[key][0]
    return Encoded(vectors, tuple(row for row, key in enumerate(keys) if known[key][1]))
