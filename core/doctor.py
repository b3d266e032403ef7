"""What works here and what to do about the rest: one check per part, none of which stops the others."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from .errors import DqloreError
from .parts import Parts, lm_parts
from .settings import FILE_NAME, Settings, user_config_file

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
    checks: dict[str, Callable[[], Check]] = {
        "settings": lambda: _settings(config),
        "versions": _versions,
        "device": lambda: _device(settings),
        "pool": lambda: _pool(parts),
        "passages": lambda: _passages(parts),
        "encoder": lambda: _encoder(parts),
        "index": lambda: _index(parts),
        "lm": lambda: _lm(parts, settings.lm.name),
        "first_query.lm": lambda: _lm(parts, settings.first_query.lm or settings.lm.name),
        "cache": lambda: _cache(parts),
        "data": lambda: _data(settings),
    }
    if settings.first_query.lm is None:
        del checks["first_query.lm"]
    if settings.passages.path is None:
        del checks["passages"]
    for name, check in checks.items():
        try:
            found = check()
        except DqloreError as error:
            found = Check(name, "failed", str(error))
        except OSError as error:  # no permission on the way to a file
            found = Check(name, "failed", f"{error.filename}: {error.strerror}" if error.filename else str(error))
        yield Check(name, found.state, found.detail, found.todo)


def _settings(config: Path | None) -> Check:
    files = [str(path) for path in (config or Path(FILE_NAME), user_config_file()) if path.is_file()]
    if not files:
        return Check("", "ok", "all defaults, no settings file", "`dqlore init` writes one to edit")
    return Check("", "ok", ", then ".join(files))


def _versions() -> Check:
    python = ".".join(map(str, sys.version_info[:3]))
    return Check("", "ok", ", ".join([f"Python {python}", *map(_version, PACKAGES)]))


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} is not installed"


def _device(settings: Settings) -> Check:
    from .device import pick_device

    device = pick_device(settings.device.name, settings.device.dtype)
    return Check("", "ok", f"{device.description}, computing in {device.dtype}")


def _pool(parts: Parts) -> Check:
    pool = parts.pool
    detail = f"{pool.source}: {len(pool)} exemplars, answers of kind {parts.kind}"
    if parts.warnings:
        return Check("", "warning", f"{detail}; {'; '.join(parts.warnings)}", "look at the rows that are named")
    return Check("", "ok", detail)


def _passages(parts: Parts) -> Check:
    return Check("", "ok", f"{parts.passages.source}: {len(parts.passages)} passages")


def _encoder(parts: Parts) -> Check:
    encoder = parts.encoder
    return Check("", "ok", f"{encoder.name}: {encoder.dim} dimensions, up to {encoder.max_tokens} tokens")


def _index(parts: Parts) -> Check:
    from .index import cached_index_folder

    given = parts.settings.index.path
    if given is not None:
        return Check("", "ok", f"{given}: {len(parts.index.vectors)} exemplars, fits pool and encoder")
    folder = cached_index_folder(parts.pool, parts.encoder, parts.cache_dir)
    if folder.is_dir():
        return Check("", "ok", f"kept in {folder}")
    return Check("", "ok", "none yet", "the first question makes one; `dqlore index` makes one to keep")


def _lm(parts: Parts, name: str) -> Check:
    backend, model = lm_parts(name)
    if backend == "openai":
        return _endpoint(parts, name)
    if backend == "replay":
        lm = parts.open_lm(name)
        return Check("", "warning" if lm.notices else "ok", "; ".join([name, *lm.notices]))
    from .lm import bundled

    if model != bundled.NAME:
        known = Path(model).expanduser().exists()
        return Check("", "ok", f"{name}: {'on this disk' if known else 'fetched from the hub when it is first used'}")
    if bundled.is_converted(parts.cache_dir):
        return Check("", "ok", f"{name}: bundled, ready")
    bundled.bundled_gguf()
    return Check(
        "", "ok", f"{name}: bundled, not converted yet", "the first use converts it, about half a minute, once"
    )


def _endpoint(parts: Parts, name: str) -> Check:
    """Ask for one word: only a reply shows that address, key and model are right."""
    import asyncio
    import time

    from .lm.base import Sampling
    from .prompts import Prompt

    lm = parts.open_lm(name, retries=0, cached=False)
    started = time.perf_counter()

    async def ask() -> None:
        try:
            # Room for a model that reasons first; others stop after a word.
            await lm.complete(Prompt("Reply with the word ready."), Sampling(max_tokens=512))
        finally:
            await lm.aclose()

    asyncio.run(ask())
    detail = f"{name} at {parts.settings.endpoint.base_url}: replied in {time.perf_counter() - started:.1f} s"
    return Check("", "warning" if lm.notices else "ok", "; ".join([detail, *lm.notices]))


def _cache(parts: Parts) -> Check:
    if not parts.settings.cache.enabled:
        return Check("", "ok", "off; replies are neither read nor kept")
    stats = parts.reply_cache.stats()
    if stats.problem:
        todo = "delete the file, or set cache.path to a folder you can write"
        return Check("", "warning", f"{stats.path} cannot be used: {stats.problem}", todo)
    return Check("", "ok", f"{parts.cache_dir}: {stats.entries} replies, {stats.bytes / 1e6:.1f} MB")


def _data(settings: Settings) -> Check:
    from .datasets import DATASETS, splits_here

    folder = settings.data
    if folder is None:
        todo = "for offline use, set DQLORE_DATA or --data to a folder that has one folder per dataset"
        return Check("", "ok", "no folder given: datasets come from the Hugging Face hub", todo)
    if not folder.is_dir():
        return Check(
            "", "failed", f"{folder}: no such folder", "set DQLORE_DATA or --data to the folder of the datasets"
        )
    here = [name for name, dataset in DATASETS.items() if splits_here(dataset, folder)]
    return Check("", "ok", f"{folder}: {', '.join(here) or 'no dataset in it'}")
