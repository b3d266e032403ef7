"""The objective of RefPyDST: exemplars with like outputs to be near by cosine, those with unlike ones apart."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from .loss import embed_by_length
from .texts import Texts
from .triplets import Sides, draw

#: Distance (1 - cosine) beyond which a negative is far enough.
MARGIN = 0.5


def pair_loss(vectors: Tensor, margin: float = MARGIN) -> Tensor:
    """Return the contrastive loss (Hadsell et al. 2006, eq. 4) of b anchors with a positive and a negative each:

    the mean over all 2b pairs of ½ d² for a positive and ½ max(0, margin - d)² for a negative, d = 1 - cosine.
    `vectors` (3b, d) holds the anchors, then their positives, then their negatives. No other exemplar of the batch is
    a negative: many of them have the anchor's own output.
    """
    anchors, positives, negatives = vectors.chunk(3)
    near = 1 - cosine_similarity(anchors, positives)
    far = torch.relu(margin - (1 - cosine_similarity(anchors, negatives)))
    return torch.cat([near, far]).square().mean() / 2


class PairLoss(nn.Module):
    """`pair_loss` of a sentence-transformers model, as its trainer calls it."""

    def __init__(self, model: nn.Module, at_a_time: int) -> None:
        """`at_a_time` is how many texts go through the model at a time; see `embed_by_length`."""
        super().__init__()
        self.model = model
        self._at_a_time = at_a_time

    def forward(self, features: list[dict[str, Any]], labels: Tensor) -> Tensor:
        """Return the loss of a batch; it has no use for `labels`."""
        vectors = embed_by_length(self.model, features[0], self._at_a_time)
        with torch.autocast(vectors.device.type, enabled=False):
            return pair_loss(vectors.float())


class Pairs:
    """An `Objective` over the `sides` of the anchors, a positive and a negative drawn anew each epoch."""

    def __init__(self, model: nn.Module, sides: Sequence[Sides], texts: Texts, *, seed: int, at_a_time: int) -> None:
        self.loss: nn.Module = PairLoss(model, at_a_time)
        self._sides = sides
        self._anchors: Mapping[str, str] = texts.anchor
        self._exemplars: Mapping[str, str] = texts.exemplar
        self._seed = seed

    def __len__(self) -> int:
        return len(self._sides)

    def batch(self, anchors: Sequence[int], epoch: int) -> tuple[list[str], Tensor]:
        """Return the texts of the anchors, of their positives and of their negatives, and labels nobody reads."""
        drawn = [draw(self._sides[i], self._seed, epoch) for i in anchors]
        texts = [
            *(self._anchors[triplet.anchor] for triplet in drawn),
            *(self._exemplars[triplet.positive] for triplet in drawn),
            *(self._exemplars[triplet.negative] for triplet in drawn),
        ]
        return texts, torch.zeros(len(texts))

    def names(self, anchors: Sequence[int]) -> list[str]:
        """Return the ids of anchors."""
        return [self._sides[i].anchor for i in anchors]
