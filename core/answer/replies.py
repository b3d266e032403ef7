"""What the replies to sure's questions say: a list of answers, yes or no, one or two."""

import re
from collections.abc import Iterator, Sequence
from itertools import count
from string import ascii_lowercase, ascii_uppercase

from ..tasks import yes_no
from ..tasks.reply import first_sentence, own_part
from ..tasks.span import squad_normalize, stated_phrase

#: How a list can be marked, the surest sign first: "(a)" or "a)" anywhere, then "1." where a line or a word begins.
_MARKS = (r"\({}\)", r"(?<![\w(]){}\)", r"^[\s*_#>-]*{}[.:)]", r"(?<![^\s,;]){}[.:](?=\s)")
_SURE_MARKS = _MARKS[:2]
_BULLET = re.compile(r"^\s*[-*•–]\s+", re.MULTILINE)
_REFUSAL = re.compile(
    r"\W*(?:sorry\W|unfortunately|apolog|none\b|(?:unknown|unclear|uncertain)\W*$|n/a\b|not\s(?:stated|mentioned|given|provided|"
    r"specified|known|clear|enough|sure|available|applicable|found)|no\s(?:answers?|candidates?|information|idea)\b"
    r"|(?:i|we|it|one)(?:\sam|['’]m|\sis)?\s(?:can\s?not|can['’]t|could\snot|couldn['’]t|do\snot|don['’]t|unable|not\s|"
    r"would\sneed|need)|(?:i|we)['’]m\s|there\s(?:is|are)\s(?:no|not)\b|(?:the\s)?(?:passages?|texts?|question)\s"
    r"(?:do(?:es)?\s(?:not|n['’]t)|don['’]t|doesn['’]t|cannot|can['’]t|is|are)\b|impossible\sto\b)",
    re.IGNORECASE,
)
#: "and", "Candidate 1:", "The first answer is:", "The answer to the question is:".
_LEAD = re.compile(
    r"\W*(?:(?:and|or)\s|(?:(?:the|a|an|my|one|another)\s)?"
    r"(?:(?:first|second|third|fourth|fifth|next|last|other|likeliest|most\slikely|best|possible|likely)\s){0,2}"
    r"(?:candidates?|answers?|options?)(?:\s(?:to|for)\s(?:the|this|your)\squestion)?\s*(?:\d+|[a-z])?\s*"
    r"(?:(?:is|are|(?:would|could|may|might)\sbe)\W|:))+",
    re.I,
)
_TRAIL = re.compile(r"[\s,;]+(?:and|or)\W*$", re.IGNORECASE)
_NEITHER = re.compile(
    r"\b(?:both|neither|none|equal(?:ly)?|tied?|same)\b|\b1\s(?:and|or|/|&)\s2\b|\b1\s?/\s?2\b", re.IGNORECASE
)
_ONE_OR_TWO = re.compile(r"(?<![\w.])(?:(?P<one>1|one|first)|(?P<two>2|two|second))(?:st|nd)?(?![\w%]|\.\d)", re.I)


def parse_candidates(reply: str, k: int) -> tuple[str, ...]:
    """Return at most k distinct answers of a reply, in its order; none for a refusal.

    Answers marked by letters, numbers or bullets are read wherever they stand; without marks, each line is one, and a
    single line is parted at ";" and ", or". Answers that differ in case, articles or punctuation count once.
    """
    text = own_part(reply).strip()
    found: dict[str, str] = {}
    for piece in _pieces(text):
        answer = _answer(piece)
        if answer is not None:
            found.setdefault(squad_normalize(answer) or answer, answer)
    return tuple(found.values())[:k]


def parse_validity(reply: str) -> bool | None:
    """Return whether a reply says yes, None where it says neither yes nor no."""
    said = yes_no.extract(reply)
    return None if said is None else said == "yes"


def parse_preference(reply: str) -> int | None:
    """Return 1 or 2, whichever of two summaries a reply prefers; None where it prefers neither."""
    text = own_part(reply)
    named = _ONE_OR_TWO.search(text)
    if named is None or _NEITHER.search(first_sentence(text)):
        return None
    return 1 if named["one"] else 2


def _pieces(text: str) -> list[str]:
    for labels in (ascii_lowercase, ascii_uppercase, None):
        for mark in _MARKS:
            pieces = _marked(text, mark, labels)
            if len(pieces) > 1 or (pieces and (labels is None or mark in _SURE_MARKS)):
                return pieces  # a lone "A." may be an initial
    if _BULLET.search(text):
        return _BULLET.split(text)[1:]
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1:
        return [line for line in lines if not line.rstrip(" *_").endswith(":")]  # "Here are two answers:"
    return re.split(r";|,\s+or\s+", text)


def _marked(text: str, mark: str, labels: Sequence[str] | None) -> list[str]:
    """Return what follows each mark a, b, c or 1, 2, 3, in their order from the first; [] without the first."""
    starts: list[tuple[int, int]] = []
    names: Iterator[str] = iter(labels) if labels else map(str, count(1))
    for name in names:
        found = re.compile(mark.format(name), re.MULTILINE).search(text, starts[-1][1] if starts else 0)
        if found is None:
            break
        starts.append(found.span())
    ends = [*(start for start, _ in starts[1:]), len(text)][: len(starts)]
    return [text[start:end] for (_, start), end in zip(starts, ends, strict=True)]


def _answer(piece: str) -> str | None:
    """Return the answer at the beginning of a piece of a list, None for a refusal or no words."""
    line = next((line for line in piece.split("\n") if re.search(r"[^\W_]", line)), "")
    line = _TRAIL.sub("", _LEAD.sub("", line, count=1) if _LEAD.match(line) else line)
    answer = stated_phrase(line)
    if answer is None or not re.search(r"[^\W_]", answer) or _REFUSAL.match(answer):
        return None
    return answer
