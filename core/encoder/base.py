"""What every encoder can do, and what it returns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ..progress import Progress, silent

Vectors = NDArray[np.float32]
Normalize = Literal["model", "always", "never"]


@dataclass(frozen=True, eq=False)
class Encoded:
    """The sentence embeddings (n, dim), C-contiguous, and the rows whose text was too long and was cut."""

    vectors: Vectors
    cut_rows: tuple[int, ...] = ()

    @property
    def cut(self) -> int:
        """How many texts were cut."""
        return len(self.cut_rows)


class Encoder(Protocol):
    """A sentence encoder s_e.

    `name` is what the user wrote. `fingerprint` changes with the weights, the tokenizer, the pooling, the length
    limit and the normalization. It does not depend on `dtype`, so that an index serves machines with and without fast
    bfloat16 or int8: rounding moves a vector by a cosine of about 1e-4, with int8 4e-4, and an inner product of unit
    vectors by about 1e-3, with int8 up to 5e-3. One encoder embeds pool and queries in one dtype.
    """

    name: str
    fingerprint: str
    dim: int
    max_tokens: int
    dtype: str

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> Encoded:
        """Return one vector per text; a text above `max_tokens` loses its end."""
        ...

    def encode_pairs(
        self, questions: Sequence[str], rationales: Sequence[str], progress: Progress = silent
    ) -> Encoded:
        """Return one vector per x ⊕ y (`exemplars.retrieval_text`); both parts of a text that is too long are cut.

        See `share.share` for the rule.
        """
        ...


def cut_warning(cut: int, total: int, max_tokens: int) -> str:
    """Return the sentence that tells how many retrieval texts were cut."""
    return (
        f"{cut} of {total} retrieval texts are longer than the encoder's {max_tokens} tokens and were cut: "
        "the question keeps at most half of them if the rationale needs the rest"
    )


def clean(text: str) -> str:
    """Return the text with lone surrogates, which no tokenizer takes, replaced by question marks."""
    return text.encode("utf-8", "replace").decode()
