"""Streamed text made safe as it comes, and folded to a width in cells. Exactly what one pass over all would give."""

import re

from rich.cells import cell_len, split_graphemes

from dqlore.core.text import printable

# What the next piece can still change: a carriage return (of \r\n) and the beginning of a flag spelled with tags.
_OPEN = re.compile("(?:\r|\U0001f3f4[\U000e0030-\U000e007a]*)$")
# Chinese, Japanese and Korean text breaks between any two characters.
_UNSPACED = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_TOKEN = re.compile(rf" +|[{_UNSPACED}]|[^ {_UNSPACED}]+")
TAB = "    "


class SafeStream:
    """Collects the pieces of a reply; `text` is their printable form so far, without leading white space."""

    def __init__(self) -> None:
        self.text = ""
        self._held = ""

    def feed(self, piece: str) -> None:
        """Add a piece; what a later piece may still change is held back."""
        raw = self._held + piece
        match = _OPEN.search(raw)
        cut = match.start() if match else len(raw)
        self._held = raw[cut:]
        self._add(raw[:cut])

    def finish(self) -> None:
        """Add what was held back: nothing more comes."""
        self._add(self._held)
        self._held = ""

    def _add(self, raw: str) -> None:
        shown = printable(raw)
        self.text += shown if self.text else shown.lstrip()


class Folded:
    """A text folded to a width; adding to it costs only the lines that change."""

    def __init__(self, width: int) -> None:
        self.width = max(1, width)
        self.lines: list[str] = []

    def add(self, text: str) -> None:
        """Append text. A line keeps the spaces at its end, so that joined lines give the text again."""
        first, *others = (self.lines.pop() + text if self.lines else text).split("\n")
        self.lines += fold(first, self.width)
        for line in others:
            self.lines += fold(line, self.width)


def fold(line: str, width: int) -> list[str]:
    """Return one line as lines of at most `width` cells, broken between words where they fit; "" is one line.

    Spaces at a break stay at the end of the line and may hang over it.
    """
    lines: list[str] = []
    current, used = "", 0
    for token in _TOKEN.findall(line.replace("\t", TAB)):
        size = cell_len(token)
        if token[0] == " " or used + size <= width:
            current, used = current + token, used + size
            continue
        if current:
            lines.append(current)
            current, used = "", 0
        for piece in _chopped(token, width) if size > width else (token,):
            if current:
                lines.append(current)
            current, used = piece, cell_len(piece)
    return [*lines, current]


def _chopped(word: str, width: int) -> list[str]:
    pieces: list[str] = []
    start = used = 0
    for begin, _, size in split_graphemes(word)[0]:
        if used + size > width and begin > start:
            pieces.append(word[start:begin])
            start, used = begin, 0
        used += size
    return [*pieces, word[start:]]
