"""Text in the pieces a stream would have brought."""

import re

_PIECE = re.compile(r"\s*\S+|\s+$")


def word_pieces(text: str) -> list[str]:
    """Split `text` into words, each with the white space before it; joined they give `text` again."""
    return _PIECE.findall(text)
