from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dqlore.core.text import printable
from dqlore.tui.text import Folded, SafeStream, fold

TRICKY = st.text(st.sampled_from(list("ab cde\n\r\t[]/東京から🚆e\u0301\u200d👩\ufe0f☂\x1b\x07")), max_size=200)
CUTS = st.lists(st.integers(0, 200), max_size=12)


def pieces(text, cuts):
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


@given(TRICKY, CUTS)
def test_a_stream_is_as_safe_as_the_whole_text(text, cuts):
    stream = SafeStream()
    for piece in pieces(text, cuts):
        stream.feed(piece)
    stream.finish()
    assert stream.text == printable(text).lstrip()


@given(TRICKY, CUTS, st.integers(2, 30))
def test_text_folded_as_it_comes_equals_text_folded_whole(text, cuts, width):
    text = printable(text)
    grown, whole = Folded(width), Folded(width)
    for piece in pieces(text, cuts):
        grown.add(piece)
    whole.add(text)
    assert grown.lines == whole.lines or text == ""


@given(TRICKY, st.integers(2, 30))
def test_lines_fit_the_width_and_lose_nothing(text, width):
    text = printable(text).replace("\n", " ")
    lines = fold(text, width)
    assert "".join(lines) == text.replace("\t", "    ")
    assert all(cell_len(line.rstrip(" ")) <= width for line in lines)


def test_lines_break_between_words_and_long_words_where_they_must():
    assert fold("one two three", 8) == ["one two ", "three"]
    assert fold("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert fold("東京から3 km", 6) == ["東京か", "ら3 km"]


def test_a_carriage_return_cut_from_its_line_feed_is_one_line_end():
    stream = SafeStream()
    for piece in ("a\r", "\nb"):
        stream.feed(piece)
    assert stream.text == "a\nb"


def test_adding_text_touches_the_last_line_only():
    folded = Folded(40)
    folded.add("word " * 5000)
    before = folded.lines[:-1]
    folded.add("more")
    assert all(now is then for now, then in zip(folded.lines, before, strict=False))
