import pytest

from dqlore.core.tasks import extract_answer, is_correct

READ = [
    ("The answer is Paris.", "Paris"),
    ("The answer is Paris. It lies on the Seine.", "Paris"),
    ("The answer is St. Louis. It lies in Missouri.", "St. Louis"),
    ("The answer is J. Doe.", "J. Doe"),
    ("The answer is Washington, D.C.", "Washington, D.C."),
    ('Answer: "New York"', "New York"),
    ("**Answer:** **Rome**", "Rome"),
    ("The answer is: **Mount Everest** (8,849 m).", "Mount Everest"),
    ("The answer is the Nile, which is long.", "the Nile"),
    ("Answer:\n\nOslo\nIt is cold.", "Oslo"),
    ("\\boxed{\\text{Rome}}", "Rome"),
    ("#### 12 March 1901", "12 March 1901"),
    ("Paris\n\nA long talk follows.", "Paris"),
    ("<think>Rome?</think>Oslo", "Oslo"),
    ("The answer is Rome. No, wait.\nThe answer is Oslo.", "Oslo"),
    ("Oslo\n\nQuestion: And Rome?\nAnswer: The answer is Rome.", "Oslo"),
    ("", None),
    ("...", None),
]


@pytest.mark.parametrize(("text", "answer"), READ, ids=[repr(text[:40]) for text, _ in READ])
def test_read(text: str, answer: str | None) -> None:
    assert extract_answer("span", text) == answer


@pytest.mark.parametrize(
    ("predicted", "gold", "right"),
    [
        ("the Eiffel Tower", "Eiffel tower.", True),
        ("J. Doe", "j doe", True),
        ("Paris, France", "Paris", False),
        ("the", "a", False),
        (None, "Paris", False),
    ],
)
def test_compare_as_squad_does(predicted: str | None, gold: str, right: bool) -> None:
    assert is_correct("span", predicted, gold) is right
