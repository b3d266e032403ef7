import asyncio
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dqlore.core import DualQuery, Parts, load_settings
from dqlore.core.document import document
from dqlore.core.errors import ContextOverflow, LMError, UsageError
from dqlore.core.events import (
    Answered,
    AnswerToken,
    Candidates,
    CotDone,
    CotToken,
    Failed,
    InitialExemplars,
    Notice,
    PromptBuilt,
    Query,
    Reranked,
)
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.methods import METHODS
from dqlore.core.rerank import rerank
from dqlore.core.select.initial import INITIAL
from dqlore.core.select.picks import rerank_candidates
from toys import ScriptedLM, ToyEncoder, toy_pool

#: The methods that choose exemplars.
FEW_SHOT = [name for name, method in METHODS.items() if method.reads is None]
QUESTION = "How many boats are 3 boats and 4 more boats?"


def cot_then_answer(prompt):
    return "First 3 boats, then 4.\nThe answer is 7."


def dual_query(tmp_path, model=None, *, pool=None, first_lm=None, where=None, **flags):
    flags.setdefault("cache", {"path": tmp_path / "cache", "enabled": False})
    parts = Parts(
        load_settings(flags | {"pool": {"where": where}}),
        pool=toy_pool() if pool is None else pool,
        encoder=ToyEncoder(),
        lm=model or ScriptedLM(cot_then_answer),
        first_lm=first_lm,
    )
    return DualQuery(parts)


def run(pipeline, query):
    async def collect():
        return [event async for event in pipeline.run(query)]

    return asyncio.run(collect())


def one(events, kind):
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, f"{len(found)} {kind.__name__}"
    return found[0]


def test_events_come_in_the_order_of_the_pipeline(tmp_path):
    lm = ScriptedLM(cot_then_answer)
    events = run(dual_query(tmp_path, lm), Query(QUESTION))
    kinds = [type(event) for event in events]
    distinct = list(dict.fromkeys(kinds))
    assert distinct == [
        InitialExemplars, CotToken, CotDone, Candidates, Reranked, PromptBuilt, AnswerToken, Answered,
    ]  # fmt: skip
    assert "".join(e.text for e in events if isinstance(e, CotToken)) == cot_then_answer(None)
    assert one(events, Answered).answer == "7"
    assert len(lm.prompts) == 2


def test_the_chain_of_thought_joins_the_retrieval_text(tmp_path):
    pipeline = dual_query(tmp_path)
    run(pipeline, Query(QUESTION))
    assert pipeline.parts.encoder.texts[-1] == f"{QUESTION}\n{cot_then_answer(None)}"


def test_the_question_alone_is_encoded_without_dq(tmp_path):
    pipeline = dual_query(tmp_path, select={"method": "epr+lore"})
    run(pipeline, Query(QUESTION))
    assert pipeline.parts.encoder.texts[-1] == QUESTION


def test_a_known_rationale_takes_the_place_of_the_first_query(tmp_path):
    lm = ScriptedLM(cot_then_answer)
    events = run(dual_query(tmp_path, lm), Query(QUESTION, cot="Count boats."))
    assert len(lm.prompts) == 1
    assert one(events, CotDone).text == "Count boats."
    assert one(events, CotDone).completion is None


def test_candidates_and_picks_agree_with_brute_force_and_with_rerank(tmp_path):
    pipeline = dual_query(tmp_path, select={"m": 12, "n": 5})
    events = run(pipeline, Query(QUESTION, cot="Count boats."))
    found, picked = one(events, Candidates), one(events, Reranked)
    vectors, pool = pipeline.parts.index.vectors, pipeline.parts.pool
    order = np.argsort(-(vectors @ found.query), kind="stable")[:12]
    assert [c.exemplar.id for c in found.candidates] == [pool[i].id for i in order]
    assert [c.rank for c in found.candidates] == list(range(1, 13))
    np.testing.assert_allclose([c.score for c in found.candidates], (vectors @ found.query)[order], atol=1e-6)
    np.testing.assert_array_equal(found.vectors, vectors[order])
    ranking = rerank("pca", found.query, found.vectors)
    assert [p.exemplar.id for p in picked.exemplars] == [pool[order[i]].id for i in ranking.order[:5]]
    assert [p.candidate_rank for p in picked.exemplars] == [i + 1 for i in ranking.order[:5]]
    assert [p.candidate_score for p in picked.exemplars] == [found.candidates[i].score for i in ranking.order[:5]]


