"""Making a prompt fit: whole exemplars are dropped, the lowest-ranked first, never a part of one."""

from .errors import ContextOverflow
from .events import PromptBuilt
from .lm.base import LM
from .prompts import Prompt


def fit_prompt(prompt: Prompt, lm: LM, reply_tokens: int, limit: int | None = None) -> PromptBuilt:
    """Return the prompt with as many exemplars as leave room for `reply_tokens`, and within `limit` tokens if given.

    Where only the server can count, the prompt is left whole.
    """
    room = min(
        (size for size in (limit, lm.context_window and lm.context_window - reply_tokens) if size is not None),
        default=None,
    )
    shots = len(prompt.ranked)
    tokens = lm.count_tokens(prompt)
    while room is not None and tokens is not None and tokens > room and prompt.ranked:
        prompt = prompt.without_lowest()
        tokens = lm.count_tokens(prompt)
    return PromptBuilt(prompt, shots - len(prompt.ranked), tokens)


def after_overflow(built: PromptBuilt, overflow: ContextOverflow, reply_tokens: int) -> PromptBuilt:
    """Return a shorter prompt after the server refused `built`.

    Where the server names its window and the prompt's length, the exemplars are cut to that share by length in
    characters; otherwise half of them go.
    """
    prompt = built.prompt
    keep = len(prompt.ranked) // 2
    if overflow.window and overflow.prompt_tokens:
        room = len(prompt.text()) * max(0, overflow.window - reply_tokens) / overflow.prompt_tokens
        keep = len(prompt.ranked) - 1
        while keep and len(prompt.without_lowest(len(prompt.ranked) - keep).text()) > room:
            keep -= 1
    dropped = len(prompt.ranked) - keep
    return PromptBuilt(prompt.without_lowest(dropped), built.dropped + dropped, None)
