"""Any OpenAI-compatible server as a language model: hosted ones, vLLM, Ollama, llama.cpp, LM Studio."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..errors import ContextOverflow, Incomplete, LMError
from ..prompts import Prompt
from ..together import together
from .base import Completion, LogLikelihood, Sampling
from .openai_dialect import Dialect
from .openai_faults import RefusedError, fault_in
from .openai_reply import Draft, choices_of, completions_of, events, parse
from .openai_scores import Scorer
from .openai_transport import Reply, Transport

_TAIL = 5.0  # seconds that a stream may take, after its finish reason, to bring token counts and its end mark
_LEAST_TOKENS_PER_CHARACTER = 1 / 10  # text has about a quarter; far fewer means that the server cut the prompt


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served and how patient we are with it. Times are in seconds.

    `max_wait` bounds a single wait, also one that the server asks for; `total_timeout` bounds a whole reply.
    """

    model: str
    base_url: str = "https://api.openai.com/v1"
    api: Literal["chat", "completions"] = "chat"
    api_key_env: str = "OPENAI_API_KEY"
    connect_timeout: float = 5.0
    first_token_timeout: float = 120.0
    idle_timeout: float = 60.0
    total_timeout: float = 600.0
    max_retries: int = 5
    max_wait: float = 60.0
    concurrency: int = 8
    context_window: int | None = None


class OpenAILM:
    """The model at an endpoint. `notices` collects what the user should know once, such as dropped parameters."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._transport = Transport(endpoint)
        self.name = f"openai:{endpoint.model}"
        self.identity = f"openai {endpoint.api} {self._transport.address.base} {endpoint.model}"
        self.context_window = endpoint.context_window
        self.notices: list[str] = []
        self._dialect = Dialect(endpoint.model, endpoint.api, self.notices)
        self._scorer = Scorer(
            f"{endpoint.model} at {self.base_url}",
            lambda body: self._fetch("completions", {"model": endpoint.model, **body}),
        )

    @property
    def base_url(self) -> str:
        """The address in use, after repair."""
        return self._transport.address.base

    def count_tokens(self, prompt: Prompt) -> int | None:
        """Return None: only the server knows."""
        return None

    async def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        """Yield the text as it comes, then the completion; see `LM.stream`.

        A model whose reasoning starts without `<think>` is known only by its first `</think>`: that once its
        reasoning is among the pieces, while the completion at the end, and all later streams, hold it apart.
        """
        body: dict[str, Any] = {}
        begun = False
        while True:
            body = self._dialect.body(prompt, replace(sampling, n=1), stream=True)
            try:
                async with (
                    self._transport.stream(self.endpoint.api, body) as reply,
                    aclosing(self._read(reply, sampling)) as items,
                ):
                    async for item in items:
                        begun = True
                        if isinstance(item, Completion):
                            self._watch_for_cut(body, item)
                        yield item
                return
            except LMError as error:
                if begun or not self._adapted(error, body):
                    raise

    async def complete(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        """Return `sampling.n` completions, by several requests where the server gives one a request.

        The i-th of such requests gets the seed `sampling.seed` + i.
        """
        done: list[Completion] = []
        if sampling.n == 1 or not self._dialect.one_at_a_time:
            done = (await self._ask(prompt, sampling))[: sampling.n]
        if len(done) < sampling.n:
            self._dialect.one_at_a_time = True
            seeds = [None if sampling.seed is None else sampling.seed + i for i in range(len(done), sampling.n)]
            more = await together(self._ask(prompt, replace(sampling, n=1, seed=seed)) for seed in seeds)
            done += [completions[0] for completions in more]
        return done

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        """Score each continuation after `Prompt.text`, on a chat endpoint too: only `/completions` can score.

        The first call finds out how the server gives the scores of a prompt. Raises LMError where it does not.
        """
        return await self._scorer.scores([(prompt.text(), continuation) for prompt, continuation in pairs])

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    async def _ask(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        while True:
            body = self._dialect.body(prompt, sampling)
            try:
                data = await self._fetch(self.endpoint.api, body)
                break
            except LMError as error:
                if not self._adapted(error, body):
                    raise
        completions: list[Completion] = []
        for completion, closed_only in completions_of(data, logprobs=sampling.logprobs):
            self._dialect.closes_think_only |= closed_only
            completions.append(completion)
        self._watch_for_cut(body, completions[0])
        return completions

    async def _fetch(self, api: Literal["chat", "completions"], body: dict[str, Any]) -> dict[str, Any]:
        return self._parse(await self._transport.fetch(api, body))

    def _parse(self, raw: bytes | str) -> dict[str, Any]:
        try:
            data = parse(raw)
        except LMError as error:
            raise LMError(self._transport.redact(f"{self.base_url}: {error}")) from None
        if fault := fault_in(data):
            raise self._transport.refusal(fault)
        return data

    async def _read(self, reply: Reply, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        loop, wait = asyncio.get_running_loop(), self.endpoint
        draft = Draft(closes_think_only=self._dialect.closes_think_only)
        usage: dict[str, Any] | None = None
        last, until = loop.time() + wait.total_timeout, loop.time() + wait.first_token_timeout
        whole = False
        async with aclosing(_payloads(reply)) as payloads:
            while not whole:
                try:
                    async with asyncio.timeout_at(min(until, last)):
                        payload = await anext(payloads, None)
                except TimeoutError:
                    if draft.finish_reason:
                        break
                    raise self._transport.stalled(
                        wait.idle_timeout if draft.started else wait.first_token_timeout
                    ) from None
                except self._transport.broken:
                    payload = None
                if payload is None:
                    break
                whole = payload == "[DONE]"
                if whole:
                    break
                data = self._parse(payload)
                usage = data.get("usage") or usage
                for choice in choices_of(data):
                    if not choice.get("index") and (text := draft.add(choice)):
                        yield text
                if draft.started:
                    until = loop.time() + (_TAIL if draft.finish_reason else wait.idle_timeout)
        if text := draft.rest():
            yield text
        if not whole and not draft.finish_reason:
            raise Incomplete(
                f"{self.base_url} closed the connection before the reply was whole", partial=draft.splitter.text
            )
        self._dialect.closes_think_only |= draft.splitter.closed_only
        yield draft.completion(logprobs=sampling.logprobs, usage=usage)

    def _adapted(self, error: LMError, body: dict[str, Any]) -> bool:
        if isinstance(error, ContextOverflow) and error.window is not None:
            self.context_window = error.window
        return isinstance(error, RefusedError) and self._dialect.adapt(error.fault, body)

    def _watch_for_cut(self, body: dict[str, Any], completion: Completion) -> None:
        sent = len(body["prompt"]) if "prompt" in body else sum(len(turn["content"]) for turn in body["messages"])
        counted = completion.prompt_tokens
        if counted and sent > 2000 and counted < sent * _LEAST_TOKENS_PER_CHARACTER:
            notice = (
                f"{self.endpoint.model} read {counted} tokens of a prompt of {sent} characters: the server may have "
                "cut it; raise its context length"
            )
            if not any(known.startswith(f"{self.endpoint.model} read ") for known in self.notices):
                self.notices.append(notice)


async def _payloads(reply: Reply) -> AsyncGenerator[str, None]:
    """Yield the JSON texts of a stream; a server that does not stream sends one, the whole reply."""
    if "application/json" in reply.headers.get("content-type", ""):
        yield (await reply.read()).decode("utf-8", "replace")
        yield "[DONE]"
        return
    async for payload in events(reply.iter_bytes()):
        yield payload
