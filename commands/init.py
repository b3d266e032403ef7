"""`dqlore init`: write the settings file with its defaults."""

from pathlib import Path
from typing import Annotated

import typer

from dqlore.core.errors import UsageError

from . import render


def init(
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="File to write, or the folder to write it in.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="The same, spelled as in the other commands.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is already there.")] = False,
) -> None:
    """Write a dqlore.toml in which every setting stands commented out with its default.

    Example: dqlore init && $EDITOR dqlore.toml
    """
    from dqlore.core.files import write_atomic
    from dqlore.core.settings import FILE_NAME
    from dqlore.core.settings_file import default_toml

    path = path or config or Path(FILE_NAME)
    if path.is_dir():
        path = path / FILE_NAME
    if path.exists() and not force:
        raise UsageError(f"{path} is already there; --force replaces it")
    try:
        write_atomic(path, default_toml())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    print(render.one_line(str(path)))
