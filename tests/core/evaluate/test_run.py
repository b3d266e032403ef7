import asyncio
import json

import pytest

from dqlore.core import Exemplar, Pool
from dqlore.core.errors import LMError, UsageError
from dqlore.core.evaluate.batcher import Batcher
from dqlore.core.evaluate.questions import Questions
from dqlore.core.evaluate.run import Plan
from dqlore.core.lm.base import Completion
from evaluations import comparable, questions, rows, run
from toys import ScriptedLM

REPLIES = {
    "right": "3 + 4 = 7\nThe answer is 7.",
    "wrong": "3 + 5 = 8\nThe answer is 8.",
    "no answer": "I would rather not say.",
    "failed": LMError("the server answered 500"),
    "cut off": "first 3 + 9 = 12, then we take",
}


def five_questions():
    rows = tuple(Exemplar(status, f"A question that goes {status}?", "", "7") for status in REPLIES)
    return Questions("toy", "test", "number", Pool(rows, "five"))


def by_fate(prompt):
    return next(reply for status, reply in REPLIES.items() if f"goes {status}?" in prompt.question)


class CutLM(ScriptedLM):
    """Marks the one unfinished reply as cut by the token limit."""

    async def complete(self, prompt, sampling):
        [completion] = await super().complete(prompt, sampling)
        reason = "length" if "then we take" in completion.text else "stop"
        return [Completion(completion.text, reason, completion.prompt_tokens, completion.completion_tokens)]


def test_every_fate_of_a_question_is_counted_apart(tmp_path):
    summary = run(tmp_path, CutLM(by_fate), asked=five_questions())
    counted = {key: summary[key] for key in ("n", "correct", "wrong", "unparsed", "cut_off", "errors", "accuracy")}
    assert counted == {
        "n": 5, "correct": 1, "wrong": 1, "unparsed": 2, "cut_off": 1, "errors": 1, "accuracy": 0.2,
    }  # fmt: skip
    found = rows(tmp_path)
    assert {id: row["status"] for id, row in found.items()} == {status: status for status in REPLIES}
    assert found["wrong"]["completion"] == REPLIES["wrong"] and found["wrong"]["predicted"] == "8"
    assert found["no answer"]["completion"] == REPLIES["no answer"] and found["no answer"]["predicted"] is None
    assert found["cut off"]["predicted"] is None
    assert found["failed"]["error"] == "the server answered 500" and found["failed"]["completion"] is None


def test_a_record_says_which_exemplars_were_chosen_and_why(tmp_path):
    run(tmp_path, method="dq-lore", asked=questions(2), select={"m": 12, "n": 4})
    row = rows(tmp_path)["q1"]
    assert [pick["rank"] for pick in row["exemplars"]] == [1, 2, 3, 4]
    assert all(isinstance(pick["score"], float) and pick["candidate_rank"] for pick in row["exemplars"])
    assert row["cot"] == "The answer is 7."
    assert row["usage"]["first_query"]["completion_tokens"] == row["usage"]["answer"]["completion_tokens"] == 4
    assert row["timings"]["total"] == pytest.approx(sum(row["timings"].values()) / 2)


