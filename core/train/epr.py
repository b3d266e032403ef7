"""The objective of EPR and DQ-LoRe: eq. 2 over triplets drawn anew each epoch."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .loss import ContrastiveLoss, Similarity
from .texts import Texts
from .triplets import Sides, draw


class Epr:
    """An `Objective` over the `sides` of the anchors; see `loss` for the rest."""

    def __init__(
        self,
        model: nn.Module,
        sides: Sequence[Sides],
        texts: Texts,
        *,
        seed: int,
        scale: float,
        similarity: Similarity,
        at_a_time: int,
    ) -> None:
        self.loss: nn.Module = ContrastiveLoss(model, scale=scale, similarity=similarity, at_a_time=at_a_time)
        self._sides = sides
        self._texts = texts
        self._seed = seed

    def __len__(self) -> int:
        return len(self._sides)

    def batch(self, anchors: Sequence[int], epoch: int) -> tuple[list[str], Tensor]:
        """Return the texts of the anchors, of their positives and of their hard negatives, and their numbers."""
        drawn = [draw(self._sides[i], self._seed, epoch) for i in anchors]
        exemplars = [triplet.positive for triplet in drawn] + [triplet.negative for triplet in drawn]
        texts = [self._texts.anchor[triplet.anchor] for triplet in drawn]
        texts += [self._texts.exemplar[name] for name in exemplars]
        numbers = [self._texts.number[name] for name in (*(triplet.anchor for triplet in drawn), *exemplars)]
        return texts, torch.tensor(numbers)

    def names(self, anchors: Sequence[int]) -> list[str]:
        """Return the ids of anchors."""
        return [self._sides[i].anchor for i in anchors]