def test_reranking_again_needs_no_model(tmp_path):
    lm = ScriptedLM(cot_then_answer)
    pipeline = dual_query(tmp_path, lm)
    found = one(run(pipeline, Query(QUESTION)), Candidates)
    calls, encoded = len(lm.prompts), len(pipeline.parts.encoder.texts)
    for name in ("none", "pca", "mmr", "dpp"):
        assert len(rerank_candidates([found], name, 4)[0].exemplars) == 4
    assert (len(lm.prompts), len(pipeline.parts.encoder.texts)) == (calls, encoded)


def test_the_final_prompt_holds_the_picks_best_last_and_the_instruction(tmp_path):
    lm = ScriptedLM(cot_then_answer)
    events = run(dual_query(tmp_path, lm, select={"n": 3}), Query(QUESTION))
    prompt = lm.prompts[-1]
    picks = one(events, Reranked).exemplars
    assert [shot.question for shot in prompt.shots] == [p.exemplar.question for p in reversed(picks)]
    assert "The answer is X." in prompt.instruction


@pytest.mark.parametrize("asked", ["{q}", "  {q}  ", "{upper}"])
@pytest.mark.parametrize("method", [m for m in FEW_SHOT if m != "cot"])
def test_a_pool_exemplar_is_never_offered_for_its_own_question(tmp_path, asked, method):
    pool = toy_pool()
    target = pool[11]
    question = asked.format(q=target.question.replace(" ", "  ", 2), upper=target.question.upper())
    events = run(dual_query(tmp_path, select={"method": method}), Query(question))
    offered = [c.exemplar.id for e in events if isinstance(e, Candidates) for c in e.candidates]
    offered += [p.exemplar.id for e in events if isinstance(e, Reranked) for p in e.exemplars]
    offered += [x.id for e in events if isinstance(e, InitialExemplars) for x in e.exemplars]
    assert target.id not in offered
    assert len(one(events, Reranked).exemplars) == (METHODS[method].n or 8)


@pytest.mark.parametrize("method", FEW_SHOT)
def test_a_small_pool_gives_what_it_has_with_one_notice(tmp_path, method):
    pool = toy_pool(3)
    events = run(dual_query(tmp_path, pool=pool, select={"method": method}), Query(QUESTION))
    picks = one(events, Reranked).exemplars
    if method == "cot":
        return  # its exemplars are the project's own, not the pool's
    assert Counter(p.exemplar.id for p in picks) == Counter({"e0": 1, "e1": 1, "e2": 1})
    wanted = METHODS[method].n or 8
    notice = f"3 of {wanted} exemplars: there are no more to choose from"
    assert [e.text for e in events if isinstance(e, Notice)] == [notice]


@pytest.mark.parametrize("n", [0, 4])
@pytest.mark.parametrize("name", INITIAL)
def test_initial_exemplars_open_the_first_query(tmp_path, name, n):
    lm = ScriptedLM(cot_then_answer)
    events = run(dual_query(tmp_path, lm, first_query={"initial": name, "n": n}), Query(QUESTION))
    assert len(one(events, InitialExemplars).exemplars) == (0 if name == "none" else n)
    assert len(lm.prompts[-2].shots) == (0 if name == "none" else n)


def test_socratic_exemplars_are_asked_of_the_model_once(tmp_path):
    asked = []

    def reply(prompt):
        if "Solution:" not in prompt.question:
            return cot_then_answer(prompt)
        asked.append(prompt.question)
        answer = prompt.question.rsplit(" ", 1)[1]
        return f"How many are there? {answer}" if len(asked) != 2 else f"There are {answer}"

    pipeline = dual_query(tmp_path, ScriptedLM(reply), first_query={"initial": "socratic", "n": 4})
    events = run(pipeline, Query(QUESTION))
    rationales = [e.rationale for e in one(events, InitialExemplars).exemplars]
    assert sum("How many are there?" in rationale for rationale in rationales) == 3
    assert any("1 of 4 initial exemplars keep" in event.text for event in events if isinstance(event, Notice))
    run(pipeline, Query("How many eggs are 2 eggs and 9 more?"))
    assert len(asked) == 4


