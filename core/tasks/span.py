"""A short text: a name, a place, a date. Compared the way SQuAD does: without case, punctuation and articles."""

import re
import string
from collections import Counter
from collections.abc import Iterable

from .reply import denied, first_sentence, own_part, statements

INSTRUCTION = (
    "Reason one step at a time, then finish with a line that reads "
    '"The answer is X." where X is as short as a name, a place or a date.'
)

_WRAPPING = " \t\n\"'“”‘’«»`*_$:"
_BOLD = re.compile(r"\*\*([^*\s][^*\n]*)\*\*")
_AFTERTHOUGHT = re.compile(r",\s(?:who|whose|which|where|because|since|as)\b")


def extract(text: str, options: tuple[str, ...] = (), stated_only: bool = False) -> str | None:
    """Return what the reply states as its answer, without quotes, markup and full stop, or None.

    Without a statement it is the first line of the reply.
    """
    reply = own_part(text).strip()
    for statement in reversed(statements(reply)):
        if statement.form == "box":
            answer = _trim(
                re.sub(
                    r"\\(?:text|textbf|mathrm|mathbf)\s?\{([^{}]*)\}",
                    r"\1",
                    statement.text,
                )
            )
        elif statement.form == "before":
            answer = _trim(statement.text)
        else:
            answer = None if denied(statement.text) else stated_phrase(statement.text)
        if answer:
            return answer
    return None if stated_only else _trim(reply.split("\n", 1)[0])


def normalize(answer: str) -> str | None:
    """Return the answer on one line without quotes, markup and full stop, or None if nothing is left."""
    return _trim(answer)


def same(predicted: str, gold: str) -> bool:
    """Compare two answers after `squad_normalize`; what normalises to nothing equals nothing."""
    return squad_normalize(predicted) == squad_normalize(gold) != ""


def exact_match(predicted: str | None, golds: Iterable[str]) -> bool:
    """Return whether an answer equals any of the gold ones after `squad_normalize` (Rajpurkar 2016, section 6.1)."""
    return predicted is not None and any(squad_normalize(predicted) == squad_normalize(gold) for gold in golds)


def token_f1(predicted: str | None, golds: Iterable[str]) -> float:
    """Return the F1 of the words an answer shares with a gold one after `squad_normalize`, the best over `golds`.

    Where nothing is left of one of two answers, their F1 is 1 if nothing is left of either, as in SQuAD 2.0.
    """
    return 0.0 if predicted is None else max((_f1(predicted, gold) for gold in golds), default=0.0)


def _f1(predicted: str, gold: str) -> float:
    said, wanted = squad_normalize(predicted).split(), squad_normalize(gold).split()
    if not said or not wanted:
        return float(said == wanted)
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted))


def squad_normalize(answer: str) -> str:
    """Return the answer in lower case, without ASCII punctuation and English articles, white space folded."""
    bare = "".join(character for character in answer.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", bare).split())


def stated_phrase(text: str) -> str | None:
    """Return the bold part of a statement's sentence, else the sentence up to "..., who" or "..., because"."""
    bold = _BOLD.search(text.lstrip().split("\n", 1)[0])
    return _trim(bold[1] if bold else _AFTERTHOUGHT.split(first_sentence(text), maxsplit=1)[0])


def _trim(text: str) -> str | None:
    answer = " ".join(text.split()).strip(_WRAPPING)
    while answer.endswith((".", ",", ";", "!")) and not re.search(r"\b\w\.\w\.$", answer):
        answer = answer[:-1].strip(_WRAPPING)
    return answer or None
