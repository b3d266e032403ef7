"""The state of a question, without a terminal."""

import asyncio
import time

import numpy as np
import pytest
from tui_toys import COT, QUESTION, PacedLM, words

from dqlore.core import Parts, load_settings
from dqlore.core.errors import LMError, UsageError
from dqlore.core.events import Answered, Candidate, Candidates, CotToken, Notice, Query
from dqlore.core.exemplars import Exemplar
from dqlore.core.lm.base import Completion
from dqlore.tui import views
from dqlore.tui.runner import Runner
from dqlore.tui.session import Session
from dqlore.tui.setup import Setup
from dqlore.tui.state import AskState, Phase
from toys import ScriptedLM, ToyEncoder, toy_pool


def session(tmp_path, lm=None, **flags):
    settings = load_settings({"cache": {"path": tmp_path, "enabled": False}, **flags})
    lm = lm or ScriptedLM(lambda _: COT)
    return Session(settings, lambda *_: None, lambda s, p: Parts(s, p, pool=toy_pool(), encoder=ToyEncoder(), lm=lm))


def asked(tmp_path, lm=None, setup=None, gold=None, **flags):
    """Return a runner and the state of one question that it asked."""
    opened = session(tmp_path, lm, **flags)
    runner, state = Runner(opened, lambda _: None), AskState()
    asyncio.run(runner.ask(state, Query(QUESTION), setup or Setup.of(opened.settings), gold=gold))
    return runner, state


def test_a_question_goes_through_its_phases_to_the_end(tmp_path):
    seen = []
    opened = session(tmp_path)
    state = AskState()
    runner = Runner(opened, lambda changed: seen.append(changed.phase))
    asyncio.run(runner.ask(state, Query(QUESTION), Setup.of(opened.settings)))
    assert list(dict.fromkeys(seen)) == [
        Phase.LOADING, Phase.FIRST_QUERY, Phase.RETRIEVING, Phase.ANSWERING, Phase.DONE,
    ]  # fmt: skip
    assert state.cot.text == COT
    assert state.answer.text == COT
    assert state.answered.answer == "7"


def test_picks_tell_how_far_they_moved(tmp_path):
    _, state = asked(tmp_path)
    for row in state.pick_rows():
        moved = row.pick.candidate_rank - row.pick.rank
        expected = f"▴{moved}" if moved > 0 else f"▾{-moved}" if moved < 0 else "="
        assert row.change == ("new" if row.pick.candidate_rank > len(state.picks) else expected)
    assert len({row.change for row in state.pick_rows()}) > 2
    picked = {row.picked: row.exemplar.id for row in state.candidate_rows() if row.picked}
    assert [picked[pick.rank] for pick in state.picks] == [e.id for e in state.exemplars]


def test_ranking_again_asks_no_model_and_equals_a_new_run(tmp_path):
    lm = ScriptedLM(lambda _: COT)
    runner, state = asked(tmp_path, lm)
    prompts, texts = len(lm.prompts), len(runner.session.parts.encoder.texts)
    setup = Setup(reranker="mmr", m=12, n=5, params={"alpha": 0.5})
    state.rerank(setup, runner.session.rerank_params(setup))
    assert (len(lm.prompts), len(runner.session.parts.encoder.texts)) == (prompts, texts)
    flags = {"select": {"m": 12, "n": 5}, "rerank": {"name": "mmr", "alpha": 0.5}}
    _, fresh = asked(tmp_path, **flags)
    assert [e.id for e in state.exemplars] == [e.id for e in fresh.exemplars]
    assert [row.exemplar.id for row in state.candidate_rows()] == [row.exemplar.id for row in fresh.candidate_rows()]


