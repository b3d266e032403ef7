"""Find the best re-ranking settings on a development split.

First queries and vectors are made once, for the largest M; every trial is then array work, and only selections that
no trial before had made for a question cost a model call.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any, Literal

from ..errors import LMError, UsageError
from ..events import Answered, Candidates, CotDone, Event, Query
from ..exemplars import Exemplar
from ..parts import Parts
from ..pipeline import DualQuery
from ..rerank import find_reranker
from ..select.candidates import find_candidates
from ..select.picks import rerank_candidates
from ..tasks import is_correct
from .nll import score_gold
from .questions import Questions, query_of
from .run import under_way
from .stats import wilson_interval

Objective = Literal["accuracy", "nll"]


@dataclass(frozen=True, slots=True)
class Grid:
    """The values to try. A re-ranker gets only those of `dim` and `sigma` that it takes; None is its own default."""

    m: tuple[int, ...] = (16, 32, 64)
    n: tuple[int, ...] = (8,)
    rerankers: tuple[str, ...] = ("none", "pca", "kernel-pca", "mgs", "mmr")
    dim: tuple[int | None, ...] = (None, 8, 16, 32)
    sigma: tuple[float, ...] = (0.5, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """One point of the grid."""

    m: int
    n: int
    reranker: str
    dim: int | None = None
    sigma: float | None = None

    @property
    def params(self) -> dict[str, Any]:
        """The settings of the re-ranker."""
        return {key: value for key, value in (("dim", self.dim), ("sigma", self.sigma)) if value is not None}


@dataclass(frozen=True, slots=True)
class Result:
    """A trial and its value, with the 95 % interval of an accuracy; `failed` questions are not right."""

    trial: Trial
    value: float
    ci95: tuple[float, float] | None
    failed: int


def trials(grid: Grid) -> Iterator[Trial]:
    """Yield the points of the grid that can differ. Raises UsageError for an unknown re-ranker."""
    for m, n, name in product(sorted(set(grid.m)), sorted(set(grid.n)), dict.fromkeys(grid.rerankers)):
        takes = find_reranker(name).settings
        # A dim of M or more keeps all directions, which None does already.
        dims = [dim for dim in dict.fromkeys(grid.dim) if dim is None or dim < m] if "dim" in takes else [None]
        for dim, sigma in product(dims or [None], grid.sigma if "sigma" in takes else [None]):
            yield Trial(m, n, name, dim, sigma)


async def tune(
    parts: Parts,
    method: str,
    questions: Questions,
    grid: Grid,
    objective: Objective = "accuracy",
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> list[Result]:
    """Return the result of each trial, the best first; ties go to the smaller M and n, then to the grid's order.

    `tell` is called with the model calls done and planned. Raises UsageError for a method that retrieves nothing,
    LMError where no question at all can be scored.
    """
    pipeline = DualQuery(parts, method)
    if pipeline.method.retriever is None:
        raise UsageError(f"the method {method} retrieves nothing, so there is nothing to tune")
    points = list(trials(grid))
    await asyncio.to_thread(pipeline.open)
    found = await _candidates(pipeline, questions, max(grid.m))
    selections: list[list[tuple[str, ...]]] = []
    needed: dict[tuple[int, tuple[str, ...]], list[Exemplar]] = {}
    for trial in points:
        chosen = await asyncio.to_thread(_select, found, trial)
        selections.append([tuple(e.id for e in exemplars) for exemplars in chosen])
        needed |= {(i, ids): chosen[i] for i, ids in enumerate(selections[-1])}
    scores = await _score(pipeline, questions, needed, objective, tell)
    results = [
        _result(trial, [scores[i, ids] for i, ids in enumerate(selected)], objective)
        for trial, selected in zip(points, selections, strict=True)
    ]
    return sorted(results, key=lambda result: -result.value if objective == "accuracy" else result.value)


def best_settings(result: Result) -> dict[str, dict[str, object | None]]:
    """Return the settings of a result as a settings file holds them."""
    trial = result.trial
    return {
        "select": {"m": trial.m, "n": trial.n},
        "rerank": {"name": trial.reranker, "dim": trial.dim, "sigma": trial.sigma},
    }


async def _candidates(pipeline: DualQuery, questions: Questions, m: int) -> list[Candidates]:
    """Return the top m of each question with their vectors; the re-rankers of all trials work on them."""
    queries = [query_of(row, questions.kind) for row in questions.rows]
    gate = asyncio.Semaphore(under_way(pipeline.parts))

    async def cot(query: Query) -> str:
        async with gate:
            events = [event async for event in pipeline.first_query(query, stream=False)]
        return next((event.text for event in events if isinstance(event, CotDone)), "")

    cots = await asyncio.gather(*map(cot, queries))
    return await asyncio.to_thread(find_candidates, pipeline.parts, pipeline.method, queries, cots, vectors=True, m=m)


def _select(found: Sequence[Candidates], trial: Trial) -> list[list[Exemplar]]:
    """Return the exemplars of each question; the top M of a retriever are the first of its top m."""
    cut = [replace(each, candidates=each.candidates[: trial.m], vectors=each.vectors[: trial.m]) for each in found]
    picked = rerank_candidates(cut, trial.reranker, trial.n, trial.params)
    return [[pick.exemplar for pick in each.exemplars] for each in picked]


async def _score(
    pipeline: DualQuery,
    questions: Questions,
    needed: dict[tuple[int, tuple[str, ...]], list[Exemplar]],
    objective: Objective,
    tell: Callable[[int, int], None],
) -> dict[tuple[int, tuple[str, ...]], tuple[float, int] | None]:
    """Return (value, weight) of each question with each selection, None where the model failed."""
    gate = asyncio.Semaphore(under_way(pipeline.parts))
    scores: dict[tuple[int, tuple[str, ...]], tuple[float, int] | None] = {}
    errors: list[str] = []

    async def score(key: tuple[int, tuple[str, ...]], exemplars: list[Exemplar]) -> None:
        row = questions.rows[key[0]]
        query = query_of(row, questions.kind)
        async with gate:
            try:
                if objective == "nll":
                    scored = await score_gold(pipeline, query, row, exemplars)
                    scores[key] = -scored.total, scored.tokens
                else:
                    events: list[Event] = [e async for e in pipeline.answer(query, exemplars, stream=False)]
                    answer = next(event.answer for event in events if isinstance(event, Answered))
                    scores[key] = float(is_correct(questions.kind, answer, row.answer)), 1
            except LMError as error:
                scores[key] = None
                errors.append(str(error))
        tell(len(scores), len(needed))

    await asyncio.gather(*(score(key, exemplars) for key, exemplars in needed.items()))
    if errors and len(errors) == len(needed):
        raise LMError(f"no question could be scored; the last error: {errors[-1]}")
    return scores


def _result(trial: Trial, scores: Sequence[tuple[float, int] | None], objective: Objective) -> Result:
    known = [score for score in scores if score is not None]
    failed = len(scores) - len(known)
    summed = math.fsum(value for value, _ in known)
    if objective == "accuracy":
        interval = wilson_interval(round(summed), len(scores))
        return Result(trial, summed / len(scores), (interval.low, interval.high), failed)
    weight = sum(tokens for _, tokens in known)
    return Result(trial, summed / weight if weight else math.inf, None, failed)


def result_document(result: Result) -> dict[str, Any]:
    """Return a result as JSON holds it."""
    return {**asdict(result.trial), "value": result.value, "ci95": result.ci95, "failed": result.failed}
