"""Ask many questions by one method, some at once, and record each as it finishes."""

import asyncio
import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

from ..answer.pmi import answer_by_pmi
from ..errors import LMError, UsageError
from ..events import CotDone, Event, Failed, Query
from ..exemplars import Exemplar, Pool
from ..lm.base import Sampling, require_log_probabilities
from ..parts import Parts
from ..pipeline import CONCURRENT_FIRST_QUERIES, DualQuery, chosen_exemplars, chosen_passages
from ..tasks import STATE
from ..together import together
from .batcher import Batcher
from .dialogues import follow, sequences
from .folder import RunFolder, read_records
from .nll import Scored, score_gold
from .questions import Questions, own_passages, query_of
from .records import FAILED, Record, record
from .summary import summarize
from .tally import Tally

FORMAT = 1
#: Where nothing but failures comes back, the evaluation stops here instead of failing on thousands of questions.
GIVE_UP_AFTER = 20
#: Temperature of the samples of self-consistency where the settings say 0 (Wang et al. 2023, section 3.1).
SAMPLING_TEMPERATURE = 0.7

_VERSIONS = ("dqlore", "numpy", "torch", "transformers", "sentence-transformers", "faiss-cpu", "bm25s", "openai")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured. Self-consistency asks for `samples` replies and takes the answer that most of them give.

    PMI takes the one of the highest PMI^β (`core.answer.pmi`).
    """

    metric: Literal["accuracy", "nll"] = "accuracy"
    strategy: Literal["greedy", "self-consistency", "pmi"] = "greedy"
    samples: int = 1


async def evaluate(
    parts: Parts,
    method: str,
    questions: Questions,
    plan: Plan,
    path: Path,
    *,
    resume: bool = False,
    tell: Callable[[Tally], None] = lambda tally: None,
) -> dict[str, Any]:
    """Evaluate `method` into the run folder `path` and return the summary.

    A question that a model fails on is recorded as failed, and asked again when the run is resumed. `tell` is called
    at the start and after each question. Raises UsageError for settings or a folder that do not fit, LMError
    if nothing but failures comes back.
    """
    pipeline = DualQuery(parts, method)
    _refuse_plan(pipeline, plan)
    given = all(own_passages(question) for question in questions.rows)
    await asyncio.to_thread(pipeline.open, passages=not given)
    if plan.strategy == "pmi":
        await require_log_probabilities(parts.lm)
    dialogues = None
    if questions.kind == STATE and plan.metric == "accuracy":
        dialogues = sequences(questions.rows)
        await asyncio.to_thread(lambda: parts.ontology)
    config = run_config(pipeline, questions, plan)
    with RunFolder(path, config, resume=resume) as folder:
        tally = Tally(method, len(questions.rows), judged=plan.metric == "accuracy")
        for row in read_records(path) if folder.done else ():
            tally.add_earlier(row)
        tell(tally)
        await _ask_all(pipeline, questions, dialogues, plan, folder, tally, tell)
        summary = summarize(config, read_records(path), str(path))
        folder.finish(summary)
    return summary


async def _ask_all(
    pipeline: DualQuery,
    questions: Questions,
    dialogues: list[list[Exemplar]] | None,
    plan: Plan,
    folder: RunFolder,
    tally: Tally,
    tell: Callable[[Tally], None],
) -> None:
    """Let workers take the questions one by one, or the dialogues; when one of them must stop, all stop."""

    def retrieve_batch(asked: list[tuple[Query, str]]) -> list[list[Event]]:
        return pipeline.retrieve([query for query, _ in asked], [cot for _, cot in asked])

    retrieve = Batcher(retrieve_batch)
    failures: list[bool] = []  # of the questions asked; turns behind a failed one are not

    async def ask(question: Exemplar, query: Query) -> Record:
        answered = await _ask(pipeline, question, query, questions.kind, plan, retrieve)
        failures.append(answered["status"] == FAILED)
        return answered

    def keep(row: Record) -> None:
        folder.append(row)
        tally.add(row)
        tell(tally)
        if len(failures) == GIVE_UP_AFTER and all(failures):
            raise LMError(f"the first {GIVE_UP_AFTER} questions all failed; the last: {tally.last_error}")

    waiting = (row for row in questions.rows if row.id not in folder.done)
    to_follow = iter(dialogues or ())
    states = _states(folder) if dialogues else {}

    async def work() -> None:
        for turns in to_follow:
            await follow(turns, pipeline.parts.ontology, states, ask, keep)
        for question in waiting if dialogues is None else ():
            keep(await ask(question, query_of(question, questions.kind)))

    await together(work() for _ in range(under_way(pipeline.parts)))


def _states(folder: RunFolder) -> dict[str, dict[str, str]]:
    """Return the state that each turn answered in an earlier session left."""
    rows = read_records(folder.path) if folder.done else ()
    return {row["id"]: row["dialogue"]["state"] for row in rows}


async def _ask(
    pipeline: DualQuery,
    question: Exemplar,
    query: Query,
    kind: str,
    plan: Plan,
    retrieve: Batcher[tuple[Query, str], list[Event]],
) -> Record:
    events: list[Event | Scored] = []
    try:
        async for event in pipeline.first_query(query, stream=False):
            events.append(event)
        cot = next((event.text for event in events if isinstance(event, CotDone)), "")
        events += await retrieve((query, cot))
        told = [event for event in events if not isinstance(event, Scored)]
        exemplars, passages = chosen_exemplars(told), chosen_passages(told)
        if plan.metric == "nll":
            events.append(await score_gold(pipeline, query, question, exemplars))
        else:
            how = sampling(pipeline, plan)
            answering = (
                answer_by_pmi(pipeline, query, exemplars, how)
                if plan.strategy == "pmi"
                else pipeline.answer(query, exemplars, passages, stream=False, sampling=how)
            )
            async for event in answering:
                events.append(event)
    except LMError as error:
        events.append(Failed(str(error)))
    return record(question, kind, events)


def sampling(pipeline: DualQuery, plan: Plan) -> Sampling:
    """Return how the final replies are decoded. Samples are seeded, so that they are kept and a run can repeat."""
    own = pipeline.sampling
    if plan.strategy == "greedy":
        return own
    by_pmi = plan.strategy == "pmi"
    return replace(
        own,
        n=plan.samples,
        temperature=own.temperature or (1.0 if by_pmi else SAMPLING_TEMPERATURE),
        top_p=pipeline.parts.settings.pmi.top_p if by_pmi else own.top_p,
        seed=0 if own.seed is None else own.seed,
    )


def under_way(parts: Parts) -> int:
    """Return how many questions are under way: enough that requests wait for the server, not the server for us."""
    remote = [lm for lm in (parts.settings.lm.name, parts.settings.first_query.lm) if lm and lm.startswith("openai:")]
    return 2 * parts.settings.endpoint.concurrency if remote else CONCURRENT_FIRST_QUERIES


def run_config(pipeline: DualQuery, questions: Questions, plan: Plan) -> dict[str, Any]:
    """Return everything that decides a run's results, with the versions it was made with. It holds no keys."""
    parts = pipeline.parts
    lms = {"lm": parts.lm} | ({"first_lm": parts.first_lm} if pipeline.method.dual else {})
    reads = pipeline.method.reads is not None
    opened = parts.__dict__.get("passage_index" if reads else "index")
    index = None if opened is None else opened.meta
    return {
        "format": FORMAT,
        "dataset": questions.dataset,
        "split": questions.split,
        "limit": questions.limit,
        "kind": questions.kind,
        "method": pipeline.method_name,
        "reranker": pipeline.reranker,
        **asdict(plan),
        "sampling": asdict(sampling(pipeline, plan)),
        "questions": {"count": len(questions.rows), "sha256": questions.rows.fingerprint},
        "pool": None if reads else _described(parts.pool),
        "passages": _described(parts.passages.pool) if reads and "passages" in parts.__dict__ else None,
        "encoder": None if index is None else {"name": index.encoder, "sha256": index.encoder_fingerprint},
        **{role: {"name": lm.name, "identity": lm.identity} for role, lm in lms.items()},
        "settings": parts.settings.model_dump(mode="json"),
        "versions": {"python": platform.python_version()} | dict(_versions()),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _described(pool: Pool) -> dict[str, Any]:
    return {"source": pool.source, "count": len(pool), "sha256": pool.fingerprint}


def _refuse_plan(pipeline: DualQuery, plan: Plan) -> None:
    """Raise UsageError for a metric or a strategy that the method has no way to."""
    reads = pipeline.method.reads
    if reads is not None and plan.metric == "nll":
        raise UsageError(f"--metric nll scores answers after exemplars; {pipeline.method_name} has none")
    if reads is not None and plan.strategy == "pmi":
        raise UsageError(f"--strategy pmi compares replies under exemplars; {pipeline.method_name} has none")
    if reads == "sure" and plan.strategy != "greedy":
        raise UsageError("--strategy self-consistency votes on one reply; sure chooses its answer in another way")


def _versions() -> Iterator[tuple[str, str]]:
    for package in _VERSIONS:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue
