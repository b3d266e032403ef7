"""Reading many texts in one row without padding, those with a common beginning after one copy of it.

A pack is a list of trees: a trunk and the branches that continue it, each on its own. All tokens of a pack stand in
one row, so that every matrix product of the model sees nothing but real tokens; only attention knows which of them
belong together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import repeat_kv

from .shared_prefix import KeyValue, Tokens

#: No mask function has this name, so transformers builds no mask: here it would be a square of all tokens.
ATTENTION = "dqlore-packed"


@dataclass(eq=False, slots=True)
class Trunk:
    """A common beginning (which may be empty), and its keys and values by layer once a pack has read it."""

    tokens: Tokens
    layers: dict[int, KeyValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tree:
    """Texts that continue one trunk."""

    trunk: Trunk
    branches: tuple[Tokens, ...]


class Pack:
    """Trees laid out in one row; trunks that an earlier pack has read take no room in it."""

    def __init__(self, trees: Sequence[Tree], device: torch.device) -> None:
        self._blocks: list[_Block] = []
        #: Where each branch begins, tree by tree.
        self.starts: list[int] = []
        tokens: list[int] = []
        positions: list[int] = []
        for tree in trees:
            trunk = tree.trunk.tokens
            if trunk and not tree.trunk.layers:
                tokens += trunk
                positions += range(len(trunk))
            lengths = [len(branch) for branch in tree.branches]
            starts = list(accumulate(lengths[:-1], initial=len(tokens)))
            self._blocks.append(_block(tree.trunk, starts, lengths, device))
            self.starts += starts
            tokens += [token for branch in tree.branches for token in branch]
            positions += [len(trunk) + i for length in lengths for i in range(length)]
        self.tokens = torch.tensor([tokens], device=device)
        self.positions = torch.tensor([positions], device=device)

    def attend(
        self, layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float | None
    ) -> torch.Tensor:
        """Return the attention of every token to its own tree, (1, tokens, heads, size)."""
        if query.device.type != "cpu":  # fused kernels of other devices want one format
            query, key = query.to(value.dtype), key.to(value.dtype)
        output = query.new_empty(query.shape, dtype=value.dtype)
        for block in self._blocks:
            block.attend(layer, output[0], (query[0], key[0], value[0]), scaling)
        return output.transpose(1, 2)


@dataclass(frozen=True, slots=True)
class _Block:
    """The columns of one tree: of the trunk if it is read here, and of the branches.

    `gather` (branches, longest) names a column for each token of each branch, its first one behind its end; `inside`
    tells the two apart. `mask` (longest, trunk + longest) is one for all branches.
    """

    trunk: Trunk
    read: slice | None
    branches: slice
    gather: torch.Tensor
    inside: torch.Tensor
    mask: torch.Tensor | None

    def attend(self, layer: int, out: torch.Tensor, states: tuple[torch.Tensor, ...], scale: float | None) -> None:
        """Write the attention of this tree's columns into `out` (heads, tokens, size)."""
        if self.read is not None:
            query, key, value = (s[None, :, self.read] for s in states)
            out[:, self.read] = _attention(query, key, value, None, scale)[0]
            self.trunk.layers[layer] = key.clone(), value.clone()
        # Behind a branch's end stand copies that no real token attends to.
        query, key, value = (s[:, self.gather].transpose(0, 1) for s in states)
        if self.mask is not None:
            rows = len(self.gather)
            key, value = (
                torch.cat([known.expand(rows, -1, -1, -1), own], dim=2)
                for known, own in zip(self.trunk.layers[layer], (key, value), strict=True)
            )
        own = _attention(query, key, value, self.mask, scale)
        out[:, self.branches] = own.transpose(0, 1)[:, self.inside]


def _block(trunk: Trunk, starts: Sequence[int], lengths: Sequence[int], device: torch.device) -> _Block:
    known, longest, first = len(trunk.tokens), max(lengths), starts[0]
    steps = torch.arange(longest)
    inside = steps[None] < torch.tensor(lengths)[:, None]
    gather = torch.tensor(starts)[:, None] + steps[None] * inside
    seen = torch.cat([torch.ones(longest, known, dtype=torch.bool), steps[:, None] >= steps[None]], dim=1)
    return _Block(
        trunk,
        slice(first - known, first) if known and not trunk.layers else None,
        slice(first, first + sum(lengths)),
        gather.to(device),
        inside.to(device),
        seen.to(device) if known else None,
    )


def _attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, scale: float | None
) -> torch.Tensor:
    """Return causal attention, or what `mask` lets through; shapes are (rows, heads, tokens, size).

    Values may be in a shorter format than queries and keys.
    """
    groups = query.shape[1] // key.shape[1]
    if query.device.type != "cpu":  # fused kernels of other devices want as many heads of keys where there is a mask
        key, value, groups = repeat_kv(key, groups), repeat_kv(value, groups), 1
    elif mask is not None and value.dtype != query.dtype:
        return _short_values(query, key, value, mask, scale)
    return scaled_dot_product_attention(
        query,
        key,
        value.to(query.dtype),
        attn_mask=mask,
        is_causal=mask is None,
        scale=scale,
        enable_gqa=groups > 1,
    )


def _short_values(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor, scale: float | None
) -> torch.Tensor:
    """Return attention in the format of the values; scores and their softmax are in that of queries and keys.

    Row by row, so that the scores stay in the processor's cache; heads that share keys are one product.
    """
    rows, heads, tokens, size = query.shape
    shared = key.shape[1]
    scale = size**-0.5 if scale is None else scale
    hidden = torch.zeros(mask.shape, dtype=query.dtype).masked_fill(~mask, -torch.inf)
    hidden = hidden.repeat(heads // shared, 1).expand(shared, -1, -1)
    output = value.new_empty(rows, shared, heads // shared * tokens, size)
    for row in range(rows):
        scores = torch.baddbmm(hidden, query[row].reshape(shared, -1, size), key[row].mT, alpha=scale)
        torch.bmm(scores.softmax(-1).to(value.dtype), value[row], out=output[row])
    return output.view(rows, heads, tokens, size)


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    *,
    pack: Pack,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """Attend as `pack` says; a model that does not hand it down to its layers cannot read packs."""
    if kwargs.get("softcap") is not None:
        raise ValueError("packs know no soft cap")
    return pack.attend(module.layer_idx, query, key, value, scaling), None  # type: ignore[arg-type]


AttentionInterface.register(ATTENTION, attend)
