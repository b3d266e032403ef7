"""What the encoder reads of anchors and exemplars, cut to its length as an index cuts it."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..encoder.full import text_within
from ..exemplars import Pool

View = Literal["question+cot", "question"]


class Texts:
    """The texts of the exemplars called `names`; `cut` counts those above the encoder's length.

    An exemplar is read as x ⊕ y, as in an index. An anchor is read the same way, or by its question alone.
    """

    def __init__(self, pool: Pool, names: Iterable[str], view: View, tokenizer: Any, max_tokens: int) -> None:
        wanted = set(names)
        chosen = [exemplar for exemplar in pool if exemplar.id in wanted]
        whole = {e.id: text_within(tokenizer, max_tokens, e.question, e.rationale) for e in chosen}
        self.cut = sum(cut for _, cut in whole.values())
        self.exemplar = {name: text for name, (text, _) in whole.items()}
        self.anchor = (
            self.exemplar
            if view == "question+cot"
            else {e.id: text_within(tokenizer, max_tokens, e.question, "")[0] for e in chosen}
        )
        #: Equal numbers mean equal exemplars, also where an anchor is read by its question alone.
        self.number: dict[str, int] = {}
        self.number_by(self.exemplar)

    def number_by(self, texts: Mapping[str, str]) -> None:
        """Number the exemplars by other texts (by id): exemplars with equal ones are no negatives of each other.

        Where the outputs are the signal, those with the anchor's own output must not be pushed away from it.
        """
        numbers: dict[str, int] = {}
        self.number = {name: numbers.setdefault(texts[name], len(numbers)) for name in self.exemplar}
