"""Small deterministic stand-ins for models, where a test is about what stands between them."""

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from zlib import crc32

import numpy as np

from dqlore.core.encoder import Encoded
from dqlore.core.errors import ContextOverflow
from dqlore.core.exemplars import Exemplar, Pool, retrieval_text
from dqlore.core.lm.base import Completion, LogLikelihood, Sampling
from dqlore.core.progress import Progress, silent
from dqlore.core.prompts import Prompt


class ToyEncoder:
    """A bag of words: each word has its own random direction, so texts that share words are near."""

    name = "toy"
    fingerprint = "toy-1"
    max_tokens = 1000
    dtype = "float32"

    def __init__(self, dim: int = 64) -> None:
        self.dim = dim
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> Encoded:
        self.texts += texts
        return Encoded(np.stack([self._vector(text) for text in texts]).astype(np.float32))

    def encode_pairs(
        self, questions: Sequence[str], rationales: Sequence[str], progress: Progress = silent
    ) -> Encoded:
        return self.encode([retrieval_text(*pair) for pair in zip(questions, rationales, strict=True)], progress)

    def _vector(self, text: str) -> np.ndarray:
        words = re.findall(r"\w+", text.lower()) or [""]
        vector = sum(np.random.default_rng(crc32(word.encode())).normal(size=self.dim) for word in words)
        return vector / np.linalg.norm(vector)


class ScriptedLM:
    """Answers by a function of the prompt, one word at a time, and remembers what it was asked."""

    def __init__(
        self, reply: Callable[[Prompt], str | Exception] = lambda _: "The answer is 7.", window: int | None = None
    ) -> None:
        self.name = "scripted"
        self.identity = "scripted"
        self.context_window = window
        self.notices: list[str] = []
        self.prompts: list[Prompt] = []
        self.closed_early = 0
        self._reply = reply

    def count_tokens(self, prompt: Prompt) -> int | None:
        return len(prompt.text().split()) if self.context_window else None

    async def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        self.prompts.append(prompt)
        reply = self._reply(prompt)
        if isinstance(reply, ContextOverflow):
            raise reply
        try:
            text = "" if isinstance(reply, Exception) else reply
            for piece in re.findall(r"\S+\s*", text):
                yield piece
            if isinstance(reply, Exception):
                raise reply
        except GeneratorExit:
            self.closed_early += 1
            raise
        words = len(text.split())
        reason = "length" if words >= sampling.max_tokens else "stop"
        yield Completion(text, reason, len(prompt.text().split()), words)  # type: ignore[arg-type]

    async def complete(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        return [item async for item in self.stream(prompt, sampling) if isinstance(item, Completion)]

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        return [LogLikelihood(-1.0 * len(text.split()), len(text.split())) for _, text in pairs]

    async def aclose(self) -> None:
        pass


def toy_pool(size: int = 30) -> Pool:
    """Exemplars about counting things, with one to four reasoning steps."""
    things = ["apples", "boats", "coins", "doors", "eggs"]
    return Pool(
        tuple(
            Exemplar(
                f"e{i}",
                f"Question {i}: how many {things[i % 5]} are {i} {things[i % 5]} and {i % 7} more?",
                "\n".join(
                    [f"Step {s} about {things[i % 5]}." for s in range(i % 4)] + [f"{i} + {i % 7} = {i + i % 7}"]
                ),
                str(i + i % 7),
            )
            for i in range(size)
        ),
        "toy pool",
    )
