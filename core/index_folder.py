"""The files of an index folder: what is in them, and how they are written and read.

pool.jsonl                            the exemplars, one a line, every field
vectors.npy                           float32 (n, d), row i belongs to line i
pca_mean.npy, pca_components.npy      what PCA learnt from the vectors, (d,) and (r, d)
meta.json                             what the folder was made of; written last
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from .encoder.base import Vectors
from .exemplars import Exemplar, Pool
from .files import atomic_folder, fingerprint, recover_folder
from .rerank.pca import Projection

FORMAT = 1
FILES = ("pool.jsonl", "vectors.npy", "pca_mean.npy", "pca_components.npy", "meta.json")


class Damaged(Exception):
    """A folder that is no whole index; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class IndexMeta:
    """What an index was made of.

    `rows` holds a hash of each row's retrieval text. `unit` says that all vectors have length 1, so that scores are
    cosines. `cut` counts the texts that were too long for the encoder and its `max_tokens`.
    """

    encoder: str
    encoder_fingerprint: str
    dim: int
    dtype: str
    max_tokens: int
    pool: str
    pool_fingerprint: str
    cut: int
    unit: bool
    rows: tuple[str, ...]


def row_hash(exemplar: Exemplar) -> str:
    """Return a short hash of what the encoder sees of an exemplar."""
    return fingerprint(exemplar.question, exemplar.rationale)[:16]


def write_folder(path: Path, pool: Pool, vectors: Vectors, projection: Projection, meta: IndexMeta) -> None:
    """Write the index to `path`, replacing what is there in one step. Raises OSError."""
    with atomic_folder(path) as folder:
        (folder / "pool.jsonl").write_bytes(b"".join(_line(exemplar) for exemplar in pool))
        np.save(folder / "vectors.npy", vectors, allow_pickle=False)
        np.save(folder / "pca_mean.npy", projection.mean, allow_pickle=False)
        np.save(folder / "pca_components.npy", projection.components, allow_pickle=False)
        (folder / "meta.json").write_text(json.dumps({"format": FORMAT, **asdict(meta)}, indent=1), encoding="utf-8")


def read_folder(path: Path) -> tuple[Pool, Vectors, IndexMeta]:
    """Return the pool, the vectors (mapped, not read) and the meta of the index at `path`; raises Damaged."""
    try:
        recover_folder(path)
        if not path.is_dir():
            raise Damaged("there is no such folder" if not path.exists() else "it is a file, not a folder")
    except OSError as error:
        raise Damaged(f"it cannot be read: {error.strerror or error}") from None
    meta = _read_meta(path / "meta.json")
    pool = _read_pool(path / "pool.jsonl", meta.pool)
    if pool.fingerprint != meta.pool_fingerprint:
        raise Damaged("pool.jsonl is not the pool the vectors were made of")
    vectors = _read_array(path / "vectors.npy", mapped=True)
    if vectors.dtype != np.float32 or vectors.shape != (len(pool), meta.dim):
        raise Damaged(f"vectors.npy holds {vectors.dtype} {vectors.shape}, not float32 {(len(pool), meta.dim)}")
    return pool, vectors, meta


def read_projection(path: Path, dim: int) -> Projection:
    """Return what PCA learnt from the pool; raises Damaged."""
    mean, components = _read_array(path / "pca_mean.npy"), _read_array(path / "pca_components.npy")
    if mean.shape != (dim,) or components.ndim != 2 or components.shape[1] != dim:
        raise Damaged("the PCA files are of another size than the vectors")
    if not (np.isfinite(mean).all() and np.isfinite(components).all()):
        raise Damaged("the PCA files hold NaN or infinite values")
    return Projection(mean, components)


def _line(exemplar: Exemplar) -> bytes:
    named = {name: getattr(exemplar, name) for name in ("id", "question", "rationale", "answer", "options")}
    text = json.dumps({**named, "meta": dict(exemplar.meta)}, ensure_ascii=False, default=str)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _read_pool(path: Path, source: str) -> Pool:
    try:
        rows = [json.loads(line.decode("utf-8", "surrogatepass")) for line in path.read_bytes().split(b"\n") if line]
        exemplars = [
            Exemplar(
                row["id"],
                row["question"],
                row["rationale"],
                row["answer"],
                tuple(row["options"]),
                MappingProxyType(row["meta"]),
            )
            for row in rows
        ]
    except OSError as error:
        raise Damaged(f"pool.jsonl cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Damaged("pool.jsonl is not what was written") from None
    if not all(isinstance(text, str) for e in exemplars for text in _texts(e)):
        raise Damaged("pool.jsonl is not what was written")
    return Pool(tuple(exemplars), source=source)


def _texts(exemplar: Exemplar) -> Sequence[object]:
    return (exemplar.id, exemplar.question, exemplar.rationale, exemplar.answer, *exemplar.options)


def _read_meta(path: Path) -> IndexMeta:
    try:
        values: dict[str, Any] = json.loads(path.read_bytes())
        written = values.pop("format")
        if written != FORMAT:
            raise Damaged(f"it has format {written!r}, and this version reads format {FORMAT}")
        meta = IndexMeta(**{**values, "rows": tuple(values["rows"])})
        if any(type(getattr(meta, field.name)) is not field.type for field in fields(IndexMeta)[:-1]):
            raise TypeError  # all but `rows`, which is a tuple by now
        return meta
    except OSError as error:
        raise Damaged(f"meta.json cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Damaged("meta.json is not what was written") from None


def _read_array(path: Path, *, mapped: bool = False) -> Any:
    try:
        return np.load(path, mmap_mode="r" if mapped else None, allow_pickle=False)
    except OSError as error:
        raise Damaged(f"{path.name} cannot be read: {error.strerror or error}") from None
    except (ValueError, EOFError):
        raise Damaged(f"{path.name} is not what was written") from None


def foreign_files(path: Path) -> Sequence[str]:
    """Return the names in the folder `path` that no index has; a folder with any is never replaced."""
    return sorted(entry.name for entry in path.iterdir() if entry.name not in FILES)
