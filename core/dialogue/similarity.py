"""How alike two state changes are (RefPyDST, section 3.2): the target of the retriever's training."""

from collections.abc import Set

from .state import Change


def sim_f1(a: Change, b: Change) -> float:
    """Return the mean of two F1s, over the slots that change and over the slots with their values.

    Values taken from another slot count as that slot: taxis to two different hotels, each "my hotel", are the same
    change. Two empty changes are alike (1), an empty and another one are not (0).
    """
    return (_f1(a.keys(), b.keys()) + _f1(a.items(), b.items())) / 2


def _f1(a: Set[object], b: Set[object]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0
