"""A training run: mine, score, fit, with files between them, in one folder.

mined.jsonl  scored.jsonl  (ceil: subsets.jsonl)   what mining and scoring found, with how in *.json and *.log.jsonl
history.jsonl  checkpoints/                        the fit while it goes on
encoder/                                           the trained encoder, for --encoder
train.json                                         all settings, versions, hashes, losses and metrics
"""

import asyncio
import json
import os
import platform
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from ..encoder import Encoder, load_encoder
from ..errors import UsageError
from ..files import file_sha256, write_atomic
from ..lm.base import LM, require_log_probabilities
from ..parts import Parts
from . import mine, output_similarity, score, stages, subsets
from .fit import CHECKPOINTS, ENCODER, Fitted, fit, training_device
from .history import HISTORY, Step
from .presets import Recipe, candidates, recipe
from .rows import MINED, SCORED, Mined
from .split import FEWEST
from .subsets import SUBSETS

Stage = Literal["mine", "score", "fit"]
STAGES: tuple[Stage, ...] = ("mine", "score", "fit")
REPORT = "train.json"

_FILES = {
    "mine": (MINED, mine.MANIFEST),
    "score": (SCORED, score.LOG, score.MANIFEST, SUBSETS, subsets.LOG, subsets.MANIFEST),
    "fit": (HISTORY, CHECKPOINTS, ENCODER, REPORT),
}
_VERSIONS = ("dqlore", "torch", "transformers", "sentence-transformers", "accelerate", "numpy")


async def train(
    parts: Parts,
    out: Path,
    wanted: Sequence[Stage] = STAGES,
    *,
    limit: int | None = None,
    resume: bool = False,
    tell: Callable[[Step], None] = lambda step: None,
) -> dict[str, Any]:
    """Do the wanted stages in the folder `out`; return what train.json holds, or the count of anchors without a fit.

    What is done is not done again. Raises UsageError for a folder with other files, or with results of these stages
    while `resume` is not set, and for what cannot be trained on or with; DqloreError where it cannot be written.
    """
    plan = recipe(parts.settings)
    _check_folder(out, wanted, resume)
    by_output = plan.signal == "output-similarity"
    # Whatever the last stage lacks is told before the first one works for hours.
    if "fit" in wanted:
        training_device(parts.settings.device.name, parts.settings.device.dtype)
        anchors = min(len(parts.pool), (limit if "mine" in wanted else None) or len(parts.pool))
        if anchors < FEWEST:
            raise UsageError(f"training needs {FEWEST} anchors or more, not {anchors}: give a larger pool or --limit")
    if "mine" in wanted and not by_output:
        mine.check_pool(parts.pool, parts.settings.train.k)
    elif "score" in wanted and "mine" not in wanted:
        mine.load_mined(out, parts.pool)
    reads = ("mine" in wanted) if by_output else ("score" in wanted and plan.objective == "ceil")
    encoder = _encoder(parts, plan) if reads or "fit" in wanted else None
    async with _scorer(parts, out, "score" in wanted and not by_output) as lm:
        if "mine" in wanted:
            with stages.told(out):
                out.mkdir(parents=True, exist_ok=True)
        if "mine" in wanted and by_output:
            await asyncio.to_thread(_mine_outputs, parts, out, encoder, plan, limit)
        elif "mine" in wanted:
            _mine(parts, out, limit)
        if "score" in wanted and by_output:
            similarity = output_similarity.output_similarity(parts.kind)
            mined = mine.load_mined(out, parts.pool)
            output_similarity.score_into(out, parts.pool, mined, similarity, progress=parts.progress)
        elif lm is not None:
            await _score(lm, mine.load_mined(out, parts.pool), encoder, parts, out, plan)
    encoder = None  # the fit opens its own
    if "fit" in wanted:
        return await asyncio.to_thread(_fit, parts, out, plan, tell)
    return {"out": str(out), "stage": wanted[-1], "anchors": len(mine.load_mined(out, parts.pool))}


def _check_folder(out: Path, wanted: Sequence[Stage], resume: bool) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file: give a folder for the training run")
    there = {path.name for path in out.iterdir() if not path.name.startswith(".")} if out.exists() else set()
    if foreign := sorted(there - {name for names in _FILES.values() for name in names}):
        raise UsageError(f"{out} holds other files than a training run ('{foreign[0]}'): give a new folder")
    if not resume and (made := [name for stage in wanted for name in _FILES[stage] if name in there]):
        raise UsageError(f"{out} holds a training run already ({made[0]}): go on with --resume, or give a new folder")


def _mine(parts: Parts, out: Path, limit: int | None) -> None:
    chosen = parts.settings.train
    stem = parts.settings.bm25.stem
    mine.mine_into(
        out,
        parts.pool,
        k=chosen.k,
        field=chosen.field,
        stem=None if stem == "none" else stem,
        limit=limit,
        seed=chosen.seed,
        progress=parts.progress,
    )


def _mine_outputs(parts: Parts, out: Path, encoder: Encoder | None, plan: Recipe, limit: int | None) -> None:
    assert encoder is not None
    output_similarity.mine_into(
        out,
        parts.pool,
        encoder,
        nearest=candidates(parts.settings),
        question_only=plan.view == "question",
        limit=limit,
        seed=plan.seed,
        progress=parts.progress,
    )


