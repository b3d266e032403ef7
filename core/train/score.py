"""Scoring: how likely each candidate makes the anchor's own rationale (DQ-LoRe, section 3.2).

score(d'_j) = log P_LM(y_i | d'_j, x_i), summed over the tokens of y_i: the rationale of anchor i after a prompt that
shows exemplar j and asks question i, in the words and with the instruction of every other prompt here.

Pairs are scored exemplar by exemplar, for then they begin alike. The units of work depend on the mined rows alone: a
run that goes on after a kill forms the same batches as one that was never stopped.
"""

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import ContextOverflow, LMError
from ..exemplars import Exemplar, Pool
from ..files import fingerprint
from ..lm.base import LM, LogLikelihood
from ..lm.cache import CachedLM
from ..lm.local import LocalLM
from ..memory import keep_freed_memory
from ..progress import Progress, silent
from ..prompts import Prompt, Shot, build_prompt
from . import stages
from .rows import SCORED, Mined, Scored, read_scored, write_rows
from .score_log import Pair, ScoreLog

LOG = "scores.log.jsonl"
MANIFEST = "score.json"

#: A unit of work ends with this many pairs or more, below twice as many: enough to keep all processors busy, few
#: enough to lose little by a kill.
_UNIT = 64


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The rows of `scored.jsonl`, and what it took: `known` of the `pairs` were in the log already.

    `cut` pairs were too long for the model's window and lost the beginning of their exemplar.
    """

    rows: list[Scored]
    pairs: int
    known: int
    cut: int
    seconds: float


async def score_into(
    out: Path,
    pool: Pool,
    mined: Sequence[Mined],
    lm: LM,
    *,
    instruction: str = "",
    normalize: bool = False,
    progress: Progress = silent,
) -> ScoreReport:
    """Score every candidate of every anchor and write `scored.jsonl` into `out`.

    `normalize` divides a score by the tokens of the rationale, which changes no ranking within an anchor. The first
    report to `progress` tells how many pairs an earlier run has scored; the rate is that of what follows. Raises
    LMError where the model gives no log-probabilities, gives none that are numbers, or cannot hold a rationale;
    UsageError where the folder holds other scores, DqloreError where it cannot be written.
    """
    started = time.perf_counter()
    lm = uncached(lm)
    units = list(units_of_work(mined, pool))
    total = sum(map(len, units))
    names = fingerprint(*(name for row in mined for name in (row.anchor, "", *row.candidates)))
    key = {"mined": names, **scored_with(pool, lm, instruction)}
    by_id = {exemplar.id: exemplar for exemplar in pool}
    with ScoreLog(out / LOG, key, units) as log:
        done = known = sum(map(len, log.done.values()))
        progress("score", done, total)
        for number, unit in enumerate(units):
            if number not in log.done:
                pairs = [(by_id[anchor], [by_id[candidate]]) for anchor, candidate in unit]
                log.append(number, await score_pairs(lm, pairs, instruction))
                done += len(unit)
                progress("score", done, total)
        scores = {
            pair: s for number, unit in enumerate(units) for pair, s in zip(unit, log.done[number], strict=True)
        }
    rows = [
        Scored(row.anchor, row.candidates, tuple(_value(scores[row.anchor, c], normalize) for c in row.candidates))
        for row in mined
    ]
    write_rows(out / SCORED, rows)
    cut = sum(score.cut for score in scores.values())
    stages.finish(out / MANIFEST, out / SCORED, {**key, "normalize": normalize}, pairs=total, cut=cut)
    return ScoreReport(rows, total, known, cut, time.perf_counter() - started)


def load_scored(out: Path, pool: Pool) -> list[Scored]:
    """Read what an earlier run, or another program, has scored into `out`. Raises UsageError if it does not fit."""
    stages.check_pool_of(out / MANIFEST, pool)
    return read_scored(out / SCORED, pool)


def units_of_work(mined: Sequence[Mined], pool: Pool) -> Iterator[list[Pair]]:
    """Yield the pairs, those with the same exemplar together; small groups join, large ones are split."""
    anchors: dict[str, list[str]] = defaultdict(list)
    for row in mined:
        for candidate in row.candidates:
            anchors[candidate].append(row.anchor)
    unit: list[Pair] = []
    for exemplar in pool:
        sharing = anchors.get(exemplar.id, [])
        for start in range(0, len(sharing), _UNIT):
            unit += [(anchor, exemplar.id) for anchor in sharing[start : start + _UNIT]]
            if len(unit) >= _UNIT:
                yield unit
                unit = []
    if unit:
        yield unit


def uncached(lm: LM) -> LM:
    """Return the model without its cache, for a log keeps every score; a local one keeps the memory it frees."""
    lm = lm.lm if isinstance(lm, CachedLM) else lm
    if isinstance(lm, LocalLM):
        keep_freed_memory()
    return lm


def scored_with(pool: Pool, lm: LM, instruction: str) -> dict[str, Any]:
    """Return what decides the score of a pair, for the key of a log."""
    local = lm if isinstance(lm, LocalLM) else None
    return {
        "pool": pool.fingerprint,
        "lm": lm.name,
        "dtype": local and local.device.dtype,
        "identity": lm.identity,
        "context_window": local and local.context_window,
        "instruction": instruction,
    }


def pair_prompt(anchor: Exemplar, exemplars: Sequence[Exemplar], instruction: str = "") -> tuple[Prompt, str]:
    """Return the prompt (d'_j, x_i) and its continuation y_i; of several exemplars, best first."""
    prompt = build_prompt(anchor.question, exemplars, instruction=instruction, options=anchor.options)
    return prompt, anchor.rationale.strip()


async def score_pairs(
    lm: LM, pairs: Sequence[tuple[Exemplar, Sequence[Exemplar]]], instruction: str
) -> list[LogLikelihood]:
    """Return the log-likelihood of each anchor's rationale after its exemplars.

    Raises LMError, which names the anchor, where it is no finite number or the rationale does not fit the window.
    """
    asked = [pair_prompt(anchor, exemplars, instruction) for anchor, exemplars in pairs]
    try:
        scores = await lm.log_likelihoods(asked)
    except ContextOverflow:
        scores = [await _shortened(lm, *each, anchor.id) for each, (anchor, _) in zip(asked, pairs, strict=True)]
    for (anchor, exemplars), score in zip(pairs, scores, strict=True):
        if not math.isfinite(score.total) or not score.tokens:
            shown = ", ".join(f"'{exemplar.id}'" for exemplar in exemplars)
            raise LMError(
                f"{lm.name} gives the rationale of '{anchor.id}' after {shown} the log-likelihood {score.total} "
                f"over {score.tokens} tokens; where the dtype is float16, set device.dtype to bfloat16 or float32"
            )
    return scores


async def _shortened(lm: LM, prompt: Prompt, continuation: str, anchor: str) -> LogLikelihood:
    """Score with as much of the exemplars' end as fits; halves go until it does."""
    words = [len(text.split(" ")) for shot in prompt.ranked for text in (shot.question, shot.reply)]
    dropped = 0
    while True:
        try:
            [score] = await lm.log_likelihoods([(_without_words(prompt, dropped), continuation)])
        except ContextOverflow as error:
            if dropped == sum(words):
                raise LMError(
                    f"question and rationale of '{anchor}' do not fit the window of {lm.name} even without an "
                    f"exemplar: take it out of the pool, or use a model with a larger window ({error})"
                ) from None
            dropped += (sum(words) - dropped + 1) // 2
        else:
            return replace(score, cut=bool(dropped))


def _without_words(prompt: Prompt, dropped: int) -> Prompt:
    """Return the prompt without the first words of its exemplars; the lowest-ranked one loses its words first."""
    kept: list[Shot] = []
    for shot in reversed(prompt.ranked):
        question, reply = shot.question.split(" "), shot.reply.split(" ")
        after = max(0, dropped - len(question))
        left = replace(shot, question=" ".join(question[dropped:]), reply=" ".join(reply[after:]))
        dropped = max(0, after - len(reply))
        kept += [left] if left.question or left.reply else []
    return replace(prompt, ranked=tuple(reversed(kept)))


def _value(score: LogLikelihood, normalize: bool) -> float:
    return score.total / score.tokens if normalize else score.total
