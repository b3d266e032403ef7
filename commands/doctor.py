"""`dqlore doctor`: what works here and what to do about the rest."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from . import options, render

if TYPE_CHECKING:
    from dqlore.core.settings import Settings

MARKS = {"ok": "ok     ", "warning": "warning", "failed": "FAILED "}


@options.takes(*options.POOL, "passages", *options.MODELS, "data")
def doctor(
    settings: "Settings",
    config: Path | None,
    json: options.Json = False,
) -> None:
    """Check device, models, endpoint, pool, index and cache; exit code 1 if something fails.

    Examples:

      dqlore doctor

      dqlore doctor --lm openai:llama3 --base-url http://localhost:11434
    """
    from dataclasses import asdict

    from dqlore.core.doctor import examine

    checks = []
    for check in examine(settings, config):
        checks.append(check)
        if not json:
            print(f"{MARKS[check.state]} {check.name}: {render.one_line(check.detail)}")
            if check.todo:
                print(f"        {render.one_line(check.todo)}")
    failed = any(check.state == "failed" for check in checks)
    if json:
        render.emit_json({"ok": not failed, "checks": [asdict(check) for check in checks]})
    raise typer.Exit(int(failed))
