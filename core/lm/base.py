"""What every language model here can do, and the records that pass between it and the pipeline."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ..prompts import Prompt


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to decode. Temperature 0 is greedy; only greedy or seeded calls repeat, so only those are cached."""

    max_tokens: int = 256
    temperature: float = 0.0
    top_p: float = 1.0
    n: int = 1
    stop: tuple[str, ...] = ()
    seed: int | None = None
    logprobs: bool = False

    @property
    def repeatable(self) -> bool:
        return self.temperature == 0 or self.seed is not None


@dataclass(frozen=True, slots=True)
class Completion:
    """One finished reply.

    `finish_reason` is "length" when the token limit cut the reply. `reasoning` is what a reasoning model said before
    its answer, kept apart from `text`. Token counts are None where the server does not report them;
    `token_logprobs` (natural log, one per generated token) is None unless asked for and given.
    """

    text: str
    finish_reason: Literal["stop", "length"] = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning: str = ""
    token_logprobs: tuple[float, ...] | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True)
class LogLikelihood:
    """log P(continuation | context) in nats, summed over the `tokens` tokens of the continuation.

    `cut` says that the context did not fit the window and lost its beginning.
    """

    total: float
    tokens: int
    cut: bool = False


class LM(Protocol):
    """A language model.

    `name` is what the user wrote ("local:smollm2-135m"); `identity` distinguishes everything that can change an
    answer (endpoint, weights, template), and is part of the cache key. `context_window` is None when unknown.
    `notices` collects what the user should know once, such as a parameter that the server refused.
    """

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str: ...
    @property
    def context_window(self) -> int | None: ...
    @property
    def notices(self) -> list[str]: ...

    def count_tokens(self, prompt: Prompt) -> int | None:
        """Return the prompt's length in the model's own tokens, None where only the server knows."""
        ...

    def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        """Yield pieces of text as they come, then the whole `Completion` as the last item (`sampling.n` is 1).

        Closing the iterator early cancels the request. Raises LMError, ContextOverflow, Incomplete.
        """
        ...

    async def complete(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        """Return `sampling.n` completions. Concurrent calls may be answered in one batch."""
        ...

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        """Score each continuation under its prompt. Raises LMError where the backend has no log-probabilities."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and threads."""
        ...


async def require_log_probabilities(lm: LM) -> None:
    """Raise LMError now where a model cannot score a reply, rather than after much other work."""
    await lm.log_likelihoods([(Prompt("1 + 1?"), "2")])
