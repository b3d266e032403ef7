"""Open a file and cut it into lines, naming the file, the line and the byte where that fails."""

import codecs
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from ..errors import UsageError

OnBad = Callable[[UsageError], None]


class Row(NamedTuple):
    """One row: `number` counts from 1 (physical lines in JSON Lines and CSV), `where` names file and row."""

    number: int
    where: str
    fields: dict[str, Any]


def stop_at(error: UsageError) -> NoReturn:
    """Raise the error: what to do with a bad row unless told otherwise."""
    raise error


@contextmanager
def opened(path: Path | str) -> Iterator[IO[bytes]]:
    """Open a file that must exist and hold something. Raises UsageError."""
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; name a file") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    with file:
        if os.path.isfile(path) and not os.path.getsize(path):
            raise UsageError(f"{path} is empty (0 bytes)")
        yield file


def text_lines(file: Iterable[bytes | str], name: str, on_bad: OnBad) -> Iterator[tuple[int, str]]:
    """Yield (line number, text with its line end). Only \\n ends a line: U+2028 and the like belong to the text."""
    for number, raw in enumerate(file, start=1):
        if isinstance(raw, str):
            yield number, raw.removeprefix("\ufeff") if number == 1 else raw
            continue
        if number == 1 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            yield from _utf16_lines(raw + b"".join(file), name)  # type: ignore[arg-type]
            return
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            byte = f"byte {error.start + 1} (0x{error.object[error.start]:02x})"
            on_bad(UsageError(f"{name}, line {number}: {byte} is not UTF-8; save the file as UTF-8"))
        else:
            yield number, text


def _utf16_lines(raw: bytes, name: str) -> Iterator[tuple[int, str]]:
    try:
        text = raw.decode("utf-16")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}, byte {error.start + 1}: not valid UTF-16; save the file as UTF-8") from None
    for number, line in enumerate(text.split("\n"), start=1):
        yield number, line + "\n"
