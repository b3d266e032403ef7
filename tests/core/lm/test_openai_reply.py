"""Whatever a server sends, reading it ends in a completion or an LMError."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dqlore.core.errors import LMError
from dqlore.core.lm.openai_faults import fault_in, fault_of_body, overflow_error
from dqlore.core.lm.openai_reply import Draft, ThinkSplitter, choices_of, completions_of, events, parse
from dqlore.core.lm.openai_scores import echo_score, prompt_score

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return objects that have some of `fields`, some of them junk."""
    return st.fixed_dictionaries({}, optional={name: JUNK | value for name, value in fields.items()})


MESSAGES = some(content=st.text() | st.lists(some(text=st.text())), reasoning=st.text())
LOGPROBS = some(
    tokens=st.lists(st.text(max_size=2)),
    token_logprobs=st.lists(st.floats()),
    text_offset=st.lists(st.integers()),
    content=st.lists(some(logprob=st.floats())),
)
LISTED = st.lists(st.dictionaries(st.text(max_size=2), some(logprob=st.floats()), max_size=2))
CHOICES = some(
    index=st.integers(0, 1),
    delta=MESSAGES,
    message=MESSAGES,
    text=st.text(),
    finish_reason=st.sampled_from(["stop", "length"]),
    logprobs=LOGPROBS,
    prompt_logprobs=LISTED,
)
ERRORS = some(message=st.text(), code=st.text() | st.integers(), n_ctx=st.integers(), param=st.text())
REPLIES = some(choices=st.lists(CHOICES, max_size=3), usage=some(prompt_tokens=st.integers()), error=ERRORS)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(REPLIES, st.booleans())
def test_any_reply_is_read_or_refused(data: dict[str, Any], logprobs: bool) -> None:
    fault = fault_in(data)
    if fault is not None:
        assert isinstance(fault.passing, bool)
        assert str(overflow_error(fault, "tiny"))
    with contextlib.suppress(LMError):
        for completion, _ in completions_of(data, logprobs=logprobs):
            assert isinstance(completion.text, str)
    draft = Draft()
    for choice in choices_of(data):
        draft.add(choice)
    draft.rest()
    with contextlib.suppress(LMError):
        draft.completion(logprobs=logprobs, usage=data.get("usage"))
    echo_score(data, "a", "ab")
    prompt_score(data, data)


@given(st.binary())
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    with contextlib.suppress(LMError):
        parse(raw)
    assert fault_of_body(500, raw.decode("latin-1")).message


@given(st.lists(st.text(max_size=8)), st.data())
def test_events_do_not_depend_on_where_the_bytes_are_cut(texts: list[str], data: st.DataObject) -> None:
    raw = b"".join(
        f": ping\r\n\ndata: {json.dumps(text, ensure_ascii=False)}\r\n\r\ndata:\n".encode() for text in texts
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))

    async def pieces() -> AsyncIterator[bytes]:
        for begin, end in zip([0, *cuts], [*cuts, len(raw)], strict=True):
            yield raw[begin:end]

    async def read() -> list[str]:
        return [json.loads(event) async for event in events(pieces())]

    assert asyncio.run(read()) == texts


@given(st.text("<think>/ab "), st.text("ab <x"), st.data())
def test_thoughts_do_not_depend_on_where_the_text_is_cut(thought: str, answer: str, data: st.DataObject) -> None:
    thought = thought.replace("</think>", "")
    said = f"<think>{thought}</think>{answer}"
    whole, cut = ThinkSplitter(), ThinkSplitter()
    shown = whole.feed(said) + whole.finish(cut=False)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=6)))
    pieces = [said[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]
    assert "".join(map(cut.feed, pieces)) + cut.finish(cut=False) == shown
    assert (cut.text, cut.reasoning) == (whole.text, whole.reasoning)
    if not thought.endswith(tuple("</think>"[:size] for size in range(1, 8))):
        assert (shown, whole.reasoning) == (answer.lstrip(), thought)
