"""Which anchors are trained on, which choose the best step, and which are reported."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError
from ..exemplars import Pool, retrieval_text
from .presets import Recipe
from .rows import Scored, Subsets
from .triplets import sides

#: Anchors below which there is nothing to train on, stop by and report.
FEWEST = 8

Row = Scored | Subsets


@dataclass(frozen=True, slots=True)
class Split:
    """The parts; and of how many anchors the LM did not tell the candidates (or sets) apart, so that none has them.

    `smaller` counts those with fewer than 2t different candidates, whose sides are smaller than t.
    """

    train: tuple[Row, ...]
    validation: tuple[Row, ...]
    test: tuple[Row, ...]
    ties: int
    smaller: int


def split(rows: Sequence[Row], pool: Pool, recipe: Recipe) -> Split:
    """Return the parts, which the seed decides. Raises UsageError where too few anchors can be used."""
    texts = {e.id: retrieval_text(e.question, e.rationale) for e in pool}
    smaller = 0
    usable: list[Row] = []
    for row in rows:
        if isinstance(row, Scored):
            both = sides(row, recipe.t, texts)
            if both is None:
                continue
            smaller += len(both.positives) < recipe.t
        elif len(set(row.scores)) < 2:
            continue
        usable.append(row)
    if len(usable) < FEWEST:
        raise UsageError(
            f"{len(usable)} of {len(rows)} anchors have candidates that the language model tells apart, and training "
            f"needs at least {FEWEST}: score more anchors (a larger --limit, or a larger pool)"
        )
    order = np.random.default_rng(recipe.seed).permutation(len(usable))
    held = min(max(2, round(recipe.held_out * len(usable))), len(usable) - 2)
    validation, test, train = ([usable[i] for i in part] for part in np.split(order, [held // 2, held]))
    return Split(tuple(train), tuple(validation), tuple(test), len(rows) - len(usable), smaller)
