import pytest

from dqlore.core.answer.replies import parse_candidates, parse_preference, parse_validity

CANDIDATES = [
    ("(a) Paris, (b) Lyon", ["Paris", "Lyon"]),
    ("Here are two: (a) Paris (b) Lyon.", ["Paris", "Lyon"]),
    ("(a) Paris and (b) Lyon", ["Paris", "Lyon"]),
    ("(A) Paris\n(B) Lyon", ["Paris", "Lyon"]),
    ("a) Paris b) Lyon", ["Paris", "Lyon"]),
    ("a. Paris\nb. Lyon", ["Paris", "Lyon"]),
    ("(1) Paris, (2) Lyon", ["Paris", "Lyon"]),
    ("1. Paris\n2) Lyon\n3. Nice", ["Paris", "Lyon"]),
    ("1. 1886\n2. 1887", ["1886", "1887"]),
    ("- Paris\n- **Lyon**", ["Paris", "Lyon"]),
    ("Candidate 1: Paris\nCandidate 2: Lyon", ["Paris", "Lyon"]),
    ("Answers:\nParis\nLyon", ["Paris", "Lyon"]),
    ("Paris; Lyon", ["Paris", "Lyon"]),
    ("Paris, or Lyon", ["Paris", "Lyon"]),
    ("(a) Paris, because it is the capital. (b) Lyon", ["Paris", "Lyon"]),
    ("(a) St. Louis\n\n(b) J. Doe, Jr.", ["St. Louis", "J. Doe, Jr"]),
    ("(a) 1,250 (b) 3.5", ["1,250", "3.5"]),
    ("<think>(a) x (b) y</think>(a) Paris (b) Lyon", ["Paris", "Lyon"]),
    ("(a) Paris\n(b) Lyon\n\nQuestion: Who?\n(a) me", ["Paris", "Lyon"]),
    # one candidate only
    ("Paris", ["Paris"]),
    ("1. Paris", ["Paris"]),
    ("The answer is: Paris.", ["Paris"]),
    ("A. Lincoln", ["A. Lincoln"]),
    # what leads to a candidate
    ("The first answer is: Paris\nThe second answer is: Lyon", ["Paris", "Lyon"]),
    ("The answer to the question is: Paris\nAnother possible answer is Lyon.", ["Paris", "Lyon"]),
    ("1. The most likely answer is Paris.\n2. The next option would be Lyon.", ["Paris", "Lyon"]),
    ("The answer to this question is:\nParis\nLyon", ["Paris", "Lyon"]),
    ("The First Order\nThe Second Sex", ["The First Order", "The Second Sex"]),
    ("(a) None, (b) Lyon", ["Lyon"]),
    # duplicates
    ("(a) Paris, (b) paris", ["Paris"]),
    ("(a) The Nile, (b) Nile., (c) Amazon", ["The Nile", "Amazon"]),
    # refusals and nothing
    ("I cannot tell.", []),
    ("I can't answer that from the passages.", []),
    ("I'm sorry, but the passages do not say.", []),
    ("Sorry, there is no answer.", []),
    ("The passages do not mention it.", []),
    ("Not mentioned", []),
    ("Unknown", []),
    ("There is not enough information.", []),
    ("(a) ..., (b) ...", []),
    ("The answer is:\n\nThe answer is:", []),
    ("", []),
    # what only looks like a refusal
    ("The Unknown Soldier", ["The Unknown Soldier"]),
    ("Nothing Compares 2 U", ["Nothing Compares 2 U"]),
]


@pytest.mark.parametrize(("reply", "answers"), CANDIDATES, ids=[repr(reply[:40]) for reply, _ in CANDIDATES])
def test_candidates(reply, answers):
    assert list(parse_candidates(reply, 2)) == answers


def test_as_many_candidates_as_were_asked_for_and_no_more():
    reply = "(a) one thing (b) two things (c) three things (d) four things"
    assert [len(parse_candidates(reply, k)) for k in (1, 2, 3, 4, 5)] == [1, 2, 3, 4, 4]


def test_a_very_long_reply_is_read_in_no_time():
    assert parse_candidates("(a" * 100_000 + ") x" * 1000, 2)


VALIDITY = [
    ("Yes", True),
    ("yes.", True),
    ("True", True),
    ("Yes, it names him.", True),
    ("<think>no?</think>Yes", True),
    ("No", False),
    ("False.", False),
    ("No, it does not.", False),
    ("maybe", None),
    ("It depends.", None),
    ("", None),
]


@pytest.mark.parametrize(("reply", "valid"), VALIDITY)
def test_validity(reply, valid):
    assert parse_validity(reply) is valid


PREFERENCES = [
    ("1", 1),
    ("2.", 2),
    ("Summary 2", 2),
    ("**1**", 1),
    ("The first one.", 1),
    ("second", 2),
    ("Summary 2 tells more than summary 1.", 2),
    ("Summary 1 says that 12 came.", 1),
    ("Both", None),
    ("Neither of them.", None),
    ("1 or 2", None),
    ("They are equally good.", None),
    ("0", None),
    ("12", None),
    ("", None),
]


@pytest.mark.parametrize(("reply", "place"), PREFERENCES)
def test_preference(reply, place):
    assert parse_preference(reply) == place
