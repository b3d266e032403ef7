import asyncio
from collections import Counter

import pytest

from dqlore.core.document import document
from dqlore.core.errors import ContextOverflow, LMError, UsageError
from dqlore.core.events import Answered, AnswersProposed, Judged, Notice, PassagesFound, Query, Summarized
from dqlore.core.passages import Passage
from reading_toys import COLLECTION, QUESTION, events_of, judge, last, pipeline, step
from toys import ScriptedLM


def notices(events):
    return [event.text for event in events if isinstance(event, Notice)]


def prefers(name):
    """Return a judge that prefers the summary that begins with `name`, wherever it stands."""
    return lambda prompt: "1" if f"Summary 1:\n{name}" in prompt.context else "2"


def test_the_five_steps_and_their_calls():
    lm = judge(preferred=prefers("the owl"))
    events = events_of(pipeline(lm))
    assert [type(event) for event in events] == [PassagesFound, AnswersProposed, Summarized, Judged, Answered]
    assert events[0].passages[0].passage.id == "heron"
    judged, answered = events[3], events[4]
    assert (judged.valid, judged.ranking, judged.chosen) == ((True, True), (0.0, 1.0), 1)
    assert answered.answer == "the owl"
    assert answered.completion.text == "the owl caught fish at dawn."
    asked = Counter(map(step, lm.prompts))
    assert asked == {"candidates": 1, "summary": 2, "validity": 2, "comparison": 2}
    assert len(answered.replies) == 7 == pipeline(lm).method.lm_calls
    shown = [prompt.context for prompt in lm.prompts if step(prompt) == "comparison"]
    first, second = (text.partition("\n\n")[0].partition("\n")[2] for text in shown)
    assert {first, second} == {"the heron caught fish at dawn.", "the owl caught fish at dawn."}


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_any_number_of_candidates(k):
    lm = judge("(a) one (b) two (c) three (d) four", preferred=prefers("two"))
    events = events_of(pipeline(lm, sure={"k": k}))
    proposed, answered = last(events, AnswersProposed), last(events, Answered)
    assert proposed.answers == ("one", "two", "three", "four")[:k]
    assert len(answered.replies) == len(lm.prompts) == (1 + k + k + k * (k - 1))
    assert answered.answer == ("one" if k == 1 else "two")


def test_validity_decides_where_the_judge_always_takes_the_place_that_is_shown_first():
    three = "(a) the heron (b) the owl (c) the swift"
    lm = judge(three, valid=lambda prompt: "yes" if "is: the swift" in prompt.question else "no")
    events = events_of(pipeline(lm, sure={"k": 3}))
    judged = last(events, Judged)
    assert len(judged.comparisons) == 6  # each pair in both orders
    assert judged.ranking == (1.0, 1.0, 1.0)  # so every pair is a tie
    assert last(events, Answered).answer == "the swift"


def test_a_full_tie_goes_to_the_candidate_that_the_model_named_first():
    for named in ("(a) the heron (b) the owl (c) the swift", "(a) the swift (b) the owl (c) the heron"):
        events = events_of(pipeline(judge(named), sure={"k": 3}))
        judged = last(events, Judged)
        assert (judged.ranking, judged.valid) == ((1.0, 1.0, 1.0), (True, True, True))
        assert last(events, Answered).answer == last(events, AnswersProposed).answers[0]


def test_no_candidate_falls_back_to_plain_retrieval_and_says_so():
    lm = judge("I cannot tell.")
    events = events_of(pipeline(lm))
    assert last(events, Answered).answer == "the swift"
    assert [step(prompt) for prompt in lm.prompts] == ["candidates", "answer"]
    assert notices(events) == ["no answer candidates in the reply: this is the answer of plain retrieval"]
    assert len(last(events, Answered).replies) == 2
    assert document(Query(QUESTION), "sure", events)["candidates_answers"] == []


def test_one_candidate_is_not_compared():
    lm = judge("The heron")
    events = events_of(pipeline(lm))
    assert last(events, Answered).answer == "The heron"
    assert [step(prompt) for prompt in lm.prompts] == ["candidates", "summary", "validity"]
    assert notices(events) == ["1 of 2 answer candidates in the reply: there is nothing to rank"]


def test_verdicts_that_are_neither_count_as_not_valid_and_as_no_preference():
    lm = judge(valid=lambda _: "That is a matter of taste.", preferred=lambda _: "Both.")
    events = events_of(pipeline(lm))
    judged = last(events, Judged)
    assert judged.valid == (None, None)
    assert judged.ranking == (0.5, 0.5)
    assert last(events, Answered).answer == "the heron"