def test_socratic_rationales_of_the_pool_need_no_model(tmp_path):
    pool = Pool(tuple(replace(e, meta={"socratic": f"What is {e.answer}? It is {e.answer}."}) for e in toy_pool()))
    lm = ScriptedLM(cot_then_answer)
    events = run(dual_query(tmp_path, lm, pool=pool, first_query={"initial": "socratic"}), Query(QUESTION))
    initial = one(events, InitialExemplars).exemplars
    assert len(initial) == 8 and all(e.rationale == e.meta["socratic"] for e in initial)
    assert len(lm.prompts) == 2


@pytest.mark.parametrize("method", ["epr", "bm25", "random", "complex-cot", "auto-cot", "ceil", "dq-lore"])
def test_a_filter_still_gives_as_many_exemplars_as_asked_for(tmp_path, method):
    """The four rows nearest to the question are of another kind."""
    rows = [
        Exemplar(f"r{i}", f"boat boat {i}" if i < 4 else f"boat and word {i} more", "x\ny", "1", meta={"kind": kind})
        for i, kind in enumerate(["algebra"] * 4 + ["geometry"] * 6)
    ]
    pipeline = dual_query(
        tmp_path, pool=Pool(tuple(rows)), where={"kind": "geometry"}, select={"method": method, "n": 5}
    )
    events = run(pipeline, Query("boat boat"))
    picks = one(events, Reranked).exemplars
    assert len(picks) == 5 and all(pick.exemplar.meta["kind"] == "geometry" for pick in picks)
    if method == "epr":
        assert [pick.candidate_rank for pick in picks] == [1, 2, 3, 4, 5]
        scores = [pick.score for pick in picks]
        assert scores == sorted(scores, reverse=True)


def test_an_index_folder_holds_the_whole_pool_for_any_filter(tmp_path):
    kinds = ["algebra", "geometry"] * 5
    rows = [Exemplar(f"r{i}", f"boat {i}", "x", "1", meta={"kind": kind}) for i, kind in enumerate(kinds)]
    made = dual_query(tmp_path, pool=Pool(tuple(rows)), where={"kind": "geometry"}).parts.build_index(tmp_path / "i")
    assert len(made.vectors) == 10
    for kind in ("geometry", "algebra"):
        pipeline = dual_query(
            tmp_path,
            pool=Pool(tuple(rows)),
            where={"kind": kind},
            index={"path": tmp_path / "i"},
            select={"method": "epr", "n": 5},
        )
        [events] = asyncio.run(pipeline.select([Query("boat 3")]))
        found = [pick.exemplar.meta["kind"] for pick in one(events, Reranked).exemplars]
        assert len(found) >= 4 and set(found) == {kind}


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ({"kind": "poetry"}, "kind is algebra, geometry"),
        ({"sort": "algebra"}, "there is no field 'sort'; rows have kind, level"),
        ({"kind": "algebra", "level": "2"}, "no exemplar has kind = algebra and level = 2 at once"),
    ],
)
def test_a_filter_that_leaves_nothing_says_what_there_is(tmp_path, where, part):
    rows = tuple(
        Exemplar(f"r{i}", f"q {i}", "", "1", meta={"kind": kind, "level": level})
        for i, (kind, level) in enumerate([("algebra", 1.0), ("geometry", 2.0)])
    )
    pipeline = dual_query(tmp_path, pool=Pool(rows, "rows.jsonl"), where=where)
    with pytest.raises(UsageError, match=part):
        run(pipeline, Query("q"))


def test_complex_exemplars_have_the_most_steps(tmp_path):
    events = run(dual_query(tmp_path, select={"method": "complex-cot", "n": 5}), Query(QUESTION))
    picks = one(events, Reranked)
    assert picks.ranking is None
    assert all(p.exemplar.rationale.count("\n") == 3 for p in picks.exemplars)


def test_random_exemplars_repeat_by_question_and_differ_between_questions(tmp_path):
    pipeline = dual_query(tmp_path, select={"method": "random"})

    def ids(question):
        return [p.exemplar.id for p in one(run(pipeline, Query(question)), Reranked).exemplars]

    assert ids("a b c") == ids("a b c")
    assert len({tuple(ids(f"question {i}")) for i in range(5)}) == 5


