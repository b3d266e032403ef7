"""The exemplar, the pool that holds them, and the text by which both are retrieved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

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


def question_key(question: str) -> str:
    """Return the question with white space folded and case removed; equal keys mean the same question."""
    return " ".join(question.split()).casefold()


def retrieval_text(question: str, rationale: str) -> str:
    """Return x ⊕ y, the text the encoder sees for a question and its chain of thought (DQ-LoRe, section 3.2)."""
    return f"{question}\n{rationale}" if rationale else question
