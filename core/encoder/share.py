"""How a retrieval text that is too long is cut, so that the rationale is not lost behind a long question."""

from collections.abc import Callable, Sequence

from ..exemplars import retrieval_text

#: Returns the character offset at which each token of a text ends, special tokens left out.
TokenEnds = Callable[[str], Sequence[int]]


def share(question: str, rationale: str, room: int, token_ends: TokenEnds) -> str:
    """Return the retrieval text cut to `room` tokens: the beginning of the question and that of the rationale.

    Where both need more than half of the room, each gets half; where one needs less, the other gets what is left.
    """
    asked, reasoned = token_ends(question), token_ends(rationale)
    kept = min(len(asked), max(room // 2, room - len(reasoned)))
    return retrieval_text(_head(question, asked, kept), _head(rationale, reasoned, room - kept))


def _head(text: str, ends: Sequence[int], tokens: int) -> str:
    if tokens >= len(ends):
        return text
    return text[: ends[tokens - 1]] if tokens > 0 else ""
