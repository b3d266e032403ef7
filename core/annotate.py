"""Give questions the rationales they lack: a model's own chains of thought that reach the gold answer.

Up to eight are sampled a question, at temperature 0.7, as DQ-LoRe did for SVAMP; the first that is right is kept.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .errors import LMError
from .evaluate.questions import query_of
from .events import Answered
from .exemplars import Exemplar
from .pipeline import DualQuery
from .tasks import is_correct
from .tasks.reply import own_part

SAMPLES, TEMPERATURE = 8, 0.7

#: The closing statement of a reply, in its last line; a prompt adds its own behind a rationale.
_CLOSING = re.compile(r"(?:^|(?<=[.!?])\s+)[^.!?]*\banswer\b.*$|#{4}.*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Annotated:
    """The exemplars that have a rationale now, in their order.

    `had` of them had one before; no reply reached the answer of `unreached` others, and the model failed on `failed`.
    """

    exemplars: tuple[Exemplar, ...]
    had: int
    unreached: int
    failed: int
    last_error: str = ""


async def annotate(
    pipeline: DualQuery,
    rows: Sequence[Exemplar],
    kind: str,
    *,
    samples: int = SAMPLES,
    temperature: float = TEMPERATURE,
    concurrency: int = 32,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> Annotated:
    """Return the rows with rationales; those whose gold answer no sample reaches are left out.

    The prompt is that of the pipeline's method. Samples are seeded, so a second run finds them in the reply cache.
    Raises LMError if the model fails on every question.
    """
    lacking = [row for row in rows if not row.rationale.strip()]
    gate = asyncio.Semaphore(concurrency)
    found: dict[str, Exemplar | None] = {}
    errors: list[str] = []

    async def work(row: Exemplar, exemplars: Sequence[Exemplar]) -> None:
        async with gate:
            try:
                found[row.id] = await _annotated(pipeline, row, exemplars, kind, samples, temperature)
            except LMError as error:
                errors.append(str(error))
        tell(len(found) + len(errors), len(lacking))

    await asyncio.to_thread(pipeline.open)
    selected = await pipeline.select([query_of(row, kind) for row in lacking])
    picked = [[pick.exemplar for event in events for pick in getattr(event, "exemplars", ())] for events in selected]
    await asyncio.gather(*map(work, lacking, picked))
    if errors and len(errors) == len(lacking):
        raise LMError(f"the model failed on every question; the last error: {errors[-1]}")
    kept = [row if row.rationale.strip() else found.get(row.id) for row in rows]
    return Annotated(
        tuple(row for row in kept if row is not None),
        len(rows) - len(lacking),
        sum(row is None for row in found.values()),
        len(errors),
        errors[-1] if errors else "",
    )


async def _annotated(
    pipeline: DualQuery, row: Exemplar, exemplars: Sequence[Exemplar], kind: str, samples: int, temperature: float
) -> Exemplar | None:
    """Ask once, then for the other samples together: most questions need only the first."""
    query = query_of(row, kind)
    for seed, count in ((0, 1), (1, samples - 1)):
        if count < 1:
            continue
        sampling = replace(pipeline.sampling, n=count, temperature=temperature, seed=seed)
        async for event in pipeline.answer(query, exemplars, stream=False, sampling=sampling):
            if isinstance(event, Answered) and event.completion.finish_reason == "stop":
                rationale = rationale_of(event.completion.text)
                if rationale and is_correct(kind, event.answer, row.answer):
                    return replace(row, rationale=rationale)
    return None


def rationale_of(reply: str) -> str:
    """Return the reasoning of a reply, without its closing statement; "" where there is nothing else."""
    head, _, last = own_part(reply).strip().rpartition("\n")
    return f"{head}\n{_CLOSING.sub('', last)}".strip()
