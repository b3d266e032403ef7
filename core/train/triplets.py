"""From the LM's ranking of an anchor's candidates to the triplets that an epoch trains on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from .rows import Scored


@dataclass(frozen=True, slots=True)
class Sides:
    """The exemplars an anchor is drawn towards and away from: the first and the last of the LM's ranking."""

    anchor: str
    positives: tuple[str, ...]
    negatives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Triplet:
    """What one anchor trains on in one epoch."""

    anchor: str
    positive: str
    negative: str


def sides(row: Scored, t: int, texts: Mapping[str, str]) -> Sides | None:
    """Return the `t` best and the `t` worst candidates of a row, the most extreme first.

    Of candidates with the same text (`texts` by id) the first counts. The two sides never meet: with fewer than 2t
    candidates they are smaller, and None is returned where the LM prefers no candidate to another.
    """
    ranked: dict[str, tuple[float, str]] = {}
    for score, name in sorted(zip(row.scores, row.candidates, strict=True), key=lambda pair: -pair[0]):
        ranked.setdefault(texts[name], (score, name))
    scores, names = [score for score, _ in ranked.values()], [name for _, name in ranked.values()]
    size = min(t, len(names) // 2)
    if size == 0 or scores[0] == scores[-1]:
        return None
    return Sides(row.anchor, tuple(names[:size]), tuple(names[: -size - 1 : -1]))


def draw(sides: Sides, seed: int, epoch: int) -> Triplet:
    """Return the positive and the hard negative of one epoch; the same seed, epoch and anchor draw the same."""
    random = np.random.default_rng([seed, epoch, crc32(sides.anchor.encode("utf-8", "surrogatepass"))])
    return Triplet(
        sides.anchor,
        sides.positives[random.integers(len(sides.positives))],
        sides.negatives[random.integers(len(sides.negatives))],
    )


def epoch_order(size: int, seed: int, epoch: int) -> Sequence[int]:
    """Return the order in which an epoch goes through `size` anchors."""
    order: Sequence[int] = np.random.default_rng([seed, epoch]).permutation(size).tolist()
    return order
