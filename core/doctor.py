"""What works here and what to do about the rest: one check per part, none of which stops the others."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .errors import DqloreError
from .parts import Parts
from .settings import Settings

PACKAGES = ("dqlore", "torch", "transformers", "sentence-transformers", "faiss-cpu", "openai")


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; `todo` says what to do where the state is not "ok"."""

    name: str
    state: Literal["ok", "warning", "failed"]
    detail: str
    todo: str = ""


def examine(settings: Settings, config: Path | None = None) -> Iterator[Check]:
    """Yield the checks in the order in which a run needs the parts."""
    parts = Parts(settings)
    checks: list[tuple[str, Callable[[], Check]]] = [
        ("settings", lambda: _settings(config)),
        ("versions", _versions),
        ("device", lambda: _device(settings)),
        ("encoder", lambda: _encoder(parts)),
        ("lm", lambda: _lm(settings, settings.lm.name)),
        ("pool", lambda: _pool(parts)),
        ("index", lambda: _index(parts)),
        ("cache", lambda: _cache(parts)),
        ("data", lambda: _data(settings)),
    ]
    first = settings.first_query.lm
    if first is not None:
        checks.insert(5, ("first_query.lm", lambda: _lm(settings, first)))
    for name, check in checks:
        try:
            found = check()
        except DqloreError as error:
            message, _, todo = str(error).partition("\n")
            found = Check(name, "failed", message, todo)
        yield Check(name, found.state, found.detail, found.todo)
