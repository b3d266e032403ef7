"""`dqlore index`: encode a pool once, for use with --index."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options, render

if TYPE_CHECKING:
    from dqlore.core.settings import Settings


@options.takes("pool", "map", "skip_bad", "encoder", "device")
def index(
    settings: "Settings",
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Index folder to write; replaces an older one.")],
    json: options.Json = False,
) -> None:
    """Encode every exemplar of a pool and write the index folder.

    Example: dqlore index --pool solved.jsonl --out solved.index
    """
    from dqlore.core.parts import Parts

    started = time.perf_counter()
    with render.progress() as progress:
        parts = Parts(settings, progress)
        made = parts.build_index(out)
    seconds = time.perf_counter() - started
    size, dim = made.vectors.shape
    render.warn(parts.all_warnings())
    if json:
        render.emit_json(
            {
                "index": str(out),
                "pool": parts.whole_pool.source,
                "encoder": settings.encoder.name,
                "exemplars": size,
                "dim": dim,
                "seconds": seconds,
                "warnings": parts.all_warnings(),
            }
        )
    else:
        print(f"{render.one_line(str(out))}: {size} exemplars, {dim} dimensions, {seconds:.1f} s")
