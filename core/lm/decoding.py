"""Decoding and scoring of whole batches: what happens between the logits and the replies."""

import random
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Literal

import torch

from .base import Completion, LogLikelihood, Sampling
from .engine import Engine
from .reply_text import ReplyText

#: Nucleus sampling first looks among this many tokens; sorting a whole vocabulary takes longer than the model's step.
_LIKELIEST = 1024


@dataclass(eq=False)
class Reply:
    """One reply being written. Cancelling `result` ends it at the next token; `tell` is given text as it comes."""

    tokens: tuple[int, ...]
    sampling: Sampling
    draw: random.Random
    text: ReplyText
    tell: Callable[[str], None] | None = None
    result: "Future[Completion]" = field(default_factory=Future)
    written: int = 0
    logprobs: list[float] = field(default_factory=list)
    ended: Literal["stop", "length"] | None = None

    @property
    def steps(self) -> int:
        return self.sampling.max_tokens

    @property
    def last(self) -> int:
        return 1

    @property
    def going_on(self) -> bool:
        return self.ended is None and not self.result.cancelled()

    def take(self, token: int, logprob: float | None, *, is_end: bool) -> None:
        """Add a token, and finish if it was the last."""
        if is_end:
            self.ended = "stop"
        else:
            self.written += 1
            if logprob is not None:
                self.logprobs.append(logprob)
            self._say(self.text.add(token))
            if self.text.stopped:
                self.ended = "stop"
            elif self.written == self.sampling.max_tokens:
                self.ended = "length"
        if self.ended:
            self._say(self.text.finish())

    def completion(self) -> Completion:
        return Completion(
            self.text.text,
            self.ended or "length",
            prompt_tokens=len(self.tokens),
            completion_tokens=self.written,
            token_logprobs=tuple(self.logprobs) if self.sampling.logprobs else None,
        )

    def _say(self, piece: str) -> None:
        if piece and self.tell:
            self.tell(piece)


@dataclass(eq=False)
class Target:
    """A continuation to be scored: `tokens` are the context and all of the continuation but its last token."""

    tokens: tuple[int, ...]
    continuation: tuple[int, ...]
    cut: bool = False
    score: LogLikelihood | None = None
    steps: int = 0

    @property
    def last(self) -> int:
        return len(self.continuation)

    def finish(self, total: float) -> None:
        """Set the score."""
        self.score = LogLikelihood(total, self.last, self.cut)


@torch.inference_mode()
def write_replies(engine: Engine, replies: Sequence[Reply], end_tokens: frozenset[int]) -> None:
    """Decode all replies together until the last one has ended; results are set as each ends."""
    logits, session = engine.begin([reply.tokens for reply in replies], [1] * len(replies))
    logits, rows = logits[:, -1], list(replies)
    while True:
        chosen = [next_token(logits[i], reply) for i, reply in enumerate(rows)]
        for reply, (token, logprob) in zip(rows, chosen, strict=True):
            if reply.going_on:
                reply.take(token, logprob, is_end=token in end_tokens)
                if reply.ended and not reply.result.cancelled():
                    reply.result.set_result(reply.completion())
        going_on = [i for i, reply in enumerate(rows) if reply.going_on]
        if not going_on:
            return
        if len(going_on) <= len(rows) // 2:  # copying the cache pays off only when much of it goes
            session.keep(going_on)
            rows, chosen = [rows[i] for i in going_on], [chosen[i] for i in going_on]
        logits = session.step([token for token, _ in chosen])


@torch.inference_mode()
def score_targets(engine: Engine, targets: Sequence[Target]) -> None:
    """Set each target's log P(continuation | context): the sum over its tokens, each taken in float32."""
    logits, _ = engine.begin([t.tokens for t in targets], [t.last for t in targets])
    for row, target in zip(logits, targets, strict=True):
        logprobs = row[-target.last :].float().log_softmax(-1)
        wanted = torch.tensor(target.continuation, device=row.device)[:, None]
        target.finish(sum(logprobs.gather(1, wanted)[:, 0].tolist()))


def next_token(logits: torch.Tensor, reply: Reply) -> tuple[int, float | None]:
    """Return the next token for logits (vocabulary,) and, if asked for, its log-probability at temperature 1."""
    sampling = reply.sampling
    if sampling.temperature == 0:
        token = int(logits.argmax())
    else:
        token = draw_token(logits, sampling.temperature, sampling.top_p, reply.draw.random())
    return token, float(logits.float().log_softmax(-1)[token]) if sampling.logprobs else None


def draw_token(logits: torch.Tensor, temperature: float, top_p: float, uniform: float) -> int:
    """Return the token at which the distribution function passes `uniform` in [0, 1).

    Only the smallest set of likeliest tokens with at least `top_p` of the probability takes part. Going by token
    number and not by rank, a rounding difference between two batches hardly ever changes the choice.
    """
    chances = (logits.cpu().double() / temperature).softmax(-1)  # on the CPU: Apple's GPU has no float64
    if top_p < 1:
        chances = _nucleus(chances, top_p)
    distribution = chances.cumsum(-1)
    return int(torch.searchsorted(distribution, uniform * distribution[-1], right=True).clamp(max=len(chances) - 1))


def _nucleus(chances: torch.Tensor, top_p: float) -> torch.Tensor:
    likeliest, indices = chances.topk(min(_LIKELIEST, len(chances)))
    if likeliest.sum() < top_p:
        likeliest, indices = chances.sort(descending=True)
    inside = indices[likeliest.cumsum(-1) - likeliest < top_p]
    return torch.zeros_like(chances).index_copy(0, inside, chances[inside])
