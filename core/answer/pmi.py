"""Answers by PMI^β: what the question makes likelier, not what is likely anyway (RefPyDST, section 3.3).

sampled replies ─► distinct answers, the likeliest `candidates` of them ─► log P(y | f(x)) - β log P(y | f'(E)) each

f is the prompt, f' the same exemplars with each output before its input, and no question: what the model would say
after such exemplars whoever asks. A reply that is only common (`pass`) loses to one that the question calls for.
"""

import math
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from ..events import Answered, Event, PromptBuilt, Query, Rescored, RescoredAnswer
from ..exemplars import Exemplar
from ..lm.base import LM, Sampling
from ..pipeline import DualQuery
from ..prompts import InvertedPrompt, Prompt
from ..settings import PMISettings
from ..tasks import is_correct, reply_of


def pmi(log_p: Sequence[float], log_prior: Sequence[float], *, beta: float, floor: float) -> list[float]:
    """Return log P(y | f(x)) - β log max(P(y | f'(E)), floor) of each candidate, from natural logs of both.

    The floor bounds what a very unlikely reply can gain: at most -β log floor.
    """
    least = math.log(floor)
    return [likelihood - beta * max(prior, least) for likelihood, prior in zip(log_p, log_prior, strict=True)]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An answer with the sampled reply that gives it, and the text that is scored."""

    answered: Answered
    text: str
    log_p: float = 0.0


async def answer_by_pmi(
    pipeline: DualQuery, query: Query, exemplars: Sequence[Exemplar], sampling: Sampling
) -> AsyncGenerator[Event, None]:
    """Yield the events of `sampling.n` replies, then `Rescored` with the answer of the highest score.

    Where no reply holds an answer there is no `Rescored`. Raises LMError where the model has no log-probabilities.
    """
    answers: list[Answered] = []
    prompt: Prompt | None = None
    async for event in pipeline.answer(query, exemplars, stream=False, sampling=sampling):
        if isinstance(event, Answered):
            answers.append(event)
        elif isinstance(event, PromptBuilt):
            prompt = event.prompt
        yield event
    if prompt is not None and any(answered.answer is not None for answered in answers):
        yield await rescored(pipeline.parts.lm, pipeline.parts.kind, prompt, answers, pipeline.parts.settings.pmi)


async def rescored(lm: LM, kind: str, prompt: Prompt, answers: Sequence[Answered], settings: PMISettings) -> Rescored:
    """Return the distinct answers among replies to `prompt`, the likeliest ones scored, the best one first.

    Replies with the same answer count once, by the likeliest of them. Equal scores keep the order of likelihood.
    """
    started = time.perf_counter()
    texts = [(a, reply_of(kind, a.completion.text, a.answer)) for a in answers if a.answer is not None]
    scores = await lm.log_likelihoods([(prompt, text) for _, text in texts])
    found = [_Candidate(answered, text, score.total) for (answered, text), score in zip(texts, scores, strict=True)]
    likeliest = _distinct(kind, sorted(found, key=lambda c: -c.log_p))[: settings.candidates]
    inverted = InvertedPrompt.of(prompt)
    priors = await lm.log_likelihoods([(inverted, candidate.text) for candidate in likeliest])
    values = pmi(
        [candidate.log_p for candidate in likeliest],
        [prior.total for prior in priors],
        beta=settings.beta,
        floor=settings.floor,
    )
    ranked = sorted(range(len(likeliest)), key=lambda i: -values[i])
    return Rescored(
        likeliest[ranked[0]].answered,
        tuple(
            RescoredAnswer(str(likeliest[i].answered.answer), likeliest[i].log_p, priors[i].total, values[i])
            for i in ranked
        ),
        time.perf_counter() - started,
    )


def _distinct(kind: str, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the first candidate with each answer."""
    kept: list[_Candidate] = []
    for candidate in candidates:
        answer = candidate.answered.answer
        if not any(is_correct(kind, answer, str(other.answered.answer)) for other in kept):
            kept.append(candidate)
    return kept
