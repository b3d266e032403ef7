"""Joint goal accuracy and slot F1 of predicted states, under three readings of "the same".

strict    values in their normal spelling (`values`); "none" is no value, "dontcare" is one
lenient   strict, but a slot the user does not care about may be left out, and added
verbatim  strict, but without any normal spelling: the characters must be equal
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .ontology import Ontology
from .state import State
from .values import DONT_CARE

Reading = Literal["strict", "lenient", "verbatim"]
READINGS: tuple[Reading, ...] = ("strict", "lenient", "verbatim")
_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Overlap:
    """Slots that two states fill alike (`shared`), and how many each fills."""

    shared: int
    predicted: int
    gold: int

    @property
    def exact(self) -> bool:
        """Whether the states are the same: a joint goal reached."""
        return self.shared == self.predicted == self.gold


def overlap(
    predicted: State,
    gold: State,
    ontology: Ontology,
    reading: Reading = "strict",
    accepted: Mapping[str, Sequence[str]] | None = None,
) -> Overlap:
    """Compare two states; `accepted` holds other values of gold slots that are as right."""
    said, wanted = ontology.normalized(predicted), ontology.normalized(gold)
    if reading == "lenient":
        said, wanted = (
            {slot: value for slot, value in state.items() if value != DONT_CARE} for state in (said, wanted)
        )
    shared = 0
    for slot in said.keys() & wanted.keys():
        ways = [gold[slot], *(accepted or {}).get(slot, ())]
        if reading == "verbatim":
            shared += predicted[slot] in ways
        else:
            shared += said[slot] in {ontology.normal(slot, way) for way in ways}
    return Overlap(shared, len(said), len(wanted))


def slot_matches(turns: Sequence[Overlap]) -> tuple[float, float]:
    """Return 2·shared and predicted + gold, summed over turns: a part of slot F1."""
    return 2.0 * sum(turn.shared for turn in turns), float(sum(turn.predicted + turn.gold for turn in turns))


def ratio(dialogues: Sequence[tuple[float, float]]) -> float:
    """Return Σ numerators / Σ denominators over dialogues; 1 where all denominators are 0: nothing could be wrong."""
    bottom = sum(below for _, below in dialogues)
    return sum(above for above, _ in dialogues) / bottom if bottom else 1.0


def dialogue_interval(dialogues: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return the 95 % interval of `ratio`, by resampling whole dialogues: the turns of one are not independent.

    Seeded; None for fewer than two dialogues.
    """
    if len(dialogues) < 2:
        return None
    sums = np.asarray(dialogues, dtype=np.float64)
    drawn = np.random.default_rng(0).integers(len(sums), size=(_RESAMPLES, len(sums)))
    tops, bottoms = (sums[drawn, column].sum(axis=1) for column in (0, 1))
    ratios = np.divide(tops, bottoms, out=np.ones_like(tops), where=bottoms > 0)
    low, high = np.quantile(ratios, (0.025, 0.975))
    return float(low), float(high)
