import pytest
from hypothesis import given
from hypothesis import strategies as st

from dqlore.core.tasks import extract_answer, is_correct, normalize_answer
from dqlore.core.tasks.number import canonical

READ = [
    # currency, percent, separators, decimals
    ("She pays $46.00.", "46"),
    ("It costs 46 €", "46"),
    ("Total: USD 46.", "46"),
    ("Rs.46", "46"),
    ("\\$1,200", "1200"),
    ("...so the profit is $1,250,000", "1250000"),
    ("from 1,250,000 down to 980", "980"),
    ("1{,}250 litres", "1250"),
    ("25%", "25"),
    (".5", "0.5"),
    ("18.00", "18"),
    ("46,- EUR", "46"),
    ("1,2,3", "3"),
    # sign
    ("it is -5 degrees", "-5"),
    ("−5", "-5"),
    ("-$5", "-5"),
    ("$-5", "-5"),
    ("10-5", "5"),
    ("about 5-10 apples", "10"),
    ("16 - 5", "5"),
    # what sticks to a number
    ("(42).", "42"),
    ("42!", "42"),
    ("[42]", "42"),
    ("**42**", "42"),
    ('"42"', "42"),
    ("...46", "46"),
    ("12...", "12"),
    ("x=5", "5"),
    ("42abc", None),
    ("abc42", None),
    ("v1.2.3", None),
    ("42_000", None),
    # units
    ("35 cm", "35"),
    ("35cm^2", "35"),
    ("35cm²", "35"),
    ("5 km/h", "5"),
    ("16 \\text{ units}^{2}", "16"),
    ("4 million", "4"),
    # fractions, powers of ten
    ("3/4", "0.75"),
    ("2/3 of it", "2/3"),
    ("1 1/2", "1.5"),
    ("1½ cups", "1.5"),
    ("\\frac{3}{4}", "0.75"),
    ("-\\frac{3}{4}", "-0.75"),
    ("2\\frac{1}{2}", "2.5"),
    ("5/0", None),
    ("1.5e3", "1500"),
    ("3 x 10^4", "30000"),
    ("2 \\times 10^{-2}", "0.02"),
    # times, ratios, ordinals
    ("at 5:00 pm", "5"),
    ("The answer is 3:45.", None),
    ("a ratio of 3:2", None),
    ("Of 14 runners he came 2nd.", "14"),
    ("The answer is July 17th.", "17"),
    # boxes
    (r"Thus \boxed{18}.", "18"),
    (r"\boxed{18.0}", "18"),
    (r"$\boxed{\$18}$", "18"),
    (r"\boxed{35\text{ cm}}", "35"),
    (r"\boxed{\frac{1}{2}}, from 3 of 6", "0.5"),
    (r"is $\fbox{70}\%$, of 92", "70"),
    (r"\boxed{12", "12"),
    # statements
    ("7 eggs * $2 = $14", "14"),
    ("The answer is 7 eggs * $2 = $14.", "14"),
    ("The answer is 26 + 36 - 48 = 14. The answer in words is fourteen.", "14"),
    ("The answer is: \n\ny = 180 - 5(30)\ny = 180 - 150\ny = 30", "30"),
    ("The answer is $75 + $15 = \n\n$90", "90"),
    ("The answer is 320 + (2 * 60) = 440", "440"),
    ("The answer is 10, since 20 = 2 × 10", "10"),
    ("The answer is x = 5, y = 3", "5"),
    ("**Answer:** 12", "12"),
    ("Answer = 5", "5"),
    ("The answer to the question is: 5 apples", "5"),
    ("Final Answer: $\\boxed{1,250}$", "1250"),
    ("Answer: \n\n42", "42"),
    ("14 is the answer.", "14"),
    ("The answer is twelve.", "12"),
    ("The answer is one hundred fifty-seven thousand four hundred.", "157400"),
    ("The answer is negative seven (-7).", "-7"),
    ("The answer is the one that costs 15", "15"),
    ("The answer is 12. Wait, that is wrong.\nThe answer is 14.", "14"),
    ("The answer is 12. I checked it against 90 cases.", "12"),
    ("#### 36\n" + "And so the talk goes on. " * 25, "36"),
    ("#### Step 3: add\nThat makes 14 in all.", "14"),
    ("So she makes **$18** a day from 9 eggs.", "18"),
    ("First 16 eggs, then 9 are left", "9"),
    ("He pays 12. I hope this answer is helpful!", "12"),
    ("**Final Answer:** The total is **$18**.", "18"),
    ("### Answer\n18", "18"),
    # nothing to read
    ("", None),
    ("nothing here", None),
    ("Of 3 ways, the answer is unknown.", None),
    ("It may be 4.\nThe answer is not possible to determine.", None),
    ("The answer is 12.\nSo the answer is unclear.", None),
    # what belongs to the reply
    ("...3 * 4 = 12\n#### 12\n\nQuestion: Ben has 90 pens...\n#### 90", "12"),
    ("5\n\nQ: What of 9 pens?", "5"),
    ("12 pens\n\n**Question 2:** Ben has 90 pens", "12"),
    ("I cannot tell.\n\nQuestion: Ben has 90 pens", None),
    ("Question: What is 3 + 4?\nAnswer: 7", "7"),
    ("The Question wants litres, not cups.\n\n\nSo:\n\n#### 15", "15"),
    ("Try 9? no, 3 plus 4.\n</think>\nThe answer is 7.", "7"),
    ("<think>The answer is 8?\nQuestion: is it?</think>\nIt is 7", "7"),
    ("<think>3 + 4 = 7 so", None),
    ("It is 3 + 4 = 7 </think>", None),
]


