"""`dqlore tune`: the best re-ranking settings on a development split."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dqlore.core.errors import UsageError

from . import options, render
from .running import run

if TYPE_CHECKING:
    from dqlore.core.evaluate.tune import Grid
    from dqlore.core.settings import Settings

#: Trials shown on a terminal; pipes and --json have all.
SHOWN = 15


class Objective(StrEnum):
    accuracy = "accuracy"
    nll = "nll"


@options.takes("data", "method", *options.POOL, *options.MODELS)
def tune(
    settings: "Settings",
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="D", help="A dataset of `dqlore data list`, or starter.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--in", metavar="FILE", help="Own questions: rows with question and answer.")
    ] = None,
    split: Annotated[
        str | None,
        typer.Option("--split", metavar="S", help="A development split; without it dev, else the training split."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="The first N questions.")] = 100,
    objective: Annotated[Objective, typer.Option("--objective", help="What is made best.")] = Objective.accuracy,
    m: Annotated[str, typer.Option("-m", metavar="M,...", help="Numbers of candidates to try.")] = "16,32,64",
    n: Annotated[str | None, typer.Option("-n", metavar="N,...", help="Numbers of exemplars to try.")] = None,
    rerank: Annotated[
        str, typer.Option("--rerank", metavar="R,...", help="Re-rankers to try.")
    ] = "none,pca,kernel-pca,mgs,mmr",
    dim: Annotated[str, typer.Option("--dim", metavar="D,...", help="Directions to keep; all is always tried.")] = (
        "8,16,32"
    ),
    sigma: Annotated[
        str, typer.Option("--sigma", metavar="S,...", help="Widths of the Gaussian kernel.")
    ] = "0.5,1,2",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Settings file to write the best into.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Try candidates M, exemplars n, re-rankers and their settings; first queries and vectors are made once.

    Examples:

      dqlore tune --dataset svamp --objective nll --limit 50 -o dqlore.toml

      dqlore tune --in dev.jsonl --pool solved.jsonl --rerank pca,mgs --json
    """
    if (dataset is None) == (file is None):
        raise UsageError("name the questions by either --dataset or --in")
    grid = _grid(m, n or str(settings.select.n), rerank, dim, sigma)
    from dqlore.core.evaluate.questions import dataset_questions, development_split, file_questions, settings_for
    from dqlore.core.evaluate.tune import best_settings, result_document
    from dqlore.core.evaluate.tune import tune as tune_method
    from dqlore.core.parts import Parts

    if dataset is not None:
        chosen = split or development_split(dataset)
        questions = dataset_questions(dataset, chosen, data_dir=settings.data, limit=limit)
    else:
        assert file is not None
        questions = file_questions(file, settings.task.kind, limit=limit)
    with render.progress() as progress:
        parts = Parts(settings_for(settings, questions), progress)
        results = run(
            parts,
            tune_method(
                parts,
                settings.select.method,
                questions,
                grid,
                objective.value,
                lambda done, total: progress("model calls", done, total),
            ),
        )
    render.warn(parts.all_warnings())
    if out is not None:
        from dqlore.core.settings_file import write_settings

        write_settings(out, best_settings(results[0]))
        render.note(f"the best is now in {out}")
    if json:
        render.emit_json(
            {
                "dataset": questions.dataset,
                "split": questions.split,
                "method": settings.select.method,
                "questions": len(questions.rows),
                "objective": objective.value,
                "best": result_document(results[0]),
                "trials": [result_document(result) for result in results],
                "written": None if out is None else str(out),
            }
        )
        return
    render.rows(
        (objective.value, "95 %", "m", "n", "re-ranker", "dim", "sigma", "failed"),
        [
            (
                f"{result.value:.4f}",
                "-" if result.ci95 is None else "–".join(f"{limit:.4f}" for limit in result.ci95),
                result.trial.m,
                result.trial.n,
                result.trial.reranker,
                result.trial.dim or "-",
                result.trial.sigma or "-",
                result.failed,
            )
            for result in results
        ],
        SHOWN,
    )


def _grid(m: str, n: str, rerank: str, dim: str, sigma: str) -> "Grid":
    from dqlore.core.evaluate.tune import Grid, trials

    def numbers(flag: str, text: str, kind: type, least: float) -> tuple[float, ...]:
        try:
            values = tuple(kind(part) for part in text.split(","))
        except ValueError:
            values = ()
        if not values or not all(least <= value < 1e9 for value in values):
            raise UsageError(f"{flag} {text}: write numbers of at least {least:g} with commas between")
        return values

    grid = Grid(
        m=tuple(map(int, numbers("-m", m, int, 1))),
        n=tuple(map(int, numbers("-n", n, int, 1))),
        rerankers=tuple(name.strip() for name in rerank.split(",")),
        dim=(None, *map(int, numbers("--dim", dim, int, 1))),
        sigma=numbers("--sigma", sigma, float, 1e-6),
    )
    list(trials(grid))  # unknown names are told before anything is loaded
    return grid