def test_zero_exemplars_mean_a_zero_shot_prompt(tmp_path):
    lm = ScriptedLM(cot_then_answer)
    events = run(dual_query(tmp_path, lm, select={"n": 0}, first_query={"n": 0}), Query(QUESTION))
    assert [prompt.shots for prompt in lm.prompts] == [(), ()]
    assert not [e for e in events if isinstance(e, Notice)]


def test_duplicates_are_dropped_on_request(tmp_path):
    pool = toy_pool(10)
    from dataclasses import replace

    from dqlore.core import Pool

    doubled = Pool((*pool, *(replace(e, id=f"copy-{e.id}", question=e.question.upper()) for e in pool)))
    for dedupe, expected in ((False, 20), (True, 10)):
        pipeline = dual_query(tmp_path / str(dedupe), pool=doubled, select={"dedupe": dedupe, "method": "epr"})
        assert len(one(run(pipeline, Query(QUESTION)), Candidates).candidates) == expected


def test_whole_exemplars_are_dropped_until_the_prompt_fits(tmp_path):
    lm = ScriptedLM(lambda _: "The answer is 7.", window=260)
    events = run(dual_query(tmp_path, lm, lm={"max_tokens": 80}, select={"method": "epr"}), Query(QUESTION))
    built = one(events, PromptBuilt)
    kept = len(built.prompt.ranked)
    assert built.tokens is not None and built.tokens <= 180
    assert 0 < kept < 8 and built.dropped == 8 - kept
    picks = one(events, Reranked).exemplars
    assert [shot.question for shot in built.prompt.ranked] == [p.exemplar.question for p in picks[:kept]]
    assert any(f"{built.dropped} of 8 exemplars dropped" in e.text for e in events if isinstance(e, Notice))


@pytest.mark.parametrize("sizes", [{"window": 400, "prompt_tokens": 500}, {}])
def test_an_overflow_reported_by_the_server_drops_exemplars_and_asks_again(tmp_path, sizes):
    def reply(prompt):
        return ContextOverflow("too long", **sizes) if len(prompt.shots) > 5 else "The answer is 7."

    lm = ScriptedLM(reply)
    events = run(dual_query(tmp_path, lm, lm={"max_tokens": 16}, select={"method": "epr"}), Query(QUESTION))
    assert one(events, Answered).answer == "7"
    assert len(lm.prompts) == 2
    assert 0 < len(lm.prompts[1].shots) <= 5
    assert any("exemplars dropped" in e.text for e in events if isinstance(e, Notice))


def test_an_overflow_without_exemplars_is_an_error(tmp_path):
    lm = ScriptedLM(lambda _: ContextOverflow("too long"))
    with pytest.raises(ContextOverflow):
        run(dual_query(tmp_path, lm, select={"method": "epr", "n": 0}), Query(QUESTION))


def test_a_cut_reply_counts_only_what_it_states(tmp_path):
    for reply, answer in (("first 3 + 9 = 12, then we take", None), ("The answer is 7. Now let me", "7")):
        lm = ScriptedLM(lambda _, reply=reply: reply)
        flags = {"lm": {"max_tokens": len(reply.split())}, "select": {"method": "random"}}
        events = run(dual_query(tmp_path, lm, **flags), Query(QUESTION))
        assert one(events, Answered).answer == answer
        assert any("cut off" in e.text for e in events if isinstance(e, Notice))


def test_closing_the_run_closes_the_stream_of_the_model(tmp_path):
    lm = ScriptedLM(lambda _: "word " * 500)

    async def stop_early():
        events = dual_query(tmp_path, lm).run(Query(QUESTION))
        async for event in events:
            if isinstance(event, CotToken):
                break
        await events.aclose()

    asyncio.run(stop_early())
    assert lm.closed_early == 1


