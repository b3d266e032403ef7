"""Sets of exemplars for CEIL: drawn from an anchor's candidates, then scored by the language model.

Every set's score is logged as soon as it is known, so that a killed run goes on with the anchor it stopped at.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt

from ..encoder import Encoder
from ..errors import UsageError
from ..exemplars import Exemplar, Pool
from ..files import fingerprint
from ..lm.base import LM
from ..progress import Progress, silent
from . import stages
from .rows import Mined, Subsets, read_sets, write_rows
from .score import score_pairs, scored_with, uncached
from .score_log import ScoreLog

SUBSETS = "subsets.jsonl"
LOG = "subsets.log.jsonl"
MANIFEST = "subsets.json"

#: Weight of diversity, as in the re-ranker `dpp`.
LAMBDA = 0.1

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SetReport:
    """The rows of `subsets.jsonl`; `cut` of the `sets` were too long for the model's window and lost their start."""

    rows: list[Subsets]
    sets: int
    cut: int


async def score_sets_into(
    out: Path,
    pool: Pool,
    mined: Sequence[Mined],
    encoder: Encoder,
    lm: LM,
    *,
    size: int,
    count: int,
    seed: int,
    question_only: bool = False,
    instruction: str = "",
    progress: Progress = silent,
) -> SetReport:
    """Draw `count` sets of `size` candidates for every anchor, score them, and write `subsets.jsonl` into `out`.

    The kernel is that of `encoder`; `question_only` encodes anchors without their rationale. The best candidate of a
    set stands next to the question. Raises as `score.score_into` does, and UsageError for sets that are too large.
    """
    if short := next((row for row in mined if len(row.candidates) <= size), None):
        raise UsageError(
            f"the anchor '{short.anchor}' has {len(short.candidates)} candidates, too few for sets of {size}: use a "
            "larger train.k or a smaller train.subset_size"
        )
    lm = uncached(lm)
    by_id = {exemplar.id: exemplar for exemplar in pool}
    sets = _drawn(mined, by_id, encoder, size, count, seed, question_only, progress)
    drawn = {"sets": fingerprint(json.dumps(sets)), "encoder": encoder.fingerprint}
    key = drawn | scored_with(pool, lm, instruction)
    units = [[(row.anchor, json.dumps(each)) for each in own] for row, own in zip(mined, sets, strict=True)]
    total = sum(map(len, units))
    with ScoreLog(out / LOG, key, units) as log:
        progress("score sets", sum(map(len, log.done.values())), total)
        for number, (row, own) in enumerate(zip(mined, sets, strict=True)):
            if number not in log.done:
                pairs = [(by_id[row.anchor], [by_id[row.candidates[i]] for i in each]) for each in own]
                log.append(number, await score_pairs(lm, pairs, instruction))
                progress("score sets", sum(map(len, log.done.values())), total)
        scores = [log.done[number] for number in range(len(mined))]
    rows = [
        Subsets(row.anchor, row.candidates, own, tuple(score.total for score in each))
        for row, own, each in zip(mined, sets, scores, strict=True)
    ]
    write_rows(out / SUBSETS, rows)
    cut = sum(score.cut for each in scores for score in each)
    stages.finish(out / MANIFEST, out / SUBSETS, key, sets=total, cut=cut)
    return SetReport(rows, total, cut)


def read_subsets(out: Path, pool: Pool) -> list[Subsets]:
    """Read what an earlier run has scored into `out`. Raises UsageError if it is not there or does not fit."""
    stages.check_pool_of(out / MANIFEST, pool)
    path = out / SUBSETS
    if not path.is_file():
        raise UsageError(f"there is no {path}: the stage score with the objective ceil makes it")
    rows = read_sets(path, pool)
    if len({len(row.sets[0]) for row in rows}) > 1:
        raise UsageError(f"{path}: its sets are of several sizes; score again, with one train.subset_size")
    return rows


