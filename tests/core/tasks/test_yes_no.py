import pytest

from dqlore.core.tasks import extract_answer, is_correct, normalize_answer

READ = [
    ("So the answer is, as far as we know, yes.", "yes"),
    ("Nobody doubts it: yes", "yes"),
    ("Yes, because I know.", "yes"),
    ("No.", "no"),
    ("**Yes**", "yes"),
    ("Yes\n\nHerons are tall.", "yes"),
    ("Herons are tall, so no.", "no"),
    ("\\boxed{No}", "no"),
    ("#### Yes", "yes"),
    ("False", "no"),
    ("The answer is true.", "yes"),
    ("The answer is no, because yes-men said so", "no"),
    ("The answer is, no doubt, yes.", "yes"),
    ("The answer (Yes or No) is: Yes", "yes"),
    ("The answer is most likely No.", "no"),
    ('The answer is "Yes".', "yes"),
    ("The answer is:\n\nYes, they could.", "yes"),
    ("The answer is no. If you mean tall, though, the answer is yes.", "yes"),
    ("No, wait.</think>The answer is yes.", "yes"),
    ("The answer is yes.\n\nQuestion: Can a cow fly?\nAnswer: The answer is no.", "yes"),
    # no answer
    ("The answer (Yes or No) is: Unknown", None),
    ("If tall, the answer is yes. If not, the answer is no. So the answer is: It depends.", None),
    ("The answer is both yes and no.", None),
    ("There is no doubt here.", None),
    ("It is true that nobody knows", None),
    ("Nothing is known about it", None),
    ("Maybe", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "answer"), READ, ids=[repr(text[:40]) for text, _ in READ])
def test_read(text: str, answer: str | None) -> None:
    assert extract_answer("yes_no", text) == answer


def test_compare() -> None:
    assert is_correct("yes_no", "yes", "Yes")
    assert is_correct("yes_no", "no", "False")
    assert not is_correct("yes_no", "no", "yes")
    assert not is_correct("yes_no", None, "no")
    assert normalize_answer("yes_no", "True") == "yes"
    assert normalize_answer("yes_no", "yes and no") is None
