"""Exact match and F1 against a literal reading of how SQuAD is scored, written here on its own."""

import itertools
import random
import re

import pytest

from dqlore.core.datasets import load_dataset
from dqlore.core.tasks.span import exact_match, token_f1

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def words(answer):
    """Lower case; ASCII punctuation out; the words a, an and the out; split at white space."""
    text = "".join(c for c in answer.lower() if c not in PUNCTUATION)
    return [word for word in re.sub(r"\b(a|an|the)\b", " ", text).split() if word]


def literal_match(predicted, golds):
    return any(" ".join(words(predicted)) == " ".join(words(gold)) for gold in golds)


def literal_f1(predicted, golds):
    best = 0.0
    for gold in golds:
        said, wanted = words(predicted), words(gold)
        if not said or not wanted:
            best = max(best, 1.0 if said == wanted else 0.0)
            continue
        left, same = list(wanted), 0
        for word in said:
            if word in left:
                left.remove(word)
                same += 1
        if same:
            precision, recall = same / len(said), same / len(wanted)
            best = max(best, 2 * precision * recall / (precision + recall))
    return best


def agree(predicted, golds):
    assert exact_match(predicted, golds) == literal_match(predicted, golds), (predicted, golds)
    assert token_f1(predicted, golds) == pytest.approx(literal_f1(predicted, golds), abs=1e-12), (predicted, golds)


TABLE = [
    # predicted, golds, exact match, F1
    ("the Eiffel Tower", ["Eiffel tower."], True, 1.0),
    ("An apple a day", ["apple day"], True, 1.0),
    ("theatre", ["atre"], False, 0.0),  # an article is a word of its own
    ("a-b", ["b"], False, 0.0),  # the mark goes first and joins: "ab"
    ("the-end", ["end"], False, 0.0),
    ("J. Doe", ["j doe"], True, 1.0),
    ("$1,250", ["1250"], True, 1.0),
    ("3.5", ["35"], True, 1.0),  # SQuAD's rule, for better or worse
    ("1250", ["1,250", "1.25 thousand"], True, 1.0),
    ("four", ["4"], False, 0.0),
    ("Kraków", ["krakÓW"], True, 1.0),
    ("Krako\u0301w", ["Kraków"], False, 0.0),  # no folding of composed characters
    ("“Kraków”", ["Kraków"], False, 0.0),  # only ASCII marks are taken out
    ("20–18", ["20-18"], False, 0.0),
    ("20-18", ["2018"], True, 1.0),
    ("565 °C", ["565 °c"], True, 1.0),
    ("in Paris in 1889", ["1889"], False, 0.4),
    ("1889 1889", ["1889"], False, 2 / 3),
    ("Rome", ["Paris", "Rome, Italy"], False, 2 / 3),
    ("Rome", ["Paris", "Rome"], True, 1.0),
    ("Rome", ["Paris"], False, 0.0),
    ("  Rome \n Italy ", ["rome italy"], True, 1.0),
    ("", ["Paris"], False, 0.0),
    ("", [""], True, 1.0),
    ("the", ["a"], True, 1.0),
    ("the", ["Paris"], False, 0.0),
    ("...", ["!"], True, 1.0),
]


@pytest.mark.parametrize(("predicted", "golds", "match", "f1"), TABLE)
def test_edge_cases(predicted, golds, match, f1):
    assert exact_match(predicted, golds) is match
    assert token_f1(predicted, golds) == pytest.approx(f1)
    agree(predicted, golds)


def test_no_answer_is_never_right():
    assert not exact_match(None, [""]) and token_f1(None, [""]) == 0.0
    assert not exact_match("Paris", []) and token_f1("Paris", []) == 0.0


def test_all_xquad_golds(data):
    """Each gold answer against itself, its neighbour's, its own paragraph's first words, and mangled forms of it."""
    golds = [exemplar.meta["answers"] for exemplar in load_dataset("xquad", "test", data_dir=data)]
    assert len(golds) == 1190
    draw = random.Random(0)
    for own, other in itertools.pairwise(golds):
        answer = own[0]
        assert exact_match(answer, own) and token_f1(answer, own) == 1.0
        parts = answer.split()
        draw.shuffle(parts)
        for predicted in (answer, other[0], f"The {answer.upper()}!", f"{answer} {other[0]}", " ".join(parts[1:])):
            agree(predicted, own)
            agree(predicted, [*other, *own])
