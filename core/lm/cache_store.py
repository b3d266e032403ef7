"""The file that replies are kept in: SQLite, shared by any number of processes, and never a reason to fail."""

import asyncio
import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 20.0  # seconds to wait for another process that writes
_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"

_READ = "SELECT key, value FROM replies WHERE key IN (SELECT value FROM json_each(?))"
_WRITE = "INSERT OR REPLACE INTO replies VALUES (?, ?)"


@dataclass(frozen=True, slots=True)
class CacheStats:
    """How much a cache holds. `problem` says why it cannot be used, None where it can."""

    path: Path
    entries: int
    bytes: int
    problem: str | None = None


class Cache:
    """Texts by key in the database file `path`.

    A file that cannot be used costs one entry in `warnings`; everything then works without it. A damaged file is
    moved aside to `<name>.damaged` once; if that name is taken, both stay where they are and nothing is kept. The
    database is used by one thread of its own, so that waiting for another process does not stop the event loop.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []
        self._connection: sqlite3.Connection | None = None
        self._usable = True
        self._thread = ThreadPoolExecutor(1, "reply-cache")

    async def get(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the values of those `keys` that are kept."""

        def read(connection: sqlite3.Connection) -> dict[str, str]:
            wanted = json.dumps(list(keys))
            return dict(connection.execute(_READ, (wanted,)))

        return await self._in_thread(read, {})

    async def put(self, values: Mapping[str, str]) -> None:
        """Keep `values`, all of them or, if the process dies, none."""

        def write(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.executemany(_WRITE, list(values.items()))

        if values:
            await self._in_thread(write, None)

    def stats(self) -> CacheStats:
        """Count what is kept, without creating or repairing anything."""
        files = [self.path, *self._side_files()]
        size = sum(file.stat().st_size for file in files if file.is_file())
        if not self.path.exists():
            return CacheStats(self.path, 0, 0)
        try:
            with contextlib.closing(
                sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)
            ) as connection:
                [entries] = connection.execute("SELECT count(*) FROM replies").fetchone()
        except sqlite3.Error as error:
            return CacheStats(self.path, 0, size, str(error))
        return CacheStats(self.path, entries, size)

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        self._thread.submit(self._disconnect).result()

    async def _in_thread(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._try, work, otherwise)

    def _try(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        for last in (False, True):
            if not self._usable:
                break
            try:
                if self._connection is None:
                    self._connection = _connect(self.path)
                return work(self._connection)
            except (sqlite3.OperationalError, OSError) as error:
                if _locked(error):
                    self._warn(f"reply cache {self.path}: another process holds it; some replies were not kept")
                    break
                self._give_up(f"cannot be used ({error})")
            except sqlite3.DatabaseError as error:
                self._disconnect()
                if last or not self._move_aside():
                    self._give_up(f"is damaged ({error}); delete it and {self._damaged.name} beside it")
        return otherwise

    @property
    def _damaged(self) -> Path:
        return self.path.with_name(f"{self.path.name}.damaged")

    def _side_files(self) -> list[Path]:
        return [self.path.with_name(f"{self.path.name}{suffix}") for suffix in ("-wal", "-shm")]

    def _move_aside(self) -> bool:
        """Return whether it makes sense to open the file anew: it was moved, by us or by another process."""
        try:
            os.link(self.path, self._damaged)  # fails if the name is taken, which a rename would overwrite
        except FileExistsError:
            return not self._damaged.samefile(self.path) if self.path.exists() else True
        except OSError:
            return False
        for file in (*self._side_files(), self.path):
            file.unlink(missing_ok=True)
        self._warn(f"reply cache {self.path} was damaged: it is now {self._damaged.name}, and a new one was begun")
        return True

    def _give_up(self, why: str) -> None:
        self._usable = False
        self._disconnect()
        self._warn(f"reply cache {self.path} {why}: going on without it")

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings.append(warning)


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                # SQLite does not wait its busy timeout for the switch to WAL, so this waits for it.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                with _transaction(connection):
                    connection.execute(_TABLE)
                return connection
            except sqlite3.OperationalError as error:
                if not _locked(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
    except BaseException:
        connection.close()
        raise


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _locked(error: Exception) -> bool:
    return "locked" in str(error) or "busy" in str(error)
