"""The project's own word problems: a pool to start with, held-out questions, and hand-written exemplars.

`generate.py` writes the first two and computes every number in them; the hand-written ones are edited by hand.
"""

import json
from functools import cache
from importlib.resources import files

from ..errors import UsageError
from ..exemplars import Exemplar, Pool

_MANUAL = {"number": "manual_arithmetic.jsonl", "yes_no": "manual_yes_no.jsonl"}


def starter_pool() -> Pool:
    """Return the starter pool; `meta` tells each row's shape and number of steps."""
    return _read("pool.jsonl", "starter")


def heldout() -> Pool:
    """Return the 60 questions that no row of the starter pool repeats."""
    return _read("heldout.jsonl", "starter held-out")


def manual(kind: str) -> Pool:
    """Return the eight hand-written exemplars for an answer kind: "number" or "yes_no".

    Raises UsageError for another kind.
    """
    if kind not in _MANUAL:
        raise UsageError(
            f"There are no hand-written exemplars for answers of the kind {kind!r}, only for "
            f"{' and '.join(_MANUAL)}; name a file of your own."
        )
    return _read(_MANUAL[kind], f"manual {kind}")


@cache
def _read(name: str, source: str) -> Pool:
    lines = files(__name__).joinpath(name).read_text(encoding="utf-8").splitlines()
    return Pool(tuple(Exemplar(**json.loads(line)) for line in lines), source)
