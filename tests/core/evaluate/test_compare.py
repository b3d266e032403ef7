import pytest

from dqlore.core.errors import UsageError
from dqlore.core.evaluate.compare import compare
from dqlore.core.evaluate.run import Plan
from dqlore.core.lm.base import LogLikelihood
from evaluations import questions, run
from toys import ScriptedLM


def knows(*numbers):
    """Answer right where the question's number is among `numbers`."""
    return ScriptedLM(lambda p: f"The answer is {7 if int(p.question.split()[2]) in numbers else 8}.")


def test_the_four_cells_and_the_flipped_questions(tmp_path):
    run(tmp_path, knows(*range(12)), out="a")
    run(tmp_path, knows(*range(8, 17)), method="random", out="b")
    found = compare(tmp_path / "a", tmp_path / "b")
    cells = [found[key] for key in ("both_right", "only_a", "only_b", "both_wrong")]
    assert cells == [4, 8, 5, 3] and found["n"] == 20
    assert found["difference"] == pytest.approx(0.15)
    assert found["p"] == pytest.approx(0.5810546875)
    assert found["ci95"][0] < 0.15 < found["ci95"][1]
    assert found["accuracy"] == {"a": 0.6, "b": 0.45}
    assert {row["id"]: row["better"] for row in found["flipped"]} == (
        {f"q{i}": "a" for i in range(8)} | {f"q{i}": "b" for i in range(12, 17)}
    )
    assert found["flipped"][0]["a"]["predicted"] == "7"
    assert (found["a"]["method"], found["b"]["method"]) == ("epr", "random")
    assert found["warnings"] == []


def test_a_run_equals_itself(tmp_path):
    run(tmp_path, knows(1, 2, 3))
    found = compare(tmp_path / "run", tmp_path / "run")
    assert (found["difference"], found["p"], found["flipped"]) == (0.0, 1.0, [])


def test_only_shared_questions_count_and_other_differences_are_told(tmp_path):
    run(tmp_path, knows(1), out="a", asked=questions(20))
    run(tmp_path, knows(1), out="b", asked=questions(12), lm={"max_tokens": 40})
    found = compare(tmp_path / "a", tmp_path / "b")
    assert found["n"] == 12
    assert any("decoding" in warning for warning in found["warnings"])
    assert "8 of the 20 records of a have no counterpart" in found["warnings"]


def test_a_run_that_is_not_complete_is_told(tmp_path):
    run(tmp_path, knows(1), out="a")
    run(tmp_path, knows(2), out="b")
    (tmp_path / "b" / "summary.json").unlink()
    assert compare(tmp_path / "a", tmp_path / "b")["warnings"] == [
        "b is not complete: only the questions it has asked so far are compared"
    ]


def test_likelihoods_compare_by_their_mean_difference(tmp_path):
    class Scoring(ScriptedLM):
        def __init__(self, each):
            super().__init__()
            self.each = each

        async def log_likelihoods(self, pairs):
            return [LogLikelihood(-self.each(int(prompt.question.split()[2])), 2) for prompt, _ in pairs]

    plan = Plan(metric="nll")
    run(tmp_path, Scoring(lambda i: 2.0 + i), plan=plan, out="a")
    run(tmp_path, Scoring(lambda i: 3.0 + i + (i % 2)), plan=plan, out="b")
    found = compare(tmp_path / "a", tmp_path / "b")
    assert found["difference"] == pytest.approx(-0.75)
    assert (found["a_better"], found["b_better"]) == (20, 0)
    assert found["ci95"][0] < -0.75 < found["ci95"][1] < 0


def test_what_cannot_be_compared_is_said(tmp_path):
    run(tmp_path, out="a")
    run(tmp_path, out="b", plan=Plan(metric="nll"))
    with pytest.raises(UsageError, match="metric"):
        compare(tmp_path / "a", tmp_path / "b")
    with pytest.raises(UsageError, match="no run folder"):
        compare(tmp_path / "a", tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"config\.json"):
        compare(tmp_path / "a", tmp_path)
