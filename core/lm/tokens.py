"""Prompts as tokens, for models with and without a chat template.

Only the template writes special tokens. What looks like one in a question or an exemplar stays text, so it can
neither end a turn nor begin another.
"""

import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from ..prompts import Prompt

Chat = Literal["auto", "never"]

#: Prompts whose tokens are remembered: the same one is counted, sampled and scored.
_REMEMBERED = 256

#: Characters for private use: they enclose what looks like a special token while the template is filled in.
_OPEN, _CLOSE = "\ue000", "\ue001"


class PromptTokens:
    """Turns prompts and continuations into tokens with a tokenizer of transformers.

    With `chat` "auto" a tokenizer that has a chat template gets `Prompt.messages`, any other `Prompt.text`.
    """

    def __init__(self, tokenizer: Any, chat: Chat = "auto") -> None:
        self._tokenizer = tokenizer
        self._lock = threading.Lock()  # fast tokenizers refuse to be changed by one thread while another reads
        self.uses_chat = chat == "auto" and bool(tokenizer.chat_template)
        self.of_prompt = lru_cache(maxsize=_REMEMBERED)(self._of_prompt)
        special = sorted((str(token) for token in tokenizer.all_special_tokens), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, special)) or r"(?!)")
        # SentencePiece models put a space before every text themselves; a second one would be another token.
        first = tokenizer.convert_ids_to_tokens(self._encode("a")[:1])
        self._adds_space = bool(first) and first[0].startswith("▁")

    def of_continuation(self, text: str) -> tuple[int, ...]:
        """Return the tokens of `text` on its own, as it follows a prompt: a space apart unless it is a chat turn."""
        apart = bool(text) and not (self.uses_chat or self._adds_space or text[0].isspace())
        return self._encode(f" {text}" if apart else text)

    def _of_prompt(self, prompt: Prompt) -> tuple[int, ...]:
        if not self.uses_chat:
            return self._encode(prompt.text(), begin=True)
        text = self._chat_text(prompt)
        if _OPEN not in text:
            return self._encode(text, parse=True)
        parts = re.split(f"[{_OPEN}{_CLOSE}]", text)
        return tuple(token for place, part in enumerate(parts) for token in self._encode(part, parse=place % 2 == 0))

    def _chat_text(self, prompt: Prompt) -> str:
        from jinja2 import TemplateError

        try:
            text = self._render(prompt.messages())
            if self._enclosed(prompt.instruction).strip() in text:
                return text
        except TemplateError:
            if not prompt.instruction:
                raise
        # The template knows no system role: it refused the instruction or dropped it silently.
        return self._render(prompt.messages(system=False))

    def _render(self, messages: Sequence[dict[str, str]]) -> str:
        turns = [{**turn, "content": self._enclosed(turn["content"])} for turn in messages]
        return str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))

    def _enclosed(self, text: str) -> str:
        """Return `text` with the markers around all that looks like a special token."""
        if _OPEN in text or _CLOSE in text:
            text = re.sub(f"[{_OPEN}{_CLOSE}]", "", text)
        return self._special.sub(lambda found: f"{_OPEN}{found[0]}{_CLOSE}", text)

    def _encode(self, text: str, *, begin: bool = False, parse: bool = False) -> tuple[int, ...]:
        """Return the tokens of `text`; `begin` adds those that open a text, `parse` reads special tokens in it."""
        with self._lock:
            return tuple(self._tokenizer.encode(text, add_special_tokens=begin, split_special_tokens=not parse))