@pytest.mark.parametrize(("text", "answer"), READ, ids=[repr(text[:40]) for text, _ in READ])
def test_read(text: str, answer: str | None) -> None:
    assert extract_answer("number", text) == answer


def test_a_cut_reply_is_read_only_where_it_states_an_answer() -> None:
    assert extract_answer("number", "He has 12 and then 15", stated_only=True) is None
    assert extract_answer("number", "#### 12\nBecause of 15", stated_only=True) == "12"


@pytest.mark.parametrize(
    ("predicted", "gold", "right"),
    [
        ("46", "46", True),
        ("1200", "1,200", True),
        ("18", "18.0", True),
        ("-5.0", "-5", True),
        ("5", "-5", False),
        ("25", "5", False),
        ("50", "5", False),
        ("0.5", "5", False),
        ("5.5", "5", False),
        ("33.14", "3.14", False),
        ("2/3", "0.6666666666666666", True),
        ("0.67", "0.6666666666666666", False),
        ("1000000", "1000001", False),
        ("0", "0.0", True),
        ("1200", "3 boxes are <<3*400=1200>>1,200.\n#### 1,200", True),
        (None, "5", False),
        ("no number", "5", False),
        ("5", "no number", False),
    ],
)
def test_numbers_compare_by_value(predicted: str | None, gold: str, right: bool) -> None:
    assert is_correct("number", predicted, gold) is right


@pytest.mark.parametrize(
    ("gold", "plain"),
    [("1,200", "1200"), ("$5", "5"), ("25%", "25"), ("35 cm", "35"), ("8.0", "8"), ("-0.50", "-0.5"), ("4/6", "2/3")],
)
def test_gold_answers_become_plain(gold: str, plain: str) -> None:
    assert normalize_answer("number", gold) == plain


@pytest.mark.parametrize("text", ["12 and 13", "Paris", "", "42abc", "about 5", "Windows 11", "2nd"])
def test_a_text_that_is_more_than_a_number_is_none(text: str) -> None:
    assert normalize_answer("number", text) is None


@given(st.fractions(min_value=-(10**12), max_value=10**12, max_denominator=10**6))
def test_what_was_read_reads_back_the_same(value: object) -> None:
    plain = canonical(value)  # type: ignore[arg-type]
    assert extract_answer("number", plain) == normalize_answer("number", plain) == plain
    assert extract_answer("number", f"So it is.\nThe answer is {plain}.") == plain
