"""`dqlore index`: encode a pool once, for use with --index."""

import time
from pathlib import Path
from typing import Annotated

import typer

from . import options, render


def index(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Index folder to write; replaces an older one.")],
    pool: options.PoolPath = None,
    map: options.Map = None,
    skip_bad: options.SkipBad = None,
    encoder: options.EncoderName = None,
    device: options.DeviceName = None,
    json: options.Json = False,
    config: options.Config = None,
    set: options.Set = None,
) -> None:
    """Encode every exemplar of a pool and write the index folder.

    Example: dqlore index --pool solved.jsonl --out solved.index
    """
    settings = options.settings(
        config,
        set,
        pool__path=pool,
        pool__map=options.field_map(map),
        pool__skip_bad=skip_bad,
        encoder__name=encoder,
        device__name=device,
    )
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
                "pool": parts.pool.source,
                "encoder": settings.encoder.name,
                "exemplars": size,
                "dim": dim,
                "seconds": seconds,
                "warnings": parts.all_warnings(),
            }
        )
    else:
        print(f"{render.one_line(str(out))}: {size} exemplars, {dim} dimensions, {seconds:.1f} s")
