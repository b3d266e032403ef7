"""Evaluations of methods that read: what is recorded, counted and refused."""

import asyncio
import json

import pytest

from dqlore.core import Exemplar, Parts, Pool, load_settings
from dqlore.core.errors import LMError, UsageError
from dqlore.core.evaluate.compare import compare
from dqlore.core.evaluate.questions import Questions, file_questions, settings_for
from dqlore.core.evaluate.report import write_report
from dqlore.core.evaluate.run import Plan, evaluate
from evaluations import rows
from reading_toys import COLLECTION, judge, step
from toys import ScriptedLM, ToyEncoder


def questions(count=6, **meta):
    asked = tuple(
        Exemplar(f"q{i}", f"What caught {i} silver fish at dawn?", "", "the Heron", (), meta) for i in range(count)
    )
    return Questions("birds", "test", "span", Pool(asked, "birds"))


def run(tmp_path, method, lm, asked=None, *, collection=COLLECTION, plan=None, resume=False, **flags):
    parts = Parts(load_settings({"cache": {"path": tmp_path / "cache"}, **flags}), encoder=ToyEncoder(), lm=lm)
    if collection is not None:
        parts.__dict__["passages"] = collection
    out = tmp_path / method
    return asyncio.run(evaluate(parts, method, asked or questions(), plan or Plan(), out, resume=resume))


def test_exact_match_f1_and_calls_are_counted(tmp_path):
    lm = judge("(a) heron, (b) the owl", preferred=lambda p: "1" if "Summary 1:\nheron" in p.context else "2")
    summary = run(tmp_path, "sure", lm)
    assert (summary["n"], summary["accuracy"], summary["f1"], summary["f1_ci95"]) == (6, 1.0, 1.0, [1.0, 1.0])
    assert summary["usage"]["calls"] == len(lm.prompts) == 6 * 7
    assert summary["timings"]["retrieve"] > 0
    row = rows(tmp_path, "sure")["q3"]
    assert (row["predicted"], row["correct"], row["f1"]) == ("heron", True, 1.0)
    assert row["usage"]["calls"] == 7
    assert row["candidates_answers"] == ["heron", "the owl"] and row["validity"] == [1, 1]
    assert row["passages"][0]["id"] == "heron" and "text" not in row["passages"][0]
    assert row["usage"]["completion_tokens"] == summary["usage"]["completion_tokens"] / 6


def test_partly_right_answers_count_in_f1_only(tmp_path):
    summary = run(tmp_path, "retrieval", judge(answer="a grey heron"))
    assert summary["accuracy"] == 0.0
    assert summary["f1"] == pytest.approx(2 / 3)


def test_the_best_of_several_gold_answers_counts(tmp_path):
    summary = run(
        tmp_path, "retrieval", judge(answer="A grey heron."), questions(answers=["the Heron", "grey heron"])
    )
    assert (summary["accuracy"], summary["f1"]) == (1.0, 1.0)
    assert rows(tmp_path, "retrieval")["q0"]["golds"] == ["the Heron", "grey heron"]


def test_a_backend_that_fails_midway_leaves_records_and_a_resumed_run_asks_only_those(tmp_path):
    def reply(prompt):
        if broken and step(prompt) == "comparison" and "caught 4" in prompt.question:
            return LMError("the power went out")
        return replies(prompt)

    replies, broken = judge()._reply, True
    lm = ScriptedLM(reply)
    first = run(tmp_path, "sure", lm)
    assert (first["errors"], first["correct"]) == (1, 5)
    assert "power" in rows(tmp_path, "sure")["q4"]["error"]
    broken, asked = False, len(lm.prompts)
    assert run(tmp_path, "sure", lm, resume=True)["errors"] == 0
    assert len(lm.prompts) == asked + 7


def test_runs_by_other_ways_compare_and_report(tmp_path):
    run(tmp_path, "sure", judge())
    run(tmp_path, "no-retrieval", judge(answer="a heron"), collection=None)
    found = compare(tmp_path / "sure", tmp_path / "no-retrieval")
    assert (found["both_right"], found["warnings"]) == (6, [])
    write_report([tmp_path / "sure", tmp_path / "no-retrieval"], tmp_path / "report.html")
    assert "the heron caught fish" in (tmp_path / "report.html").read_text()


def test_another_collection_is_told_and_no_run_goes_on_with_it(tmp_path):
    run(tmp_path, "sure", judge())
    other = type(COLLECTION)(COLLECTION.passages[:2], "fewer birds")
    with pytest.raises(UsageError, match=r"passages\.count was 4 and is now 2"):
        run(tmp_path, "sure", judge(), collection=other, resume=True)
    run(tmp_path, "retrieval", judge(), collection=other)
    told = compare(tmp_path / "sure", tmp_path / "retrieval")["warnings"]
    assert told == ["the runs differ in the passages, not only in the method"]


def test_metrics_and_strategies_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(UsageError, match="nll"):
        run(tmp_path, "retrieval", judge(), plan=Plan(metric="nll"))
    with pytest.raises(UsageError, match="self-consistency"):
        run(tmp_path, "sure", judge(), plan=Plan(strategy="self-consistency", samples=3))
    assert not (tmp_path / "sure").exists()


def test_questions_of_a_file_bring_their_own_passages(tmp_path):
    path = tmp_path / "asked.jsonl"
    row = {
        "id": "1",
        "question": "Who waded?",
        "answer": "heron",
        "passages": ["A heron waded.", {"text": "An owl."}],
    }
    path.write_text(json.dumps(row) + "\n")
    lm = judge(answer="heron")
    assert run(tmp_path, "retrieval", lm, file_questions(path), collection=None)["accuracy"] == 1.0
    assert "A heron waded." in lm.prompts[0].context
    path.write_text(json.dumps({**row, "passages": [{"title": "no text"}]}) + "\n")
    with pytest.raises(UsageError, match=r"asked\.jsonl, question '1', passage 1: no field 'text'"):
        file_questions(path)


def test_a_dataset_brings_its_paragraphs_and_reading_needs_no_pool():
    asked = Questions("xquad", "test", "span", Pool((Exemplar("1", "Who?", "", "me"),), "xquad"))
    chosen = settings_for(load_settings(), asked, ["sure", "no-retrieval"])
    assert (chosen.passages.path, chosen.task.kind) == ("xquad:test", "span")
    mine = settings_for(load_settings({"passages": {"path": "mine.jsonl"}}), asked, ["sure"])
    assert mine.passages.path == "mine.jsonl"
    with pytest.raises(UsageError, match="--pool"):
        settings_for(load_settings(), asked, ["sure", "epr"])
