"""The pipeline. Read this file first: every question, wherever it was typed, goes through `DualQuery`.

question x ─► initial exemplars ─► first query (the model streams a rationale y)
x ⊕ y ─► encoder ─► top-M candidates ─► re-ranker ─► top-n exemplars
top-n + x ─► prompt ─► final query (streams) ─► answer

Methods that read (`sure` and its like) take another way: question ─► top-N passages ─► `core.answer` ─► answer.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Literal

from .budget import after_overflow, fit_prompt
from .errors import ContextOverflow, LMError, UsageError
from .events import (
    CotDone,
    CotToken,
    Event,
    Failed,
    InitialExemplars,
    Notice,
    PassagesFound,
    Pick,
    PromptBuilt,
    Query,
    Reranked,
)
from .exemplars import Exemplar
from .lm.base import LM, Completion, Sampling
from .methods import Reads, find_method
from .parts import Parts, lm_parts
from .passages import Passage
from .prompts import STOP, Prompt, build_prompt
from .replying import answer_events
from .rerank import find_reranker
from .select.candidates import find_candidates
from .select.initial import initial_exemplars
from .select.passages import find_passages
from .select.picks import rerank_candidates
from .tasks import extract_answer, kind_of

#: First queries under way at once when many questions are selected for; the model batches them.
CONCURRENT_FIRST_QUERIES = 32


class DualQuery:
    """Answers questions by one method. `run` is the whole pipeline; `select` stops at the exemplars, in batches."""

    def __init__(self, parts: Parts, method: str | None = None) -> None:
        """Pair `parts` with the method of their settings, or with another that shares them."""
        self.parts = parts
        self.method_name = method or parts.settings.select.method
        self.method = find_method(self.method_name)
        self.reranker = parts.settings.rerank.name or self.method.reranker
        self.rerank_params = parts.rerank_params(self.reranker)
        self._warn_of_idle_settings()
        for name in (parts.settings.lm.name, parts.settings.first_query.lm):
            if name is not None:
                lm_parts(name)  # a misspelt model is said before any work is done

    def open(self, *, answer: bool = True, first_query: bool = True, passages: bool = True) -> None:
        """Open every part the method needs, so that errors come early and timings hold no loading.

        Without `passages`, no collection is opened: each question brings its own.
        """
        parts = self.parts
        if self.method.reads is not None:
            self._open_reading(answer=answer, passages=passages)
            return
        parts.pool  # noqa: B018
        if self.method.encodes or self._needs_vectors or self.method.initial in ("epr", "ceil"):
            parts.index.engine  # noqa: B018
        if "bm25" in (self.method.retriever, self.method.initial):
            parts.bm25  # noqa: B018
        if self.method.dual and first_query:
            parts.first_lm  # noqa: B018
        if answer:
            parts.lm  # noqa: B018

    def _open_reading(self, *, answer: bool, passages: bool) -> None:
        parts = self.parts
        if self.method.retrieves_passages and passages:
            parts.passages  # noqa: B018
            if parts.settings.passages.retriever == "dense":
                parts.passage_index.engine  # noqa: B018
            else:
                parts.passage_bm25  # noqa: B018
        if answer:
            parts.lm  # noqa: B018

    async def run(self, query: Query) -> AsyncGenerator[Event, None]:
        """Yield the events of one question, from the initial exemplars to the answer."""
        await asyncio.to_thread(self.open, first_query=query.cot is None, passages=not query.passages)
        shown: list[Event] = []
        async with aclosing(self._select_one(query)) as events:
            async for event in events:
                shown.append(event)
                yield event
        async with aclosing(self.answer(query, chosen_exemplars(shown), chosen_passages(shown))) as events:
            async for event in events:
                yield event

    async def select(self, queries: Sequence[Query]) -> list[list[Event]]:
        """Return the events of each question up to its exemplars; models see them in batches.

        Raises UsageError for a method that reads passages and so chooses no exemplars.
        """
        if self.method.reads is not None:
            raise UsageError(
                f"method {self.method_name} answers from passages and chooses no exemplars: use ask or eval"
            )
        asked = self.method.dual and any(query.cot is None for query in queries)
        await asyncio.to_thread(self.open, answer=False, first_query=asked)
        gate = asyncio.Semaphore(CONCURRENT_FIRST_QUERIES)

        async def first_query(query: Query) -> list[Event]:
            async with gate:
                try:
                    return [event async for event in self.first_query(query, stream=False)]
                except LMError as error:
                    return [Failed(str(error))]

        events = await asyncio.gather(*map(first_query, queries))
        going = [i for i, before in enumerate(events) if not any(isinstance(event, Failed) for event in before)]
        retrieved = await asyncio.to_thread(
            self.retrieve, [queries[i] for i in going], [_cot(events[i]) for i in going]
        )
        for i, after in zip(going, retrieved, strict=True):
            events[i] += after
        return events

    async def _select_one(self, query: Query) -> AsyncGenerator[Event, None]:
        events: list[Event] = []
        async with aclosing(self.first_query(query, stream=True)) as first:
            async for event in first:
                events.append(event)
                yield event
        for event in (await asyncio.to_thread(self.retrieve, [query], [_cot(events)]))[0]:
            yield event

    async def first_query(self, query: Query, *, stream: bool) -> AsyncGenerator[Event, None]:
        """Ask for the chain of thought, unless it is known or the method has no use for it."""
        if not self.method.dual:
            return
        if query.cot is not None:
            yield CotDone(query.cot, None, 0.0)
            return
        settings = self.parts.settings.first_query
        started = time.perf_counter()
        name = settings.initial or self.method.initial
        initial = await asyncio.to_thread(
            initial_exemplars, self.parts, name, query.question, settings.n, query.dialogue
        )
        if name == "socratic":
            initial, kept = await self.parts.socratic.rewrite(initial, self.parts.first_lm)
            if kept:
                yield Notice(f"{kept} of {len(initial)} initial exemplars keep their rationale: the model wrote none")
        yield InitialExemplars(initial, time.perf_counter() - started)
        started = time.perf_counter()
        async with aclosing(self._ask(self.parts.first_lm, query, initial, stream=stream)) as replies:
            async for item in replies:
                if isinstance(item, str):
                    yield CotToken(item)
                elif isinstance(item, Completion):
                    if item.finish_reason == "length":
                        yield Notice("the first query's reply was cut off at lm.max_tokens")
                    yield CotDone(item.text.strip(), item, time.perf_counter() - started)
                elif isinstance(item, Notice):
                    yield Notice(f"first query: {item.text}")

    async def answer(
        self,
        query: Query,
        exemplars: Sequence[Exemplar],
        passages: Sequence[Passage] = (),
        *,
        stream: bool = True,
        sampling: Sampling | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Ask the final query with these exemplars, or these passages (best first), and read the answer.

        Without `stream`, `sampling` may ask for several replies; each is an `Answered` of its own.
        """
        if self.method.reads is not None:
            async with aclosing(self._read(self.method.reads, query, passages, sampling, stream=stream)) as events:
                async for event in events:
                    yield event
            return
        asking = self._ask(self.parts.lm, query, exemplars, stream=stream, sampling=sampling)
        read = partial(extract_answer, self.parts.kind, options=query.options)
        async with aclosing(answer_events(asking, read)) as events:
            async for event in events:
                yield event

    def _read(
        self, reads: Reads, query: Query, passages: Sequence[Passage], sampling: Sampling | None, *, stream: bool
    ) -> AsyncGenerator[Event, None]:
        from .answer import Task, answer

        settings, parts = self.parts.settings, self.parts
        limit = settings.select.max_prompt_tokens
        task = Task(query, tuple(passages), parts.lm, self.kind, sampling or self.sampling, limit)
        return answer(reads, task, settings.sure, stream=stream)

    @property
    def kind(self) -> str:
        """What an answer is: read off the pool where a method has one, a span in passages."""
        chosen = self.parts.settings.task.kind
        return "span" if self.method.reads is not None and chosen == "auto" else self.parts.kind

    def prompt(self, query: Query, exemplars: Sequence[Exemplar]) -> Prompt:
        """Return the whole prompt for these exemplars, best first, before anything is dropped to make it fit."""
        return build_prompt(
            query.question,
            exemplars,
            instruction=self.parts.instruction,
            options=query.options,
            order=self.parts.settings.select.order,
            closing=kind_of(self.parts.kind).closing,
        )

    @property
    def sampling(self) -> Sampling:
        """How the settings say to decode."""
        chosen = self.parts.settings.lm
        return Sampling(
            max_tokens=chosen.max_tokens,
            temperature=chosen.temperature,
            top_p=chosen.top_p,
            seed=chosen.seed,
            stop=STOP,
        )

    async def _ask(
        self,
        lm: LM,
        query: Query,
        exemplars: Sequence[Exemplar],
        *,
        stream: bool,
        sampling: Sampling | None = None,
    ) -> AsyncGenerator[str | Completion | PromptBuilt | Notice, None]:
        """Build the prompt, drop what does not fit, and yield the reply; once more if the server says it was long."""
        settings = self.parts.settings
        sampling = sampling or self.sampling
        built = fit_prompt(self.prompt(query, exemplars), lm, sampling.max_tokens, settings.select.max_prompt_tokens)
        while True:
            if built.dropped:
                yield Notice(f"{built.dropped} of {len(exemplars)} exemplars dropped: the prompt was too long")
            yield built
            try:
                if stream:
                    async with aclosing(lm.stream(built.prompt, sampling)) as replies:
                        async for reply in replies:
                            yield reply
                else:
                    for completion in await lm.complete(built.prompt, sampling):
                        yield completion
                return
            except ContextOverflow as overflow:
                if not built.prompt.ranked:
                    raise
                built = after_overflow(built, overflow, sampling.max_tokens)

    def _warn_of_idle_settings(self) -> None:
        """Say which re-ranking settings this method has no use for."""
        given = self.parts.settings.rerank.model_dump(exclude_none=True)
        used = set()
        if self.method.retriever is not None:
            used = {"name", *find_reranker(self.reranker).settings}
            if self.method.retriever == "dpp":
                used |= find_reranker("dpp").settings.keys()
        by = f"method {self.method_name}" if self.method.retriever is None else f"re-ranker {self.reranker}"
        for key in given.keys() - used:
            self.parts.warnings.append(f"rerank.{key} = {given[key]} has no effect: {by} has no use for it")

    def _chosen(self, name: Literal["m", "n"]) -> int:
        """Return M or n: what the user set, else the method's own, else the default."""
        select = self.parts.settings.select
        own = None if name in select.model_fields_set else getattr(self.method, name)
        return int(own or getattr(select, name))

    @property
    def _needs_vectors(self) -> bool:
        return self.method.retriever is not None and self.reranker != "none"

    def retrieve(self, queries: Sequence[Query], cots: Sequence[str]) -> list[list[Event]]:
        """Return Candidates and Reranked of each query, or the fixed exemplars of a method that retrieves nothing.

        `cots` holds a rationale for each query, "" for none. A method that reads has PassagesFound instead.
        """
        if self.method.reads is not None:
            if not self.method.retrieves_passages:
                return [[] for _ in queries]
            return [[found] for found in find_passages(self.parts, queries)]
        n = self._chosen("n")
        if self.method.retriever is None:
            return [self._fixed(query, n) for query in queries]
        found = find_candidates(
            self.parts, self.method, queries, cots, vectors=self._needs_vectors, m=self._chosen("m")
        )
        picked = rerank_candidates(found, self.reranker, n, self.rerank_params)
        return [[c, r, *_shortfall(len(r.exemplars), n)] for c, r in zip(found, picked, strict=True)]

    def _fixed(self, query: Query, n: int) -> list[Event]:
        started = time.perf_counter()
        exemplars = initial_exemplars(self.parts, self.method.initial, query.question, n, query.dialogue)
        picks = tuple(Pick(exemplar, rank, None, None, None) for rank, exemplar in enumerate(exemplars, start=1))
        return [Reranked(picks, None, time.perf_counter() - started), *_shortfall(len(picks), n)]


def chosen_exemplars(events: Iterable[Event]) -> list[Exemplar]:
    """Return the exemplars that a question's events came to, best first."""
    return [pick.exemplar for event in events if isinstance(event, Reranked) for pick in event.exemplars]


def chosen_passages(events: Iterable[Event]) -> list[Passage]:
    """Return the passages that a question's events came to, best first."""
    return [found.passage for event in events if isinstance(event, PassagesFound) for found in event.passages]


def _cot(events: Sequence[Event]) -> str:
    return next((event.text for event in events if isinstance(event, CotDone)), "")


def _shortfall(found: int, n: int) -> list[Event]:
    return [Notice(f"{found} of {n} exemplars: there are no more to choose from")] if found < n else []
