"""`dqlore tui`: the pipeline to look at and play with."""

import os
import sys
from typing import Annotated

import typer

from dqlore.core.errors import UsageError

from . import options


def tui(
    question: Annotated[
        str | None, typer.Option("--question", metavar="TEXT", help="Ask this as soon as it is open.")
    ] = None,
    method: options.Method = None,
    m: options.TopM = None,
    n: options.TopN = None,
    rerank: options.Rerank = None,
    dim: options.Dim = None,
    pool: options.PoolPath = None,
    map: options.Map = None,
    index: options.IndexPath = None,
    passages: options.PassagesName = None,
    encoder: options.EncoderName = None,
    lm: options.LMName = None,
    first_lm: options.FirstLM = None,
    base_url: options.BaseUrl = None,
    device: options.DeviceName = None,
    no_cache: options.NoCache = False,
    config: options.Config = None,
    set: options.Set = None,
) -> None:
    """Watch a question find its exemplars, and re-rank them by other settings.

    Examples:

      dqlore tui

      dqlore tui --question "A train covers 180 km in 2 hours. How far does it go in 5 hours?"
    """
    # Textual draws on stderr; escape codes must not end up in a file.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)) or os.environ.get("TERM") == "dumb":
        raise UsageError("needs a terminal, use ask")
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
        index__path=index,
        passages__path=passages,
        encoder__name=encoder,
        lm__name=lm,
        first_query__lm=first_lm,
        endpoint__base_url=base_url,
        device__name=device,
        cache__enabled=False if no_cache else None,
    )
    from dqlore.tui.app import DqloreApp

    DqloreApp(settings, question=question or "").run()
