"""Language models of transformers, run here in batches."""

import asyncio
import contextlib
import random
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..device import Device, pick_device
from ..errors import ContextOverflow, Incomplete, LMError, UsageError
from ..files import fingerprint
from ..progress import Progress, silent
from ..prompts import Prompt
from .base import Completion, LogLikelihood, Sampling
from .tokens import Chat, PromptTokens
from .worker import Worker

if TYPE_CHECKING:
    from .checkpoint import Checkpoint
    from .decoding import Reply, Target
    from .scoring import Group

#: Tokens in the key-value cache of one batch. The eight long few-shot prompts of a usual batch fit even if nothing is
#: shared; a GPU is used well only by more.
_BATCH_TOKENS = {"cpu": 24_576, "gpu": 131_072}

#: Tokens of one pack when scoring, where every token is new and a pack computes as fast as its parts: on a CPU, a
#: small one stays in the caches.
_PACK_TOKENS = {"cpu": 512, "gpu": 32_768}

#: Logits of one batch, in numbers: 1 GiB in float32.
_BATCH_LOGITS = 2**28

#: The planner looks at this many waiting requests at a time.
_LOOK_AHEAD = 256


def load_local(
    model: str,
    *,
    device: str = "auto",
    dtype: str = "auto",
    cache_dir: Path,
    chat: Chat = "auto",
    context_window: int | None = None,
    progress: Progress = silent,
) -> "LocalLM":
    """Load `model`: "smollm2-135m" (bundled), a folder, a .gguf file, or a Hugging Face hub id.

    Weights are read as safetensors or GGUF only, and no code that comes with a model is run. `context_window` can
    narrow the model's own. Raises UsageError for a model, device or window that cannot be, LMError where the hub does
    not answer.
    """
    chosen = pick_device(device, dtype)
    from .checkpoint import load_checkpoint

    checkpoint = load_checkpoint(model, chosen, cache_dir, progress)
    own = checkpoint.context_window
    if context_window is not None and not 0 < context_window <= (own or context_window):
        raise UsageError(f"context_window {context_window} is not possible: {model} reads at most {own} tokens")
    return LocalLM(model, checkpoint, chosen, chat, context_window or own)


