import asyncio
from dataclasses import replace

import pytest

from dqlore.core.document import document
from dqlore.core.events import Answered, AnswerToken, Notice, PassagesFound, PromptBuilt, Query, Summarized
from dqlore.core.methods import READING_CALLS, find_method
from dqlore.core.prompts import Prompt
from reading_toys import COLLECTION, QUESTION, events_of, judge, last, pipeline, step
from toys import ScriptedLM


@pytest.mark.parametrize("method", READING_CALLS)
def test_every_way_to_read_makes_the_calls_it_says(method):
    lm = judge()
    events = events_of(pipeline(lm, method))
    assert len(lm.prompts) == len(last(events, Answered).replies) == find_method(method).lm_calls
    made = document(Query(QUESTION), method, events)
    assert made["answer"] == ("the heron" if method == "sure" else "the swift")
    assert ("passages" in made) == (method != "no-retrieval")


def test_retrieval_streams_the_answer_from_the_passages():
    lm = judge()
    events = events_of(pipeline(lm, "retrieval"))
    kinds = [type(event) for event in events]
    assert kinds[:2] == [PassagesFound, PromptBuilt] and kinds[2] is AnswerToken and kinds[-1] is Answered
    assert "three silver fish" in lm.prompts[0].context


def test_no_retrieval_asks_the_question_alone_in_the_same_words():
    lm = judge()
    events_of(pipeline(lm, "no-retrieval", collection=None))
    assert lm.prompts[0].context == ""
    assert lm.prompts[0].question.startswith(QUESTION)


def test_a_generic_summary_names_no_candidate_and_the_answer_is_read_from_it():
    lm = judge()
    events = events_of(pipeline(lm, "generic-summary"))
    assert [step(prompt) for prompt in lm.prompts] == ["summary", "answer"]
    assert "proposed answer" not in lm.prompts[0].question
    assert "A bird caught fish at dawn." in lm.prompts[1].context
    assert last(events, Summarized).answers == ()


def test_the_summary_is_one_call_however_many_answers_are_sampled():
    class Three(ScriptedLM):
        async def complete(self, prompt, sampling):
            return [(await super(Three, self).complete(prompt, sampling))[0] for _ in range(sampling.n)]

    made = pipeline(Three(judge()._reply), "generic-summary")

    async def answers():
        passages, sampling = COLLECTION.passages[:2], replace(made.sampling, n=3)
        replies = made.answer(Query(QUESTION), (), passages, stream=False, sampling=sampling)
        return [event async for event in replies if isinstance(event, Answered)]

    assert [len(answered.replies) for answered in asyncio.run(answers())] == [2, 1, 1]


def test_passages_that_are_not_in_the_prompt_are_not_dropped_from_it():
    model = judge(window=200)
    model._reply = lambda prompt, told=model._reply: (
        " ".join(["word"] * 150) if step(prompt) == "summary" else told(prompt)
    )
    events = events_of(pipeline(model, "generic-summary", lm={"max_tokens": 20}))
    assert not [event for event in events if isinstance(event, Notice) and "dropped" in event.text]
    assert last(events, PromptBuilt).dropped == 0


def test_a_reply_that_was_cut_off_is_said():
    events = events_of(pipeline(judge(answer="one two three"), "retrieval", lm={"max_tokens": 3}))
    assert last(events, Answered).answer is None
    assert [e.text for e in events if isinstance(e, Notice)] == ["the reply was cut off at lm.max_tokens"]


def test_other_kinds_of_answers_are_read_as_such():
    events = events_of(pipeline(judge("(a) 3 fish (b) 4 fish"), task={"kind": "number"}))
    assert last(events, Answered).answer == "3"
    events = events_of(pipeline(judge(answer="There were 12 fish."), "retrieval", task={"kind": "number"}))
    assert last(events, Answered).answer == "12"


def test_the_context_stands_before_the_question_in_the_same_turn():
    prompt = Prompt("Who?", "Be brief.", context="Passage 1:\nA heron.")
    assert prompt.text() == "Be brief.\n\nPassage 1:\nA heron.\n\nQuestion: Who?\nAnswer:"
    assert prompt.messages() == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Passage 1:\nA heron.\n\nQuestion: Who?"},
    ]
    assert prompt.messages(system=False)[0]["content"].startswith("Be brief.\n\nPassage 1:")