def test_the_folder_tells_all_that_decides_the_results_and_no_key(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    run(tmp_path, method="dq-lore", asked=questions(2))
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    assert config["versions"].keys() >= {"python", "numpy", "dqlore"}
    assert config["questions"]["sha256"] == questions(2).rows.fingerprint
    assert config["lm"]["identity"] == "scripted" and config["encoder"]["sha256"] == "toy-1"
    assert config["settings"]["select"]["m"] == 64
    assert all("sk-very-secret" not in file.read_text() for file in (tmp_path / "run").iterdir())


def test_methods_share_the_first_query(tmp_path):
    lm = ScriptedLM(lambda prompt: "Count boats.\nThe answer is 7.")
    run(tmp_path, lm, "dq-lore", questions(5), cached=True, out="a")
    assert len(lm.prompts) == 10
    run(tmp_path, lm, "dq-lore", questions(5), cached=True, out="b", rerank={"name": "mgs"})
    assert len(lm.prompts) <= 15


def test_questions_run_at_once_and_selection_goes_in_batches(tmp_path):
    class Slow(ScriptedLM):
        now = most = 0

        async def complete(self, prompt, sampling):
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1
            return await super().complete(prompt, sampling)

    lm = Slow()
    run(tmp_path, lm, asked=questions(100))
    assert 16 <= lm.most <= 32


def test_a_batch_takes_what_waits_while_another_is_worked_on():
    import threading

    sizes, gate = [], threading.Event()

    def work(items):
        sizes.append(len(items))
        gate.wait(5)
        return [item * 2 for item in items]

    async def go():
        batcher = Batcher(work, most=4)
        first = asyncio.create_task(batcher(0))
        await asyncio.sleep(0.05)
        others = [asyncio.create_task(batcher(i)) for i in range(1, 8)]
        await asyncio.sleep(0.05)
        others[0].cancel()
        await asyncio.sleep(0)
        gate.set()
        return [await first, *await asyncio.gather(*others[1:])]

    assert asyncio.run(go()) == [0, 4, 6, 8, 10, 12, 14]
    assert sizes == [1, 4, 3]


def test_a_batch_that_fails_tells_every_caller():
    def work(items):
        raise UsageError("no such thing")

    async def go():
        batcher = Batcher(work)
        return await asyncio.gather(batcher(1), batcher(2), return_exceptions=True)

    assert [str(error) for error in asyncio.run(go())] == ["no such thing"] * 2


def test_a_server_that_only_fails_ends_the_run_early(tmp_path):
    lm = ScriptedLM(lambda _: LMError("connection refused"))
    with pytest.raises(LMError, match="the first 20 questions all failed; the last: connection refused"):
        run(tmp_path, lm, asked=questions(200))
    assert 20 <= len(rows(tmp_path)) <= 20 + 32  # those under way are recorded too


def test_self_consistency_takes_the_answer_of_most_samples(tmp_path):
    class Sampled(ScriptedLM):
        async def complete(self, prompt, sampling):
            assert (sampling.n, sampling.temperature, sampling.seed) == (5, 0.7, 0)
            texts = ["no idea", "The answer is 8.", "The answer is 7.", "The answer is 7.0.", "The answer is 9."]
            return [Completion(text) for text in texts]

    plan = Plan(strategy="self-consistency", samples=5)
    summary = run(tmp_path, Sampled(), asked=questions(3), plan=plan)
    assert summary["accuracy"] == 1.0
    row = rows(tmp_path)["q0"]
    assert row["completion"] == "The answer is 7." and row["predicted"] == "7"
    assert [sample["answer"] for sample in row["samples"]][:3] == [None, "8", "7"]


def test_nll_is_the_mean_over_all_tokens_of_the_gold_replies(tmp_path):
    from dqlore.core.lm.base import LogLikelihood

    class Scoring(ScriptedLM):
        async def log_likelihoods(self, pairs):
            [(prompt, text)] = pairs
            assert text == f"{prompt.question.replace('What is', 'Count').replace(' and 7?', '.')}\nThe answer is 7."
            assert len(prompt.shots) == 8
            i = int(prompt.question.split()[2])
            return [LogLikelihood(-2.0 * (i + 1), i + 1 + (i == 3))]

    lm = Scoring()
    summary = run(tmp_path, lm, asked=questions(4), plan=Plan(metric="nll"))
    assert summary["nll"] == pytest.approx(20 / 11)
    assert summary["accuracy"] is None and summary["n"] == 4 and not lm.prompts
    assert rows(tmp_path)["q2"]["status"] == "scored"


def test_a_model_without_probabilities_fails_the_metric_nll(tmp_path):
    class Mute(ScriptedLM):
        async def log_likelihoods(self, pairs):
            raise LMError("no log-probabilities here")

    with pytest.raises(LMError, match="no log-probabilities"):
        run(tmp_path, Mute(), asked=questions(25), plan=Plan(metric="nll"))


def test_prices_give_the_cost_of_the_replies(tmp_path):
    endpoint = {"prompt_price": 2.0, "completion_price": 10.0}
    summary = run(tmp_path, asked=questions(3), endpoint=endpoint)
    usage = summary["usage"]
    assert summary["cost"] == pytest.approx((2 * usage["prompt_tokens"] + 10 * usage["completion_tokens"]) / 1e6)
    assert run(tmp_path, asked=questions(3), out="free")["cost"] is None


def test_spans_have_a_token_f1(tmp_path):
    rows = tuple(Exemplar(f"s{i}", f"Who, in case {i}?", "", "Ada Lovelace") for i in range(2))
    asked = Questions("spans", "test", "span", Pool(rows, "spans"))
    lm = ScriptedLM(lambda p: "The answer is Lovelace." if "case 0" in p.question else "The answer is Ada Lovelace.")
    summary = run(tmp_path, lm, asked=asked, task={"kind": "span"})
    assert (summary["accuracy"], summary["f1"]) == (0.5, pytest.approx((2 / 3 + 1) / 2))


def test_a_resumed_run_asks_only_what_is_missing(tmp_path):
    def reply(prompt):
        if len(lm.prompts) > 8 and broken:
            return LMError("the power went out")
        return "The answer is 7."

    lm, broken = ScriptedLM(reply), True
    whole = run(tmp_path, ScriptedLM(), out="whole")
    first = run(tmp_path, lm)
    assert (first["correct"], first["errors"]) == (8, 12)
    broken = False
    resumed = run(tmp_path, lm, resume=True)
    assert len(lm.prompts) == 20 + 12
    assert comparable(resumed) == comparable(whole)
    again = run(tmp_path, lm, resume=True)
    assert len(lm.prompts) == 32 and comparable(again) == comparable(whole)
    assert sorted(rows(tmp_path)) == sorted(rows(tmp_path, "whole"))


def test_a_half_written_last_line_is_asked_again(tmp_path):
    whole = run(tmp_path)
    records = tmp_path / "run" / "records.jsonl"
    lines = records.read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "summary.json").unlink()
    records.write_bytes(b"".join(lines[:11]) + lines[11][:57])
    lm = ScriptedLM()
    resumed = run(tmp_path, lm, resume=True)
    assert len(lm.prompts) == 9
    assert comparable(resumed) == comparable(whole)
    assert len(records.read_bytes().splitlines()) == 20


