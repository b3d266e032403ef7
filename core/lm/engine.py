"""Forward passes over batches of token sequences of different lengths."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import torch
from torch import nn
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from . import packed
from .precision import exact_product, mixed_precision
from .shared_prefix import ATTENTION, Prefix, PrefixStore, RowsLayer, Tokens, worth_sharing

_PREFIX_BYTES = 2**30

#: Largest difference of logits, relative to the largest logit, that rounding in bfloat16 explains.
_ROUNDING = 0.05

#: Logits of this many tokens of the vocabulary at a time stay in a processor's cache; GPUs take all at once.
_VOCABULARY_BLOCK = 1024


class Engine:
    """Runs a causal language model of transformers; rows are padded on the left, so that all end together."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._accepts = inspect.signature(model.forward).parameters
        self.device = model.device
        self._head = model.get_output_embeddings()
        self.vocabulary = int(self._head.weight.shape[0])
        self._prefixes = PrefixStore(self._read_prefix, _PREFIX_BYTES)

    def begin(self, sequences: Sequence[Tokens], last: Sequence[int]) -> tuple[torch.Tensor, "Session"]:
        """Read all sequences; return the logits of the last tokens and the session that can go on.

        Of sequence i the last `last[i]` positions are wanted. The logits have shape (rows, max(last), vocabulary);
        those of row i are its last `last[i]`.
        """
        shared = worth_sharing(sequences, last)
        prefix = self._prefixes.get(shared) if shared and self.shares_prefixes else None
        return self._begin(sequences, prefix, max(last))

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor, cache: Any, last: int) -> torch.Tensor:
        """Return the logits of the last positions of `tokens` (rows, new tokens); `mask` also covers the cache."""
        positions = (mask.cumsum(-1) - 1).clamp(min=0)[:, -tokens.shape[1] :]
        optional = {"position_ids": positions, "logits_to_keep": last}
        given = {name: value for name, value in optional.items() if name in self._accepts}
        logits = self._model(input_ids=tokens, attention_mask=mask, cache=cache, use_cache=True, **given).logits
        assert isinstance(logits, torch.Tensor)
        return logits[:, -last:]

    def _begin(self, sequences: Sequence[Tokens], prefix: Prefix | None, last: int) -> tuple[torch.Tensor, "Session"]:
        read = len(prefix.tokens) if prefix else 0
        width = max(map(len, sequences)) - read
        own = [s[read:] for s in sequences]
        tokens = torch.tensor([(0,) * (width - len(s)) + s for s in own], device=self.device)
        mask = torch.tensor([[1] * read + [0] * (width - len(s)) + [1] * len(s) for s in own], device=self.device)
        session = Session(self, self._cache(prefix), mask)
        return self.forward(tokens, mask, session.cache, last), session

    def _cache(self, prefix: Prefix | None) -> Any:
        cache = DynamicCache(config=self._model.config)
        if prefix is not None:
            cache.layers = [RowsLayer(layer) for layer in prefix.layers]
        elif _is_plain(cache):
            cache.layers = [RowsLayer(None) for _ in cache.layers]
        return cache

    def _read_prefix(self, known: Prefix | None, tokens: Tokens) -> Prefix:
        _, session = self._begin([tokens], known, 1)
        own = [(layer.keys, layer.values) for layer in session.cache.layers]
        if known is None:
            return Prefix(tokens, tuple((k.clone(), v.clone()) for k, v in own))
        joined = zip(known.layers, own, strict=True)
        return Prefix(tokens, tuple((torch.cat([k, k2], 2), torch.cat([v, v2], 2)) for (k, v), (k2, v2) in joined))

    @cached_property
    def shares_prefixes(self) -> bool:
        """Whether the model gives the same logits with a shared prefix; tried once, on a few tokens.

        Models with sliding windows, recurrent states or an attention of their own read every row whole.
        """
        config = self._model.config
        if "position_ids" not in self._accepts or config._attn_implementation != "sdpa":
            return False
        if not _is_plain(DynamicCache(config=config)):
            return False
        self._model.set_attn_implementation(ATTENTION)
        if self._reproduces_itself():
            return True
        self._model.set_attn_implementation("sdpa")
        return False

    @contextmanager
    def packs(self) -> Iterator[None]:
        """Set the model up for `read_pack` while the block runs."""
        usual = self._model.config._attn_implementation
        with mixed_precision(self._model):
            try:
                self._model.set_attn_implementation(packed.ATTENTION)
                self._model.set_output_embeddings(_NoHead(self._head))
                yield
            finally:
                self._model.set_attn_implementation(usual)
                self._model.set_output_embeddings(self._head)

    def read_pack(self, pack: packed.Pack, columns: Sequence[int]) -> torch.Tensor:
        """Return the last hidden states (columns, width), float32, of these columns of a pack.

        Several threads may read at once, each a pack of its own.
        """
        hidden = self._model(
            input_ids=pack.tokens,
            position_ids=pack.positions,
            use_cache=False,
            logits_to_keep=torch.tensor(columns, device=self.device),
            pack=pack,
        ).logits[0]
        assert isinstance(hidden, torch.Tensor)
        return hidden.float()

    def log_probabilities(self, hidden: torch.Tensor, tokens: Sequence[int]) -> torch.Tensor:
        """Return the log-probability (rows,) of one token after each of the hidden states (rows, width).

        All in float32, whatever the format of the head. The logits are never together in memory: the sum that
        normalizes them is carried from block to block.
        """
        wanted = torch.tensor(tokens, device=hidden.device)
        block = _VOCABULARY_BLOCK if hidden.device.type == "cpu" else self.vocabulary
        logit = hidden.new_empty(len(tokens))
        largest, total = hidden.new_full((len(tokens), 1), -torch.inf), hidden.new_zeros(len(tokens), 1)
        for start in range(0, self.vocabulary, block):
            logits = exact_product(self._head, hidden, slice(start, start + block))
            own = ((wanted >= start) & (wanted < start + block)).nonzero()[:, 0]
            logit[own] = logits[own, wanted[own] - start]
            before, largest = largest, torch.maximum(largest, logits.amax(1, keepdim=True))
            total = total * (before - largest).exp() + logits.sub_(largest).exp_().sum(1, keepdim=True)
        return logit - (largest + total.log())[:, 0]

    @cached_property
    def reads_packs(self) -> bool:
        """Whether the model gives the same logits for packs; tried once, on a few tokens."""
        config = self._model.config
        if not {"position_ids", "logits_to_keep"} <= self._accepts.keys() or not isinstance(self._head, nn.Linear):
            return False
        if config._attn_implementation not in ("sdpa", ATTENTION) or not _is_plain(DynamicCache(config=config)):
            return False
        # What follows the head would be lost; frequencies that change with the longest text are no pack's own.
        rope = getattr(config, "rope_parameters", None) or {}
        if getattr(config, "final_logit_softcapping", None) or rope.get("rope_type") in ("longrope", "dynamic"):
            return False
        start, ends = self._sample(12), [self._sample(3), self._sample(5)[2:]]
        whole = [self._begin([(*start, *end)], None, 1)[0][0, -1] for end in ends]
        trunk = packed.Trunk(start)
        try:
            with torch.inference_mode(), self.packs():
                first = self.read_pack(packed.Pack([packed.Tree(trunk, (ends[0],))], self.device), [14])
                both = self.read_pack(packed.Pack([packed.Tree(trunk, tuple(ends))], self.device), [2, 5])
            return _agree(exact_product(self._head, torch.cat([first, both])), torch.stack([whole[0], *whole]))
        except (RuntimeError, TypeError, ValueError, AttributeError, LookupError):  # its layers did not get the pack
            return False

    def _sample(self, length: int) -> Tokens:
        return tuple(i % self.vocabulary for i in range(101, 101 + length * 7, 7))

    def _reproduces_itself(self) -> bool:
        sample = self._sample(12)
        rows = [(*sample, 5, 6, 7), (*sample, 8)]
        whole = [self._begin([(*row, 9)], None, 1)[0][0, -1] for row in rows]
        try:
            _, session = self._begin(rows, self._read_prefix(self._read_prefix(None, sample[:6]), sample), 1)
            shared = session.step([9, 9])
        except (RuntimeError, TypeError, ValueError):  # the keys it attends to are not those the cache returned
            return False
        return _agree(shared, torch.stack(whole))


