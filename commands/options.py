"""Options that several commands share, and how they become settings."""

import sys
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
PoolPath = Annotated[
    str | None, typer.Option("--pool", metavar="POOL", help="JSONL, CSV or Parquet file of solved cases, or starter.")
]
Map = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="FIELD=NAME", help="Field of the pool file, e.g. question=prompt."),
]
SkipBad = Annotated[bool | None, typer.Option("--skip-bad", help="Skip and count pool rows that cannot be read.")]
IndexPath = Annotated[
    Path | None, typer.Option("--index", metavar="DIR", help="Index folder made by `dqlore index`.")
]
EncoderName = Annotated[
    str | None, typer.Option("--encoder", metavar="E", help="minilm, or a model folder or hub id.")
]
PassagesName = Annotated[
    str | None,
    typer.Option("--passages", metavar="COLLECTION", help="File of passages, or a dataset that brings them."),
]
LMName = Annotated[str | None, typer.Option("--lm", metavar="LM", help="local:MODEL, openai:MODEL or replay:FILE.")]
FirstLM = Annotated[str | None, typer.Option("--first-lm", metavar="LM", help="Another model for the first query.")]
BaseUrl = Annotated[str | None, typer.Option("--base-url", metavar="URL", help="OpenAI-compatible server.")]
Method = Annotated[str | None, typer.Option("--method", metavar="M", help="See `dqlore methods`.")]
TopM = Annotated[int | None, typer.Option("-m", help="Candidates that retrieval brings.")]
TopN = Annotated[int | None, typer.Option("-n", help="Exemplars in the prompt.")]
Rerank = Annotated[
    str | None, typer.Option("--rerank", metavar="R", help="none, pca, gaussian, kernel-pca, ica, mgs, mmr, dpp.")
]
Dim = Annotated[int | None, typer.Option("--dim", metavar="D", help="Directions that pca, kernel-pca or ica keep.")]
Dedupe = Annotated[bool | None, typer.Option("--dedupe", help="Drop exact duplicates among the candidates.")]
DeviceName = Annotated[str | None, typer.Option("--device", metavar="D", help="auto, cpu, mps, cuda or cuda:N.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep replies.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
DataDir = Annotated[Path | None, typer.Option("--data", metavar="DIR", help="Folder with one folder per dataset.")]


def settings(config: Path | None, assignments: list[str] | None = None, /, **flags: Any) -> "Settings":
    """Return the settings; flags are named by section and key: `select__m=16`. None means not given."""
    from dqlore.core.settings import load_settings

    nested: dict[str, Any] = {}
    for name, value in [*(_assignment(text) for text in assignments or ()), *flags.items()]:
        if value is not None:
            section, _, key = name.partition("__")
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


def field_map(pairs: list[str] | None) -> dict[str, str] | None:
    """Return {"question": "prompt"} for ["question=prompt"], None for no pairs."""
    if not pairs:
        return None
    split = [pair.partition("=") for pair in pairs]
    for pair, (field, _, name) in zip(pairs, split, strict=True):
        if not field or not name:
            raise UsageError(f"--map {pair}: write FIELD=NAME, for instance --map question=prompt")
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
    return key.strip().replace(".", "__", 1), value
