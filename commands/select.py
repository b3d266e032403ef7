"""`dqlore select`: the exemplars for one question, or for many from a file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dqlore.core.errors import UsageError

from . import options, render
from .running import run

if TYPE_CHECKING:
    from dqlore.core.events import Event, Query
    from dqlore.core.pipeline import DualQuery
    from dqlore.core.settings import Settings

#: Questions of a file that are worked on at once; results are written after each batch.
BATCH = 256


@options.takes(*options.SELECTION, "dedupe", *options.POOL, *options.MODELS)
def select(
    settings: "Settings",
    question: Annotated[
        str | None, typer.Argument(metavar="[QUESTION]", help="The question; - or a pipe reads it from stdin.")
    ] = None,
    file: Annotated[
        str | None, typer.Option("--in", metavar="FILE", help="JSON lines with question and perhaps cot; - is stdin.")
    ] = None,
    cot: Annotated[
        str | None, typer.Option("--cot", metavar="TEXT", help="A known rationale: no first query.")
    ] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the final prompt as text.")] = False,
    json: options.Json = False,
) -> None:
    """Choose exemplars without asking the final query. Scores: higher is better.

    Examples:

      dqlore select "How many …?" --cot "First, …" --json

      dqlore select "How many …?" --method bm25 --prompt

      dqlore select --in questions.jsonl --first-lm replay:recorded.jsonl > selected.jsonl
    """
    if file is not None and (question is not None or cot is not None or prompt):
        raise UsageError("--in takes the questions and rationales from its file, and prints JSON lines")
    if prompt and json:
        raise UsageError("--prompt and --json are two forms of output: use one of them")
    from dqlore.core.events import Query
    from dqlore.core.parts import Parts
    from dqlore.core.pipeline import DualQuery

    queries = read_queries(file) if file is not None else [Query(options.question(question), cot=cot)]
    with render.progress() as progress:
        pipeline = DualQuery(Parts(settings, progress))
        if file is not None:
            raise typer.Exit(run(pipeline.parts, _many(pipeline, queries, progress)))
        events = run(pipeline.parts, pipeline.select(queries))[0]
    _show(pipeline, queries[0], events, json=json, prompt=prompt)


def read_queries(source: str) -> "list[Query]":
    """Return the queries of a JSON lines file, or of stdin for "-". Raises UsageError with file and line."""
    from dqlore.core.events import Query
    from dqlore.core.rows import read_jsonl

    name = "stdin" if source == "-" else source
    queries = []
    for line, row in read_jsonl(sys.stdin.buffer if source == "-" else Path(source)):
        text, cot, given = row.get("question"), row.get("cot"), row.get("options", [])
        if not isinstance(text, str) or not text.strip():
            found = ", ".join(row) or "none"
            raise UsageError(f"{name}, line {line}: a row needs the text field question (fields found: {found})")
        if not isinstance(cot, str | None) or not isinstance(given, list):
            raise UsageError(f"{name}, line {line}: cot must be a text and options a list")
        queries.append(Query(text, tuple(map(str, given)), cot, str(row.get("id", line))))
    if not queries:
        raise UsageError(f"{name}: no questions in it")
    return queries


async def _many(pipeline: "DualQuery", queries: "list[Query]", progress: render.Progress) -> int:
    """Print one JSON document a line; return 1 if any question failed, after all were tried."""
    from dqlore.core.document import document

    failed = 0
    for start in range(0, len(queries), BATCH):
        batch = queries[start : start + BATCH]
        for query, events in zip(batch, await pipeline.select(batch), strict=True):
            record = document(query, pipeline.method_name, events)
            failed += "error" in record
            render.emit_json(record)
        progress("select", start + len(batch), len(queries))
    render.warn(pipeline.parts.all_warnings())
    if failed:
        render.note(f"{failed} of {len(queries)} questions failed; their lines say why")
    return int(failed > 0)


def _show(pipeline: "DualQuery", query: "Query", events: "list[Event]", *, json: bool, prompt: bool) -> None:
    from dqlore.core.document import document, event_warnings
    from dqlore.core.errors import LMError
    from dqlore.core.events import Failed, Reranked

    for event in events:
        if isinstance(event, Failed):
            raise LMError(event.text)
    reranked = next(event for event in events if isinstance(event, Reranked))
    if json:
        render.emit_json(document(query, pipeline.method_name, events, pipeline.parts.all_warnings()))
    elif prompt:
        from dqlore.core.text import printable

        print(printable(pipeline.prompt(query, [pick.exemplar for pick in reranked.exemplars]).text()))
    else:
        from .screen import exemplar_rows

        exemplar_rows(reranked)
    render.warn([*pipeline.parts.all_warnings(), *event_warnings(events)])
