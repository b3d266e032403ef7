"""SuRe: the answer is chosen by how well summaries of the passages bear it out (Kim et al., ICLR 2024).

passages ─► K answer candidates ─► a summary for each ─► validity of each, comparisons of all pairs ─► argmax v + r
"""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from itertools import permutations

from ..events import Answered, AnswersProposed, Comparison, Event, Judged, Notice, Summarized
from ..lm.base import Completion
from . import prompts
from .decision import choose, ranking
from .reading import retrieval
from .replies import parse_candidates, parse_preference, parse_validity
from .task import Task, complete, complete_fitting


async def sure(
    task: Task, k: int = 2, verdict_tokens: int = 16, *, stream: bool = False
) -> AsyncGenerator[Event, None]:
    """Yield the events of the five steps. Calls that do not depend on each other are made at the same time.

    With K candidates there are 1 + K + K + K (K - 1) calls. Without a candidate the answer is plain retrieval's, and
    a notice says so; one candidate is not compared. `stream` is for that plain answer only.
    """
    started = time.perf_counter()
    (reply,), task, notices = await complete_fitting(task, lambda some: [prompts.candidates(task.query, some, k)])
    for notice in notices:
        yield notice
    answers = parse_candidates(reply.text, k)
    yield AnswersProposed(answers, reply, time.perf_counter() - started)
    if not answers:
        yield Notice("no answer candidates in the reply: this is the answer of plain retrieval")
        async with aclosing(retrieval(task, stream=stream)) as events:
            async for event in events:
                if isinstance(event, Answered):
                    event = replace(event, steps=(reply, event.completion), seconds=time.perf_counter() - started)
                yield event
        return
    if len(answers) < k:
        yield Notice(f"{len(answers)} of {k} answer candidates in the reply" + _unranked(answers))

    step = time.perf_counter()
    summaries, task, notices = await complete_fitting(
        task, lambda some: [prompts.summary(task.query, some, answer) for answer in answers]
    )
    for notice in notices:
        yield notice
    yield Summarized(answers, tuple(summaries), time.perf_counter() - step)

    judged = await _judge(task, answers, summaries, verdict_tokens)
    yield judged
    chosen = judged.chosen
    answer = answers[chosen] if task.kind == "span" else task.read(answers[chosen])
    steps = (reply, *summaries, *judged.replies)
    yield Answered(summaries[chosen], answer, time.perf_counter() - started, steps)


async def _judge(task: Task, answers: tuple[str, ...], summaries: list[Completion], verdict_tokens: int) -> Judged:
    """Ask for the validity of each summary and for a preference in every pair, in both orders, all at once."""
    started = time.perf_counter()
    texts = [summary.text.strip() for summary in summaries]
    pairs = list(permutations(range(len(answers)), 2))
    asked = [prompts.validity(task.query, answer, text) for answer, text in zip(answers, texts, strict=True)]
    asked += [prompts.comparison(task.query, texts[first], texts[second]) for first, second in pairs]
    brief = replace(task.sampling, max_tokens=min(task.sampling.max_tokens, verdict_tokens))
    replies = await complete(task.lm, asked, brief)
    valid = tuple(parse_validity(reply.text) for reply in replies[: len(answers)])
    comparisons = []
    for pair, reply in zip(pairs, replies[len(answers) :], strict=True):
        place = parse_preference(reply.text)
        comparisons.append(Comparison(*pair, None if place is None else pair[place - 1]))
    points = ranking(len(answers), comparisons)
    seconds = time.perf_counter() - started
    return Judged(valid, tuple(comparisons), points, choose(valid, points), tuple(replies), seconds)


def _unranked(answers: tuple[str, ...]) -> str:
    return ": there is nothing to rank" if len(answers) == 1 else ""
