"""The forward pass of BERT and RoBERTa without padding.

The texts of a batch lie one after the other in one matrix of tokens, so no product is spent on padding. Only the
attention sees single texts, and it takes texts of one length at a time, so it needs no mask.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

Pooling = Literal["mean", "cls"]

#: Rows of the token matrix are a multiple of this: on CPUs each new number of rows costs memory for good.
_ROUND = 64
#: Texts of one length whose attention a CPU takes together, so that the scores stay in its cache.
_TOGETHER = 8


class Misfit(ValueError):
    """Weights, tokenizer and config.json do not belong together."""


@dataclass(frozen=True, eq=False)
class Linear:
    """An affine map: weight (out, in), bias (out,)."""

    weight: Tensor
    bias: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        return F.linear(rows, self.weight, self.bias)


@dataclass(frozen=True, eq=False)
class Norm:
    """A layer normalization over the last axis."""

    weight: Tensor
    bias: Tensor
    eps: float

    def __call__(self, rows: Tensor) -> Tensor:
        return F.layer_norm(rows, self.weight.shape, self.weight, self.bias, self.eps)


@dataclass(frozen=True, eq=False)
class FeedForward:
    """down(gelu(up(rows)))."""

    up: Linear
    down: Linear

    def __call__(self, rows: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(rows)))


@dataclass(frozen=True, eq=False)
class Layer:
    """One transformer layer; query, key and value are one product, and the query already holds 1/sqrt(head size)."""

    query_key_value: Linear
    attended: Linear
    attended_norm: Norm
    feed_forward: Callable[[Tensor], Tensor]
    output_norm: Norm


@dataclass(frozen=True, eq=False)
class Bert:
    """The weights on their device. Embeddings stay in float32: they are looked up, not multiplied."""

    words: Tensor
    positions: Tensor
    embedded_norm: Norm
    layers: tuple[Layer, ...]
    heads: int
    dtype: torch.dtype

    def embed(self, texts: Sequence[Sequence[int]], pooling: Pooling) -> Tensor:
        """Return the pooled last layer, float32 (n, d), of token ids; neighbours of one length are fastest.

        A few spare rows fill the matrix up to a round number; nothing attends to them.
        """
        device = self.words.device
        spare = -sum(map(len, texts)) % _ROUND
        tokens = torch.tensor([*(token for text in texts for token in text), *([0] * spare)], device=device)
        places = torch.cat([*(torch.arange(len(text), device=device) for text in texts), tokens.new_zeros(spare)])
        most = _TOGETHER if device.type == "cpu" else len(texts)
        counts = [(len(list(run)), length) for length, run in groupby(texts, key=len)]
        runs = [(min(most, count - i), length) for count, length in counts for i in range(0, count, most)]
        rows = F.embedding(tokens, self.words) + F.embedding(places, self.positions)
        rows = self.embedded_norm(rows).to(self.dtype)
        for layer in self.layers:
            rows = layer.attended_norm(rows + layer.attended(self._attend(layer.query_key_value(rows), runs)))
            rows = layer.output_norm(rows + layer.feed_forward(rows))
        parts = torch.split(rows[: len(rows) - spare], [count * length for count, length in runs])
        blocks = [part.view(*run, -1) for part, run in zip(parts, runs, strict=True)]
        if pooling == "cls":
            return torch.cat([block[:, 0].float() for block in blocks])
        return torch.cat([block.mean(dim=1, dtype=torch.float32) for block in blocks])

    def _attend(self, projected: Tensor, runs: Sequence[tuple[int, int]]) -> Tensor:
        """Return the attention output (tokens, d) of the query, key and value rows (tokens, 3d)."""
        width = projected.shape[1] // 3
        attended = projected.new_zeros(len(projected), width)
        start = 0
        for count, length in runs:
            end = start + count * length
            parts = projected[start:end].view(count, length, 3, self.heads, width // self.heads)
            mixed = _attention(parts.permute(2, 0, 3, 1, 4))
            attended[start:end].view(count, length, self.heads, -1).copy_(mixed.transpose(1, 2))
            start = end
        return attended


def _attention(query_key_value: Tensor) -> Tensor:
    """Return softmax(q kᵀ) v, (count, heads, length, head size), of stacked q, k, v.

    On CPUs the fused kernel is slower in bfloat16 than these three steps, whose softmax works in float32.
    """
    if query_key_value.device.type != "cpu" or query_key_value.dtype == torch.float32:
        query, key, value = query_key_value.unbind()
        return F.scaled_dot_product_attention(query, key, value, scale=1.0)
    query, key, value = query_key_value.contiguous().unbind()
    weights = (query @ key.transpose(-1, -2)).softmax(dim=-1, dtype=torch.float32)
    return weights.to(value.dtype) @ value


def bert_from(
    weights: Mapping[str, Tensor], config: Mapping[str, Any], first_position: int, device: str, dtype: torch.dtype
) -> Bert:
    """Return the model of a checkpoint's tensors and its config.json.

    `first_position` is the row of the first token in the position table. Raises KeyError for a missing tensor, and
    Misfit for one of another shape than the config asks for.
    """
    width, heads, wide = (int(config[key]) for key in ("hidden_size", "num_attention_heads", "intermediate_size"))
    if width % heads:
        raise Misfit(f"{heads} attention heads do not divide a hidden_size of {width}")
    named = {_plain_name(name): tensor for name, tensor in weights.items()}

    def tensor(name: str, *shape: int | None, kind: torch.dtype = dtype) -> Tensor:
        """`None` stands for any number of rows."""
        found = named[name]
        if len(found.shape) != len(shape) or any(a not in (b, None) for a, b in zip(shape, found.shape, strict=True)):
            wanted = ", ".join("any" if size is None else str(size) for size in shape)
            raise Misfit(f"'{name}' has the shape {tuple(found.shape)}, and config.json asks for ({wanted})")
        return found.to(device, kind)

    def linear(name: str, out: int, into: int, kind: torch.dtype = dtype) -> Linear:
        return Linear(tensor(f"{name}.weight", out, into, kind=kind), tensor(f"{name}.bias", out, kind=kind))

    def norm(name: str, kind: torch.dtype = dtype) -> Norm:
        weight, bias = (tensor(f"{name}.{part}", width, kind=kind) for part in ("weight", "bias"))
        return Norm(weight, bias, float(config.get("layer_norm_eps", 1e-12)))

    def query_key_value(name: str) -> Linear:
        query, key, value = (
            linear(f"{name}.{part}", width, width, torch.float32) for part in ("query", "key", "value")
        )
        scale = (width // heads) ** -0.5
        weight = torch.cat([query.weight * scale, key.weight, value.weight])
        bias = torch.cat([query.bias * scale, key.bias, value.bias])
        return Linear(weight.to(dtype), bias.to(dtype))

    layers = tuple(
        Layer(
            query_key_value(f"encoder.layer.{i}.attention.self"),
            linear(f"encoder.layer.{i}.attention.output.dense", width, width),
            norm(f"encoder.layer.{i}.attention.output.LayerNorm"),
            FeedForward(
                linear(f"encoder.layer.{i}.intermediate.dense", wide, width),
                linear(f"encoder.layer.{i}.output.dense", width, wide),
            ),
            norm(f"encoder.layer.{i}.output.LayerNorm"),
        )
        for i in range(int(config["num_hidden_layers"]))
    )
    return Bert(
        words=tensor("embeddings.word_embeddings.weight", None, width, kind=torch.float32),
        positions=tensor("embeddings.position_embeddings.weight", None, width, kind=torch.float32)[first_position:]
        + tensor("embeddings.token_type_embeddings.weight", None, width, kind=torch.float32)[0],
        embedded_norm=norm("embeddings.LayerNorm", torch.float32),
        layers=layers,
        heads=heads,
        dtype=dtype,
    )


def _plain_name(name: str) -> str:
    """Return a tensor's name without the prefix of a task model, and with today's names of a norm's tensors."""
    for prefix in ("bert.", "roberta."):
        name = name.removeprefix(prefix)
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