class LocalLM:
    """An `LM` whose replies are coalesced: whichever wait when the model is free are written in one batch.

    The model runs in a thread of its own, one batch at a time; the event loop only tokenizes. Sampling with a seed
    repeats: sample i of a prompt draws from its own generator, whoever shares the batch. (In bfloat16 the batch can
    still move a probability in its third digit, and so now and then a token.)
    """

    def __init__(
        self, model: str, checkpoint: "Checkpoint", device: Device, chat: Chat, context_window: int | None
    ) -> None:
        from .batching import Budget
        from .engine import Engine

        self.name = f"local:{model}"
        self.context_window = context_window
        self.device = device
        self.notices: list[str] = []
        self._tokenizer = checkpoint.tokenizer
        self._end_tokens = checkpoint.end_tokens
        self._tokens = PromptTokens(checkpoint.tokenizer, chat)
        template = str(checkpoint.tokenizer.chat_template) if self._tokens.uses_chat else ""
        self.identity = "local:" + fingerprint(checkpoint.fingerprint, device.dtype, template)
        self._engine = Engine(checkpoint.model)
        kind = "cpu" if device.name == "cpu" else "gpu"
        logits = max(1, _BATCH_LOGITS // self._engine.vocabulary)
        self._budget, self._pack_budget = Budget(_BATCH_TOKENS[kind], logits), Budget(_PACK_TOKENS[kind], logits)
        self._worker: Worker[Reply | Group] = Worker(self._choose, self._run)
        self._outbox: list[Reply] = []
        self._outbox_lock = threading.Lock()

    def count_tokens(self, prompt: Prompt) -> int:
        """Return the prompt's length in tokens, with the chat template where there is one."""
        return len(self._tokens.of_prompt(prompt))

    async def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        """Yield text as soon as it is certain, then the `Completion`. Closing the iterator stops the decoding."""
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()

        def tell(piece: str | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has closed; nobody listens any more
                loop.call_soon_threadsafe(pieces.put_nowait, piece)

        reply = self._reply(prompt, sampling, 0, tell)
        reply.result.add_done_callback(lambda _: tell(None))
        try:
            self._post([reply])
            while (piece := await pieces.get()) is not None:
                yield piece
            if reply.result.cancelled():
                raise Incomplete(f"{self.name} was closed", partial=reply.text.text)
            yield reply.result.result()
        finally:
            reply.result.cancel()

    async def complete(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        """Return `sampling.n` completions; concurrent calls and samples are decoded together."""
        replies = [self._reply(prompt, sampling, i) for i in range(sampling.n)]
        self._post(replies)
        return list(await asyncio.gather(*(asyncio.wrap_future(reply.result) for reply in replies)))

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        """Score each continuation under its prompt; what prompts with the same exemplars share is read once.

        The continuation is tokenized on its own and its tokens follow the prompt's, so the boundary never moves. A
        prompt too long for the window loses tokens at its left. With a model that reads packs, the result depends, to
        the last bit, on nothing but the pairs and their order. Raises ContextOverflow if a continuation alone does
        not fit.
        """
        from .scoring import Group

        targets = await asyncio.to_thread(lambda: [self._target(*pair) for pair in pairs])
        families: dict[str, list[Target]] = {}
        for number, ((prompt, _), target) in enumerate(zip(pairs, targets, strict=True)):
            if target.continuation:
                # What has lost its beginning has none in common.
                families.setdefault(str(number) if target.cut else prompt.shared_prefix(), []).append(target)
        group = Group(list(families.values()))
        self._worker.submit([group])
        await asyncio.wrap_future(group.result)
        return [target.score or LogLikelihood(0.0, 0) for target in targets]

    async def aclose(self) -> None:
        """Cancel whatever runs and wait for its thread."""
        await asyncio.to_thread(self._worker.cancel_all)

    def _reply(
        self, prompt: Prompt, sampling: Sampling, sample: int, tell: Callable[[str], None] | None = None
    ) -> "Reply":
        from .decoding import Reply
        from .reply_text import ReplyText

        tokens = self._tokens.of_prompt(prompt)
        window = self.context_window
        if window is not None and len(tokens) + sampling.max_tokens > window:
            raise ContextOverflow(
                f"the prompt's {len(tokens)} tokens and a reply of up to {sampling.max_tokens} do not fit the "
                f"{window} tokens of {self.name}: use fewer exemplars or a smaller max_tokens",
                window=window,
                prompt_tokens=len(tokens),
            )
        seed = None if sampling.seed is None else f"{sampling.seed}:{sample}"
        return Reply(tokens, sampling, random.Random(seed), ReplyText(self._decode, sampling.stop), tell)

    def _target(self, prompt: Prompt, continuation: str) -> "Target":
        from .decoding import Target

        wanted = self._tokens.of_continuation(continuation)
        context = whole = self._tokens.of_prompt(prompt)
        if self.context_window is not None:
            # The last token of the continuation is predicted but never read, and something must predict the first.
            room = self.context_window - len(wanted) + 1
            if room < 1:
                raise ContextOverflow(
                    f"a continuation of {len(wanted)} tokens does not fit the {self.context_window} of {self.name}",
                    window=self.context_window,
                    prompt_tokens=len(context),
                )
            context = context[-room:]
        return Target((*context, *wanted[:-1]), wanted, cut=len(context) < len(whole))

    def _decode(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def _post(self, jobs: Sequence["Reply"]) -> None:
        """Hand jobs to the worker once the tasks that are ready now have run: concurrent calls then go together."""
        with self._outbox_lock:
            self._outbox += jobs
        asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        with self._outbox_lock:
            jobs, self._outbox = self._outbox, []
        self._worker.submit(jobs)

    def _choose(self, waiting: Sequence["Reply | Group"]) -> Sequence["Reply | Group"]:
        """Return the next batch: the one with the oldest request, but a request someone watches goes first."""
        from .batching import plan
        from .decoding import Reply

        replies = [job for job in waiting if isinstance(job, Reply)]
        first = next((reply for reply in replies if reply.tell), waiting[0])
        if not isinstance(first, Reply):
            return [first]
        ahead = replies[:_LOOK_AHEAD]
        if first not in ahead:
            ahead[-1] = first
        return next(batch for batch in plan(ahead, self._budget) if first in batch)

    def _run(self, batch: Sequence["Reply | Group"]) -> None:
        import torch

        from .decoding import Reply, write_replies
        from .scoring import Group, score_group

        try:
            if isinstance(batch[0], Group):
                score_group(self._engine, batch[0], self._pack_budget, self._budget)
            else:
                write_replies(self._engine, [job for job in batch if isinstance(job, Reply)], self._end_tokens)
        except torch.OutOfMemoryError as error:
            raise LMError(
                f"{self.name} ran out of memory on {self.device.description}: use fewer exemplars, a smaller "
                "max_tokens, or the device cpu"
            ) from error
