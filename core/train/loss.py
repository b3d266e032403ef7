"""Eq. 2 of DQ-LoRe: an anchor's positive is to be nearer to it than every other exemplar of the batch."""

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

Similarity = Literal["dot", "cosine"]


def contrastive_loss(vectors: Tensor, texts: Tensor, *, scale: float = 1.0, similarity: Similarity = "dot") -> Tensor:
    """Return the mean over the b anchors i of the batch of

    -log( exp s(i, e_i+) / (Σ_j exp s(i, e_j+) + Σ_j exp s(i, e_j-)) ),

    with s the inner product of sentence embeddings (or their cosine) times `scale`; the paper has no scale.
    `vectors` (3b, d) holds b anchors, then their positives, then their hard negatives. `texts` (3b,) numbers the
    texts behind them, equal texts alike: an exemplar with the very text of anchor i or of e_i+ stays out of the sums
    of i, so that nothing is pushed away from itself.
    """
    if similarity == "cosine":
        vectors = normalize(vectors, dim=1)
    b = len(vectors) // 3
    anchors, exemplars = vectors[:b], vectors[b:]
    own = torch.arange(b, device=vectors.device)
    alike = (texts[b:] == texts[:b, None]) | (texts[b:] == texts[b : 2 * b, None])
    alike[own, own] = False
    scores = scale * anchors @ exemplars.T
    return cross_entropy(scores.masked_fill(alike, -torch.inf), own)


class ContrastiveLoss(nn.Module):
    """`contrastive_loss` of a sentence-transformers model, as its trainer calls it."""

    def __init__(self, model: nn.Module, *, scale: float, similarity: Similarity, at_a_time: int) -> None:
        """`at_a_time` is how many texts go through the model at a time; see `embed_by_length`."""
        super().__init__()
        self.model = model
        self._scale = scale
        self._similarity: Similarity = similarity
        self._at_a_time = at_a_time

    def forward(self, features: list[dict[str, Any]], labels: Tensor) -> Tensor:
        """Return the loss of a batch; `labels` (3b,) numbers its texts."""
        vectors = embed_by_length(self.model, features[0], self._at_a_time)
        with torch.autocast(vectors.device.type, enabled=False):
            return contrastive_loss(vectors.float(), labels, scale=self._scale, similarity=self._similarity)


def embed_by_length(model: nn.Module, features: Mapping[str, Any], at_a_time: int) -> Tensor:
    """Return the sentence embeddings (n, d) of padded texts, computed `at_a_time` texts of like length at a time.

    The batch stays as it was drawn, which decides the in-batch negatives, and little padding is computed.
    """
    mask = features["attention_mask"]
    order = mask.sum(1).argsort(descending=True, stable=True)
    parts = []
    for chosen in order.split(at_a_time):
        used = mask[chosen].any(0).nonzero()[:, 0]
        span = slice(int(used[0]), int(used[-1]) + 1)
        part = {
            name: value[chosen][:, span] if isinstance(value, Tensor) and value.ndim > 1 else value
            for name, value in features.items()
        }
        parts.append(model(part)["sentence_embedding"])
    return torch.cat(parts)[order.argsort()]
