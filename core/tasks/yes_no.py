"""Yes or no, as whole words: the "no" in "know" or "nobody" and the one in "no doubt" answer nothing.

"true" and "false" count as yes and no where they are stated as the answer or are all of it. Normalised: "yes", "no".
"""

import re

from .reply import denied, first_sentence, left_open, own_part, statements

INSTRUCTION = (
    "Reason from what you know one step at a time, then finish with a line that reads "
    '"The answer is X." where X is yes or no.'
)

_NOT_AN_ANSWER = (
    r"(?!\s(?:doubt|matter|one|longer|more|less|fewer|such|other|need|way|idea|question|evidence|reason|proof|record|"
    r"mention|single|known|definitive|clear|limit|wonder)\b)"
)
_WORD = re.compile(
    rf"(?<![\w'’-])(?:(?P<yes>yes|true)|(?P<no>no{_NOT_AN_ANSWER}|false))(?![\w'’-])",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"\byes\W{1,3}(?:(?:and|or)\W{1,3})?no\b|\bno\W{1,3}(?:and|or)\W{1,3}yes\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?<![\w'’-])(?:(?P<yes>yes)|(?P<no>no))(?=[\s]?(?:[.,;:!*_)\"”'–—-]|\n|$))",
    re.IGNORECASE,
)


def extract(text: str, options: tuple[str, ...] = (), stated_only: bool = False) -> str | None:
    """Return "yes" or "no" as the reply states it, or None.

    Without a statement: the word its last line begins or ends with, else the word the reply begins with, else the
    last one that stands alone between marks.
    """
    reply = own_part(text).strip()
    stated = statements(reply)
    for statement in reversed(stated):
        if statement.form != "before" and not denied(statement.text):
            claim = re.sub(r"(?i)\bno doubt\b", "", first_sentence(statement.text))
            word = None if _BOTH.search(claim) else _WORD.search(claim)
            if word:
                return _name(word)
        if left_open(statement):
            return None
    if stated_only or any(statement.form == "after" for statement in stated):
        return None
    if whole := normalize(reply):
        return whole
    last_line = reply.rpartition("\n")[2]
    last_sentence = re.split(r"(?<=[.!?])\s", last_line)[-1]
    for part in (last_sentence, last_line, reply):
        lead = re.match(r"[\W_]*", part)
        word = _PLAIN.match(part, lead.end() if lead else 0)
        if word:
            return _name(word)
        if part is last_sentence and (tail := re.search(rf"{_WORD.pattern}[\W_]*$", part, re.IGNORECASE)):
            return _name(tail)
    words = list(_PLAIN.finditer(reply))
    return _name(words[-1]) if words and not _BOTH.search(reply) else None


def normalize(answer: str) -> str | None:
    """Return "yes" or "no" if the answer is nothing but that (or true, false), else None."""
    match = re.fullmatch(r"[\W_]*(?:(?P<yes>yes|true)|(?P<no>no|false))[\W_]*", answer, re.IGNORECASE)
    return _name(match) if match else None


def same(predicted: str, gold: str) -> bool:
    """Compare two normalised answers."""
    return predicted == gold


def _name(match: re.Match[str]) -> str:
    return "yes" if match["yes"] else "no"
