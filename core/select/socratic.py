"""Socratic initial exemplars: rationales that ask and answer one sub-question after the other.

A pool brings them in a field `socratic` of its rows. Where it has none, the first query's model rewrites the
rationale once; the reply cache keeps it for the next run.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from ..budget import fit_prompt
from ..exemplars import Exemplar
from ..lm.base import LM, Sampling
from ..prompts import STOP, Prompt, Shot
from ..starter import manual
from ..tasks import extract_answer, is_correct

FIELD = "socratic"

_INSTRUCTION = (
    "Turn the solution into small questions, one a line, each with its answer right behind it. Keep every number."
)


class Socratic:
    """Rewrites rationales and remembers them by the exemplar's id; shared by all questions of a run."""

    def __init__(self, kind: str, max_tokens: int) -> None:
        """`kind` is that of the pool's answers."""
        self._kind = kind
        self._sampling = Sampling(max_tokens=max_tokens, stop=STOP)
        self._known: dict[str, str] = {}
        self._one_at_a_time = asyncio.Lock()

    async def rewrite(self, exemplars: Sequence[Exemplar], lm: LM) -> tuple[tuple[Exemplar, ...], int]:
        """Return the exemplars with sub-question rationales, and how many kept their own.

        Kept is what the model answers without a question or with another answer. Raises LMError.
        """
        async with self._one_at_a_time:
            lacking = [e for e in exemplars if FIELD not in e.meta and e.id not in self._known]
            replies = await asyncio.gather(*(self._ask(exemplar, lm) for exemplar in lacking))
            self._known |= {exemplar.id: text for exemplar, text in zip(lacking, replies, strict=True)}
        texts = [str(e.meta.get(FIELD) or self._known.get(e.id, "")) for e in exemplars]
        rewritten = tuple(replace(e, rationale=text) if text else e for e, text in zip(exemplars, texts, strict=True))
        return rewritten, texts.count("")

    async def _ask(self, exemplar: Exemplar, lm: LM) -> str:
        shots = tuple(
            Shot(_solved(shown), str(shown.meta[FIELD]))
            for kind in ("number", "yes_no")
            for shown in manual(kind)
            if FIELD in shown.meta
        )
        prompt = Prompt(_solved(exemplar), _INSTRUCTION, shots)
        built = fit_prompt(prompt, lm, self._sampling.max_tokens)
        [reply] = await lm.complete(built.prompt, self._sampling)
        text = reply.text.strip()
        answer = extract_answer(self._kind, text, exemplar.options)
        return text if "?" in text and is_correct(self._kind, answer, exemplar.answer) else ""


def _solved(exemplar: Exemplar) -> str:
    return f"{exemplar.question}\nSolution: {exemplar.rationale}\nThe answer is {exemplar.answer}."
