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
_BLOCK = 256
#: The largest int8 that has a negative.
_MOST = 127
#: GELU never returns less.
_GELU_LEAST = -0.17
#: Least and most that an input is stretched by; inputs that are always 0 would ask for any factor.
_STRETCH = 1e-4, 1e4
_TINY = torch.finfo(torch.float32).tiny


@dataclass(frozen=True, eq=False)
class Int8Linear:
    """An affine map of `inputs * stretch`: weight (in, out) in int8, times scale (out,), and bias (out,).

    `stretch` (in,) evens out what one scale per token, and one per output, have to cover.
    """

    stretch: Tensor
    weight: Tensor
    scale: Tensor
    bias: Tensor


@dataclass(frozen=True, eq=False)
class Int8FeedForward:
    """down(gelu(up(rows))).

    GELU's values are far from symmetric around 0, so they are counted from their least value. `lift` (wide,) takes
    them there, `middle` (out,) is what half of the steps adds to the output; the bias of `down` takes `lift` back.
    """

    up: Int8Linear
    lift: Tensor
    down: Int8Linear
    middle: Tensor

    def __call__(self, rows: Tensor) -> Tensor:
        return torch.cat([self._block(block) for block in torch.split(rows, _BLOCK)])

    def _block(self, rows: Tensor) -> Tensor:
        up, down = self.up, self.down
        inner = rows * up.stretch
        scale = inner.abs().amax(dim=1, keepdim=True).clamp_min_(_TINY).div_(_MOST)
        product = torch._int_mm(inner.div_(scale).round_().to(torch.int8), up.weight)
        inner = F.gelu(torch.addcmul(up.bias, product * scale, up.scale))

        inner = torch.addcmul(self.lift, inner, down.stretch)
        scale = inner.amax(dim=1, keepdim=True).div_(2 * _MOST + 1)
        product = torch._int_mm(inner.div_(scale).sub_(_MOST + 1).round_().to(torch.int8), down.weight)
        inner = torch.addcmul(down.bias, scale, self.middle)
        return inner.addcmul_(product * scale, down.scale).to(rows.dtype)


def with_int8(bert: Bert, exact: Bert) -> Bert:
    """Return `bert` with its feed-forward parts in int8, rounded from those of `exact`, the same model in float32."""
    layers = (
        replace(layer, feed_forward=_int8_feed_forward(precise))
        for layer, precise in zip(bert.layers, exact.layers, strict=True)
    )
    return replace(bert, layers=tuple(layers))


def _int8_feed_forward(layer: Layer) -> Int8FeedForward:
    """Return the feed-forward part of a layer in int8.

    What goes in has passed a layer normalization, whose weight and bias tell the usual size of each value. Of GELU's
    values nothing is known in advance: they take over half of what sets the weights of their columns apart.
    """
    norm, floats = layer.attended_norm, layer.feed_forward
    assert isinstance(floats, FeedForward)
    up = _int8_linear(floats.up, (norm.weight.square() + norm.bias.square()).rsqrt())
    down = _int8_linear(floats.down, floats.down.weight.norm(dim=0).sqrt())
    lift = -_GELU_LEAST * down.stretch
    bias = down.bias - lift @ down.weight.float() * down.scale
    middle = (_MOST + 1) * down.weight.sum(dim=0) * down.scale
    return Int8FeedForward(up, lift, replace(down, bias=bias), middle)


def _int8_linear(linear: Linear, stretch: Tensor) -> Int8Linear:
    stretch = stretch.clamp(*_STRETCH)
    weight = linear.weight / stretch
    scale = weight.abs().amax(dim=1).clamp_min(_TINY).div(_MOST)
    return Int8Linear(stretch, (weight / scale[:, None]).round().to(torch.int8).T.contiguous(), scale, linear.bias)