@pytest.mark.parametrize("method", ["dq-lore", "bm25", "ceil"])
def test_a_larger_m_brings_the_candidates_a_new_run_would_bring(tmp_path, method):
    runner, state = asked(tmp_path, select={"m": 8, "method": method})
    setup = state.setup.stepped("m", 1)
    texts = len(runner.session.parts.encoder.texts)
    found = runner.session.more_candidates(state.query, state.known_cot, state.found, setup)
    state.rerank(setup, runner.session.rerank_params(setup), found)
    assert len(runner.session.parts.encoder.texts) == texts
    _, fresh = asked(tmp_path, select={"m": setup.m, "method": method})
    assert [row.exemplar.id for row in state.candidate_rows()] == [row.exemplar.id for row in fresh.candidate_rows()]
    assert [e.id for e in state.exemplars] == [e.id for e in fresh.exemplars]


def test_an_answer_is_stale_once_its_exemplars_are_not_shown(tmp_path):
    runner, state = asked(tmp_path)
    assert not state.stale
    first, other = state.setup, Setup(reranker="mmr", n=3)
    state.rerank(other, runner.session.rerank_params(other))
    assert state.stale
    document = state.document([])
    assert "answer" not in document
    assert any("left out" in warning for warning in document["warnings"])
    state.rerank(first, runner.session.rerank_params(first))
    assert not state.stale
    assert state.document([])["answer"] == "7"


def test_answering_again_asks_the_final_query_only(tmp_path):
    lm = ScriptedLM(lambda _: COT)
    runner, state = asked(tmp_path, lm)
    setup = Setup(n=2)
    state.rerank(setup, runner.session.rerank_params(setup))
    before = len(lm.prompts)
    asyncio.run(runner.answer_again(state))
    assert len(lm.prompts) == before + 1
    assert len(lm.prompts[-1].ranked) == 2
    assert state.phase is Phase.DONE
    assert not state.stale
    assert len(state.document([])["exemplars"]) == 2


def test_the_document_is_that_of_ask(tmp_path):
    _, state = asked(tmp_path)
    document = state.document(["a warning"])
    keys = "question method cot candidates exemplars completion answer timings usage warnings"
    assert list(document) == keys.split()
    assert document["warnings"] == ["a warning"]
    assert [row["rank"] for row in document["exemplars"]] == list(range(1, 9))


def test_a_gold_answer_judges_the_reply(tmp_path):
    assert asked(tmp_path, gold="7.0")[1].correct is True
    assert asked(tmp_path, gold="8")[1].correct is False
    assert asked(tmp_path)[1].correct is None
    assert asked(tmp_path, ScriptedLM(lambda _: "I cannot say."), gold="8")[1].correct is False


def test_an_error_keeps_what_had_arrived_and_the_next_question_works(tmp_path):
    calls = []

    def failing(prompt):
        calls.append(prompt)
        return LMError("the server is gone; start it again") if len(calls) == 2 else None

    lm = PacedLM(lambda _: words(COT), failing=failing)
    runner, state = asked(tmp_path, lm)
    assert state.phase is Phase.FAILED
    assert "start it again" in state.error
    assert state.answer.text.startswith("First there are")
    assert len(state.picks) == 8
    asyncio.run(runner.ask(state, Query("Another?"), state.setup))
    assert state.phase is Phase.DONE


def test_an_unexpected_exception_ends_the_question_only(tmp_path):
    lm = PacedLM(lambda _: ["x"], failing=lambda _: ZeroDivisionError("oops"))
    _, state = asked(tmp_path, lm)
    assert state.phase is Phase.FAILED
    assert "ZeroDivisionError" in state.error


def test_cancelling_closes_the_stream_and_keeps_the_partial_reply(tmp_path):
    lm = PacedLM(lambda _: words(COT), pause=0.02)
    opened = session(tmp_path, lm)
    runner, state = Runner(opened, lambda _: None), AskState()

    async def cancel():
        task = asyncio.create_task(runner.ask(state, Query(QUESTION), Setup.of(opened.settings)))
        while not state.cot.text:
            await asyncio.sleep(0.01)
        assert lm.open_streams == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert lm.open_streams == 0

    asyncio.run(cancel())
    assert state.phase is Phase.CANCELLED
    assert COT.startswith(state.cot.text.strip())


