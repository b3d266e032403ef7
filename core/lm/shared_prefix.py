"""One key-value cache for a prefix that all rows of a batch share.

Few-shot prompts often differ in their last lines only. Their common beginning is read once; its keys and values stay
one copy, which every row attends to beside its own. That saves the reading, the memory of a copy per row, and in each
decoding step the time to stream those copies through the processor.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import torch
from transformers import AttentionInterface
from transformers.cache_utils import DynamicLayer
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

ATTENTION = "dqlore-shared-prefix"

#: Below this many common tokens, reading them apart costs more than it saves.
_WORTH_SHARING = 16

#: The rows' own keys and values grow in steps of this many tokens, not with every token.
_ROOM = 128

Tokens = tuple[int, ...]
KeyValue = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Prefix:
    """Keys and values of `tokens` by layer, each of shape (1, key-value heads, tokens, head size)."""

    tokens: Tokens
    layers: tuple[KeyValue, ...]

    def cut(self, length: int) -> "Prefix":
        """Return the first `length` tokens, as views: later tokens never change earlier ones."""
        return Prefix(self.tokens[:length], tuple((k[:, :, :length], v[:, :, :length]) for k, v in self.layers))

    @property
    def bytes(self) -> int:
        return sum(tensor.nbytes for layer in self.layers for tensor in layer)


class PrefixStore:
    """Keeps the prefixes used last, up to `max_bytes`.

    `read(known, tokens)` computes the prefix `tokens`, of which `known` is the beginning.
    """

    def __init__(self, read: Callable[[Prefix | None, Tokens], Prefix], max_bytes: int) -> None:
        self._read = read
        self._max_bytes = max_bytes
        self._kept: list[Prefix] = []  # last used at the end

    def get(self, tokens: Tokens) -> Prefix:
        """Return the prefix `tokens`, from a kept one as far as that agrees."""
        nearest = max(self._kept, key=lambda kept: common_length(kept.tokens, tokens), default=None)
        known = nearest and nearest.cut(common_length(nearest.tokens, tokens))
        if known and len(known.tokens) == len(tokens):
            self._keep(nearest)
            return known
        prefix = self._read(known if known and known.tokens else None, tokens)
        self._keep(prefix)
        return prefix

    def _keep(self, prefix: Prefix | None) -> None:
        if prefix is None:
            return
        # A beginning of another prefix can be cut from it any time.
        others = [k for k in self._kept if k.tokens != prefix.tokens[: len(k.tokens)]]
        self._kept = [*others, prefix]
        while self._kept and sum(kept.bytes for kept in self._kept) > self._max_bytes:
            del self._kept[0]


class RowsLayer(DynamicLayer):  # type: ignore[misc]
    """A layer's keys and values of the rows, behind a prefix that all rows share."""

    def __init__(self, prefix: KeyValue | None) -> None:
        super().__init__()
        self._prefix = prefix
        self._used = 0
        self._rooms: list[torch.Tensor] = []

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any) -> KeyValue:
        """Append the rows' new keys and values and return all of the rows' own; the prefix travels with the keys."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        new = (key_states, value_states)
        start, self._used = self._used, self._used + key_states.shape[2]
        if not self._rooms or self._used > self._rooms[0].shape[2]:
            rooms = [states.new_empty((*states.shape[:2], self._used + _ROOM, states.shape[3])) for states in new]
            for room, old in zip(rooms, self._rooms, strict=False):  # none at first
                room[:, :, :start] = old[:, :, :start]
            self._rooms = rooms
        for room, states in zip(self._rooms, new, strict=True):
            room[:, :, start : self._used] = states
        return self._show()

    def get_seq_length(self) -> int:
        """Return how many tokens a row sees, the prefix included."""
        return self._used + (self._prefix[0].shape[2] if self._prefix else 0)

    def batch_select_indices(self, indices: torch.Tensor) -> None:
        """Keep only these rows."""
        self._rooms = [room[indices] for room in self._rooms]
        self._show()

    def _show(self) -> KeyValue:
        self.keys, self.values = (room[:, :, : self._used] for room in self._rooms)
        if self._prefix is not None:
            self.keys.shared_prefix = self._prefix  # type: ignore[attr-defined]
        return self.keys, self.values


def common_length(one: Tokens, other: Tokens) -> int:
    """Return how many tokens at the start are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def worth_sharing(sequences: Sequence[Tokens], last: Sequence[int]) -> Tokens:
    """Return the common beginning, without the last `last[i]` tokens of any sequence i; nothing if it is short."""
    ordered = sorted(sequences)
    longest = min(len(s) - n for s, n in zip(sequences, last, strict=True))
    shared = ordered[0][: min(common_length(ordered[0], ordered[-1]), longest)]
    return shared if len(shared) >= _WORTH_SHARING else ()


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Attend to the rows' own keys and, where they carry one, to the shared prefix before them.

    Reading many tokens, the prefix is copied beside the rows for this layer only, and torch's fused attention does
    the rest without ever holding all scores. Decoding one token, the queries of all rows meet the one copy in a
    single product. Keys and values have shape (rows, key-value heads, tokens, head size).
    """
    prefix: KeyValue | None = getattr(key, "shared_prefix", None)
    if prefix is not None and query.shape[2] == 1:
        return _decode(query, key, value, prefix, attention_mask, scaling), None
    if prefix is not None:
        rows = query.shape[0]
        key = torch.cat([prefix[0].expand(rows, -1, -1, -1), key], dim=2)
        value = torch.cat([prefix[1].expand(rows, -1, -1, -1), value], dim=2)
    output, _ = sdpa_attention_forward(module, query, key, value, attention_mask, scaling=scaling, **kwargs)
    return output, None


def _decode(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    prefix: KeyValue,
    mask: torch.Tensor | None,
    scaling: float | None,
) -> torch.Tensor:
    """Return softmax(q·[prefix, own]) [prefix, own] for one query per row, of shape (rows, 1, heads, head size)."""
    rows, heads, _, size = query.shape
    shared_key, shared_value = (states[0] for states in prefix)  # (key-value heads, tokens, size)
    groups, length = shared_key.shape[:2]
    query = query.view(rows, groups, heads // groups, size) * (size**-0.5 if scaling is None else scaling)
    together = query.transpose(0, 1).reshape(groups, -1, size)  # (key-value heads, rows x their query heads, size)
    on_prefix = (together @ shared_key.mT).view(groups, rows, -1, length).transpose(0, 1)
    scores = torch.cat([on_prefix, query @ key.mT], dim=-1).float()
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(-1).to(value.dtype)
    by_prefix = weights[..., :length].transpose(0, 1).reshape(groups, -1, length) @ shared_value
    output = by_prefix.view(groups, rows, -1, size).transpose(0, 1) + weights[..., length:] @ value
    return output.reshape(rows, 1, heads, size)


AttentionInterface.register(ATTENTION, attend)
AttentionMaskInterface.register(ATTENTION, sdpa_mask)
