"""The exemplar, the pool that holds them, and the text by which both are retrieved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from .errors import UsageError
from .files import fingerprint

_NO_META: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Exemplar:
    """One solved case: a question, the rationale that leads to the answer, and the answer.

    `options` are the texts of a multiple-choice question without their letters; `answer` is then the letter.
    """

    id: str
    question: str
    rationale: str
    answer: str
    options: tuple[str, ...] = ()
    meta: Mapping[str, object] = field(default_factory=lambda: _NO_META, compare=False)


@dataclass(frozen=True)
class Pool(Sequence[Exemplar]):
    """Exemplars in a fixed order with unique ids. `source` names where they came from, for messages."""

    exemplars: tuple[Exemplar, ...]
    source: str = field(default="pool", compare=False)

    def __len__(self) -> int:
        return len(self.exemplars)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.exemplars[index]

    def __iter__(self) -> Iterator[Exemplar]:
        return iter(self.exemplars)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of every field that the selection or the prompt can show, in order."""
        return fingerprint(
            *(part for e in self.exemplars for part in (e.id, e.question, e.rationale, e.answer, *e.options))
        )

    def positions_where(self, tags: Mapping[str, str]) -> list[int]:
        """Return the positions whose `meta` has each of the `tags`; in a list, one equal item is enough.

        Values are compared as text, true as "yes" or "true". Raises UsageError where no row is left.
        """
        positions = [i for i, e in enumerate(self) if all(v in _values(e.meta.get(k)) for k, v in tags.items())]
        if not positions:
            wanted = " and ".join(f"{tag} = {value}" for tag, value in tags.items())
            raise UsageError(f"{self.source}: no exemplar has {wanted}{self._seen_values(tags)}")
        return positions

    def _seen_values(self, tags: Mapping[str, str]) -> str:
        """Say what the rows do hold in the first field that none of them has as wanted."""
        for tag, value in tags.items():
            seen = [values for e in self if (values := _values(e.meta.get(tag)))]
            if not seen:
                known = sorted({name for e in self for name in e.meta})
                return f": there is no field '{tag}'; rows have {', '.join(known[:12]) or 'no fields of their own'}"
            if not any(value in values for values in seen):
                known = sorted({values[0] for values in seen})
                return f": {tag} is {', '.join(known[:12])}{' and more' if len(known) > 12 else ''}"
        return " at once"

    @cached_property
    def _positions_by_question(self) -> dict[str, list[int]]:
        positions: dict[str, list[int]] = {}
        for position, exemplar in enumerate(self.exemplars):
            positions.setdefault(question_key(exemplar.question), []).append(position)
        return positions

    @cached_property
    def _positions_by_dialogue(self) -> dict[str | None, list[int]]:
        positions: dict[str | None, list[int]] = {}
        for position, exemplar in enumerate(self.exemplars):
            if "dialogue" in exemplar.meta:
                positions.setdefault(str(exemplar.meta["dialogue"]), []).append(position)
        return positions

    def turns_of(self, dialogue: str | None) -> Sequence[int]:
        """Return where the pool holds turns of a dialogue; none of them is offered for another one of it."""
        return self._positions_by_dialogue.get(dialogue, ())

    def positions_of(self, question: str) -> Sequence[int]:
        """Return where the pool holds this very question; those exemplars are never offered for it."""
        return self._positions_by_question.get(question_key(question), ())


def _values(value: object) -> tuple[str, ...]:
    """Return the texts that a value of `meta` equals."""
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(text for item in value for text in _values(item))
    if isinstance(value, bool):
        return ("yes", "true") if value else ("no", "false")
    if isinstance(value, float) and value.is_integer():
        return (str(int(value)), str(value))
    return (str(value),)


def question_key(question: str) -> str:
    """Return the question with white space folded and case removed; equal keys mean the same question."""
    return " ".join(question.split()).casefold()


def retrieval_text(question: str, rationale: str) -> str:
    """Return x ⊕ y, the text the encoder sees for a question and its chain of thought (DQ-LoRe, section 3.2)."""
    return f"{question}\n{rationale}" if rationale else question
