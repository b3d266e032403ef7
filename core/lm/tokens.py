"""Prompts as tokens, for models with and without a chat template."""

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from ..prompts import Prompt

Chat = Literal["auto", "never"]

#: Prompts whose tokens are remembered: the same one is counted, sampled and scored.
_REMEMBERED = 256


class PromptTokens:
    """Turns prompts and continuations into tokens with a tokenizer of transformers.

    With `chat` "auto" a tokenizer that has a chat template gets `Prompt.messages`, any other `Prompt.text`.
    """

    def __init__(self, tokenizer: Any, chat: Chat = "auto") -> None:
        self._tokenizer = tokenizer
        self._lock = threading.Lock()  # fast tokenizers refuse to be changed by one thread while another reads
        self.uses_chat = chat == "auto" and bool(tokenizer.chat_template)
        self.of_prompt = lru_cache(maxsize=_REMEMBERED)(self._of_prompt)
        # SentencePiece models put a space before every text themselves; a second one would be another token.
        first = tokenizer.convert_ids_to_tokens(self._encode("a", special=False)[:1])
        self._adds_space = bool(first) and first[0].startswith("▁")

    def of_continuation(self, text: str) -> tuple[int, ...]:
        """Return the tokens of `text` on its own, as it follows a prompt: a space apart unless it is a chat turn."""
        apart = bool(text) and not (self.uses_chat or self._adds_space or text[0].isspace())
        return self._encode(f" {text}" if apart else text, special=False)

    def _of_prompt(self, prompt: Prompt) -> tuple[int, ...]:
        if self.uses_chat:
            return self._encode(self._chat_text(prompt), special=False)  # the template writes its own special tokens
        return self._encode(prompt.text(), special=True)

    def _chat_text(self, prompt: Prompt) -> str:
        from jinja2 import TemplateError

        try:
            text = self._render(prompt.messages())
            if prompt.instruction.strip() in text:
                return text
        except TemplateError:
            if not prompt.instruction:
                raise
        # The template knows no system role: it refused the instruction or dropped it silently.
        return self._render(prompt.messages(system=False))

    def _render(self, messages: Sequence[dict[str, str]]) -> str:
        return str(self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

    def _encode(self, text: str, *, special: bool) -> tuple[int, ...]:
        with self._lock:
            return tuple(self._tokenizer.encode(text, add_special_tokens=special))