def _encoder(parts: Parts, plan: Recipe) -> Encoder:
    """Return the encoder that training starts from."""
    return load_encoder(
        plan.encoder,
        device=parts.settings.device.name,
        dtype=parts.settings.device.dtype,
        cache_dir=parts.cache_dir,
        progress=parts.progress,
    )


@asynccontextmanager
async def _scorer(parts: Parts, out: Path, needed: bool) -> AsyncIterator[LM | None]:
    """The model that scores, if it is needed. Raises LMError for one that gives no log-probabilities.

    A run that goes on has had some; if all are there, the model need not even answer.
    """
    if not needed:
        yield None
        return
    own = parts.settings.train.lm
    lm = parts.lm if own is None else parts.open_lm(own)
    try:
        if not any((out / name).exists() for name in _FILES["score"]):
            await require_log_probabilities(lm)
        yield lm
    finally:
        if own is not None:
            await lm.aclose()


async def _score(
    lm: LM, mined: Sequence[Mined], encoder: Encoder | None, parts: Parts, out: Path, plan: Recipe
) -> None:
    chosen = parts.settings.train
    if plan.objective == "epr":
        report = await score.score_into(
            out,
            parts.pool,
            mined,
            lm,
            instruction=parts.instruction,
            normalize=chosen.normalize,
            progress=parts.progress,
        )
        if report.cut:
            parts.warnings.append(f"{report.cut} of {report.pairs} pairs were cut to the model's window")
        return
    assert encoder is not None
    drawn = await subsets.score_sets_into(
        out,
        parts.pool,
        mined,
        encoder,
        lm,
        size=chosen.subset_size,
        count=chosen.subsets,
        seed=chosen.seed,
        question_only=plan.view == "question",
        instruction=parts.instruction,
        progress=parts.progress,
    )
    if drawn.cut:
        parts.warnings.append(f"{drawn.cut} of {drawn.sets} sets were cut to the model's window")


def _fit(parts: Parts, out: Path, plan: Recipe, tell: Callable[[Step], None]) -> dict[str, Any]:
    scored, manifest = (SCORED, score.MANIFEST) if plan.objective == "epr" else (SUBSETS, subsets.MANIFEST)
    if not (out / scored).is_file():
        raise UsageError(f"there is no {out / scored}: run the stages mine and score first, or all of them")
    made_with = {**asdict(plan), "pool": parts.pool.fingerprint, "scores": file_sha256(out / scored)}
    before = _report(out)
    if before is not None:
        stages.refuse_changes(out / REPORT, before.get("made_with"), made_with)
        if before.get("complete"):
            return before
    document = {
        "complete": False,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "made_with": made_with,
        "pool": {"source": parts.pool.source, "exemplars": len(parts.pool), "sha256": parts.pool.fingerprint},
        "scorer": stages.made_with(out / manifest),
        "mining": stages.made_with(out / mine.MANIFEST),
        "settings": parts.settings.model_dump(mode="json"),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in _VERSIONS},
    }
    _write(out, document)
    told: dict[str, Any] = {
        "device": parts.settings.device.name,
        "dtype": parts.settings.device.dtype,
        "cache_dir": parts.cache_dir,
        "resume": before is not None,
        "progress": parts.progress,
        "tell": tell,
    }
    if plan.objective == "epr":
        fitted = fit(parts.pool, score.load_scored(out, parts.pool), out, plan, **told)
    else:
        fitted = fit(parts.pool, subsets.read_subsets(out, parts.pool), out, plan, **told)
    parts.warnings += fitted.warnings
    return _write(out, {**document, "complete": True, **_outcome(fitted, plan)})


def _outcome(fitted: Fitted, plan: Recipe) -> dict[str, Any]:
    return {
        "seed": plan.seed,
        "batch": {
            "anchors": plan.batch_size,
            "processes": fitted.processes,
            "in_batch_negatives": 2 * (plan.batch_size - 1) if plan.objective == "epr" else 0,
        },
        "anchors": fitted.anchors,
        "steps": {"planned": fitted.steps, "done": fitted.done, "kept": fitted.best},
        "losses": fitted.losses,
        "metrics": {name: asdict(change) for name, change in fitted.metrics.items()},
        "device": fitted.device,
        "seconds": fitted.seconds,
        "warnings": fitted.warnings,
    }


def _report(out: Path) -> dict[str, Any] | None:
    """Return what train.json holds, None where there is none."""
    if not (out / REPORT).exists():
        return None
    try:
        value = json.loads((out / REPORT).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{out / REPORT} cannot be read: {error}; delete it to fit anew") from None
    return value if isinstance(value, dict) else {}


def _write(out: Path, document: dict[str, Any]) -> dict[str, Any]:
    """Write train.json and return it as it was written; of several processes only the first writes."""
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    if os.environ.get("RANK", "0") == "0":
        with stages.told(out / REPORT):
            write_atomic(out / REPORT, text)
    written: dict[str, Any] = json.loads(text)
    return written
