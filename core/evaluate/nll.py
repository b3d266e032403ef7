"""The metric nll: how likely the gold rationale and answer are under the final prompt.

It compares selections without generating anything: no sampling, no extraction, and a value per token for each
question instead of right or wrong, so far fewer questions tell two methods apart.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ..budget import fit_prompt
from ..events import Query
from ..exemplars import Exemplar
from ..pipeline import DualQuery
from ..prompts import shot
from ..tasks import kind_of


@dataclass(frozen=True, slots=True)
class Scored:
    """log P(gold reply | prompt) in nats, summed over its `tokens` tokens."""

    total: float
    tokens: int
    seconds: float


async def score_gold(pipeline: DualQuery, query: Query, gold: Exemplar, exemplars: Sequence[Exemplar]) -> Scored:
    """Score the gold rationale and answer, written as the exemplars' replies are, after the final prompt.

    The prompt is the one that `answer` would send, exemplars dropped for its reply included. Raises LMError where
    the model has no log-probabilities.
    """
    started = time.perf_counter()
    settings = pipeline.parts.settings
    lm = pipeline.parts.lm
    prompt = pipeline.prompt(query, exemplars)
    built = fit_prompt(prompt, lm, settings.lm.max_tokens, settings.select.max_prompt_tokens)
    [likelihood] = await lm.log_likelihoods([(built.prompt, shot(gold, kind_of(pipeline.parts.kind).closing).reply)])
    return Scored(likelihood.total, likelihood.tokens, time.perf_counter() - started)
