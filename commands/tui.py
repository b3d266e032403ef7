"""`dqlore tui`: the pipeline to look at and play with."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dqlore.core.errors import UsageError

from . import options

if TYPE_CHECKING:
    from dqlore.core.settings import Settings


@options.takes(*options.SELECTION, *options.POOL, "passages", *options.MODELS)
def tui(
    settings: "Settings",
    question: Annotated[
        str | None, typer.Option("--question", metavar="TEXT", help="Ask this as soon as it is open.")
    ] = None,
) -> None:
    """Watch a question find its exemplars, and re-rank them by other settings.

    Examples:

      dqlore tui

      dqlore tui --question "A train covers 180 km in 2 hours. How far does it go in 5 hours?"
    """
    # Textual draws on stderr; escape codes must not end up in a file.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)) or os.environ.get("TERM") == "dumb":
        raise UsageError("needs a terminal, use ask")
    from dqlore.tui.app import DqloreApp

    DqloreApp(settings, question=question or "").run()
