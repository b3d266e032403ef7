"""Atomic files and folders, and fingerprints of what they hold.

A reader sees the old content or the new one, never a half: everything is written beside its destination, flushed
to disk, and renamed into place.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path


def write_atomic(path: Path, data: str | bytes) -> None:
    """Replace `path` by `data` (text is written as UTF-8 with \\n line ends).

    A link stays and its target is replaced; a device or a pipe (/dev/stdout) is written to, never replaced.
    """
    raw = data.encode() if isinstance(data, str) else data
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_bytes(raw)
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside `path` that takes its place when the block ends well.

    An old folder at `path` keeps serving until the swap, which is two renames; what a killed writer left behind is
    removed by the next one.
    """
    path = Path(os.path.abspath(path))  # "." has no name to put a folder beside
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{path.name}.new-"
    for left_over in path.parent.glob(f"{prefix}*"):
        if not _alive(left_over.name.removeprefix(prefix).split("-")[0]):
            shutil.rmtree(left_over, ignore_errors=True)
    recover_folder(path)
    new = Path(tempfile.mkdtemp(dir=path.parent, prefix=f"{prefix}{os.getpid()}-"))
    try:
        yield new
        for file in new.rglob("*"):
            if file.is_file():
                with file.open("rb") as handle:
                    os.fsync(handle.fileno())
        os.chmod(new, 0o777 & ~_umask())
        _swap(new, path)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def _swap(new: Path, path: Path, tries: int = 20) -> None:
    """Rename `new` to `path` and remove what was there; of several writers at once, the last one wins."""
    old = _old(path)
    for attempt in range(tries):
        shutil.rmtree(old, ignore_errors=True)
        try:
            with contextlib.suppress(FileNotFoundError):
                os.rename(path, old)
            os.rename(new, path)
        except OSError:
            if attempt == tries - 1:
                raise
            time.sleep(0.01)  # another writer is between its two renames
        else:
            break
    shutil.rmtree(old, ignore_errors=True)


def recover_folder(path: Path) -> None:
    """Bring back the old folder if a writer died between the two renames of `atomic_folder`."""
    old = _old(path)
    if old.exists() and not path.exists():
        with contextlib.suppress(OSError):  # another reader was faster
            os.rename(old, path)


def _old(path: Path) -> Path:
    """Return where a folder waits while the new one takes its place."""
    whole = Path(os.path.abspath(path))
    return whole.parent / f".{whole.name}.old"


def fingerprint(*parts: str | bytes) -> str:
    """Return a SHA-256 over `parts` that also depends on where one part ends and the next begins."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
