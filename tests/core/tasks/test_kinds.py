import re
import time

import pytest

from dqlore.core.errors import UsageError
from dqlore.core.exemplars import Exemplar
from dqlore.core.prompts import shot
from dqlore.core.tasks import KINDS, extract_answer, infer_kind, instruction, is_correct, normalize_answer


@pytest.mark.parametrize("call", [lambda: extract_answer("numbr", "5"), lambda: instruction("numbr")])
def test_an_unknown_kind_names_the_kinds(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=r"'numbr'.*'number'.*number, choice, yes_no, span"):
        call()


@pytest.mark.parametrize(
    ("pairs", "kind"),
    [
        ([("5", ()), ("1,200", ()), ("-0.5", ())], "number"),
        ([("A", ("1", "2")), ("(b)", ("1", "2"))], "choice"),
        ([("yes", ()), ("No", ()), ("True", ())], "yes_no"),
        ([("5", ()), ("Paris", ())], "span"),
        ([("A", ())], "span"),
        ([("C", ("1", "2"))], "span"),
        ([], "span"),
    ],
)
def test_the_kind_of_a_pool(pairs: list[tuple[str, tuple[str, ...]]], kind: str) -> None:
    assert infer_kind(pairs) == kind


GOLDS = [("number", "-2.5"), ("number", "1200"), ("choice", "C"), ("yes_no", "no"), ("span", "St. Louis")]


@pytest.mark.parametrize(("kind", "gold"), GOLDS)
def test_the_reply_that_a_prompt_shows_is_read_right(kind: str, gold: str) -> None:
    exemplar = Exemplar("1", "A question", "There are 3 reasons, no more.\nI say A first.", gold)
    assert extract_answer(kind, shot(exemplar).reply) == gold == normalize_answer(kind, gold)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].closing != "{}"])
def test_each_instruction_asks_for_steps_and_the_closing_line(kind: str) -> None:
    assert re.search(r"one step at a time.*\"The answer is X\.\"", instruction(kind))


LONG = 300_000
HOSTILE = {
    "digits": "7" * LONG,
    "grouped digits": "1" + ",111" * (LONG // 4) + "a",
    "points": "1." * (LONG // 2),
    "slashes": "1/" * (LONG // 2),
    "fractions": "\\frac{" * (LONG // 6),
    "boxes": "\\boxed{" * (LONG // 7),
    "anchors": "the answer is " * (LONG // 14),
    "answers": "answer " * (LONG // 7),
    "spaces": "answer" + " " * LONG + "5",
    "lines": "\n" * LONG,
    "questions": "\nQuestion" * (LONG // 9),
    "stars": "**" * (LONG // 2),
    "letters": "A." * (LONG // 2),
    "number words": "The answer is " + "hundred " * (LONG // 8),
    "minus signs": "-" * LONG,
    "no": "no " * (LONG // 3),
    "thoughts": "<think>" * (LONG // 7),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_huge_reply_is_read_in_linear_time(kind: str, text: str) -> None:
    started = time.perf_counter()
    answer = extract_answer(kind, text, ("7", "bank"))
    is_correct(kind, answer, "7")
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("text", ["1e999999999", "9" * 5000, "1e99 ", "0." + "3" * 5000, "1/" + "9" * 5000])
def test_huge_numbers_neither_crash_nor_match(text: str) -> None:
    assert not is_correct("number", extract_answer("number", text), "9")
