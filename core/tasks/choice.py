"""Multiple choice: the letter of one of the options, also where a reply gives the option's text instead.

The article "A" and the pronoun "I" are not letters: a bare one counts only where the sentence ends or gives a reason
after it, or in brackets. Normalised form: one upper-case letter.
"""

import re

from . import number
from .reply import Statement, denied, first_sentence, left_open, own_part, statements

INSTRUCTION = (
    "Weigh the options one step at a time, then finish with a line that reads "
    '"The answer is X." where X is the letter of the best option.'
)

_ANY = 8  # letters A to H where the options are not known

_LEAD = re.compile(
    r"[\W_]*(?:(?:option|choice|letter|either|both|most|likely|probably|clearly|definitely|therefore|thus|then|closest|to|"
    r"text|textbf|textrm|mathrm|mathbf|boxed)\b[\W_]+){0,6}",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?P<letter>[A-Za-z])(?!['’]?\w|[+*/^=])(?P<closed>\s?[)\]}.:,;*_$\"”'!]|\s*$|\s?\n)?")
_UNDECIDED = re.compile(r"[A-Z][)\]\s]{0,3}(?:or|and|/|&)[\s(\[]{0,2}[A-Z](?![\w'’])")
_REASON = re.compile(
    r"\s(?:because|since|as|and|is|was|which|with|for|due|given|but|by|in|so|would|must|although|though|at|–|—|-)\b|\s[–—=-]"
)
_BRACKETED = re.compile(r"\(([A-Za-z])\)")
_NAMED = re.compile(
    r"\b(?i:answer|ans|option|choice)\b[\s.:=–-]{0,4}[(\[*$'‘“]{0,3}([A-Z])\b(?!['’]?\w)"
    r"|(?<![\w'’])\(?([A-Z])\)?\s(?:is|must be)\s(?:the\s)?(?:correct|right|true)\b"
)
_OPENING = re.compile(r"[\W_]*([A-Za-z])(?:[*_]*[).:](?=[\s*_]|$)|[\W_]*$)")
_CLOSING = re.compile(r"(?:^|[\s:(\[*$'\"=])([A-Z])[\W_]*$")
_BARE = re.compile(r"(?<![\w'’.+*/^=-])([B-HJ-Z])(?![\w'’+*/^=-]|\.\w)")


def extract(text: str, options: tuple[str, ...] = (), stated_only: bool = False) -> str | None:
    """Return the letter a reply settles on, or None. `options` are the option texts, A first, without letters."""
    reply = own_part(text)
    stated = statements(reply)
    for statement in reversed(stated):
        letter = _stated(statement, options)
        if letter:
            return letter
        if left_open(statement):
            return None
    if stated_only or any(statement.form == "after" and not _NAMED.search(reply) for statement in stated):
        return None
    return _unstated(reply, options)


def normalize(answer: str) -> str | None:
    """Return the letter if the answer is nothing but a letter (in brackets or not), else None."""
    match = re.fullmatch(r"[\W_]*([A-Za-z])[\W_]*", answer)
    return match[1].upper() if match else None


def same(predicted: str, gold: str) -> bool:
    """Compare two letters."""
    return predicted == gold


def matching_option(text: str, options: tuple[str, ...]) -> str | None:
    """Return the letter of the one option whose text or value `text` gives, or None where none or several fit."""
    whole = [i for i, option in enumerate(options) if _fold(option) == _fold(text)]
    if len(whole) != 1:
        value = number.extract(text)
        whole = [i for i, o in enumerate(options) if value and (v := number.normalize(o)) and number.same(value, v)]
    if len(whole) != 1:
        padded = f" {_fold(text)} "
        inside = [i for i, option in enumerate(options) if _fold(option) and f" {_fold(option)} " in padded]
        longest = max((len(_fold(options[i])) for i in inside), default=0)
        whole = [i for i in inside if len(_fold(options[i])) == longest]
    return _name(whole[0]) if len(whole) == 1 else None


def _stated(statement: Statement, options: tuple[str, ...]) -> str | None:
    if statement.form == "before":
        tail = re.search(r"(?<![\w'’])\(?([A-Za-z])\)?[\W_]*$", statement.text)
        if tail and (tail[1].isupper() or "(" in tail[0]):
            return _existing(tail[1], options)
        return matching_option(statement.text, options)
    lead = _LEAD.match(statement.text)
    start = lead.end() if lead else 0
    if denied(statement.text) or _UNDECIDED.match(statement.text, start):
        return None
    sentence = first_sentence(statement.text)
    return (
        _leading(statement.text, start, options)
        or matching_option(sentence, options)
        or _last_named(sentence, options)
    )


def _unstated(reply: str, options: tuple[str, ...]) -> str | None:
    """Read a reply without a statement: by a letter it opens or closes with, or one it names, or an option's text."""
    lines = reply.strip().split("\n")
    openings = {match[1].upper() for line in lines if (match := _OPENING.match(line))}
    found = [_OPENING.match(lines[0]) if len(openings) == 1 else None, _CLOSING.search(lines[-1])]
    letters = [_existing(match[1], options) for match in found if match]
    named = _last_named(reply, options, bare=False)
    return next(filter(None, [*letters, named]), None) or matching_option(lines[-1], options)


def _leading(text: str, start: int, options: tuple[str, ...]) -> str | None:
    """Return the letter at `start` of `text`, None if it is an article."""
    match = _LETTER.match(text, start)
    if match is None:
        return None
    marked = match["closed"] is not None or text[:start].endswith(("(", "["))
    letter = match["letter"]
    if not marked and (letter.islower() or (letter in "AI" and not _REASON.match(text, match.end("letter")))):
        return None
    if letter.islower() and match["closed"] and match["closed"].strip() == ",":
        return None
    return _existing(letter, options)


def _last_named(text: str, options: tuple[str, ...], *, bare: bool = True) -> str | None:
    """Return the last letter that is bracketed, named as an option, or (if `bare`) stands alone."""
    found = [
        *_BRACKETED.finditer(text),
        *_NAMED.finditer(text),
        *(_BARE.finditer(text) if bare else ()),
    ]
    ordered = sorted(found, key=lambda match: match.start())
    letters = [letter for match in ordered if (letter := _existing(match[match.lastindex or 1], options))]
    return letters[-1] if letters and not (bare and len(set(letters)) > 1) else None


def _existing(letter: str, options: tuple[str, ...]) -> str | None:
    upper = letter.upper()
    return upper if "A" <= upper < _name(len(options) or _ANY) else None


def _name(position: int) -> str:
    return chr(ord("A") + position)


def _fold(text: str) -> str:
    """Return the words and numbers of a text, for comparing option texts."""
    return " ".join(re.findall(r"[^\W_]+(?:[.,][0-9]+)*|[-−%√π]", text.casefold().replace("−", "-")))
