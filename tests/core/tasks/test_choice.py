import pytest

from dqlore.core.tasks import extract_answer, is_correct, normalize_answer

READ = [
    ("ANSWER: **C**", "C"),
    ("Answer: $C$", "C"),
    ("Answer: (C)", "C"),
    ("The answer is \\boxed{C}.", "C"),
    ("The answer is \\boxed{\\text{C}}.", "C"),
    ("c)", "C"),
    ("(B)", "B"),
    ("B)", "B"),
    ("b", "B"),
    ("Answer: c", "C"),
    ("B. It is 42 because of the tide", "B"),
    ("B\nIt is 42.", "B"),
    ("It is 42.\nB", "B"),
    ("So it should be D.", "D"),
    ("Ans: 'B'", "B"),
    ("Answer B", "B"),
    ("The answer is (B). Mind you, A and D look tempting.", "B"),
    ("We can drop C; E is the answer.", "E"),
    ("C is the correct answer.", "C"),
    ("The correct option is (d).", "D"),
    ("Therefore, among A through E, the answer is D.", "D"),
    ("The answer is closest to D, 35%.", "D"),
    ("The answer is 26, so (C).", "C"),
    ("The answer is A.", "A"),
    ("The answer is A because it floats", "A"),
    ("I think that the answer is D", "D"),
    ("The answer is C. No wait, 3 is odd.\nThe answer is E.", "E"),
    ("#### B", "B"),
    ("</think>\nThe answer is B.", "B"),
    ("The answer is B.\n\nQuestion: Where?\nAnswer: The answer is C.", "B"),
    ("The correct answer is **B) 10**.", "B"),
    ("**B) clothes line**\n\nA towel is hung there, not A) oven.", "B"),
    # not letters
    ("The answer is A car", None),
    ("The answer is a car", None),
    ("A dog is here. I like it.", None),
    ("I is the answer", None),
    ("Let C.P. be 5", None),
    ("To answer a question like this takes time", None),
    ("The answer is Z", None),
    # no decision
    ("The answer is A or B.", None),
    ("The answer is not A.", None),
    ("Either C or D fits, so the answer is unknown.", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "answer"), READ, ids=[repr(text[:40]) for text, _ in READ])
def test_read(text: str, answer: str | None) -> None:
    assert extract_answer("choice", text) == answer


OPTIONS = ("21", "21.5", "22 km", "bank", "savings bank")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The answer is 21.5.", "B"),
        ("The answer is $21.", "A"),
        ("The answer is 22 km.", "C"),
        ("22", "C"),
        ("The answer is the savings bank.", "E"),
        ("The answer is a bank.", "D"),
        ("The answer is A bank", "D"),
        ("So it must be the savings bank.", "E"),
        ("The answer is F.", None),
        ("The answer is 23.", None),
        ("The answer is E.", "E"),
    ],
)
def test_an_option_given_by_its_text_and_only_letters_that_exist(text: str, answer: str | None) -> None:
    assert extract_answer("choice", text, OPTIONS) == answer


def test_more_options_make_more_letters() -> None:
    assert extract_answer("choice", "The answer is J.") is None
    assert extract_answer("choice", "The answer is J.", tuple(map(str, range(10)))) == "J"


def test_options_with_one_text_are_not_told_apart() -> None:
    assert extract_answer("choice", "The answer is 8.75.", ("8.75", "8.79", "8.75")) is None


def test_letters_compare_in_any_dress() -> None:
    assert is_correct("choice", "B", "(b)")
    assert not is_correct("choice", "A", "B")
    assert not is_correct("choice", None, "B")
    assert normalize_answer("choice", "(b).") == "B"
    assert normalize_answer("choice", "bank") is None
