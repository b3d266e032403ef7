"""`dqlore data`: the public datasets, and turning one into a pool."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, render

if TYPE_CHECKING:
    from dqlore.core.exemplars import Pool

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="List, show and convert the public datasets.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A dataset of `dqlore data list`.")]
Split = Annotated[str | None, typer.Option("--split", metavar="S", help="A split; without it the first one.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="The first N rows only.")]


@app.command("list")
def list_(data: options.DataDir = None, json: options.Json = False, config: options.Config = None) -> None:
    """List the datasets: kind of answer, splits, and which of them lie in the data folder."""
    from dqlore.core.datasets import DATASETS, splits_here

    folder = options.settings(config, data=data).data
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
    print(f"{name}: {len(pool)} rows in {render.one_line(pool.source)}")
    for exemplar in shown:
        print(f"\n[{exemplar.id}]")
        for label, text in (("Question", exemplar.question), ("Rationale", exemplar.rationale)):
            if text:
                print(f"{label}: {render.printable(text)}")
        for letter, option in zip("ABCDEFGHIJ", exemplar.options, strict=False):
            print(f"  ({letter}) {render.printable(option)}")
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
    from dqlore.core.pool_io import save_pool

    pool = _load(name, split, data, config)
    kept = pool if limit is None else Pool(pool[:limit], pool.source)
    save_pool(kept, out)
    print(f"{render.one_line(str(out))}: {len(kept)} exemplars from {render.one_line(pool.source)}")


def _load(name: str, split: str | None, data: Path | None, config: Path | None) -> "Pool":
    from dqlore.core.datasets import find_dataset, load_dataset, missing_rows

    settings = options.settings(config, data=data)
    chosen = split or find_dataset(name).splits[0]
    pool = load_dataset(name, chosen, data_dir=settings.data)
    warning = missing_rows(name, chosen, pool)
    render.warn([warning] if warning else [])
    return pool