class _NoHead(nn.Module):
    """Stands in for the output layer and returns the hidden states it is given."""

    def __init__(self, head: nn.Linear) -> None:
        super().__init__()
        self.weight = head.weight

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return hidden


class Session:
    """A batch being decoded: its key-value cache and which of its columns each row sees."""

    def __init__(self, engine: Engine, cache: Any, mask: torch.Tensor) -> None:
        self._engine = engine
        self.cache = cache
        self._mask = mask

    def step(self, tokens: Sequence[int]) -> torch.Tensor:
        """Append one token to each row; return the logits (rows, vocabulary) of what follows."""
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(tokens), 1)], dim=1)
        column = torch.tensor(tokens, device=self._mask.device)[:, None]
        return self._engine.forward(column, self._mask, self.cache, 1)[:, -1]

    def keep(self, rows: Sequence[int]) -> None:
        """Drop all other rows."""
        index = torch.tensor(rows, device=self._mask.device)
        self.cache.batch_select_indices(index)
        self._mask = self._mask[index]


def _agree(logits: torch.Tensor, expected: torch.Tensor) -> bool:
    return bool((logits - expected).abs().max() <= _ROUNDING * expected.abs().max())


def _is_plain(cache: Any) -> bool:
    return bool(cache.layers) and all(type(layer) is DynamicLayer for layer in cache.layers)
