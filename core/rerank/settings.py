"""The settings of the re-rankers: what each may be, and what is said when it is something else."""

import math
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..errors import UsageError


@dataclass(frozen=True)
class Setting:
    """One setting: its default, what it may be in words, and the check of a given value."""

    default: object
    allowed: str
    accepts: Callable[[object], bool]


def whole_number(default: int | None) -> Setting:
    """A number of dimensions: 1 or more, or None for as many as there are."""

    def accepts(value: object) -> bool:
        if value is None:
            return True
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and int(value) >= 1

    return Setting(default, "a whole number of 1 or more, or None for all", accepts)


def positive(default: float) -> Setting:
    """A finite number above zero whose inverse is finite too."""
    return Setting(default, "a finite number above 0", lambda value: _is_number(value, above=0.0))


def not_negative(default: float) -> Setting:
    """A weight of zero or more; the upper end keeps sums of weighted values finite."""

    def accepts(value: object) -> bool:
        return value == 0 or _is_number(value, above=0.0, at_most=1e100)

    return Setting(default, "a finite number of 0 or more", accepts)


def one_of(default: str, *choices: str) -> Setting:
    """One of a few words."""
    return Setting(
        default, "one of " + ", ".join(map(repr, choices)), lambda value: isinstance(value, str) and value in choices
    )


def checked(reranker: str, settings: Mapping[str, Setting], given: Mapping[str, object]) -> dict[str, object]:
    """Return every setting's value, given or default. Raises UsageError naming an unknown or unfit one."""
    for name in given:
        if name not in settings:
            takes = f"it takes {', '.join(settings)}" if settings else "it takes no settings"
            raise UsageError(f"Re-ranker '{reranker}' has no setting '{name}'; {takes}.")
    values = {name: given.get(name, setting.default) for name, setting in settings.items()}
    for name, value in values.items():
        if not settings[name].accepts(value):
            allowed = settings[name].allowed
            raise UsageError(f"Re-ranker '{reranker}': {name} must be {allowed}, not {reprlib.repr(value)}.")
    return values


def _is_number(value: object, *, above: float, at_most: float = math.inf) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    try:
        number = float(value)
    except OverflowError:
        return False
    return math.isfinite(number) and above < number <= at_most and math.isfinite(1 / number)