def test_a_line_that_is_no_record_is_named(tmp_path):
    run(tmp_path)
    records = tmp_path / "run" / "records.jsonl"
    records.write_text("what is this\n" + records.read_text())
    with pytest.raises(UsageError, match=r"records\.jsonl, line 1: no record"):
        run(tmp_path, resume=True)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"select": {"n": 4}}, r"settings\.select\.n was 8 and is now 4"),
        ({"lm": {"max_tokens": 99}}, r"sampling\.max_tokens was 256 and is now 99"),
        ({"method": "random"}, 'method was "epr" and is now "random"'),
        ({"plan": Plan(metric="nll")}, 'metric was "accuracy" and is now "nll"'),
        ({"asked": questions(21)}, r"questions\.count was 20 and is now 21"),
    ],
)
def test_changed_settings_refuse_to_resume(tmp_path, change, named):
    run(tmp_path)
    with pytest.raises(UsageError, match=named):
        run(tmp_path, resume=True, **change)


def test_patience_and_places_may_change(tmp_path):
    run(tmp_path)
    lm = ScriptedLM()
    run(tmp_path, lm, resume=True, endpoint={"concurrency": 3}, cache={"path": tmp_path / "elsewhere"})
    assert not lm.prompts


def test_a_folder_that_holds_something_is_not_written_over(tmp_path):
    run(tmp_path)
    with pytest.raises(UsageError, match="holds a run already; --resume"):
        run(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    for resume in (False, True):
        with pytest.raises(UsageError, match="holds other files"):
            run(tmp_path, out="mine", resume=resume)


def test_one_process_at_a_time_writes_a_run(tmp_path):
    pytest.importorskip("fcntl")
    from dqlore.core.evaluate.folder import RunFolder

    with RunFolder(tmp_path / "run", {}, resume=False), pytest.raises(UsageError, match="another process"):
        RunFolder(tmp_path / "run", {}, resume=True)
    RunFolder(tmp_path / "run", {}, resume=True).close()
