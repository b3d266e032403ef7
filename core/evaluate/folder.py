"""A run on disk: what was asked for, one record a question as they finish, and the summary when all are there.

config.json     dataset, method, every setting, versions, hashes of the data
records.jsonl   one row a question, written as it finishes
summary.json    written last; a run without it is not complete
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from ..errors import UsageError
from ..files import write_atomic
from .records import FAILED, Record, is_whole

CONFIG, RECORDS, SUMMARY = "config.json", "records.jsonl", "summary.json"

#: What may differ when a run goes on: where things lie and how patient we are, nothing that changes an answer.
FREE = (
    "created",
    "versions",
    "pool.source",
    "passages.source",
    "settings.data",
    "settings.cache",
    "settings.index.path",
    "settings.pool",
    "settings.passages.path",
    "settings.passages.map",
    "settings.select.method",
    "settings.endpoint.api_key_env",
    "settings.endpoint.concurrency",
    "settings.endpoint.connect_timeout",
    "settings.endpoint.first_token_timeout",
    "settings.endpoint.idle_timeout",
    "settings.endpoint.max_retries",
    "settings.endpoint.max_wait",
    "settings.endpoint.prompt_price",
    "settings.endpoint.completion_price",
)


#: What a comparison reads of every run.
NEEDED = ("dataset", "split", "method", "metric", "lm", "sampling", "pool", "strategy")


class RunFolder:
    """A run folder open for writing; another process that opens the same one is refused. A context manager."""

    def __init__(self, path: Path, config: Mapping[str, Any], *, resume: bool) -> None:
        """Open or create the folder. `done` holds the ids with an answer; failed questions will be asked again.

        Raises UsageError if it holds a run and `resume` is not set, if the run was made with other settings, or if
        another process is writing it.
        """
        self.path = path
        self._file: BinaryIO | None = None
        self._folder: int | None = None
        try:
            _refuse_other_files(path, resume)
            path.mkdir(parents=True, exist_ok=True)
            self._folder = _lock(path)
            if (path / CONFIG).exists():
                _refuse_changes(path, _stored_config(path), config)
            else:
                write_atomic(path / CONFIG, json.dumps(config, ensure_ascii=False, indent=1) + "\n")
            self.done = _keep_answered(path)
            self._file = (path / RECORDS).open("ab")
        except OSError as error:
            self.close()
            raise UsageError(f"{path} cannot be used as a run folder: {error.strerror or error}") from None
        except BaseException:
            self.close()
            raise

    def append(self, row: Record) -> None:
        """Write one record; it is whole in the file when this returns, also if the process dies right after."""
        assert self._file is not None
        self._file.write(_line(row))
        self._file.flush()

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the summary, which marks the run as complete."""
        assert self._file is not None
        os.fsync(self._file.fileno())
        write_atomic(self.path / SUMMARY, json.dumps(summary, ensure_ascii=False, indent=1) + "\n")

    def close(self) -> None:
        """Let go of the folder."""
        if self._file is not None:
            self._file.close()
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def find_runs(paths: Iterable[Path]) -> list[Path]:
    """Return the run folders among `paths`, and those inside a path that is none. Raises UsageError."""
    found: list[Path] = []
    for path in paths:
        inside = [path] if (path / CONFIG).is_file() else sorted(file.parent for file in path.glob(f"*/{CONFIG}"))
        if not inside:
            raise UsageError(f"{path} is no run folder and holds none; `dqlore eval --out` makes one")
        found += inside
    return list(dict.fromkeys(found))


def read_config(path: Path) -> dict[str, Any]:
    """Return what a run was asked for. Raises UsageError where `path` is no run folder."""
    config = _stored_config(path)
    absent = [key for key in NEEDED if key not in config]
    if absent:
        raise UsageError(f"{path / CONFIG} is not what `dqlore eval` writes: it has no {absent[0]}")
    return config


def read_summary(path: Path) -> dict[str, Any]:
    """Return the summary of a complete run. Raises UsageError."""
    _stored_config(path)
    return _read_json(path, SUMMARY, "is not complete; `dqlore eval … --resume` goes on with it")


def read_records(path: Path) -> Iterator[Record]:
    """Yield the records of a run one by one, in the order they finished; a half-written last line is passed over.

    Raises UsageError with file and line for any other row that is no record.
    """
    if not (path / RECORDS).is_file():
        raise UsageError(f"{path} has no {RECORDS}; `dqlore eval … --resume` asks its questions again")
    for row in _rows(path / RECORDS):
        if row is not None:
            yield row


def _rows(path: Path) -> Iterator[Record | None]:
    """Yield each row, and None for a last line that was cut."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            whole = line.endswith(b"\n")
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if whole and not (isinstance(row, dict) and is_whole(row)):
                raise UsageError(
                    f"{path}, line {number}: no record of a run; take the line out to have it asked again"
                )
            yield row if whole else None


def _stored_config(path: Path) -> dict[str, Any]:
    return _read_json(path, CONFIG, "is no run folder: it has no config.json; `dqlore eval --out` makes one")


def _read_json(path: Path, name: str, missing: str) -> dict[str, Any]:
    try:
        value = json.loads((path / name).read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{path} {missing}" if path.is_dir() else f"there is no run folder {path}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path / name} cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f"{path / name} is not what `dqlore eval` writes")
    return value


def _refuse_changes(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    old, new = dict(_flat(before)), dict(_flat(json.loads(json.dumps(now))))
    changed = [
        f"{key} was {_shown(old.get(key))} and is now {_shown(new.get(key))}"
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key) and not any(key == free or key.startswith(f"{free}.") for free in FREE)
    ]
    if changed:
        raise UsageError(
            f"{path} was made with other settings, so its records cannot be mixed with new ones: "
            f"{'; '.join(changed)}. Use the old settings, or another --out."
        )


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _line(row: Record) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace") + b"\n"


def _refuse_other_files(path: Path, resume: bool) -> None:
    if not path.is_dir():
        return
    if (path / CONFIG).exists():
        if not resume:
            raise UsageError(
                f"{path} holds a run already; --resume goes on with it, or name another folder with --out"
            )
    elif any(not file.name.startswith(".") for file in path.iterdir()):
        raise UsageError(f"{path} holds other files than a run; name another folder with --out")


def _keep_answered(path: Path) -> set[str]:
    """Take failed, repeated and half-written rows out of the records and return the ids that remain."""
    records = path / RECORDS
    if not records.exists():
        return set()
    rows, kept = 0, set()
    for row in _rows(records):
        rows += 1
        if row is not None and row["status"] != FAILED:
            kept.add(row["id"])
    if rows > len(kept):
        (path / SUMMARY).unlink(missing_ok=True)
        rewritten = path / f".{RECORDS}.new"
        left = set(kept)
        with rewritten.open("wb") as out:
            for row in _rows(records):
                if row is not None and row["status"] != FAILED and row["id"] in left:
                    left.remove(row["id"])
                    out.write(_line(row))
            out.flush()
            os.fsync(out.fileno())
        os.replace(rewritten, records)
    return kept


def _lock(path: Path) -> int | None:
    """Hold the folder for this process while the descriptor is open; None on systems without such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(folder)
        raise UsageError(f"another process is writing the run {path}; name another folder with --out") from None
    return folder
