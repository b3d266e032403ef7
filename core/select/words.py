"""The words of a text, as BM25 counts them."""

import re
from collections.abc import Callable

from ..errors import UsageError

# Chinese and Japanese put no space between words, so there each character counts as a word.
_UNSPACED = "\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def word_splitter(stem: str | None = None) -> Callable[[str], list[str]]:
    """Return what splits a text into runs of letters and digits, without regard to case.

    `stem` names a language of the Snowball stemmers, which fold the forms of a word into one ("jars" and "jar").
    Raises UsageError for a language they do not have.
    """
    if stem is None:
        return _words
    import Stemmer

    if stem not in Stemmer.algorithms():
        raise UsageError(f"no stemmer for {stem!r}; known: {', '.join(Stemmer.algorithms())}")
    folded: Callable[[list[str]], list[str]] = Stemmer.Stemmer(stem).stemWords
    return lambda text: folded(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
