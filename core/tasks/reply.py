"""Which part of a reply counts, and where in it an answer is stated.

A reply may think aloud first, may correct itself, and may run on into questions it invents. So:

1. what comes before `</think>` is reasoning; a `<think>` that never closes leaves no reply behind it;
2. the reply ends where a line starts the next exemplar (`Question:` or `Q:`); the word in a sentence ends nothing;
3. in what is left, the last statement that can be read is the answer, unless a later one leaves it open ("the answer
   is unknown"). The last one, because a model that corrects itself states its answer again, while talk after an
   answer ("mind you, A is tempting") states nothing.
"""

import re
from dataclasses import dataclass
from typing import Literal

#: How far behind (or before) its anchor a statement may reach, in characters. Keeps every search linear.
REACH = 300
REACH_BACK = 60
_MOST = 200  # anchors looked at, from the end: a model in a loop states its answer thousands of times

_NEXT_EXEMPLAR = re.compile(r"\n[>*#_ ]{0,8}(?:Question|QUESTION|Q)(?: ?[0-9]{1,4})?[*_]{0,3} ?:")

_ANCHOR = re.compile(
    r"""
      (?P<hash> (?<!\#)\#{4}(?!\#) )
    | (?P<box> \\(?:boxed|fbox)\s?\{ )
    | (?P<before>
        \b is \s (?:[a-z]{1,12}\s)? the \s (?:(?:correct|right|final|best|only)\s){0,2} (?:answer|option|choice)\b )
    | (?P<after>
        (?: (?<!\bto\s)(?<!\bthis\s) \b(?:answer|ans)\b (?!\s(?:this|that|these|the|it|your|a)\b)
          | \b(?:correct|right|best)\s(?:option|choice)\b )
        (?: (?:\s(?:option|choice))? (?:\s?\([^()\n]{0,60}\))? [*_\s]{0,4} [:=]
          | [^.\n:=]{0,80}? \s (?:is|was|equals|comes\sto|(?:would|will|must|should)\sbe) \b ) )
    """,
    re.VERBOSE | re.IGNORECASE,
)

_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|jr|sr|prof|gen|col|lt|sgt|rev|mt|ft|no|vs|rs|inc|ltd|co|approx)|\b\w|\.\w)$",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:un(?:known|clear|certain)|depend(?:s|ent|ing)?|inconclusive|subjective|moot|maybe|based on|hard to say"
    r"|(?:not|impossible|difficult|cannot|can['’]t|don['’]t|unable) (?:be |to |yet |really |currently |possible to )?"
    r"(?:say|know|known|tell|clear|sure|certain|definit\w+|determined?|solved?|answer(?:ed)?|given))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A place where the reply says what its answer is.

    `text` is what follows the anchor, up to the next one; for "before" ("C is the answer") what precedes it in the
    same sentence; for "box" what the box holds.
    """

    form: Literal["hash", "box", "before", "after"]
    text: str


def own_part(text: str) -> str:
    """Return the model's reply to the question it was asked, white space folded line by line."""
    _, closed, after = text.partition("</think>")
    reply = after if closed else text.partition("<think>")[0]
    lines = "\n".join(" ".join(line.split()) for line in reply.splitlines())
    boundary = _NEXT_EXEMPLAR.search(lines)
    return re.sub(r"\n{3,}", "\n\n", lines[: boundary.start()] if boundary else lines)


def statements(reply: str) -> list[Statement]:
    """Return the statements of an answer that say anything, in the order of the reply."""
    found: list[Statement] = []
    anchors = list(_ANCHOR.finditer(reply))[-_MOST:]
    ends = [anchor.start() for anchor in anchors[1:]] + [len(reply)]
    done = 0
    for anchor, end in zip(anchors, ends, strict=False):
        form: Literal["hash", "box", "before", "after"]
        if anchor["hash"]:
            form, text = (
                "hash",
                reply[anchor.end() : min(end, anchor.end() + REACH)].split("\n", 1)[0],
            )
        elif anchor["box"]:
            form, text = "box", _braced(reply[anchor.end() : anchor.end() + REACH])
        elif anchor["before"]:
            clause = reply[max(done, anchor.start() - REACH_BACK) : anchor.start()]
            form, text = "before", re.split(r"[.!?;,:]\s|\n", clause)[-1]
        else:
            form, text = "after", reply[anchor.end() : min(end, anchor.end() + REACH)]
        done = anchor.end()
        if re.search(r"[^\W_]", text):
            found.append(Statement(form, text))
    return found


def first_sentence(text: str) -> str:
    """Return `text` up to its first sentence end or line end; "St. Louis" and "J. Doe" do not end a sentence."""
    text = text.lstrip(" \n:*_$`")
    for stop in _SENTENCE_END.finditer(text):
        if stop[0] != "." or not _ABBREVIATION.search(text[: stop.start()][-12:]):
            return text[: stop.start()]
    return text


def denied(text: str) -> bool:
    """Return whether a statement only says what the answer is not ("the answer is not C")."""
    return re.match(r"[\W_]*(?:not|neither|never)\b", text, re.IGNORECASE) is not None


def left_open(statement: Statement) -> bool:
    """Return whether a statement says that there is no answer ("the answer is not known", "it depends")."""
    return statement.form == "after" and _OPEN.search(first_sentence(statement.text)) is not None


def _braced(text: str) -> str:
    """Return `text` up to the brace that closes the box it starts in, or to the line end if none does."""
    depth = 1
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0:
            return text[:position]
    return text.split("\n", 1)[0]
