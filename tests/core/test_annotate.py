import asyncio
from dataclasses import replace

import pytest

from dqlore.core import Exemplar
from dqlore.core.annotate import annotate, rationale_of
from dqlore.core.errors import LMError
from dqlore.core.lm.base import Completion
from dqlore.core.pipeline import DualQuery
from evaluations import parts
from toys import ScriptedLM

ROWS = [Exemplar(f"r{i}", f"What is {i} and 7?", "", str(i + 7)) for i in range(4)]


class Samples(ScriptedLM):
    """Replies by question and by the number of the sample."""

    def __init__(self, reply):
        super().__init__()
        self.reply, self.asked = reply, []

    async def complete(self, prompt, sampling):
        number = int(prompt.question.split()[2])
        first = 0 if sampling.seed == 0 else 1
        self.asked.append((number, sampling.n, sampling.temperature))
        replies = [self.reply(number, first + i) for i in range(sampling.n)]
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        return [Completion(reply) if isinstance(reply, str) else reply for reply in replies]


def annotated(tmp_path, reply, rows=ROWS, **how):
    lm = Samples(reply)
    pipeline = DualQuery(parts(tmp_path, lm), "cot")
    return asyncio.run(annotate(pipeline, rows, "number", **how)), lm


def test_the_first_sample_that_reaches_the_answer_becomes_the_rationale(tmp_path):
    def reply(number, sample):
        right = {0: 0, 1: 5, 2: 99, 3: 7}[number]
        return f"Sample {sample}: {number} + 7.\nThe answer is {number + 7 if sample >= right else 1000}."

    made, lm = annotated(tmp_path, reply)
    assert [(row.id, row.rationale) for row in made.exemplars] == [
        ("r0", "Sample 0: 0 + 7."), ("r1", "Sample 5: 1 + 7."), ("r3", "Sample 7: 3 + 7."),
    ]  # fmt: skip
    assert (made.had, made.unreached, made.failed) == (0, 1, 0)
    once = [(number, 1, 0.7) for number in range(4)]
    assert sorted(lm.asked) == sorted([*once, *((number, 7, 0.7) for number in (1, 2, 3))])


def test_rows_with_a_rationale_are_not_asked(tmp_path):
    rows = [replace(ROWS[0], rationale="Known."), ROWS[1]]
    made, lm = annotated(tmp_path, lambda number, _: f"So.\nThe answer is {number + 7}.", rows)
    assert [row.rationale for row in made.exemplars] == ["Known.", "So."]
    assert (made.had, [number for number, *_ in lm.asked]) == (1, [1])


def test_cut_replies_and_bare_answers_are_no_rationales(tmp_path):
    def reply(number, sample):
        return Completion("Well. The answer is 7. And", "length") if sample == 0 else f"The answer is {number + 7}."

    made, _ = annotated(tmp_path, reply, ROWS[:1], samples=3)
    assert made.exemplars == () and made.unreached == 1


def test_failures_are_counted_apart(tmp_path):
    made, _ = annotated(tmp_path, lambda n, _: LMError("busy") if n else "Zero and 7.\nThe answer is 7.")
    assert (len(made.exemplars), made.failed, made.last_error) == (1, 3, "busy")
    with pytest.raises(LMError, match=r"every question.*busy"):
        annotated(tmp_path, lambda *_: LMError("busy"))


@pytest.mark.parametrize(
    ("reply", "rationale"),
    [
        ("3 + 4 = 7\nThe answer is 7.", "3 + 4 = 7"),
        ("Add them. So the answer is 7.", "Add them."),
        ("3 + 4 = 7\n#### 7", "3 + 4 = 7"),
        ("3 + 4 = 7.\nThe answer is 7.\n\nQuestion: more?\nAnswer: no", "3 + 4 = 7."),
        ("The answer is 7.", ""),
        ("She answered 3 letters.\nThat leaves 7.", "She answered 3 letters.\nThat leaves 7."),
    ],
)
def test_the_closing_statement_is_taken_off(reply, rationale):
    assert rationale_of(reply) == rationale
