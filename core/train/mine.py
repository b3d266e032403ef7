"""Mining: the candidates that each anchor's training exemplars are chosen from (DQ-LoRe, section 3.2)."""

import random
from collections.abc import Sequence
from pathlib import Path

from ..errors import UsageError
from ..exemplars import Exemplar, Pool
from ..progress import Progress, silent
from ..select.bm25 import BM25Retriever, Field, field_text
from . import stages
from .rows import MINED, Mined, read_mined, write_rows

MANIFEST = "mine.json"

#: Anchors searched between two reports.
_REPORT = 100


def mine(
    pool: Pool,
    *,
    k: int = 49,
    field: Field = "rationale",
    stem: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Mined]:
    """Return D' of every anchor: the k exemplars nearest to it by BM25, best first, ties in the pool's order.

    `field` is the text by which anchor and exemplars are compared. The anchor itself and whatever repeats its
    question are no candidates; exemplars that share no word with it fill up what is missing to k. `limit` takes that
    many anchors, drawn by `seed`; a larger limit adds to those of a smaller one. Raises UsageError for a pool that is
    too small or has exemplars without a rationale.
    """
    check_pool(pool, k)
    anchors = chosen_anchors(len(pool), limit, seed)
    retriever = BM25Retriever(pool, field, stem)
    mined: list[Mined] = []
    for start in range(0, len(anchors), _REPORT):
        progress("mine", start, len(anchors))
        some = [pool[position] for position in anchors[start : start + _REPORT]]
        barred = [pool.positions_of(anchor.question) for anchor in some]
        hits = retriever.search([field_text(anchor, field) for anchor in some], k, barred)
        mined += [
            Mined(anchor.id, tuple(pool[int(i)].id for i in found))
            for anchor, found in zip(some, hits.positions, strict=True)
        ]
    progress("mine", len(anchors), len(anchors))
    return mined


def mine_into(
    out: Path,
    pool: Pool,
    *,
    k: int = 49,
    field: Field = "rationale",
    stem: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Mined]:
    """Return what `mine` returns, kept in `mined.jsonl` of the folder `out`; mined before, it is only read.

    Raises UsageError also where the folder holds what was mined from another pool or in another way.
    """
    check_pool(pool, k)
    made, manifest = out / MINED, out / MANIFEST
    key = {"pool": pool.fingerprint, "k": k, "field": field, "stem": stem, "limit": limit, "seed": seed}
    if not stages.is_done(manifest, made, key):
        mined = mine(pool, k=k, field=field, stem=stem, limit=limit, seed=seed, progress=progress)
        write_rows(made, mined)
        stages.finish(manifest, made, key, anchors=len(mined), pool_source=pool.source)
    return read_mined(made, pool)


def load_mined(out: Path, pool: Pool) -> list[Mined]:
    """Read what an earlier run, or another program, has mined into `out`. Raises UsageError if it does not fit."""
    stages.check_pool_of(out / MANIFEST, pool)
    return read_mined(out / MINED, pool)


def check_pool(pool: Pool, k: int) -> None:
    """Refuse what cannot be trained on. Raises UsageError that says which exemplars and what to do."""
    if k < 1:
        raise UsageError(f"k = {k}: each anchor needs at least one candidate")
    lacking = [exemplar for exemplar in pool if not exemplar.rationale.strip()]
    if lacking:
        raise UsageError(
            f"{len(lacking)} of {len(pool)} exemplars in {pool.source} have no rationale ({_names(lacking)}), by "
            "which training ranks exemplars; take these rows out, or give them one with `dqlore data annotate`"
        )
    repeats = max((len(pool.positions_of(exemplar.question)) for exemplar in pool), default=1)
    if len(pool) - repeats < k:
        alike = [e for e in pool if len(pool.positions_of(e.question)) == repeats]
        other = "" if repeats == 1 else f", of which {repeats} have the same question ({_names(alike[:repeats])})"
        most = len(pool) - repeats
        smaller = f"set train.k to {most} or less, or " if most > 0 else ""
        raise UsageError(
            f"{pool.source} has {len(pool)} exemplars{other}: too few for {k} candidates besides each anchor; "
            f"{smaller}give a larger pool"
        )


def _names(exemplars: Sequence[Exemplar], most: int = 3) -> str:
    named = ", ".join(f"'{exemplar.id}'" for exemplar in exemplars[:most])
    return named if len(exemplars) <= most else f"{named} and {len(exemplars) - most} more"


def chosen_anchors(size: int, limit: int | None, seed: int) -> list[int]:
    """Return the positions of the anchors in the pool's order."""
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} anchors leaves nothing to train on")
    positions = list(range(size))
    if limit is not None:
        random.Random(seed).shuffle(positions)
        positions = sorted(positions[:limit])
    return positions
