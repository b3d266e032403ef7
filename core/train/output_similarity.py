"""The signal output similarity (RefPyDST, section 3.2): near shall be what has the like output, no LM is asked.

Each exemplar's nearest 200 under the current encoder are ranked by how alike their outputs are; the first and the
last 5 % are its positives and its hard negatives.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..dialogue.similarity import sim_f1
from ..dialogue.state import Change
from ..dialogue.turn import change_of
from ..encoder import Encoder
from ..errors import UsageError
from ..exemplars import Exemplar, Pool
from ..progress import Progress, silent
from ..tasks import STATE
from ..tasks.span import token_f1
from . import stages
from .mine import MANIFEST as MINING
from .mine import chosen_anchors
from .rows import MINED, SCORED, Mined, Scored, read_mined, write_rows
from .score import MANIFEST as SCORING

#: How alike the outputs of two exemplars are, from 0 to 1.
OutputSimilarity = Callable[[Exemplar, Exemplar], float]
FloatArray = npt.NDArray[np.float32]

_BLOCK = 256


def output_similarity(kind: str) -> OutputSimilarity:
    """Return the similarity for a kind of answer: sim_F1 for dialogue turns, else token F1 of rationale and answer.

    Raises UsageError, when called, for a turn whose answer is no state change.
    """
    if kind == STATE:
        changes: dict[str, Change] = {}

        def by_change(a: Exemplar, b: Exemplar) -> float:
            for exemplar in (a, b):
                if exemplar.id not in changes:
                    changes[exemplar.id] = change_of(exemplar)
            return sim_f1(changes[a.id], changes[b.id])

        return by_change
    return lambda a, b: token_f1(output_text(a), [output_text(b)])


def output_text(exemplar: Exemplar) -> str:
    """Return what the exemplar's output is: its rationale and answer."""
    return f"{exemplar.rationale}\n{exemplar.answer}"


def mine_into(
    out: Path,
    pool: Pool,
    encoder: Encoder,
    *,
    nearest: int,
    question_only: bool,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Mined]:
    """Return the `nearest` exemplars of each anchor under `encoder`, kept in `mined.jsonl` of the folder `out`.

    Anchors are read by their question alone, or with their rationale; `limit` takes that many, drawn by `seed`. What
    was mined before is only read. Raises UsageError for a folder with something else, or too small a pool.
    """
    made, manifest = out / MINED, out / MINING
    key = {
        "pool": pool.fingerprint,
        "signal": "output-similarity",
        "encoder": encoder.fingerprint,
        "nearest": nearest,
        "question_only": question_only,
        "limit": limit,
        "seed": seed,
    }
    if not stages.is_done(manifest, made, key):
        questions, rationales = [e.question for e in pool], [e.rationale for e in pool]
        vectors = encoder.encode_pairs(questions, rationales, progress).vectors
        with_rationale = not question_only or not any(rationales)
        queries = vectors if with_rationale else encoder.encode(questions, progress).vectors
        anchors = chosen_anchors(len(pool), limit, seed)
        write_rows(made, nearest_others(pool, anchors, queries, vectors, nearest))
        stages.finish(manifest, made, key, anchors=len(anchors), pool_source=pool.source)
    return read_mined(made, pool)


def score_into(
    out: Path, pool: Pool, mined: Sequence[Mined], similarity: OutputSimilarity, *, progress: Progress = silent
) -> list[Scored]:
    """Score the candidates of each anchor by their output's similarity to its own, into `scored.jsonl` of `out`."""
    rows = score_outputs(pool, mined, similarity, progress=progress)
    write_rows(out / SCORED, rows)
    stages.finish(out / SCORING, out / SCORED, {"pool": pool.fingerprint, "signal": "output-similarity"})
    return rows


def score_outputs(
    pool: Pool, mined: Sequence[Mined], similarity: OutputSimilarity, *, progress: Progress = silent
) -> list[Scored]:
    """Return how alike the output of each candidate is to its anchor's, from 0 to 1."""
    by_id = {exemplar.id: exemplar for exemplar in pool}
    rows = []
    for done, row in enumerate(mined, start=1):
        scores = tuple(similarity(by_id[row.anchor], by_id[name]) for name in row.candidates)
        rows.append(Scored(row.anchor, row.candidates, scores))
        progress("output similarity", done, len(mined))
    return rows


def nearest_others(
    pool: Pool, anchors: Sequence[int], queries: FloatArray, vectors: FloatArray, most: int
) -> list[Mined]:
    """Return the `most` exemplars nearest to each anchor by cosine, the nearest first; ties keep the pool's order.

    `queries` (size, d) are the pool's exemplars as anchors, `vectors` (size, d) as they are found. Never among them
    are the same question, and the other turns of the same dialogue. Raises UsageError where nothing else is left.
    """
    asked, found = _unit(queries), _unit(vectors)
    mined = []
    for start in range(0, len(anchors), _BLOCK):
        block = anchors[start : start + _BLOCK]
        for anchor, cosine in zip(block, asked[block] @ found.T, strict=True):
            barred = _left_out(pool, anchor)
            cosine[barred] = -np.inf
            size = min(most, len(pool) - len(barred))
            if size < 1:
                raise UsageError(f"{pool.source} holds nothing to compare '{pool[anchor].id}' with: add exemplars")
            order = np.argsort(-cosine, kind="stable")[:size]
            mined.append(Mined(pool[anchor].id, tuple(pool[int(i)].id for i in order)))
    return mined


def _left_out(pool: Pool, position: int) -> Sequence[int]:
    exemplar = pool[position]
    dialogue = exemplar.meta.get("dialogue")
    turns = pool.turns_of(dialogue) if isinstance(dialogue, str) else ()
    return sorted({position, *pool.positions_of(exemplar.question), *turns})


def _unit(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
