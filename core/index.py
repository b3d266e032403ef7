"""The vector index: a pool, its vectors and what they were made of, in memory or in a folder."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .encoder.base import Encoder, Vectors, cut_warning
from .encoder.embedding_cache import EmbeddingCache, encode_pairs_cached
from .errors import DqloreError, UsageError
from .exemplars import Pool
from .files import fingerprint
from .index_folder import Damaged, IndexMeta, foreign_files, read_folder, read_projection, row_hash, write_folder
from .progress import Progress, silent
from .rerank.pca import Projection, fit_projection
from .select.engine import flat_engine

#: Above this size, exact search in blocks is several times as fast as FAISS and needs no copy of the vectors.
BLOCKS_ABOVE = 100_000


@dataclass(frozen=True, eq=False)
class Index:
    """`vectors` (n, d), float32, row i for `pool[i]`; `path` is None while the index is in memory only.

    `warnings` are sentences for the user about how it was made.
    """

    pool: Pool
    vectors: Vectors
    meta: IndexMeta
    path: Path | None = None
    warnings: tuple[str, ...] = ()

    @cached_property
    def engine(self) -> Any:
        """FAISS, which searches pools of usual size; None for larger ones and where FAISS cannot load."""
        return flat_engine(self.vectors) if len(self.vectors) <= BLOCKS_ABOVE else None

    @cached_property
    def projection(self) -> Projection:
        """The PCA of the whole pool."""
        if self.path is None:
            return fit_projection(self.vectors)
        try:
            return read_projection(self.path, self.meta.dim)
        except Damaged as error:
            raise UsageError(_damage_message(self.path, str(error), self.meta)) from None

    def subset(self, pool: Pool, positions: Sequence[int]) -> "Index":
        """Return the index of some rows in memory: `pool` holds the exemplars at `positions`."""
        rows = np.asarray(positions, dtype=np.int64)
        return replace(self, pool=pool, vectors=self.vectors[rows], path=None)

    def check(self, pool: Pool | None, encoder: Encoder) -> None:
        """Raise UsageError unless the index was made of this pool (None: whatever it holds) and by this encoder."""
        found = self._difference(pool, encoder)
        if found is not None:
            source = pool.source if pool is not None else self.meta.pool
            where = self.path if self.path is not None else Path("INDEX")
            raise UsageError(f"the index {where} {found}: {_rebuild(where, source, encoder.name)}")

    def _difference(self, pool: Pool | None, encoder: Encoder) -> str | None:
        meta = self.meta
        if meta.encoder_fingerprint != encoder.fingerprint:
            same = " (the same name, with other weights or settings)" if meta.encoder == encoder.name else ""
            return (
                f"was made with the encoder '{meta.encoder}' ({meta.dim} numbers), "
                f"not with '{encoder.name}' ({encoder.dim} numbers){same}"
            )
        if pool is not None and pool.fingerprint != meta.pool_fingerprint:
            held = set(meta.rows)
            new = sum(row_hash(exemplar) not in held for exemplar in pool)
            return (
                f"no longer fits the pool {pool.source}, which has changed "
                f"({len(meta.rows)} rows then, {len(pool)} now, {new} of them new or edited)"
            )
        return None


def index_from_vectors(
    pool: Pool,
    vectors: npt.ArrayLike,
    *,
    encoder: str = "given vectors",
    encoder_fingerprint: str = "",
    dtype: str = "float32",
    max_tokens: int = 0,
    cut: int = 0,
) -> Index:
    """Return an index in memory of any (n, d) array of real numbers. Raises UsageError naming the first bad row."""
    rows = _checked_vectors(pool, vectors)
    norms = np.linalg.norm(rows, axis=1)
    meta = IndexMeta(
        encoder=encoder,
        encoder_fingerprint=encoder_fingerprint,
        dim=rows.shape[1],
        dtype=dtype,
        max_tokens=max_tokens,
        pool=pool.source,
        pool_fingerprint=pool.fingerprint,
        cut=cut,
        unit=bool(np.allclose(norms, 1, atol=1e-4)),
        rows=tuple(map(row_hash, pool)),
    )
    return Index(pool, rows, meta, warnings=_cut_warnings(meta))


def build_index(
    pool: Pool,
    encoder: Encoder,
    out: Path,
    *,
    cache: EmbeddingCache | None = None,
    progress: Progress = silent,
) -> Index:
    """Encode the pool, write the index folder `out`, replacing an index that is there, and return it.

    Until the new folder is complete the old one stays. Raises UsageError for an empty pool and for an `out` that is
    something else than an index, DqloreError where it cannot be written.
    """
    _check_out(out)
    index = _encoded(pool, encoder, cache, progress)
    try:
        return _written(index, out, progress)
    except OSError as error:
        raise DqloreError(f"the index {out} cannot be written: {error.strerror or error}") from None


def load_index(path: Path) -> Index:
    """Return the index in the folder `path`, its vectors mapped; raises UsageError if it is not whole."""
    try:
        pool, vectors, meta = read_folder(path)
    except Damaged as error:
        raise UsageError(_damage_message(path, str(error))) from None
    # Larger ones are not read whole just to look.
    if len(vectors) <= BLOCKS_ABOVE and not np.isfinite(vectors).all():
        raise UsageError(_damage_message(path, "vectors.npy holds NaN or infinite values", meta))
    return Index(pool, vectors, meta, path, _cut_warnings(meta))


def cached_index_folder(pool: Pool, encoder: Encoder, cache_dir: Path) -> Path:
    """Return where `open_or_build` keeps the index: one folder for a pool's source and an encoder's name."""
    return cache_dir / "indexes" / fingerprint(pool.source, encoder.name)[:16]


def open_or_build(pool: Pool, encoder: Encoder, cache_dir: Path, *, progress: Progress = silent) -> Index:
    """Return the pool's index from the cache, made anew if pool or encoder have changed or its files are damaged.

    Where the cache cannot be written, the index stays in memory and a warning says so.
    """
    path = cached_index_folder(pool, encoder, cache_dir)
    try:
        index = load_index(path)
        index.check(pool, encoder)
        index.projection  # noqa: B018 - opened now, so that damage is repaired and not met later
    except UsageError:
        cache = EmbeddingCache(cache_dir / "embeddings.sqlite")
        index = _encoded(pool, encoder, cache, progress)
        try:
            index = _written(index, path, progress)
        except OSError as error:
            reason = f"the index could not be kept in {path}: {error.strerror or error}"
            index = replace(index, warnings=(*index.warnings, reason))
    return replace(index, pool=pool)


def _encoded(pool: Pool, encoder: Encoder, cache: EmbeddingCache | None, progress: Progress) -> Index:
    if not pool:
        raise UsageError(f"the pool {pool.source} is empty: there is nothing to index")
    questions, rationales = [e.question for e in pool], [e.rationale for e in pool]
    encoded = encode_pairs_cached(encoder, questions, rationales, cache, progress)
    index = index_from_vectors(
        pool,
        encoded.vectors,
        encoder=encoder.name,
        encoder_fingerprint=encoder.fingerprint,
        dtype=encoder.dtype,
        max_tokens=encoder.max_tokens,
        cut=encoded.cut,
    )
    notices = tuple(cache.notices) if cache is not None else ()
    return replace(index, warnings=(*index.warnings, *notices))


def _written(index: Index, out: Path, progress: Progress) -> Index:
    progress("write index", 0, None)
    write_folder(out, index.pool, index.vectors, index.projection, index.meta)
    return replace(index, path=out)


def _checked_vectors(pool: Pool, vectors: npt.ArrayLike) -> Vectors:
    try:
        given = np.asarray(vectors, dtype=np.float64 if not isinstance(vectors, np.ndarray) else None)
    except (TypeError, ValueError):
        raise UsageError(
            "the vectors are no (rows, numbers) array: their rows differ in length or are no numbers"
        ) from None
    if given.ndim != 2 or len(given) != len(pool) or given.shape[1] == 0 or given.dtype.kind not in "fiu":
        raise UsageError(
            f"{len(pool)} exemplars need vectors of shape ({len(pool)}, d), not {given.dtype} {given.shape}"
        )
    with np.errstate(over="ignore"):
        rows = np.ascontiguousarray(given, dtype=np.float32)
    unfit = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if unfit.size:
        raise UsageError(
            f"the vector of exemplar '{pool[int(unfit[0])].id}' of {pool.source} holds NaN or an infinite value, "
            f"as do {unfit.size - 1} others: the encoder is broken, or its dtype is too narrow (try float32)"
        )
    return rows


def _check_out(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError(f"{out} is a file: give a folder for the index")
    foreign = foreign_files(out)
    if foreign:
        raise UsageError(
            f"{out} is no index, it holds '{foreign[0]}': an index replaces its folder, so give a new one"
        )


def _cut_warnings(meta: IndexMeta) -> tuple[str, ...]:
    return (f"index: {cut_warning(meta.cut, len(meta.rows), meta.max_tokens)}",) if meta.cut else ()


def _damage_message(path: Path, reason: str, meta: IndexMeta | None = None) -> str:
    source = meta.pool if meta is not None else "POOL"
    return f"the index {path} cannot be used, {reason}: {_rebuild(path, source, meta.encoder if meta else None)}"


def _rebuild(path: Path, pool: str, encoder: str | None) -> str:
    given = ["--encoder", shlex.quote(encoder)] if encoder is not None else []
    return (
        "run `" + " ".join(["dqlore index --pool", shlex.quote(pool), "--out", shlex.quote(str(path)), *given]) + "`"
    )
