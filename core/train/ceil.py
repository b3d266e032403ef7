"""The objective of CEIL: the better the LM finds a set of exemplars, the likelier a determinantal process has it be.

The process is that of the re-ranker `dpp`: L = diag(r) S diag(r) over an anchor's candidates, S = (cos + 1) / 2
between them, r = exp((cos(q, e) + 1) / 4λ).
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize, pad

from .loss import embed_by_length
from .rows import Subsets
from .subsets import LAMBDA
from .texts import Texts

#: How much likelier a set must be than the one a place behind it, in nats.
MARGIN = 0.1

#: Added to the diagonal of S, so that candidates with one vector have a determinant at all.
_JITTER = 1e-9


def log_probabilities(anchor: Tensor, candidates: Tensor, sets: Tensor, lam: float = LAMBDA) -> Tensor:
    """Return log det L_S - log det(L + I) of each set S, (m,).

    `anchor` (d,) and `candidates` (n, d) are embeddings, `sets` (m, size) indices of candidates.
    """
    anchor, candidates = normalize(anchor.double(), dim=0), normalize(candidates.double(), dim=1)
    log_r = (candidates @ anchor + 1) / (4 * lam)
    identity = torch.eye(len(candidates), dtype=torch.float64, device=candidates.device)
    similar = (candidates @ candidates.T + 1) / 2 + _JITTER * identity
    kernel = log_r.exp()[:, None] * similar * log_r.exp()
    of_sets = 2 * log_r[sets].sum(1) + torch.linalg.slogdet(similar[sets[:, :, None], sets[:, None, :]]).logabsdet
    found: Tensor = of_sets - torch.linalg.slogdet(kernel + identity).logabsdet
    return found


def margin_loss(log_probabilities: Tensor, margin: float = MARGIN) -> Tensor:
    """Return the mean over all pairs i < j of max(0, log P(S_j) - log P(S_i) + margin (j - i)).

    The sets (m,) stand in the LM's order, the best first.
    """
    better, worse = torch.triu_indices(len(log_probabilities), len(log_probabilities), 1).to(log_probabilities.device)
    wanted = margin * (worse - better)
    missed: Tensor = (log_probabilities[worse] - log_probabilities[better] + wanted).clamp(min=0)
    return missed.mean()


class CeilLoss(nn.Module):
    """`margin_loss` of a sentence-transformers model, as its trainer calls it."""

    def __init__(self, model: nn.Module, *, at_a_time: int) -> None:
        super().__init__()
        self.model = model
        self._at_a_time = at_a_time

    def forward(self, features: list[dict[str, Any]], labels: Tensor) -> Tensor:
        """Return the mean over the anchors; `labels` (b, 1 + m, size) holds what `Ceil.batch` put there."""
        vectors = embed_by_length(self.model, features[0], self._at_a_time)
        with torch.autocast(vectors.device.type, enabled=False):
            return torch.stack([_loss_of(vectors.float(), rows) for rows in labels]).mean()


def _loss_of(vectors: Tensor, rows: Tensor) -> Tensor:
    """Return the loss of one anchor: `rows` are its own place and its number of candidates, then its sets."""
    first, count = int(rows[0, 0]), int(rows[0, 1])
    sets = rows[1:][rows[1:, 0] >= 0]
    return margin_loss(log_probabilities(vectors[first], vectors[first + 1 : first + 1 + count], sets))


class Ceil:
    """An `Objective` over the scored sets of the anchors."""

    def __init__(self, model: nn.Module, rows: Sequence[Subsets], texts: Texts, *, at_a_time: int) -> None:
        self.loss: nn.Module = CeilLoss(model, at_a_time=at_a_time)
        self._rows = rows
        self._texts = texts
        self._most = max(len(row.sets) for row in rows)

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, anchors: Sequence[int], epoch: int) -> tuple[list[str], Tensor]:
        """Return the texts of each anchor and its candidates, and where they and the anchor's sets are.

        The sets are those of every epoch, the best first; -1 fills up where an anchor has fewer than others.
        """
        texts: list[str] = []
        labels = []
        for row in (self._rows[i] for i in anchors):
            ranked = [row.sets[i] for i in sorted(range(len(row.sets)), key=lambda i: -row.scores[i])]
            sets = torch.tensor(ranked)
            head = torch.full((1, sets.shape[1]), -1)
            head[0, :2] = torch.tensor([len(texts), len(row.candidates)])
            labels.append(pad(torch.cat([head, sets]), (0, 0, 0, self._most - len(sets)), value=-1))
            texts += [self._texts.anchor[row.anchor], *(self._texts.exemplar[name] for name in row.candidates)]
        return texts, torch.stack(labels)

    def names(self, anchors: Sequence[int]) -> list[str]:
        """Return the ids of anchors."""
        return [self._rows[i].anchor for i in anchors]