def _drawn(
    mined: Sequence[Mined],
    by_id: dict[str, Exemplar],
    encoder: Encoder,
    size: int,
    count: int,
    seed: int,
    question_only: bool,
    progress: Progress,
) -> list[tuple[tuple[int, ...], ...]]:
    names = list(dict.fromkeys(name for row in mined for name in (row.anchor, *row.candidates)))
    questions, rationales = ([getattr(by_id[n], part) for n in names] for part in ("question", "rationale"))
    vectors = dict(zip(names, encoder.encode_pairs(questions, rationales, progress).vectors, strict=True))
    asked = [by_id[row.anchor].question for row in mined]
    alone = encoder.encode(asked, progress).vectors if question_only else [vectors[row.anchor] for row in mined]
    return [
        draw_sets(
            anchor.astype(np.float64),
            np.stack([vectors[name] for name in row.candidates]).astype(np.float64),
            size,
            count,
            [seed, crc32(row.anchor.encode("utf-8", "surrogatepass"))],
        )
        for row, anchor in zip(mined, alone, strict=True)
    ]


def draw_sets(
    anchor: FloatArray, candidates: FloatArray, size: int, count: int, seed: Sequence[int], lam: float = LAMBDA
) -> tuple[tuple[int, ...], ...]:
    """Return up to `count` different sets of `size` candidates: the most relevant ones, then draws of a k-DPP.

    `anchor` (d,) and `candidates` (n, d) are embeddings; the kernel is L = diag(r) S diag(r), see `ceil`. Each
    set lists its candidates by falling relevance. Fewer sets come back where there are no more.
    """
    similarities = _cosines(candidates, anchor)
    order = np.argsort(-similarities, kind="stable")
    place = np.argsort(order)
    # The scale of L does not change the draws, so that r can be at most 1.
    r = np.exp((similarities - similarities.max()) / (4 * lam))
    kernel = r[:, None] * (_cosines(candidates, candidates) + 1) / 2 * r
    random = np.random.default_rng(seed)
    sets = [tuple(int(i) for i in order[:size])]
    for _ in range(20 * count):
        if len(sets) == count:
            break
        drawn = tuple(sorted(sample_k_dpp(kernel, size, random), key=lambda i: place[i]))
        if drawn not in sets:
            sets.append(drawn)
    return tuple(sets)


def sample_k_dpp(kernel: FloatArray, k: int, random: np.random.Generator) -> list[int]:
    """Return k indices drawn with probability det L_S / Σ det L_S' (Kulesza and Taskar 2012, algorithm 8)."""
    values, vectors = np.linalg.eigh(kernel)
    values = np.maximum(values, 0)
    chosen = _eigenvectors(values, k, random)
    basis = vectors[:, chosen]
    picked: list[int] = []
    while basis.shape[1]:
        chances = (basis**2).sum(axis=1)
        chances[picked] = 0
        item = int(random.choice(len(kernel), p=chances / chances.sum()))
        picked.append(item)
        pivot = int(np.abs(basis[item]).argmax())
        rest = basis - np.outer(basis[:, pivot] / basis[item, pivot], basis[item])
        basis = np.linalg.qr(np.delete(rest, pivot, axis=1))[0]
    return picked


def _eigenvectors(values: FloatArray, k: int, random: np.random.Generator) -> list[int]:
    """Return which k eigenvectors take part, by elementary symmetric polynomials of the eigenvalues."""
    count = len(values)
    table = np.zeros((k + 1, count + 1))
    table[0] = 1
    for size in range(1, k + 1):
        for n in range(1, count + 1):
            table[size, n] = table[size, n - 1] + values[n - 1] * table[size - 1, n - 1]
    chosen: list[int] = []
    for n in range(count, 0, -1):
        left = k - len(chosen)
        if left == 0:
            break
        if left == n or random.random() * table[left, n] < values[n - 1] * table[left - 1, n - 1]:
            chosen.append(n - 1)
    return chosen


def _cosines(a: FloatArray, b: FloatArray) -> FloatArray:
    unit = a / np.linalg.norm(a, axis=-1, keepdims=True)
    other = b / np.linalg.norm(b, axis=-1, keepdims=True)
    found: FloatArray = unit @ other.T
    return found
