"""Log-likelihoods out of completions replies: by `echo` with `logprobs`, or by vLLM's `prompt_logprobs`."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate, takewhile
from typing import Any

from ..errors import LMError
from ..together import together
from .base import LogLikelihood
from .openai_faults import NO_LOG_PROBABILITIES, RefusedError
from .openai_reply import choices_of

# One new token is asked for because many servers refuse to make none; it is not counted.
_ECHO = {"max_tokens": 1, "temperature": 0, "echo": True, "logprobs": 1}
_PROMPT_LOGPROBS = {"max_tokens": 1, "temperature": 0, "prompt_logprobs": 0}

_Contexts = dict[str, asyncio.Task[dict[str, Any]]]
_Way = Callable[[str, str, _Contexts], Awaitable[LogLikelihood | None]]


class Scorer:
    """Scores texts on one server. The first pair finds out which ways it knows; that is remembered.

    `ask` sends a body to the completions interface and returns the reply.
    """

    def __init__(self, model: str, ask: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]) -> None:
        self._model = model
        self._ask = ask
        self._probed = False
        self._ways: tuple[_Way, ...] = (self._by_echo, self._by_prompt_logprobs)
        self._said = ""

    async def scores(self, pairs: Sequence[tuple[str, str]]) -> list[LogLikelihood]:
        """Return the score of each (context, continuation). Raises LMError where the server has none to give."""
        contexts: _Contexts = {}
        try:
            first = [] if self._probed else [await self._score(*pair, contexts) for pair in pairs[:1]]
            return first + await together(self._score(*pair, contexts) for pair in pairs[len(first) :])
        finally:
            for task in contexts.values():
                task.cancel()

    async def _score(self, context: str, continuation: str, contexts: _Contexts) -> LogLikelihood:
        if not continuation:
            return LogLikelihood(0.0, 0)
        text = joined(context, continuation)
        for position, way in enumerate(self._ways):
            try:
                score = await way(context, text, contexts)
            except RefusedError as refusal:
                if not refusal.fault.about_the_request:
                    raise
                self._said, score = f" (it said: {refusal.fault.message})", None
            if score is not None:
                if not self._probed:
                    self._probed, self._ways = True, self._ways[position:]
                return score
        if not self._probed:
            self._probed, self._ways = True, ()
        raise LMError(f"{self._model} {NO_LOG_PROBABILITIES}{self._said}")

    async def _by_echo(self, context: str, text: str, _: _Contexts) -> LogLikelihood | None:
        return echo_score(await self._ask({"prompt": text, **_ECHO}), context, text)

    async def _by_prompt_logprobs(self, context: str, text: str, contexts: _Contexts) -> LogLikelihood | None:
        full = await self._ask({"prompt": text, **_PROMPT_LOGPROBS})
        if _prompt_tokens(full) is None:
            return None
        if context not in contexts:
            contexts[context] = asyncio.create_task(self._context(context))
        return prompt_score(full, await contexts[context])

    async def _context(self, context: str) -> dict[str, Any]:
        return await self._ask({"prompt": context, **_PROMPT_LOGPROBS})


def joined(context: str, continuation: str) -> str:
    """Return the scored text: the continuation stands a space after the context, as a reply in `Prompt.text` does."""
    gap = "" if not context or context[-1].isspace() or continuation[:1].isspace() else " "
    return context + gap + continuation


def echo_score(data: dict[str, Any], context: str, text: str) -> LogLikelihood | None:
    """Return the score of what follows `context` in `text`, None where the reply does not echo it with all scores.

    A token that reaches over the end of `context` counts as part of what follows.
    """
    choice = _choice(data)
    echoed, logprobs = str(choice.get("text") or ""), choice.get("logprobs")
    if text not in echoed or not isinstance(logprobs, dict):
        return None
    tokens, values = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values):
        return None
    spans = _spans([str(token) for token in tokens], logprobs.get("text_offset"), echoed, text)
    if spans is None:
        return None
    return _sum(
        [
            value
            for value, (first, last) in zip(values, spans, strict=True)
            if first < len(text) and (first >= len(context) or last > len(context))
        ]
    )


def prompt_score(full: dict[str, Any], context: dict[str, Any]) -> LogLikelihood | None:
    """Return the score of the tokens that `full` has beyond those it shares with `context`.

    Both are replies that list one score a prompt token; comparing tokens needs no decoding, and finds the boundary
    also where the two texts merge into one token there.
    """
    whole, head = _prompt_tokens(full), _prompt_tokens(context)
    if not whole or not head:
        return None
    shared = sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1][0], zip(whole, head, strict=False)))
    return _sum([value for _, value in whole[shared:]])


def _spans(tokens: list[str], offsets: object, echoed: str, text: str) -> list[tuple[int, int]] | None:
    """Return where each token begins and ends in `text` (before it: below 0), None where that cannot be told.

    Some servers count an unseen first token into the offsets, so the tokens' own lengths come first. They fail where
    a letter is made of several tokens; there the offsets count, if each readable token is found at its own.
    """
    whole = "".join(tokens)
    start = whole.find(text)
    if start >= 0:
        begins = list(accumulate(map(len, tokens), initial=0))[:-1]
    elif isinstance(offsets, list) and [type(offset) for offset in offsets] == [int] * len(tokens):
        whole, start, begins = echoed, echoed.find(text), offsets
        for token, begin in zip(tokens, begins, strict=True):
            readable = "\ufffd" not in token and not token.startswith("bytes:")
            if readable and not echoed.startswith(token, begin):
                return None
    else:
        return None
    ends = [*begins[1:], len(whole)]
    return [(begin - start, end - start) for begin, end in zip(begins, ends, strict=True)]


def _prompt_tokens(data: dict[str, Any]) -> list[tuple[str, float | None]] | None:
    """Return (token id, log-probability) of each prompt token; the first one has no log-probability."""
    listed = _choice(data).get("prompt_logprobs", data.get("prompt_logprobs"))
    if not isinstance(listed, list) or not listed:
        return None
    tokens: list[tuple[str, float | None]] = []
    for entry in listed:
        if not isinstance(entry, dict) or not entry:
            tokens.append(("", None))
            continue
        token, found = next(iter(entry.items()))  # the prompt's own token stands first
        tokens.append((token, found.get("logprob") if isinstance(found, dict) else None))
    return tokens


def _choice(data: dict[str, Any]) -> dict[str, Any]:
    return (choices_of(data) or [{}])[0]


def _sum(scored: list[Any]) -> LogLikelihood | None:
    if not scored or not all(isinstance(value, int | float) for value in scored):
        return None
    return LogLikelihood(float(sum(scored)), len(scored))
