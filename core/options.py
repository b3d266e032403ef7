"""The options of a multiple-choice question: split them from their letters, and find the letter of an answer."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase

# "A)", "(A)", "[A]", "A." or "A:" in front of an option. Ordinary text can begin like that too ("A. Lincoln"), so
# marks count only where every option has one and they are the first letters of the alphabet, each once.
_MARK = re.compile(r"[(\[]?([A-Za-z])[)\]]\s*|([A-Za-z])[.:]\s*")
_HEADING = re.compile(r"(?:answer\s+)?(?:options|choices)\s*:\s*", re.IGNORECASE)
_SEPARATORS = ("\n", "|", ";")
_BOUNDARIES = (r"^\s*", r"(?<![^\s,;|])", r"(?<![A-Z(\[])")


def split_options(raw: str | Iterable[str]) -> tuple[str, ...]:
    """Return the texts of the options, in the order of their letters and without them.

    `raw` is a list, or all options in one text. Letters glued to a text ("A)15%", "(D)44%", "E. 50%") are taken off
    where the whole list carries them, also where a list carries them twice ("A)A)21"). A text without letters is
    split at line ends, at "|" or at ";". Raises ValueError where one text cannot be told apart into two options.
    """
    if not isinstance(raw, str):
        return _without_letters(list(raw))
    heading = _HEADING.match(raw.strip())
    text = raw.strip()[heading.end() if heading else 0 :]
    pieces = _lettered_pieces(text)
    for separator in _SEPARATORS:
        if len(pieces) < 2:
            pieces = [piece for piece in text.split(separator) if piece.strip()]
    if len(pieces) < 2:
        raise ValueError("the options are one text that has no letters (A) (B), line ends, | or ; between them")
    return split_options(pieces)


def answer_letter(answer: str, options: Sequence[str]) -> str | None:
    """Return the letter of `answer`, None where it names no option or more than one.

    In this order: a letter within the options ("b", "(B)"), the text of just one option, a letter followed by its
    own text ("B) 24%"). White space and case do not count. An option's number is not read here: see `number_base`.
    """
    letters = ascii_uppercase[: len(options)]
    bare = answer.strip().strip("()[].:").strip().upper()
    if len(bare) == 1 and bare in letters:
        return bare
    texts = [_folded(option) for option in options]
    if texts.count(_folded(answer)) == 1:
        return letters[texts.index(_folded(answer))]
    mark = _MARK.match(answer.strip())
    if mark:
        letter = (mark[1] or mark[2]).upper()
        if letter in letters and texts[letters.index(letter)] == _folded(answer.strip()[mark.end() :]):
            return letter
    return None


def number_base(numbered: Iterable[tuple[int, int]]) -> int | None:
    """Return whether answers given as option numbers count from 0 or 1, None where both or neither fit.

    `numbered` holds (answer, how many options) of every such row of a file: one 0 tells that it counts from 0, one
    answer equal to the number of options that it counts from 1.
    """
    rows = list(numbered)
    fits = [base for base in (0, 1) if all(base <= answer < count + base for answer, count in rows)]
    return fits[0] if rows and len(fits) == 1 else None


def _without_letters(options: Sequence[str]) -> tuple[str, ...]:
    marks = [mark for option in options if (mark := _MARK.match(option.strip()))]
    texts = {(mark[1] or mark[2]).upper(): mark.string[mark.end() :] for mark in marks}
    if len(options) < 2 or sorted(texts) != list(ascii_uppercase[: len(options)]):
        return tuple(options)
    return _without_letters([texts[letter] for letter in sorted(texts)])


def _lettered_pieces(text: str) -> list[str]:
    """Cut `text` in front of its marks A, B, C, ...; [] where it does not begin with an A.

    "(4d)/3" and "f(B)" look like marks: those at line ends are trusted before those after white space or a separator,
    and these before those glued to the option in front.
    """
    if "a" in text[:2]:  # glued to a word, a small letter could be the end of it
        return max((_cut(text, ascii_lowercase, boundary) for boundary in _BOUNDARIES[:2]), key=len)
    return max((_cut(text, ascii_uppercase, boundary) for boundary in _BOUNDARIES), key=len)


def _cut(text: str, letters: str, boundary: str) -> list[str]:
    starts: list[int] = []
    for letter in letters:
        mark = rf"{boundary}(?:[(\[]?{letter}[)\]]|(?<!\S){letter}[.:])"
        found = re.compile(mark, re.MULTILINE).search(text, starts[-1] + 1 if starts else 0)
        if not found or (not starts and found.start()):
            break
        starts.append(found.start())
    return [text[start:end].strip(" \t\r\n,;|") for start, end in pairwise([*starts, len(text)])]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
