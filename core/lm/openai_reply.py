"""Replies of OpenAI-compatible servers, whole or streamed, read into completions."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from ..errors import LMError
from .base import Completion
from .openai_faults import NO_LOG_PROBABILITIES, quote

_OPEN, _CLOSE = "<think>", "</think>"
_CUT_SHORT = ("length", "max_tokens", "max_length", "model_length")


class ThinkSplitter:
    """Parts what a model thinks, up to `</think>`, from its answer, over pieces of any size.

    Where the opening tag is missing (the server's template holds it), text is known as reasoning only when `</think>`
    comes, after it was passed on; `known` says from the start that this will happen.
    """

    def __init__(self, *, known: bool = False) -> None:
        self.text = ""
        self.reasoning = ""
        self.closed_only = known
        self._thinking = known
        self._started = known
        self._closed = False
        self._held = ""

    @property
    def started(self) -> bool:
        return bool(self.text or self.reasoning or self._held)

    def feed(self, piece: str) -> str:
        """Return what of the text so far is answer and not passed on yet."""
        self._held += piece
        if not self._started:
            start = self._held.lstrip()
            if start.startswith(_OPEN):
                self._thinking, self._held = True, start.removeprefix(_OPEN)
            elif _OPEN.startswith(start):
                return ""
            self._started = True
        if not self._closed and _CLOSE in self._held:
            before, _, self._held = self._held.partition(_CLOSE)
            self.closed_only = self.closed_only or not self._thinking
            before = self.text + before
            self.reasoning, self.text = before.lstrip().removeprefix(_OPEN) if self.closed_only else before, ""
            self._thinking, self._closed = False, True
        if self._thinking:
            return ""
        keep = 0 if self._closed else _overlap(self._held, _CLOSE)
        return self._pass_on(len(self._held) - keep)

    def finish(self, *, cut: bool) -> str:
        """Return the held rest. `cut` says that the token limit ended the reply."""
        if self._thinking and (cut or not self.closed_only):
            self.reasoning, self._held = self._held, ""
        return self._pass_on(len(self._held))

    def _pass_on(self, length: int) -> str:
        out, self._held = self._held[:length], self._held[length:]
        if self._closed and not self.text:
            out = out.lstrip()
        self.text += out
        return out


class Draft:
    """One choice of a reply while it is being read."""

    def __init__(self, *, closes_think_only: bool = False) -> None:
        self.splitter = ThinkSplitter(known=closes_think_only)
        self.finish_reason = ""
        self._reasoning: list[str] = []
        self._logprobs: list[float | None] | None = None

    def add(self, choice: dict[str, Any]) -> str:
        """Take in a choice or a piece of one; return the new text to show."""
        message = _table(choice.get("delta")) or _table(choice.get("message"))
        self._reasoning.append(_plain(message.get("reasoning_content")) or _plain(message.get("reasoning")))
        self._add_logprobs(choice.get("logprobs"))
        self.finish_reason = str(choice.get("finish_reason") or self.finish_reason)
        return self.splitter.feed(_plain(message.get("content")) + _plain(choice.get("text")))

    @property
    def started(self) -> bool:
        """Whether the model has said anything, aloud or in its thoughts."""
        return self.splitter.started or any(self._reasoning)

    def rest(self) -> str:
        """Return the text still to show when no more will come."""
        return self.splitter.finish(cut=self.finish_reason in _CUT_SHORT)

    def completion(self, *, logprobs: bool, usage: dict[str, Any] | None = None) -> Completion:
        """Return the finished reply; `rest` must have been called. Raises LMError where there is no answer."""
        if self.finish_reason == "content_filter":
            raise LMError("the server's content filter stopped the reply")
        text, reasoning = self.splitter.text, "".join(self._reasoning) + self.splitter.reasoning
        if reasoning.strip() and not text.strip():
            raise LMError(
                "no final answer: the model used all its tokens for reasoning; raise the token limit (lm.max_tokens)"
            )
        given = None
        if logprobs:
            given = self._logprobs if self._logprobs is not None or text else []
            if given is None or None in given:
                raise LMError(f"this server {NO_LOG_PROBABILITIES}")
        return Completion(
            text,
            "length" if self.finish_reason in _CUT_SHORT else "stop",
            _count(usage, "prompt_tokens"),
            _count(usage, "completion_tokens"),
            reasoning.strip(),
            None if given is None else tuple(value for value in given if value is not None),
        )

    def _add_logprobs(self, logprobs: Any) -> None:
        table = _table(logprobs)
        found, content = table.get("token_logprobs"), table.get("content")
        if not isinstance(found, list) and isinstance(content, list):
            found = [_table(token).get("logprob") for token in content]
        if isinstance(found, list):
            self._logprobs = [*(self._logprobs or []), *map(_number, found)]


def parse(raw: bytes | str) -> dict[str, Any]:
    """Return the JSON object of a body or a chunk. Raises LMError."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        shown = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
        raise LMError(f"the server sent something that is not a JSON object: {quote(shown)!r}")
    return data


def choices_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the choices of a reply or a chunk, which may have none."""
    choices = data.get("choices")
    return [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []


def completions_of(data: dict[str, Any], *, logprobs: bool) -> Iterator[tuple[Completion, bool]]:
    """Yield the completions of a whole reply, and with each whether it closed `</think>` without opening it.

    The server counts tokens over all choices; the first completion carries them, so that sums are right.
    """
    choices = choices_of(data)
    if not choices:
        raise LMError("the server's reply holds no choices")
    for position, choice in enumerate(choices):
        draft = Draft()
        draft.add(choice)
        draft.rest()
        usage = data.get("usage") if position == 0 else None
        yield draft.completion(logprobs=logprobs, usage=usage), draft.splitter.closed_only


async def events(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """Yield what follows `data:` on each line of an event stream, down to `[DONE]`.

    Every data line is an event of its own, as all these servers send them. Lines are put together as bytes, so a
    letter may be cut anywhere; comments, empty data and the other fields are passed over.
    """
    held = b""
    async for chunk in chunks:
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            if data := _data(line):
                yield data
    if data := _data(held):
        yield data


def _data(line: bytes) -> str:
    if not line.startswith(b"data:"):
        return ""
    return line[5:].decode("utf-8", "replace").strip()


def _plain(content: object) -> str:
    """Return message content, which may be null or a list of parts, as text."""
    if isinstance(content, list):
        return "".join(_plain(part.get("text")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _count(usage: object, field: str) -> int | None:
    value = _table(usage).get(field)
    return value if isinstance(value, int) else None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _overlap(text: str, tag: str) -> int:
    """Return how many last characters of `text` may be the begin of `tag`."""
    return next((size for size in range(min(len(text), len(tag) - 1), 0, -1) if tag.startswith(text[-size:])), 0)
