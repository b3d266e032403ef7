"""Kinds of answer: how to ask for one, read it out of a reply, and compare it with the gold answer."""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..dialogue.update import NO_CHANGE
from ..errors import UsageError
from . import choice, number, span, state, yes_no
from .reply import own_part

__all__ = [
    "KINDS",
    "STATE",
    "Kind",
    "extract_answer",
    "infer_kind",
    "instruction",
    "is_correct",
    "kind_of",
    "normalize_answer",
    "reply_of",
]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of answer. `extract` reads a whole reply, `normalize` only what is nothing but such an answer.

    `closing` is how a reply states it, with {} for the answer.
    """

    name: str
    instruction: str
    extract: Callable[[str, tuple[str, ...], bool], str | None]
    normalize: Callable[[str], str | None]
    same: Callable[[str, str], bool]
    closing: str = "The answer is {}."


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "number": Kind("number", number.INSTRUCTION, number.extract, number.normalize, number.same),
        "choice": Kind("choice", choice.INSTRUCTION, choice.extract, choice.normalize, choice.same),
        "yes_no": Kind("yes_no", yes_no.INSTRUCTION, yes_no.extract, yes_no.normalize, yes_no.same),
        "span": Kind("span", span.INSTRUCTION, span.extract, span.normalize, span.same),
        "state": Kind("state", state.INSTRUCTION, state.extract, state.normalize, state.same, closing="{}"),
    }
)


#: The kind whose questions are turns of dialogues, each asked on what the replies before it left.
STATE = "state"


def kind_of(name: str) -> Kind:
    """Return the kind called `name`. Raises UsageError that names the kinds there are."""
    if name in KINDS:
        return KINDS[name]
    close = difflib.get_close_matches(str(name), KINDS, 1)
    raise UsageError(
        f"unknown kind of answer {name!r}{f' (did you mean {close[0]!r}?)' if close else ''}; "
        f"kinds: {', '.join(KINDS)}"
    )


def extract_answer(kind: str, text: str, options: Sequence[str] = (), *, stated_only: bool = False) -> str | None:
    """Return the answer that a model's reply gives, normalised, or None where it gives none.

    `options` (texts without letters) tell a choice which letters exist and let it find an option given by its text.
    With `stated_only` an answer must be stated; that is for replies that were cut off before they came to one.
    Raises UsageError for an unknown kind.
    """
    return kind_of(kind).extract(text, tuple(options), stated_only)


def reply_of(kind: str, text: str, answer: str) -> str:
    """Return a reply in the one form it is scored in: the answer alone where a reply is nothing else (`state`).

    Otherwise it is the model's own reply, its reasoning included, without any question it went on to invent.
    """
    return answer if kind_of(kind).closing == "{}" else own_part(text).strip()


def normalize_answer(kind: str, answer: str) -> str | None:
    """Return a gold answer normalised ("1,200" is "1200", "(b)" is "B"), None if it is not of this kind."""
    return kind_of(kind).normalize(answer)


def is_correct(kind: str, predicted: str | None, gold: str) -> bool:
    """Return whether two answers are the same; no answer (None) is never right.

    Numbers are compared by value within 1e-9 of it, letters and yes/no as such, spans after SQuAD normalisation.
    Either side may be an answer as `extract_answer` returns it or a text that it can read.
    """
    of = kind_of(kind)
    if predicted is None:
        return False
    a, b = (of.normalize(text) or of.extract(text, (), False) for text in (predicted, gold))
    return a is not None and b is not None and of.same(a, b)


def infer_kind(answers: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the kind that fits all of a pool's (answer, options) pairs, "span" where no other does."""
    pairs = list(answers)
    if pairs and all(
        options and (letter := choice.normalize(answer)) and ord(letter) - ord("A") < len(options)
        for answer, options in pairs
    ):
        return "choice"
    for kind in ("number", "yes_no"):
        if pairs and all(KINDS[kind].normalize(answer) for answer, _ in pairs):
            return kind
    changes = {state.normalize(answer) for answer, _ in pairs}
    return "state" if None not in changes and changes - {NO_CHANGE} else "span"


def instruction(kind: str) -> str:
    """Return the sentence that asks for reasoning step by step and a closing line with this kind of answer."""
    return kind_of(kind).instruction