def test_the_document_tells_candidates_summaries_and_verdicts():
    lm = judge(valid=lambda prompt: "yes" if "is: the heron" in prompt.question else "no")
    made = document(Query(QUESTION), "sure", events_of(pipeline(lm, passages={"n": 3})))
    assert made["candidates_answers"] == ["the heron", "the owl"]
    assert made["summaries"] == ["the heron caught fish at dawn.", "the owl caught fish at dawn."]
    assert made["validity"] == [1, 0]
    assert made["ranking"] == [0.5, 0.5]
    assert made["comparisons"][0] == {"first": 0, "second": 1, "preferred": 0}
    assert made["answer"] == "the heron"
    best = made["passages"][0]
    assert (best["id"], best["rank"], best["summary_rank"], best["overlap"]) == ("heron", 1, 1, 1.0)
    assert len(made["passages"]) == 3
    assert made["usage"]["completion_tokens"] > 10


def test_calls_that_do_not_depend_on_each_other_are_made_at_once():
    """Each summary waits for the other one, and each verdict for the others: one after another, none would end."""

    class Patient(ScriptedLM):
        async def complete(self, prompt, sampling):
            kind = step(prompt)
            if kind in barriers:
                await asyncio.wait_for(barriers[kind].wait(), 5)
            return await super().complete(prompt, sampling)

    lm = Patient(judge()._reply)

    async def run():
        summaries, verdicts = asyncio.Barrier(2), asyncio.Barrier(4)
        barriers.update(summary=summaries, validity=verdicts, comparison=verdicts)
        return [event async for event in pipeline(lm).run(Query(QUESTION))]

    barriers = {}
    assert last(asyncio.run(run()), Answered).answer == "the heron"


def test_when_a_call_fails_midway_the_others_are_cancelled_and_the_error_comes_through():
    ended = []

    class Failing(ScriptedLM):
        async def complete(self, prompt, sampling):
            if step(prompt) == "comparison":
                raise LMError("the server went away")
            if step(prompt) == "validity":
                try:
                    await asyncio.sleep(30)
                except asyncio.CancelledError:
                    ended.append("cancelled")
                    raise
            return await super().complete(prompt, sampling)

    with pytest.raises(LMError, match="the server went away"):
        events_of(pipeline(Failing(judge()._reply)))
    assert ended == ["cancelled"] * 2


def test_passages_that_do_not_fit_are_dropped_from_the_lowest_rank_and_said():
    lm = judge(window=115)
    events = events_of(pipeline(lm, lm={"max_tokens": 20}))
    found = last(events, PassagesFound).passages
    dropped = [notice for notice in notices(events) if "passages dropped" in notice]
    assert dropped
    read = [prompt for prompt in lm.prompts if step(prompt) in ("candidates", "summary")]
    assert all(found[0].passage.text in prompt.context for prompt in read)
    assert not any(found[-1].passage.text in prompt.context for prompt in read)
    assert all(lm.count_tokens(prompt) + 20 <= 115 for prompt in read)


def test_a_server_that_finds_the_prompt_too_long_gets_half_of_the_passages():
    def reply(prompt):
        return ContextOverflow("too long") if prompt.context.count("Passage ") > 2 else replies(prompt)

    replies = judge()._reply
    events = events_of(pipeline(ScriptedLM(reply)))
    assert last(events, Answered).answer == "the heron"
    assert notices(events) == ["2 of 4 passages dropped: the prompt was too long"]


def test_passages_given_with_the_question_are_read_instead_of_the_collection():
    given = (Passage("1", "", "A heron, said the keeper."), Passage("2", "", "An owl, said the cook."))
    lm = judge()
    events = events_of(pipeline(lm, collection=None), Query(QUESTION, passages=given))
    assert [each.passage for each in last(events, PassagesFound).passages] == list(given)
    assert "said the keeper" in lm.prompts[0].context


def test_without_a_collection_the_error_says_how_to_name_one():
    with pytest.raises(UsageError, match="--passages"):
        events_of(pipeline(judge(), collection=None))


def test_braces_and_marks_in_passages_and_candidates_stay_what_they_are():
    given = (Passage("1", "{title}", "It costs {price} % of {0} [bold]."),)
    lm = judge("(a) {price}, (b) [bold]")
    events = events_of(pipeline(lm), Query("What {costs}?", passages=given))
    assert last(events, AnswersProposed).answers == ("{price}", "[bold]")
    assert "{price} % of {0} [bold]." in lm.prompts[0].context


@pytest.mark.parametrize("flags", [{"sure": {"k": 0}}, {"passages": {"n": 0}}, {"sure": {"k": 27}}])
def test_numbers_that_make_no_sense_are_refused(flags):
    with pytest.raises(UsageError, match=r"sure\.k|passages\.n"):
        pipeline(judge(), **flags)


def test_sure_chooses_no_exemplars():
    with pytest.raises(UsageError, match="chooses no exemplars"):
        asyncio.run(pipeline(judge()).select([Query(QUESTION)]))


def test_the_collection_is_not_changed_by_reading_it():
    before = COLLECTION.pool.fingerprint
    events_of(pipeline(judge()))
    assert COLLECTION.pool.fingerprint == before
