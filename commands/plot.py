"""`dqlore plot`: pictures of runs and of one question's candidates."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dqlore.core.errors import LMError, UsageError

from . import options, render
from .running import run

if TYPE_CHECKING:
    from dqlore.core.settings import Settings

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Draw runs and re-rankings as PNG or SVG.")

Out = Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="Picture to write: .png or .svg.")]
Runs = Annotated[
    list[Path], typer.Argument(metavar="RUN...", help="Run folders of `dqlore eval`, or folders that hold some.")
]


@app.command()
def runs(folders: Runs, out: Out) -> None:
    """Draw the accuracy of runs with 95 % intervals, or their nll.

    Example: dqlore plot runs runs/svamp -o accuracy.png
    """
    from dqlore.core.evaluate.folder import find_runs, read_summary
    from dqlore.core.evaluate.plots import check_format, plot_runs, save

    check_format(out)
    save(plot_runs([read_summary(run) for run in find_runs(folders)]), out)
    print(render.one_line(str(out)))


@app.command()
def stages(folders: Runs, out: Out) -> None:
    """Draw the seconds that each stage takes per question.

    Example: dqlore plot stages runs/svamp -o stages.svg
    """
    from dqlore.core.evaluate.folder import find_runs, read_summary
    from dqlore.core.evaluate.plots import check_format, plot_stages, save

    check_format(out)
    save(plot_stages([read_summary(run) for run in find_runs(folders)]), out)
    print(render.one_line(str(out)))


@app.command()
@options.takes("data", *options.SELECTION, *options.POOL, *options.MODELS)
def lore(
    settings: "Settings",
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question whose candidates are drawn.")],
    out: Out,
    cot: Annotated[
        str | None, typer.Option("--cot", metavar="TEXT", help="A known rationale: no first query.")
    ] = None,
) -> None:
    """Draw a question's candidates before and after re-ranking, the best and the worst marked.

    Example: dqlore plot lore "How many …?" --cot "First, …" --dim 16 -o lore.png
    """
    from dqlore.core.evaluate.plots import check_format

    check_format(out)
    from dqlore.core.evaluate.plots import plot_lore, save
    from dqlore.core.events import Candidates, Failed, Query, Reranked
    from dqlore.core.parts import Parts
    from dqlore.core.pipeline import DualQuery

    with render.progress() as progress:
        pipeline = DualQuery(Parts(settings, progress))
        events = run(pipeline.parts, pipeline.select([Query(question, cot=cot)]))[0]
    found = {type(event): event for event in events}
    failed, candidates, reranked = (found.get(kind) for kind in (Failed, Candidates, Reranked))
    if isinstance(failed, Failed):
        raise LMError(failed.text)
    if not isinstance(candidates, Candidates) or not candidates.vectors.size:
        raise UsageError(f"the method {pipeline.method_name} ranks no vectors: there is no map to draw")
    assert isinstance(reranked, Reranked) and reranked.ranking is not None
    figure = plot_lore(
        candidates.query,
        candidates.vectors,
        reranked.ranking,
        settings.select.n,
        pipeline.reranker,
        settings.rerank.dim,
        pipeline.rerank_params.get("projection"),
    )
    save(figure, out)
    render.warn([*pipeline.parts.all_warnings(), *reranked.ranking.warnings])
    print(render.one_line(str(out)))
