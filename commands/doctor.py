"""`dqlore doctor`: what works here and what to do about the rest."""

import typer

from . import options, render

MARKS = {"ok": "ok     ", "warning": "warning", "failed": "FAILED "}


def doctor(
    json: options.Json = False,
    pool: options.PoolPath = None,
    map: options.Map = None,
    index: options.IndexPath = None,
    encoder: options.EncoderName = None,
    lm: options.LMName = None,
    first_lm: options.FirstLM = None,
    base_url: options.BaseUrl = None,
    device: options.DeviceName = None,
    data: options.DataDir = None,
    config: options.Config = None,
    set: options.Set = None,
) -> None:
    """Check device, models, endpoint, pool, index and cache; exit code 1 if something fails.

    Examples:

      dqlore doctor

      dqlore doctor --lm openai:llama3 --base-url http://localhost:11434
    """
    settings = options.settings(
        config,
        set,
        pool__path=pool,
        pool__map=options.field_map(map),
        index__path=index,
        encoder__name=encoder,
        lm__name=lm,
        first_query__lm=first_lm,
        endpoint__base_url=base_url,
        device__name=device,
        data=data,
    )
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
