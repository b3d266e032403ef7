"""A language model that remembers its replies.

Only calls that repeat are kept (greedy or seeded), and only good replies: one without text, one that broke off and
one that failed are asked again. A reply that the token limit cut is kept as what it is, finish reason "length": the
limit is part of the key, so the same call would be cut again, and a larger limit is a new call. The key covers all
that can change a reply.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass, replace

from ..errors import LMError
from ..prompts import Prompt
from .base import LM, Completion, LogLikelihood, Sampling
from .cache_store import Cache, CacheStats
from .pieces import word_pieces

__all__ = ["Cache", "CacheStats", "CachedLM"]

_FORMAT = 2  # goes up when stored replies change their meaning; old ones are then never found


@dataclass(slots=True)
class _Turn:
    """One request's right to ask. `found` is its reply if it is known; `outcome` is what those who wait will get."""

    found: list[Completion] | None = None
    outcome: list[Completion] | LMError | None = None


class CachedLM:
    """`lm` with its replies kept in `cache`; `refresh` asks anew and replaces them.

    Equal requests under way at the same time in one process are asked once.
    """

    def __init__(self, lm: LM, cache: Cache, *, refresh: bool = False) -> None:
        self.lm = lm
        self.cache = cache
        self.refresh = refresh
        self.name = lm.name
        self.identity = lm.identity
        self._under_way: dict[str, asyncio.Future[list[Completion] | LMError | None]] = {}

    @property
    def context_window(self) -> int | None:
        """The model's, which a server may tell only later."""
        return self.lm.context_window

    @property
    def notices(self) -> list[str]:
        """What the model and the cache have to say to the user."""
        return [*getattr(self.lm, "notices", ()), *self.cache.warnings]

    def count_tokens(self, prompt: Prompt) -> int | None:
        """Return what the model returns."""
        return self.lm.count_tokens(prompt)

    async def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        """Yield as the model does; a kept reply comes word by word, with `cached` set at its end."""
        if not sampling.repeatable:
            async with aclosing(self.lm.stream(prompt, sampling)) as items:
                async for item in items:
                    yield item
            return
        key = self._key(prompt, sampling=asdict(replace(sampling, n=1)))
        async with self._turn(key) as turn:
            if turn.found is not None:
                for piece in word_pieces(turn.found[0].text):
                    yield piece
                yield turn.found[0]
                return
            async with aclosing(self.lm.stream(prompt, sampling)) as items:
                async for item in items:
                    if isinstance(item, Completion):
                        await self._keep(key, [item])
                        turn.outcome = [item]
                    yield item

    async def complete(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        """Return the kept completions, or the model's."""
        if not sampling.repeatable:
            return await self.lm.complete(prompt, sampling)
        key = self._key(prompt, sampling=asdict(sampling))
        async with self._turn(key) as turn:
            if turn.found is None:
                completions = await self.lm.complete(prompt, sampling)
                await self._keep(key, completions)
                turn.outcome = completions
                return completions
        return turn.found

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        """Return the kept scores; the model scores the other pairs, each once, in one call."""
        keys = [self._key(prompt, continuation=continuation) for prompt, continuation in pairs]
        scores = {} if self.refresh else _scores(await self.cache.get(list(dict.fromkeys(keys))))
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in scores}
        if missing:
            new = dict(zip(missing, await self.lm.log_likelihoods(list(missing.values())), strict=True))
            await self.cache.put({key: json.dumps([score.total, score.tokens]) for key, score in new.items()})
            scores |= new
        return [scores[key] for key in keys]

    async def aclose(self) -> None:
        """Let go of the model; the cache may serve others and stays open."""
        await self.lm.aclose()

    def _key(self, prompt: Prompt, **what: object) -> str:
        request = {
            "format": _FORMAT,
            "lm": self.identity,
            "text": prompt.text(),
            "messages": prompt.messages(),
            **what,
        }
        text = json.dumps(request, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    @asynccontextmanager
    async def _turn(self, key: str) -> AsyncIterator[_Turn]:
        """Wait for an equal request under way, and take its outcome; if it has none, be the one that asks."""
        while (other := self._under_way.get(key)) is not None:
            outcome = await asyncio.shield(other)
            if isinstance(outcome, LMError):
                raise outcome
            if outcome is not None:
                yield _Turn([replace(completion, cached=True) for completion in outcome])
                return
        turn = _Turn()
        waited_for = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            if not self.refresh:
                turn.outcome = turn.found = _completions((await self.cache.get([key])).get(key))
            yield turn
        except LMError as error:
            turn.outcome = error
            raise
        finally:
            del self._under_way[key]
            waited_for.set_result(turn.outcome)

    async def _keep(self, key: str, completions: list[Completion]) -> None:
        if all(completion.text.strip() for completion in completions):
            kept = [{**asdict(completion), "cached": True} for completion in completions]
            await self.cache.put({key: json.dumps(kept)})


def _completions(kept: str | None) -> list[Completion] | None:
    """Read a kept reply; one that cannot be read counts as not kept."""
    try:
        rows = json.loads(kept or "null")
        completions = [Completion(**row) for row in rows]
    except (TypeError, ValueError):
        return None
    return [
        completion
        if completion.token_logprobs is None
        else replace(completion, token_logprobs=tuple(completion.token_logprobs))
        for completion in completions
    ]


def _scores(kept: dict[str, str]) -> dict[str, LogLikelihood]:
    scores: dict[str, LogLikelihood] = {}
    for key, value in kept.items():
        try:
            total, tokens = json.loads(value)
            scores[key] = LogLikelihood(float(total), int(tokens))
        except (TypeError, ValueError):
            continue
    return scores
