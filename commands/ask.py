"""`dqlore ask`: one question through the whole pipeline."""

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, render
from .running import run

if TYPE_CHECKING:
    from dqlore.core.events import Event, Query
    from dqlore.core.pipeline import DualQuery
    from dqlore.core.settings import Settings


@options.takes(*options.SELECTION, *options.POOL, "passages", *options.MODELS)
def ask(
    settings: "Settings",
    question: Annotated[
        str | None, typer.Argument(metavar="[QUESTION]", help="The question; - or a pipe reads it from stdin.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="TEXT", help="One choice of a multiple-choice question.")
    ] = None,
    cot: Annotated[
        str | None, typer.Option("--cot", metavar="TEXT", help="A known rationale: no first query.")
    ] = None,
    no_stream: Annotated[bool, typer.Option("--no-stream", help="Print each reply when it is whole.")] = False,
    json: options.Json = False,
) -> None:
    """Answer one question: first query, candidates, re-ranked exemplars, final answer.

    Examples:

      dqlore ask "A train covers 180 km in 2 hours. How far does it go in 5 hours?"

      dqlore ask --method epr --json "…" | jq .answer

      echo "…" | dqlore ask --pool solved.jsonl --lm openai:gpt-4o-mini
    """
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
    events = run(pipeline.parts, _run(pipeline, query, draw))
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
