import pytest

from dqlore.core.options import answer_letter, number_base, split_options

FIVE = ("15%", "24%", "31%", "44%", "50%")


@pytest.mark.parametrize(
    "raw",
    [
        ["A)15%", "B) 24%", "C)31%", "(D)44%", "E)50%"],
        ["A. 15%", "B. 24%", "C. 31%", "D. 44%", "E. 50%"],
        ["a: 15%", "b: 24%", "c: 31%", "d: 44%", "e: 50%"],
        ["A)A)15%", "B)B)24%", "C)C)31%", "D)D)44%", "E)E)50%"],
        ["B) 24%", "A) 15%", "C) 31%", "E) 50%", "D) 44%"],
        list(FIVE),
        "A)15% B) 24% C)31% (D)44% E)50%",
        "A)15%, B) 24%, C)31%, (D)44%, E)50%",
        [" A) 15%", "\tB) 24%", "C) 31%", "D) 44% ", "E) 50%"],
        "A)15%B)24%C)31%D)44%E)50%",
        "(a) 15%\n(b) 24%\r\n\n(c) 31%\n(d) 44%\n(e) 50%\n",
        "Answer Choices: (A) 15% (B) 24% (C) 31% (D) 44% (E) 50%",
        "15%|24%|31%|44%|50%",
        "15%; 24%; 31%; 44%; 50%",
    ],
)
def test_letters_are_split_off_once(raw):
    assert tuple(option.strip() for option in split_options(raw)) == FIVE


@pytest.mark.parametrize(
    ("raw", "options"),
    [
        (["A)2d", "B)(3d)/4", "C)(4d)/3"], ("2d", "(3d)/4", "(4d)/3")),
        ("A)2d B)(3d)/4 C)(4d)/3 D)d", ("2d", "(3d)/4", "(4d)/3", "d")),
        ("(A) f(A) (B) f(B) (C) x", ("f(A)", "f(B)", "x")),
        ("A)3 daysB)4 daysC)a week", ("3 days", "4 days", "a week")),
        ("a) a club) b) the end", ("a club)", "the end")),
        ("A)(a + b)(a - b) B)(a - b)2 C)a3", ("(a + b)(a - b)", "(a - b)2", "a3")),
    ],
)
def test_letters_inside_an_option_stay(raw, options):
    assert split_options(raw) == options


@pytest.mark.parametrize(
    "options", [("A. Lincoln", "G. Bush"), ("I) and II)", "B"), ("A)", "only one"), (" two  spaces ", "b")]
)
def test_options_without_a_full_set_of_letters_stay_as_they_are(options):
    assert split_options(list(options)) == options


@pytest.mark.parametrize("text", ["fifteen", "A) only one", ""])
def test_one_text_without_letters_or_separators_is_refused(text):
    with pytest.raises(ValueError, match="letters"):
        split_options(text)


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("B", "B"),
        (" b ", "B"),
        ("(B)", "B"),
        ("B.", "B"),
        ("24%", "B"),
        (" 24% ", "B"),
        ("B) 24%", "B"),
        ("B) 31%", None),
        ("F", None),
        ("24", None),
        ("", None),
    ],
)
def test_an_answer_becomes_the_letter_it_names(answer, letter):
    assert answer_letter(answer, FIVE) == letter


def test_an_answer_that_two_options_share_names_none():
    assert answer_letter("7", ("7", "8", "7")) is None


@pytest.mark.parametrize(
    ("rows", "base"),
    [
        ([(0, 4), (3, 4)], 0),
        ([(1, 4), (4, 4)], 1),
        ([(1, 4), (2, 4)], None),
        ([(0, 4), (4, 4)], None),
        ([], None),
    ],
)
def test_numbers_count_from_0_or_1_only_where_the_rows_decide_it(rows, base):
    assert number_base(rows) == base
