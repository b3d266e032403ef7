import asyncio
import math

import pytest

from dqlore.core import Exemplar, Pool
from dqlore.core.answer.pmi import pmi, rescored
from dqlore.core.errors import LMError
from dqlore.core.evaluate.questions import Questions
from dqlore.core.evaluate.run import Plan
from dqlore.core.events import Answered
from dqlore.core.lm.base import Completion, LogLikelihood
from dqlore.core.prompts import InvertedPrompt, Prompt, Shot
from dqlore.core.settings import PMISettings
from evaluations import questions, rows, run
from toys import ScriptedLM

PROMPT = Prompt("Now?", "Do it.", (Shot("best?", "one"), Shot("second?", "two")))


def test_scores_worked_by_hand() -> None:
    # pass: log 0.5 - 0.4 log 0.25; a call: log 0.3 - 0.4 log 0.01; a rare one: log 0.01 - 0.4 log max(1e-9, 1e-7)
    log_p = [math.log(0.5), math.log(0.3), math.log(0.01)]
    log_prior = [math.log(0.25), math.log(0.01), math.log(1e-9)]
    scores = pmi(log_p, log_prior, beta=0.4, floor=1e-7)
    assert scores == pytest.approx([-0.693147 + 0.554518, -1.203973 + 1.842068, -4.605170 + 6.447238], abs=1e-5)
    assert pmi([-1.0], [-3.0], beta=1.0, floor=1e-5) == [2.0]
    assert pmi([-1.0], [-100.0], beta=0.5, floor=1e-5) == pytest.approx([-1 - 0.5 * math.log(1e-5)])


def test_the_inverted_prompt_has_each_reply_before_its_question_and_no_question_of_its_own() -> None:
    inverted = InvertedPrompt.of(PROMPT)
    assert inverted.text() == ("Do it.\n\nAnswer: two\nQuestion: second?\n\nAnswer: one\nQuestion: best?\n\nAnswer:")
    assert "Now?" not in inverted.text()
    assert inverted.messages() == [
        {"role": "system", "content": "Do it."},
        {"role": "user", "content": inverted.text().removeprefix("Do it.\n\n")},
    ]
    assert inverted.messages(system=False) == [{"role": "user", "content": inverted.text()}]
    assert InvertedPrompt.of(Prompt("x")).text() == "Answer:"


class Likelihoods(ScriptedLM):
    """Knows the probability of each reply after the prompt and after the inverted one."""

    def __init__(self, table: dict[str, tuple[float, float]]) -> None:
        super().__init__()
        self.table = table
        self.scored: list[tuple[bool, str]] = []

    async def log_likelihoods(self, pairs):  # type: ignore[no-untyped-def]
        self.scored += [(isinstance(prompt, InvertedPrompt), text) for prompt, text in pairs]
        return [
            LogLikelihood(math.log(self.table[text][isinstance(prompt, InvertedPrompt)]), 1) for prompt, text in pairs
        ]


def choose(lm: Likelihoods, kind: str, replies: list[tuple[str, str | None]], **settings: float):  # type: ignore[no-untyped-def]
    answers = [Answered(Completion(text), answer, 0.0) for text, answer in replies]
    return asyncio.run(rescored(lm, kind, PROMPT, answers, PMISettings(**settings)))  # type: ignore[arg-type]


def test_what_the_question_calls_for_beats_what_is_likely_anyway() -> None:
    call = "hotel(area='east')"
    lm = Likelihoods({"pass": (0.5, 0.25), call: (0.3, 0.01)})
    found = choose(lm, "state", [("pass", "pass"), (f"{call}\nxx", call), ("pass", "pass"), ("?", None)])
    assert found.chosen.answer == call
    assert [c.answer for c in found.candidates] == [call, "pass"]
    assert [c.score for c in found.candidates] == pytest.approx([0.638095, -0.138629], abs=1e-5)
    assert (True, "pass") in lm.scored and (True, call) in lm.scored  # canonical texts, each prior once
    assert len([text for inverted, text in lm.scored if inverted]) == 2


def test_only_the_likeliest_distinct_answers_are_candidates() -> None:
    table = {f"So {i}. The answer is {i}.": (0.1 * i, 0.5) for i in range(1, 8)}
    lm = Likelihoods(table)
    found = choose(lm, "number", [(text, text.split()[1][:-1]) for text in table], candidates=3)
    assert sorted(c.answer for c in found.candidates) == ["5", "6", "7"]
    assert len([text for inverted, text in lm.scored if inverted]) == 3


def test_an_answer_is_represented_by_its_likeliest_reply() -> None:
    lm = Likelihoods({"Long way. The answer is 7.": (0.1, 0.1), "The answer is 7.0.": (0.4, 0.1)})
    found = choose(lm, "number", [("Long way. The answer is 7.\nQuestion: More?", "7"), ("The answer is 7.0.", "7")])
    assert found.chosen.completion.text == "The answer is 7.0."
    assert [c.log_p for c in found.candidates] == [math.log(0.4)]


class Sampled(Likelihoods):
    async def complete(self, prompt, sampling):  # type: ignore[no-untyped-def]
        assert (sampling.n, sampling.top_p, sampling.temperature, sampling.seed) == (3, 0.9, 1.0, 0)
        return [Completion(text) for text in ("The answer is 8.", "The answer is 7.", "The answer is 8.")]


def test_as_a_strategy_of_an_evaluation(tmp_path) -> None:  # type: ignore[no-untyped-def]
    lm = Sampled({"The answer is 8.": (0.5, 0.5), "The answer is 7.": (0.4, 0.001), "2": (0.5, 0.5)})
    summary = run(tmp_path, lm, asked=questions(2), plan=Plan(strategy="pmi", samples=3))
    assert summary["accuracy"] == 1.0
    row = rows(tmp_path)["q0"]
    assert row["predicted"] == "7" and len(row["samples"]) == 3
    assert [c["answer"] for c in row["rescored"]] == ["7", "8"]
    assert row["rescored"][1]["score"] == pytest.approx(0.6 * math.log(0.5))


def test_replies_without_an_answer_are_no_answer(tmp_path) -> None:  # type: ignore[no-untyped-def]
    lm = ScriptedLM(lambda _: "I cannot tell.")
    asked = Questions("toy", "test", "number", Pool((Exemplar("a", "1 + 1?", "", "2"),)))
    summary = run(tmp_path, lm, asked=asked, plan=Plan(strategy="pmi", samples=2))
    assert summary["unparsed"] == 1 and "rescored" not in rows(tmp_path)["a"]


def test_a_model_without_log_probabilities_is_said_before_anything_is_asked(tmp_path) -> None:  # type: ignore[no-untyped-def]
    class Silent(ScriptedLM):
        async def log_likelihoods(self, pairs):  # type: ignore[no-untyped-def]
            raise LMError("it gives no log-probabilities")

    lm = Silent()
    with pytest.raises(LMError, match="no log-probabilities"):
        run(tmp_path, lm, asked=questions(2), plan=Plan(strategy="pmi", samples=2))
    assert not lm.prompts and not (tmp_path / "run").exists()


@pytest.mark.parametrize(("key", "value"), [("beta", 0.0), ("beta", 1.1), ("floor", 1e-8), ("floor", 1e-3)])
def test_settings_out_of_the_paper_s_range_are_refused(key: str, value: float) -> None:
    from dqlore.core import load_settings
    from dqlore.core.errors import UsageError

    with pytest.raises(UsageError, match=rf"pmi\.{key}"):
        load_settings({"pmi": {key: value}})