def test_select_in_a_batch_equals_one_by_one(tmp_path):
    queries = [Query(f"{QUESTION} and {i} eggs", cot=f"Count {i} eggs." if i % 2 else None) for i in range(9)]
    for method in ("dq-lore", "ceil+dq+lore", "bm25", "mmr"):
        pipeline = dual_query(tmp_path, select={"method": method, "m": 10, "n": 4})
        together = asyncio.run(pipeline.select(queries))
        for query, events in zip(queries, together, strict=True):
            alone = asyncio.run(pipeline.select([query]))[0]
            assert one(events, Reranked).exemplars == one(alone, Reranked).exemplars


def test_one_failing_first_query_does_not_stop_the_batch(tmp_path):
    def reply(prompt):
        return LMError("the server is on fire") if "eggs" in prompt.question else "Step."

    pipeline = dual_query(tmp_path, ScriptedLM(reply))
    good, bad = asyncio.run(pipeline.select([Query("boats?"), Query("eggs?", id="7")]))
    assert one(good, Reranked).exemplars
    assert one(bad, Failed).text == "the server is on fire"
    assert document(Query("eggs?", id="7"), "dq-lore", bad) == {
        "id": "7", "question": "eggs?", "method": "dq-lore", "error": "the server is on fire",
    }  # fmt: skip


def test_the_document_has_the_fields_of_the_contract(tmp_path):
    pipeline = dual_query(tmp_path, select={"m": 12, "n": 4}, rerank={"dim": 99})
    query = Query(QUESTION)
    made = document(query, "dq-lore", run(pipeline, query))
    assert list(made) == [
        "question", "method", "cot", "candidates", "exemplars",
        "completion", "answer", "timings", "usage", "warnings",
    ]  # fmt: skip
    assert list(made["candidates"][0]) == ["id", "rank", "score", "question", "rationale", "answer"]
    assert {"id", "rank", "score", "candidate_rank", "question", "rationale", "answer"} <= made["exemplars"][0].keys()
    assert list(made["timings"]) == ["first_query", "encode", "retrieve", "rerank", "answer", "total"]
    assert made["timings"]["total"] == pytest.approx(sum(list(made["timings"].values())[:-1]))
    assert made["usage"]["completion_tokens"] == 2 * len(cot_then_answer(None).split())
    assert (len(made["candidates"]), len(made["exemplars"])) == (12, 4)
    assert any("99" in warning and "clamped" in warning for warning in made["warnings"])


def test_unknown_names_are_usage_errors(tmp_path):
    with pytest.raises(UsageError, match="dq-lore"):
        dual_query(tmp_path, select={"method": "dqlore"})
    with pytest.raises(UsageError, match="kernel-pca"):
        dual_query(tmp_path, rerank={"name": "pcaa"})
    with pytest.raises(UsageError, match="complex"):
        run(dual_query(tmp_path, first_query={"initial": "hardest"}), Query(QUESTION))


@pytest.mark.parametrize(
    ("method", "rerank", "warnings"),
    [
        ("dq-lore", {"name": "mmr", "dim": 3}, ["rerank.dim = 3 has no effect: re-ranker mmr has no use for it"]),
        ("dq-lore", {"dim": 3}, []),
        ("cot", {"name": "pca"}, ["rerank.name = pca has no effect: method cot has no use for it"]),
        ("ceil", {"lam": 0.2}, []),
        ("ceil+lore", {"lam": 0.2, "dim": 3}, []),
    ],
)
def test_a_setting_without_a_use_is_said_to_have_no_effect(tmp_path, method, rerank, warnings):
    pipeline = dual_query(tmp_path, select={"method": method}, rerank=rerank)
    assert pipeline.parts.all_warnings() == warnings


def test_texts_that_were_cut_are_counted_in_one_warning(tmp_path):
    from dqlore.core.encoder import Encoded

    class Cutting(ToyEncoder):
        def encode_pairs(self, questions, rationales, progress=None):
            return Encoded(self.encode(questions).vectors, tuple(range(len(questions))))

    settings = load_settings({"cache": {"path": tmp_path / "cache"}, "select": {"method": "epr"}})
    pipeline = DualQuery(Parts(settings, pool=toy_pool(), encoder=Cutting()))
    for size in (2, 3):
        asyncio.run(pipeline.select([Query(f"boats {i}?") for i in range(size)]))
    cut = [warning for warning in pipeline.parts.all_warnings() if warning.startswith("5 of 5 retrieval texts")]
    assert len(cut) == 1
