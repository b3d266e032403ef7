"""Stage three: train the encoder on the LM's ranking of mined candidates."""

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..device import Device, pick_device
from ..encoder import cut_warning, load_encoder
from ..errors import DqloreError, UsageError
from ..exemplars import Pool
from ..files import atomic_folder
from ..memory import keep_freed_memory
from ..progress import Progress, silent
from .checkpoints import newest_whole
from .history import HISTORY, History, Step
from .metrics import Change, changes
from .output_similarity import output_text
from .presets import Recipe
from .rows import Scored, Subsets
from .split import Row, Split, split
from .triplets import sides

if TYPE_CHECKING:
    from .texts import Texts
    from .trainer import Objective

ENCODER, CHECKPOINTS = "encoder", "checkpoints"

#: Texts of like length in one pass of the encoder.
_ROWS = {"cpu": 12, "gpu": 1_024}


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a fit did.

    `anchors` counts them by part; `best` is the step, of the `done` of at most `steps`, whose encoder was kept.
    `losses` are (step, loss); `metrics` compare the anchors under the encoder training began with and the new one.
    """

    anchors: dict[str, int]
    steps: int
    done: int
    best: int
    processes: int
    losses: tuple[tuple[int, float], ...]
    metrics: dict[str, Change]
    device: str
    seconds: float
    warnings: tuple[str, ...]


def fit(
    pool: Pool,
    rows: Sequence[Row],
    out: Path,
    recipe: Recipe,
    *,
    device: str = "auto",
    dtype: str = "auto",
    cache_dir: Path | None = None,
    resume: bool = False,
    progress: Progress = silent,
    tell: Callable[[Step], None] = lambda step: None,
) -> Fitted:
    """Train on `rows` (epr: scored candidates, ceil: scored sets) and write `encoder/` in `out`.

    Every step is told, and kept in history.jsonl. With `resume` an interrupted fit goes on from its newest whole
    checkpoint. Raises UsageError for an encoder that cannot be opened and for too few anchors, `trainer.NotFinite`
    where the loss is no number any more, DqloreError where files cannot be written.
    """
    chosen = training_device(device, dtype)
    parts = split(rows, pool, recipe)
    keep_freed_memory()
    try:
        return _fit(pool, parts, out, recipe, chosen, cache_dir, resume, progress, tell)
    except OSError as error:
        raise DqloreError(f"the encoder in {out} cannot be written: {error.strerror or error}") from None
    except RuntimeError as error:
        from torch import OutOfMemoryError

        if not isinstance(error, OutOfMemoryError):
            raise
        raise DqloreError(
            f"{chosen.description} has too little memory for {recipe.batch_size} anchors at once: use a smaller "
            "train.batch_size, in a new --out"
        ) from None


def training_device(device: str, dtype: str) -> Device:
    """Return the device to train on. Raises UsageError for one that is not there or cannot be chosen."""
    chosen = pick_device(device, dtype)
    if chosen.name.startswith("cuda") and chosen.name != "cuda:0":
        raise UsageError(f"train uses the first GPU it sees: choose it with CUDA_VISIBLE_DEVICES={chosen.name[5:]}")
    return chosen


def _fit(
    pool: Pool,
    parts: Split,
    out: Path,
    recipe: Recipe,
    device: Device,
    cache_dir: Path | None,
    resume: bool,
    progress: Progress,
    tell: Callable[[Step], None],
) -> Fitted:
    from .held_out import held_out_metrics
    from .model import open_for_training
    from .texts import Texts
    from .trainer import Trainer

    started = time.perf_counter()
    progress("load encoder", 0, None)
    model = open_for_training(recipe, device, cache_dir, progress)
    used = {name for part in (parts.train, parts.validation, parts.test) for row in part for name in _names(row)}
    texts = Texts(pool, used, recipe.view, model.tokenizer, int(model.max_seq_length or 2**31))
    cut = [cut_warning(texts.cut, len(used), int(model.max_seq_length))] if texts.cut else []

    checkpoints = out.resolve() / CHECKPOINTS
    if not resume:
        shutil.rmtree(checkpoints, ignore_errors=True)
    checkpoint, damaged = newest_whole(checkpoints)
    history = History(out / HISTORY, 0 if checkpoint is None else int(checkpoint.name.rsplit("-", 1)[1]), tell)
    trainer = Trainer(
        model,
        _objective(model, parts.train, texts, pool, recipe, _ROWS["cpu" if device.name == "cpu" else "gpu"]),
        recipe,
        device,
        checkpoints,
        lambda model: held_out_metrics(parts.validation, texts, lambda texts: _encoded(model, texts)),
        history.add,
    )
    trainer.train(resume_from_checkpoint=None if checkpoint is None else str(checkpoint))
    if trainer.is_world_process_zero():
        with atomic_folder(out / ENCODER) as folder:
            model.save_pretrained(str(folder), create_model_card=False)
    trainer.accelerator.wait_for_everyone()

    def metrics_of(name: str) -> dict[str, Any]:
        encoder = load_encoder(name, device=device.name, dtype="float32", cache_dir=cache_dir)
        return held_out_metrics(parts.test, texts, lambda texts: encoder.encode(texts, progress).vectors)

    measured = changes(metrics_of(recipe.encoder), metrics_of(str(out / ENCODER)), recipe.seed)
    state = trainer.state
    if trainer.is_world_process_zero():
        shutil.rmtree(checkpoints, ignore_errors=True)
    return Fitted(
        anchors={
            "train": len(parts.train),
            "validation": len(parts.validation),
            "test": len(parts.test),
            "tied": parts.ties,
            "fewer_candidates": parts.smaller,
        },
        steps=state.max_steps,
        done=state.global_step,
        best=state.best_global_step or state.global_step,
        processes=trainer.args.world_size,
        losses=tuple((step.step, step.loss) for step in history.steps if step.loss is not None),
        metrics=measured,
        device=f"{device.description}, {device.dtype}",
        seconds=time.perf_counter() - started,
        warnings=(*damaged, *cut),
    )


def _objective(
    model: Any, rows: Sequence[Row], texts: "Texts", pool: Pool, recipe: Recipe, at_a_time: int
) -> "Objective":
    if recipe.objective == "ceil":
        from .ceil import Ceil

        return Ceil(model, [row for row in rows if isinstance(row, Subsets)], texts, at_a_time=at_a_time)
    from .epr import Epr

    scored = [row for row in rows if isinstance(row, Scored)]
    both = [sides(row, recipe.t, texts.exemplar) for row in scored]
    usable = [each for each in both if each is not None]
    if recipe.signal == "output-similarity":
        texts.number_by({e.id: output_text(e) for e in pool})
    return Epr(
        model,
        usable,
        texts,
        seed=recipe.seed,
        scale=recipe.scale,
        similarity=recipe.similarity,
        at_a_time=at_a_time,
    )


def _names(row: Row) -> tuple[str, ...]:
    return (row.anchor, *row.candidates)


def _encoded(model: Any, texts: list[str]) -> Any:
    return model.encode(texts, show_progress_bar=False)
