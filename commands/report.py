"""`dqlore report`: one HTML page about runs."""

from pathlib import Path
from typing import Annotated

import typer

from dqlore.core.errors import UsageError

from . import render


def report(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders of `dqlore eval`, or folders that hold some.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The page to write: .html.")],
) -> None:
    """Write one self-contained page: results, pictures, comparisons with the first run, and every record.

    Example: dqlore report runs/svamp -o report.html
    """
    from dqlore.core.evaluate.folder import find_runs
    from dqlore.core.evaluate.report import write_report

    if out.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{out}: the report is written as .html")
    write_report(find_runs(folders), out)
    print(render.one_line(str(out)))
