"""`dqlore train`: make the encoder that finds the exemplars a language model profits from."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, render, running

if TYPE_CHECKING:
    from dqlore.core.settings import Settings


class Stage(StrEnum):
    all = "all"
    mine = "mine"
    score = "score"
    fit = "fit"


@options.takes(
    "pool",
    "map",
    "where",
    "skip_bad",
    "preset",
    "view",
    "objective",
    "signal",
    "seed",
    "encoder",
    "lm",
    "base_url",
    "device",
)
def train(
    settings: "Settings",
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the run; its encoder/ is the result.")],
    stage: Annotated[Stage, typer.Option("--stage", help="One stage alone; those before it must be done.")] = (
        Stage.all
    ),
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Anchors to train on, drawn from the pool.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    json: options.Json = False,
) -> None:
    """Train an encoder on a pool: mine candidates, score them with the language model, fit.

    Examples:

      dqlore train --pool solved.jsonl --out runs/solved --set train.k=16 --limit 500

      dqlore train --pool woz --signal output-similarity --out runs/woz
    """
    from dqlore.core.parts import Parts
    from dqlore.core.train import run

    from .train_progress import train_progress

    wanted = [one for one in run.STAGES if stage in (Stage.all, one)]
    with train_progress(out) as (progress, tell):
        parts = Parts(settings, progress)
        document = running.run(parts, run.train(parts, out, wanted, limit=limit, resume=resume, tell=tell))
    render.warn([*parts.all_warnings(), *document.get("warnings", ())])
    if json:
        render.emit_json(document)
    elif "metrics" not in document:
        print(f"{render.one_line(str(out))}: {document['stage']} done, {document['anchors']} anchors")
    else:
        render.rows(
            ("held-out", "before", "after", "difference", "95 %"),
            [
                (
                    name,
                    f"{change['before']:.4f}",
                    f"{change['after']:.4f}",
                    f"{change['difference']:+.4f}",
                    f"{change['low']:+.4f} to {change['high']:+.4f}",
                )
                for name, change in document["metrics"].items()
            ],
        )
        render.note(f"the encoder is in {out / 'encoder'}: use it with --encoder")
