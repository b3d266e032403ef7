import re

import pytest

from dqlore.core.encoder.share import share


def words(text: str) -> list[int]:
    return [match.end() for match in re.finditer(r"\S+", text)]


def numbered(letter: str, count: int) -> str:
    return " ".join(f"{letter}{i}" for i in range(count))


@pytest.mark.parametrize(
    ("asked", "reasoned", "room", "kept"),
    [
        (30, 30, 10, (5, 5)),  # both are long: half each
        (30, 3, 10, (7, 3)),  # a short rationale leaves its room to the question
        (2, 30, 10, (2, 8)),  # and the other way round
        (30, 30, 11, (5, 6)),  # the question keeps at most half
        (30, 0, 10, (10, 0)),
        (0, 30, 10, (0, 10)),
        (4, 6, 10, (4, 6)),
    ],
)
def test_each_part_keeps_its_beginning(asked: int, reasoned: int, room: int, kept: tuple[int, int]) -> None:
    cut = share(numbered("q", asked), numbered("r", reasoned), room, words)
    assert [word for word in cut.split() if word[0] == "q"] == numbered("q", kept[0]).split()
    assert [word for word in cut.split() if word[0] == "r"] == numbered("r", kept[1]).split()


def test_the_parts_stay_on_lines_of_their_own() -> None:
    assert share("a b c", "d e f", 4, words) == "a b\nd e"
