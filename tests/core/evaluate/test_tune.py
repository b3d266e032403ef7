import asyncio

import pytest

from dqlore.core.errors import LMError, UsageError
from dqlore.core.evaluate.tune import Grid, best_settings, trials, tune
from dqlore.core.lm.base import LogLikelihood
from evaluations import parts, questions
from toys import ScriptedLM


def tuned(tmp_path, lm, grid, objective="accuracy", method="dq-lore", count=6):
    made = parts(tmp_path, lm)
    return asyncio.run(tune(made, method, questions(count), grid, objective)), made


def likes(word):
    """Right where most exemplars are about `word`."""
    return ScriptedLM(lambda p: f"The answer is {7 if sum(word in s.question for s in p.shots) > 2 else 8}.")


def test_the_grid_holds_only_what_differs():
    grid = Grid(m=(64, 16), rerankers=("none", "pca", "kernel-pca", "mgs"), dim=(None, 8, 16, 32), sigma=(1.0, 2.0))
    found = list(trials(grid))
    assert len(found) == len(set(found)) == (1 + 2 + 4 + 1) + (1 + 4 + 8 + 1)
    assert [(t.m, t.dim) for t in found if t.reranker == "pca"] == [
        (16, None), (16, 8), (64, None), (64, 8), (64, 16), (64, 32),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="pcaa"):
        list(trials(Grid(rerankers=("pcaa",))))


def test_first_queries_and_vectors_are_made_once(tmp_path):
    lm = ScriptedLM()
    results, made = tuned(
        tmp_path, lm, Grid(m=(4, 8, 16), n=(3,), rerankers=("none", "pca", "mgs", "dpp"), dim=(None, 2))
    )
    assert len(results) == 3 * 5
    first = [prompt for prompt in lm.prompts if len(prompt.shots) == 8]
    assert len(first) == 6
    assert sum("What is" in text for text in made.encoder.texts) == 6
    finals = [prompt for prompt in lm.prompts if len(prompt.shots) == 3]
    assert len({(p.question, p.shots) for p in finals}) == len(finals) < 6 * len(results)


def test_a_trial_selects_what_the_pipeline_would_select(tmp_path):
    from dqlore.core.events import Query, Reranked
    from dqlore.core.pipeline import DualQuery

    lm = ScriptedLM()
    tuned(tmp_path, lm, Grid(m=(7,), n=(3,), rerankers=("pca",), dim=(4,)), count=2)
    asked = {p.question: [s.question for s in p.ranked] for p in lm.prompts if len(p.shots) == 3}
    pipeline = DualQuery(parts(tmp_path, select={"m": 7, "n": 3}, rerank={"name": "pca", "dim": 4}))
    for row in questions(2).rows:
        [events] = asyncio.run(pipeline.select([Query(row.question)]))
        [reranked] = [event for event in events if isinstance(event, Reranked)]
        assert asked[row.question] == [pick.exemplar.question for pick in reranked.exemplars]


def test_the_best_accuracy_comes_first_and_becomes_settings(tmp_path):
    results, _ = tuned(tmp_path, likes("boats"), Grid(m=(8, 30), n=(4,), rerankers=("none", "mmr", "dpp")))
    values = [result.value for result in results]
    assert values == sorted(values, reverse=True) and values[0] > values[-1]
    assert results[0].ci95[0] < results[0].value <= results[0].ci95[1]
    trial = results[0].trial
    assert best_settings(results[0]) == {
        "select": {"m": trial.m, "n": 4},
        "rerank": {"name": trial.reranker, "dim": None, "sigma": None},
    }


def test_the_lowest_nll_comes_first(tmp_path):
    class Scoring(ScriptedLM):
        async def log_likelihoods(self, pairs):
            return [LogLikelihood(-float(sum(map(ord, prompt.shots[0].question)) % 97), 4) for prompt, _ in pairs]

    lm = Scoring()
    results, _ = tuned(tmp_path, lm, Grid(m=(5, 20), n=(2,), rerankers=("none", "mgs")), "nll", method="epr")
    values = [result.value for result in results]
    assert values == sorted(values) and not lm.prompts and results[0].ci95 is None


def test_failures_are_counted_and_a_method_without_retrieval_is_refused(tmp_path):
    lm = ScriptedLM(lambda p: LMError("busy") if "What is 0" in p.question else "The answer is 7.")
    [result], _ = tuned(tmp_path, lm, Grid(m=(4,), n=(2,), rerankers=("none",)), method="epr")
    assert (result.failed, result.value) == (1, pytest.approx(5 / 6))
    with pytest.raises(LMError, match=r"no question could be scored.*busy"):
        tuned(tmp_path, ScriptedLM(lambda _: LMError("busy")), Grid(m=(4,), rerankers=("none",)), method="epr")
    with pytest.raises(UsageError, match="nothing to tune"):
        tuned(tmp_path, lm, Grid(), method="cot")