def test_what_fails_to_load_is_tried_again(tmp_path):
    attempts = []

    def open_parts(settings, progress):
        attempts.append(1)
        if len(attempts) == 1:
            raise UsageError("pool.jsonl: no such file")
        return Parts(settings, progress, pool=toy_pool(), encoder=ToyEncoder(), lm=ScriptedLM(lambda _: COT))

    opened = Session(load_settings({"cache": {"path": tmp_path, "enabled": False}}), lambda *_: None, open_parts)
    runner, state = Runner(opened, lambda _: None), AskState()

    async def twice():
        await runner.ask(state, Query(QUESTION), Setup())
        assert (state.phase, state.error) == (Phase.FAILED, "pool.jsonl: no such file")
        await runner.ask(state, Query(QUESTION), Setup())

    asyncio.run(twice())
    assert state.phase is Phase.DONE


def test_candidates_without_vectors_say_what_to_do(tmp_path):
    _, state = asked(tmp_path, select={"method": "bm25"})
    with pytest.raises(UsageError, match="ask again"):
        state.rerank(Setup(method="bm25", reranker="pca"), {})


def test_comparing_asks_the_first_query_once(tmp_path):
    lm = ScriptedLM(lambda _: COT)
    runner, state = asked(tmp_path, lm)
    other = AskState()
    asyncio.run(runner.compare(state, other, "epr+dq"))
    assert len(lm.prompts) == 3
    assert other.known_cot == state.known_cot
    assert other.setup.method == "epr+dq"


def test_methods_that_retrieve_nothing_show_their_exemplars(tmp_path):
    _, state = asked(tmp_path, select={"method": "complex-cot", "n": 4})
    assert [row.change for row in state.pick_rows()] == [""] * 4
    assert state.candidate_rows() == []
    assert [stage.name for stage in state.stages()] == ["re-rank", "answer"]


def test_the_strip_names_each_stage_with_time_and_tokens(tmp_path):
    _, state = asked(tmp_path)
    stages = state.stages()
    assert [stage.name for stage in stages] == ["first query", "encode", "retrieve", "re-rank", "answer"]
    long, short = (views.stage_text(stages, "", 0, width) for width in (200, 78))
    assert f"({len(COT.split())} tokens)" in long
    assert "total" in long
    assert len(short) <= 78


def test_tokens_are_safe_and_notices_are_kept():
    state = AskState()
    for event in (CotToken("  a\x1b[31m"), CotToken("b"), Notice("something")):
        state.apply(event)
    assert state.cot.text == "a\\x1b[31mb"
    assert state.notices == ["something"]
    state.apply(Answered(Completion("[bold]x"), None, 0.1))
    assert state.answer.text == "[bold]x"


def test_ranking_64_candidates_again_takes_no_time_to_notice():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(64, 384)).astype(np.float32)
    candidates = tuple(Candidate(Exemplar(f"e{i}", f"q{i}", "", "1"), i + 1, 0.0) for i in range(64))
    state = AskState()
    state.apply(Candidates(candidates, rng.normal(size=384).astype(np.float32), vectors, 0, 0))
    state.rerank(Setup(reranker="pca", params={"dim": 16}), {"dim": 16})
    times = []
    for dim in (4, 8, 16, 32, 64):
        started = time.perf_counter()
        state.rerank(Setup(reranker="pca", params={"dim": dim}), {"dim": dim})
        views.candidate_table(state.candidate_rows())
        times.append(time.perf_counter() - started)
    assert sorted(times)[2] < 0.05


def test_markdown_keeps_the_table_whole(tmp_path):
    _, state = asked(tmp_path)
    text = views.markdown(state)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 8
    assert len({line.count("|") for line in rows}) == 1
    assert "**Answer: 7**" in text
