import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dqlore.core.text import one_line, printable

ANY_TEXT = st.text(st.characters())  # surrogates included
LETTERS = st.text(st.characters(categories=("L", "M", "N", "P", "S")))


@given(ANY_TEXT)
def test_nothing_a_terminal_obeys_is_left(text):
    for character in printable(text):
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
    printable(text).encode("utf-8")


@given(ANY_TEXT)
def test_twice_is_once(text):
    assert printable(printable(text)) == printable(text)
    assert one_line(one_line(text)) == one_line(text)


@given(LETTERS)
def test_letters_digits_and_signs_stay(text):
    assert printable(text) == text


@given(ANY_TEXT)
def test_one_line_is_one_line(text):
    assert len(one_line(text).splitlines()) <= 1
    assert "\t" not in one_line(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Tom has 3 apples.\n\tHow many are left?",
        "算一算:三个苹果",
        "👩‍👩‍👧‍👦 🏳️‍🌈 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 👍🏽",
        "e\u0301 and नमस्ते and क्\u200dष",
        "می\u200cخواهم",
        "שלום\u200f!",
        "a literal \\x1b stays",
    ],
)
def test_ordinary_text_is_unchanged(text):
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "\\x1b]8;;http://x\\x07link\\x1b]8;;\\x07"),
        ("\x9b2J and \x7f and \x00", "\\x9b2J and \\x7f and \\x00"),
        ("user\u202etxt.exe\u202c", "user\\u202etxt.exe\\u202c"),
        ("\ufeffpass\u200bword\u2066", "\\ufeffpass\\u200bword\\u2066"),
        ("half \ud83d", "half \\ud83d"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("one\r\ntwo\rthree\u2028four\x0cfive\x85six", "one\ntwo\nthree\nfour\nfive\nsix"),
    ],
)
def test_dangerous_characters_are_spelled_out(text, shown):
    assert printable(text) == shown


def test_one_line_folds_breaks_and_tabs_only():
    assert one_line("  first \r\n\n\tsecond  word\n") == "first second  word"
