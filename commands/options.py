"""Options that several commands share, and how they become settings."""

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dqlore.core.errors import UsageError

if TYPE_CHECKING:
    from dqlore.core.settings import Settings

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Settings file, instead of ./dqlore.toml.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting by its name, for instance --set lm.max_tokens=400."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
DataDir = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Folder with one folder per dataset.")]


def _flag(kind: Any, *names: str, **told: Any) -> Any:
    return Annotated[kind | None, typer.Option(*names, **told)]


#: The flags that set a setting: the parameter's name, the setting, and how it is typed.
SHARED: dict[str, tuple[str, Any]] = {
    "method": ("select.method", _flag(str, "--method", metavar="M", help="See `dqlore methods`.")),
    "m": ("select.m", _flag(int, "-m", help="Candidates that retrieval brings.")),
    "n": ("select.n", _flag(int, "-n", help="Exemplars in the prompt.")),
    "rerank": (
        "rerank.name",
        _flag(str, "--rerank", metavar="R", help="none, pca, gaussian, kernel-pca, ica, mgs, mmr, dpp."),
    ),
    "dim": ("rerank.dim", _flag(int, "--dim", metavar="D", help="Directions that pca, kernel-pca or ica keep.")),
    "dedupe": ("select.dedupe", _flag(bool, "--dedupe", help="Drop exact duplicates among the candidates.")),
    "pool": (
        "pool.path",
        _flag(str, "--pool", metavar="POOL", help="JSONL, CSV or Parquet file of solved cases, or starter."),
    ),
    "map": (
        "pool.map",
        _flag(list[str], "--map", metavar="FIELD=NAME", help="Field of the pool file, e.g. question=prompt."),
    ),
    "where": (
        "pool.where",
        _flag(list[str], "--where", metavar="FIELD=VALUE", help="Only exemplars with this value in the field."),
    ),
    "skip_bad": ("pool.skip_bad", _flag(bool, "--skip-bad", help="Skip and count pool rows that cannot be read.")),
    "index": ("index.path", _flag(Path, "--index", metavar="DIR", help="Index folder made by `dqlore index`.")),
    "passages": (
        "passages.path",
        _flag(str, "--passages", metavar="COLLECTION", help="File of passages, or a dataset that brings them."),
    ),
    "encoder": ("encoder.name", _flag(str, "--encoder", metavar="E", help="minilm, or a model folder or hub id.")),
    "lm": ("lm.name", _flag(str, "--lm", metavar="LM", help="local:MODEL, openai:MODEL or replay:FILE.")),
    "first_lm": ("first_query.lm", _flag(str, "--first-lm", metavar="LM", help="Another model for the first query.")),
    "base_url": ("endpoint.base_url", _flag(str, "--base-url", metavar="URL", help="OpenAI-compatible server.")),
    "concurrency": (
        "endpoint.concurrency",
        _flag(int, "--concurrency", min=1, metavar="N", help="Requests to a server at once."),
    ),
    "device": ("device.name", _flag(str, "--device", metavar="D", help="auto, cpu, mps, cuda or cuda:N.")),
    "no_cache": ("cache.enabled", _flag(bool, "--no-cache", help="Neither read nor keep replies.")),
    "data": ("data", DataDir),
    "preset": ("train.preset", _flag(str, "--preset", metavar="P", help="paper or quick.")),
    "view": (
        "train.view",
        _flag(str, "--view", metavar="V", help="question+cot or question: what anchors are read as."),
    ),
    "objective": ("train.objective", _flag(str, "--objective", metavar="O", help="epr or ceil.")),
    "signal": (
        "train.signal",
        _flag(str, "--signal", metavar="S", help="lm or output-similarity."),
    ),
    "seed": ("train.seed", _flag(int, "--seed", metavar="N", help="Decides everything that is drawn.")),
}
SELECTION = ("method", "m", "n", "rerank", "dim")
POOL = ("pool", "map", "where", "skip_bad", "index")
MODELS = ("encoder", "lm", "first_lm", "base_url", "device", "no_cache")


_PAIRS = {
    "map": "FIELD=NAME, for instance --map question=prompt",
    "where": "FIELD=VALUE, for instance --where level=hard",
}


def takes(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the shared flags `names`, --config and --set; it gets what they come to as `settings`.

    A command that names `config` gets that file, too.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(command).parameters

        @functools.wraps(command)
        def run(**given: Any) -> None:
            flags = {name: given.pop(name) for name in names}
            config = given["config"] if "config" in parameters else given.pop("config")
            command(settings(config, given.pop("set"), **flags), **given)

        own = [p for name, p in parameters.items() if name not in ("settings", "config")]
        kinds = {name: SHARED[name][1] for name in names} | {"config": Config, "set": Set}
        shared = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in kinds.items()
        ]
        # Typer reads a command's flags from these two.
        run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in (*own, *shared)}
        return run

    return decorate


def settings(config: Path | None, assignments: Iterable[str] | None = None, /, **flags: Any) -> "Settings":
    """Return the settings of the shared flags (None: not given), of --set, and of what lies below them."""
    from dqlore.core.settings import load_settings

    for name in _PAIRS:
        if flags.get(name):
            flags[name] = _pairs(name, flags[name])
    if flags.get("no_cache") is not None:
        flags["no_cache"] = not flags["no_cache"]
    given = {SHARED[name][0]: value for name, value in flags.items()}
    nested: dict[str, Any] = {}
    for name, value in [*(_assignment(text) for text in assignments or ()), *given.items()]:
        if value is not None:
            section, _, key = name.partition(".")
            if not key:
                nested[section] = value
                continue
            table = nested.setdefault(section, {})
            if not isinstance(table, dict):
                raise UsageError(
                    f"--set {section}={table}: {section} is a section, name a key in it: {section}.{key}"
                )
            table[key] = value
    return load_settings(nested, config)


def question(argument: str | None) -> str:
    """Return the question from the argument, or from stdin for "-" and for a pipe. Raises UsageError if empty."""
    if argument is None and sys.stdin.isatty():
        raise UsageError("no question: give it as an argument, or pipe one in")
    try:
        text = sys.stdin.read() if argument is None or argument == "-" else argument
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not {error.encoding} text: byte {error.start + 1} cannot be read") from None
    if not text.strip():
        raise UsageError("the question is empty")
    return text.strip()


def _pairs(flag: str, pairs: list[str]) -> dict[str, str]:
    """Return {"question": "prompt"} for ["question=prompt"]."""
    split = [pair.partition("=") for pair in pairs]
    for pair, (field, _, name) in zip(pairs, split, strict=True):
        if not field or not name:
            raise UsageError(f"--{flag} {pair}: write {_PAIRS[flag]}")
    return {field.strip(): name.strip() for field, _, name in split}


def _assignment(text: str) -> tuple[str, Any]:
    key, equals, raw = text.partition("=")
    if not equals or not key.strip():
        raise UsageError(f"--set {text}: write KEY=VALUE, for instance --set lm.max_tokens=400")
    import tomli

    try:
        value = tomli.loads(f"value = {raw}")["value"]
    except tomli.TOMLDecodeError:
        value = raw  # a bare word is text
    return key.strip(), value
