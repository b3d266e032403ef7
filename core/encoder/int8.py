"""The feed-forward part of BERT's layers in 8-bit integers, for CPUs that multiply them much faster than floats.

Weights are rounded per output, activations per token, so a text's vector does not depend on its neighbours. The
products are exact sums; only the rounding of their factors moves a vector.
"""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from .bert import Bert, FeedForward, Layer, Linear

#: Tokens at a time: what lies between the two products stays in a core's cache.
_BLOCK = 512
#: The largest int8 that has a negative.
_MOST = 127
#: GELU never returns less.
_GELU_LEAST = -0.17
_TINY = torch.finfo(torch.float32).tiny


@dataclass(frozen=True, eq=False)
class Int8Linear:
    """An affine map: weight (in, out) in int8, to be multiplied by scale (out,), and bias (out,), both in float32."""

    weight: Tensor
    scale: Tensor
    bias: Tensor


@dataclass(frozen=True, eq=False)
class Int8FeedForward:
    """down(gelu(up(rows / spread))).

    `spread` (in,) is the usual size of each input, which evens out what one scale per token has to cover. GELU's
    values are far from symmetric around 0, so they are counted from their least value, which `down_sums` (out,), the
    sums of down's weights, bring back.
    """

    spread: Tensor
    up: Int8Linear
    down: Int8Linear
    down_sums: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        return torch.cat([self._block(block) for block in torch.split(rows, _BLOCK)])

    def _block(self, rows: Tensor) -> Tensor:
        inner = rows / self.spread
        scale = inner.abs().amax(dim=1, keepdim=True).clamp_min_(_TINY).div_(_MOST)
        product = torch._int_mm(inner.div_(scale).round_().to(torch.int8), self.up.weight)
        inner = F.gelu(torch.addcmul(self.up.bias, product * scale, self.up.scale))

        scale = inner.amax(dim=1, keepdim=True).sub_(_GELU_LEAST).div_(2 * _MOST + 1)
        middle = scale * (_MOST + 1) + _GELU_LEAST  # what the integer 0 stands for
        product = torch._int_mm(inner.sub_(middle).div_(scale).round_().to(torch.int8), self.down.weight)
        inner = torch.addcmul(self.down.bias, middle, self.down_sums)
        return inner.addcmul_(product * scale, self.down.scale).to(rows.dtype)


def with_int8(bert: Bert, exact: Bert) -> Bert:
    """Return `bert` with its feed-forward parts in int8, rounded from those of `exact`, the same model in float32."""
    layers = (
        replace(layer, feed_forward=_int8_feed_forward(precise))
        for layer, precise in zip(bert.layers, exact.layers, strict=True)
    )
    return replace(bert, layers=tuple(layers))


def _int8_feed_forward(layer: Layer) -> Int8FeedForward:
    """Return the feed-forward part of a layer in int8.

    What goes in has passed a layer normalization, whose weight and bias tell the usual size of each value.
    """
    norm, floats = layer.attended_norm, layer.feed_forward
    assert isinstance(floats, FeedForward)
    spread = (norm.weight.square() + norm.bias.square()).sqrt().clamp_min(_TINY)
    up, down = _int8_linear(Linear(floats.up.weight * spread, floats.up.bias)), _int8_linear(floats.down)
    return Int8FeedForward(spread, up, down, down.weight.sum(dim=0) * down.scale)


def _int8_linear(linear: Linear) -> Int8Linear:
    scale = linear.weight.abs().amax(dim=1).clamp_min(_TINY).div(_MOST)
    weight = (linear.weight / scale[:, None]).round().to(torch.int8)
    return Int8Linear(weight.T.contiguous(), scale, linear.bias)
