"""The starter pool: counts and variety, and that every number in it is computed and true."""

import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from dqlore.core.errors import UsageError
from dqlore.core.exemplars import Exemplar, Pool, question_key
from dqlore.core.starter import generate, heldout, manual, starter_pool
from dqlore.core.starter.problem import SHAPES, Problem, check, equations, parse, value


def words(exemplar: Exemplar) -> frozenset[str]:
    return frozenset(question_key(exemplar.question).split())


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def shape_of(exemplar: Exemplar) -> object:
    return exemplar.meta["shape"]


def test_the_pool_has_enough_problems_in_enough_shapes() -> None:
    shapes = Counter(map(shape_of, starter_pool()))
    assert len(starter_pool()) >= 400
    assert len(shapes) >= 40
    assert max(shapes.values()) <= 12


def test_the_held_out_questions_cover_every_shape() -> None:
    assert len(heldout()) == 60
    assert set(map(shape_of, heldout())) == set(map(shape_of, starter_pool()))


def test_ids_and_questions_are_unique_over_both_files() -> None:
    rows = [*starter_pool(), *heldout()]
    assert len({row.id for row in rows}) == len(rows)
    assert len({question_key(row.question) for row in rows}) == len(rows)


def test_no_held_out_question_is_nearly_in_the_pool() -> None:
    pool = [words(row) for row in starter_pool()]
    assert max(overlap(words(row), other) for row in heldout() for other in pool) < 0.5


def test_nearly_equal_pairs_in_the_pool_are_rare() -> None:
    overlaps = [overlap(one, other) for one, other in combinations([words(row) for row in starter_pool()], 2)]
    assert max(overlaps) <= generate.MOST_ALIKE
    assert sum(value > 0.8 for value in overlaps) <= 0.1 * len(starter_pool())


def test_the_number_of_steps_varies() -> None:
    steps = Counter(len(row.rationale.splitlines()) for row in starter_pool())
    assert set(steps) >= {2, 3, 4, 5, 6, 7}
    assert max(steps) <= 8
    assert sum(n for k, n in steps.items() if k >= 6) >= 0.1 * len(starter_pool())


@pytest.mark.parametrize("pool", [starter_pool(), heldout()], ids=lambda pool: pool.source)
def test_every_row_passes_the_checks_and_tells_its_steps(pool: Pool) -> None:
    for row in pool:
        steps = tuple(row.rationale.splitlines())
        check(Problem(row.question, steps, row.answer))
        assert row.meta["steps"] == len(steps), row.id


@pytest.mark.parametrize("pool", [starter_pool(), heldout(), manual("number")], ids=lambda pool: pool.source)
def test_every_equation_holds_and_the_last_one_gives_the_answer(pool: Pool) -> None:
    for row in pool:
        results = [pair for step in row.rationale.splitlines() for pair in equations(step)]
        assert all(left == right for left, right in results), row.id
        assert results[-1][1] == Fraction(row.answer), row.id


def test_the_generator_writes_the_same_bytes_again() -> None:
    for name, text in generate.render().items():
        assert (generate.FOLDER / name).read_bytes() == text.encode(), name


def test_every_filling_of_every_telling_is_sound() -> None:
    """Not only the fillings in the files: five more of each."""
    generate.render()
    for name in SHAPES:
        for fill in range(generate.FILLS + 1, generate.FILLS + 6):
            assert len(generate.tellings(name, fill)) >= 6, name


def test_check_mode_accepts_the_files_and_names_one_that_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["generate", "--check"])
    generate.main()
    monkeypatch.setattr(generate, "FOLDER", tmp_path)
    with pytest.raises(SystemExit, match=r"pool\.jsonl"):
        generate.main()


def test_a_false_equation_or_a_wrong_answer_is_found() -> None:
    row = Random(7).choice(starter_pool())
    steps = tuple(row.rationale.splitlines())
    with pytest.raises(ValueError, match="do not end in"):
        check(Problem(row.question, steps, str(value(row.answer) + 1)))
    with pytest.raises(ValueError, match="false equation"):
        check(Problem("How many?", ("It is 2 * 3 = 7.", "So 7 + 0 = 7."), "7"))
    with pytest.raises(ValueError, match="cannot read"):
        check(Problem("How many?", ("Let x = 7.", "So 7 + 0 = 7."), "7"))


@pytest.mark.parametrize(
    "slip",
    ["I see 1 apples.", "It is a 8-hour day.", "It costs $4.5 now.", "He has the the key.", "So.  Yes.", "No. yes."],
)
def test_slips_of_the_pen_are_found(slip: str) -> None:
    with pytest.raises(ValueError, match=r".+ \('.+'\) in "):
        check(Problem(slip, ("It is 2 * 3 = 6.", "So 6 + 1 = 7."), "7"))


def test_a_telling_is_read_line_by_line() -> None:
    text = """Two lines
    make one question?
    - One step 1 + 1
    = nonsense"""
    with pytest.raises(ValueError, match="nonsense"):
        parse(text)
    problem = parse(text.replace("1 + 1\n    = nonsense", "gives $1,000 * 2 = $2,000.\n    = $2,000"))
    assert problem == Problem("Two lines make one question?", ("One step gives $1,000 * 2 = $2,000.",), "2000")


def test_the_manual_exemplars_are_eight_each() -> None:
    assert len(manual("number")) == len(manual("yes_no")) == 8
    answers = Counter(row.answer for row in manual("yes_no"))
    assert answers == {"yes": 4, "no": 4}
    assert all(len(row.rationale.splitlines()) >= 2 for row in [*manual("number"), *manual("yes_no")])


def test_another_kind_of_answer_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="'span'"):
        manual("span")


def test_the_pool_is_read_quickly_and_without_heavy_imports() -> None:
    code = (
        "import json, sys, time\n"
        "from dqlore.core.starter import starter_pool\n"
        "start = time.perf_counter(); n = len(starter_pool()); seconds = time.perf_counter() - start\n"
        "print(json.dumps([n, seconds, [m for m in ('torch', 'numpy', 'transformers') if m in sys.modules]]))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    n, seconds, heavy = json.loads(run.stdout)
    assert (n, heavy) == (len(starter_pool()), [])
    assert seconds < 0.5
