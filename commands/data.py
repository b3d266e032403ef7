"""`dqlore data`: the public datasets, and turning one into a pool."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, render
from .running import run

if TYPE_CHECKING:
    from dqlore.core.exemplars import Pool
    from dqlore.core.settings import Settings

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="List, show and convert the public datasets.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A dataset of `dqlore data list`.")]
Split = Annotated[str | None, typer.Option("--split", metavar="S", help="A split; without it the first one.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="The first N rows only.")]


@app.command("list")
def list_(data: options.DataDir = None, json: options.Json = False, config: options.Config = None) -> None:
    """List the datasets: kind of answer, splits, and which of them lie in the data folder."""
    from dqlore.core.datasets import DATASETS, splits_here

    folder = options.settings(config, data=data).data
    if folder is not None and not folder.is_dir():
        render.warn([f"{folder} is no folder; --data or DQLORE_DATA names one with a folder per dataset in it"])
    here = {name: splits_here(dataset, folder) for name, dataset in DATASETS.items()}
    if json:
        render.emit_json(
            [
                {
                    "name": d.name,
                    "kind": d.kind,
                    "splits": list(d.splits),
                    "here": here[d.name],
                    "description": d.description,
                    "source": d.source,
                    "licence": d.licence,
                }
                for d in DATASETS.values()
            ]
        )
        return
    render.rows(
        ("dataset", "answers", "splits", "here", "what it is"),
        [
            (d.name, d.kind, ", ".join(d.splits), ", ".join(here[d.name]) or "-", d.description)
            for d in DATASETS.values()
        ],
    )


@app.command()
def show(
    name: Name,
    split: Split = None,
    data: options.DataDir = None,
    limit: Limit = 3,
    json: options.Json = False,
    config: options.Config = None,
) -> None:
    """Show the first rows of a dataset as exemplars.

    Example: dqlore data show gsm8k --split test --data ~/datasets
    """
    pool = _load(name, split, data, config)
    shown = pool[:limit]
    if json:
        from dqlore.core.document import exemplar_record

        render.emit_json({"dataset": name, "rows": len(pool), "exemplars": [exemplar_record(e) for e in shown]})
        return
    from dqlore.core.prompts import question_text

    print(f"{name}: {len(pool)} rows in {render.one_line(pool.source)}")
    for exemplar in shown:
        print(f"\n[{exemplar.id}]")
        print(f"Question: {render.printable(question_text(exemplar.question, exemplar.options))}")
        if exemplar.rationale:
            print(f"Rationale: {render.printable(exemplar.rationale)}")
        print(f"Answer: {render.printable(exemplar.answer)}")


@app.command()
def convert(
    name: Name,
    out: Annotated[Path, typer.Argument(metavar="OUT.jsonl", help="Pool file to write.")],
    split: Split = None,
    data: options.DataDir = None,
    limit: Limit = None,
    config: options.Config = None,
) -> None:
    """Turn a split of a dataset into a pool file.

    Example: dqlore data convert gsm8k gsm8k.jsonl --split train --data ~/datasets
    """
    from dqlore.core.exemplars import Pool
    from dqlore.core.pool_io import check_pool_name, save_pool

    check_pool_name(out)
    pool = _load(name, split, data, config)
    kept = pool if limit is None else Pool(pool[:limit], pool.source)
    save_pool(kept, out)
    print(f"{render.one_line(str(out))}: {len(kept)} exemplars from {render.one_line(pool.source)}")


@app.command()
@options.takes("pool", "lm", "base_url", "data")
def annotate(
    settings: "Settings",
    name: Annotated[str, typer.Argument(metavar="NAME", help="A dataset, or a file of questions with answers.")],
    out: Annotated[Path, typer.Argument(metavar="OUT.jsonl", help="Pool file to write.")],
    split: Split = None,
    samples: Annotated[int, typer.Option("--samples", min=1, metavar="K", help="Most replies for a question.")] = 8,
    temperature: Annotated[
        float, typer.Option("--temperature", min=0.01, max=2, metavar="T", help="How much the replies vary.")
    ] = 0.7,
    method: Annotated[str, typer.Option("--method", metavar="M", help="See `dqlore methods`.")] = "cot",
    limit: Limit = None,
    json: options.Json = False,
) -> None:
    """Give questions without a rationale one: sample some and keep the first that reaches the gold answer.

    Questions that no reply answers right are left out. The prompt holds the project's own exemplars (--method cot).

    Example: dqlore data annotate multiarith multiarith.jsonl --lm openai:gpt-4o-mini
    """
    from dqlore.core.annotate import annotate as annotate_rows
    from dqlore.core.datasets import DATASETS
    from dqlore.core.evaluate.questions import dataset_questions, file_questions, settings_for
    from dqlore.core.exemplars import Pool
    from dqlore.core.parts import Parts
    from dqlore.core.pipeline import DualQuery
    from dqlore.core.pool_io import check_pool_name, save_pool

    check_pool_name(out)
    questions = (
        dataset_questions(name, split, data_dir=settings.data, limit=limit)
        if name in DATASETS
        else file_questions(Path(name), settings.task.kind, limit=limit)
    )
    with render.progress() as progress:
        parts = Parts(settings_for(settings, questions), progress)
        made = run(
            parts,
            annotate_rows(
                DualQuery(parts, method),
                questions.rows,
                questions.kind,
                samples=samples,
                temperature=temperature,
                tell=lambda done, total: progress("annotate", done, total),
            ),
        )
    render.warn(parts.all_warnings())
    save_pool(Pool(made.exemplars, questions.rows.source), out)
    if json:
        render.emit_json(
            {
                "out": str(out),
                "exemplars": len(made.exemplars),
                "had_rationale": made.had,
                "unreached": made.unreached,
                "failed": made.failed,
            }
        )
    else:
        lost = f"{made.unreached} left out: no reply reached the answer" if made.unreached else "none left out"
        print(f"{render.one_line(str(out))}: {len(made.exemplars)} exemplars, {lost}")
    if made.failed:
        render.note(f"{made.failed} questions failed; the last error: {made.last_error}")
    raise typer.Exit(int(made.failed > 0))


def _load(name: str, split: str | None, data: Path | None, config: Path | None) -> "Pool":
    from dqlore.core.datasets import find_dataset, load_dataset, missing_rows

    settings = options.settings(config, data=data)
    chosen = split or find_dataset(name).splits[0]
    pool = load_dataset(name, chosen, data_dir=settings.data)
    warning = missing_rows(name, chosen, pool)
    render.warn([warning] if warning else [])
    return pool
