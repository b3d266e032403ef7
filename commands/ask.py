"""`dqlore ask`: one question through the whole pipeline."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, render

if TYPE_CHECKING:
    from dqlore.core.events import Event, Query
    from dqlore.core.pipeline import DualQuery


def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="[QUESTION]", help="The question; - or a pipe reads it from stdin.")
    ] = None,
    method: options.Method = None,
    m: options.TopM = None,
    n: options.TopN = None,
    rerank: options.Rerank = None,
    dim: options.Dim = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="TEXT", help="One choice of a multiple-choice question.")
    ] = None,
    cot: Annotated[
        str | None, typer.Option("--cot", metavar="TEXT", help="A known rationale: no first query.")
    ] = None,
    pool: options.PoolPath = None,
    map: options.Map = None,
    skip_bad: options.SkipBad = None,
    index: options.IndexPath = None,
    passages: options.PassagesName = None,
    encoder: options.EncoderName = None,
    lm: options.LMName = None,
    first_lm: options.FirstLM = None,
    base_url: options.BaseUrl = None,
    device: options.DeviceName = None,
    no_cache: options.NoCache = False,
    no_stream: Annotated[bool, typer.Option("--no-stream", help="Print each reply when it is whole.")] = False,
    json: options.Json = False,
    config: options.Config = None,
    set: options.Set = None,
) -> None:
    """Answer one question: first query, candidates, re-ranked exemplars, final answer.

    Examples:

      dqlore ask "A train covers 180 km in 2 hours. How far does it go in 5 hours?"

      dqlore ask --method epr --json "…" | jq .answer

      echo "…" | dqlore ask --pool solved.jsonl --lm openai:gpt-4o-mini
    """
    import asyncio

    settings = options.settings(
        config,
        set,
        select__method=method,
        select__m=m,
        select__n=n,
        rerank__name=rerank,
        rerank__dim=dim,
        pool__path=pool,
        pool__map=options.field_map(map),
        pool__skip_bad=skip_bad,
        index__path=index,
        passages__path=passages,
        encoder__name=encoder,
        lm__name=lm,
        first_query__lm=first_lm,
        endpoint__base_url=base_url,
        device__name=device,
        cache__enabled=False if no_cache else None,
    )
    text = options.question(question)
    from dqlore.core.document import document, event_warnings
    from dqlore.core.events import Query
    from dqlore.core.parts import Parts
    from dqlore.core.pipeline import DualQuery

    from .screen import AskScreen

    query = Query(text, tuple(option or ()), cot)
    with render.progress() as progress:
        pipeline = DualQuery(Parts(settings, progress))
        pipeline.open(first_query=cot is None)
    draw = None if json else AskScreen(pipeline.reranker, stream=not no_stream).draw
    events = asyncio.run(_run(pipeline, query, draw))
    if json:
        render.emit_json(document(query, pipeline.method_name, events, pipeline.parts.all_warnings()))
    render.warn([*pipeline.parts.all_warnings(), *event_warnings(events)])


async def _run(pipeline: "DualQuery", query: "Query", draw: "Callable[[Event], None] | None") -> "list[Event]":
    events = []
    async with aclosing(pipeline.run(query)) as running:
        async for event in running:
            if draw:
                draw(event)
            events.append(event)
    return events
