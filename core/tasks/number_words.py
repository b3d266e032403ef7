"""Numbers written in words, for replies that state their answer so: "two hundred fifty-three"."""

import re
from fractions import Fraction

_UNDER_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_UNDER_TWENTY.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), 2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}

_WORD = "|".join([*_SMALL, "hundred", *_SCALES])
_RUN = re.compile(
    rf"(?P<minus>(?:minus|negative) )?(?:{_WORD})(?:(?:[- ]|, | and )(?:{_WORD}))*\b(?![- ]?(?:of|ones?)\b)",
    re.IGNORECASE,
)


def spelled_number(text: str) -> Fraction | None:
    """Return the value of the number that `text` begins with in words, or None; "that one over there" is none."""
    run = _RUN.match(text.lstrip(" :*_\"'“‘$"))
    if run is None:
        return None
    total = group = 0
    for word in re.findall(r"[a-z]+", run[0].lower()):
        if word in _SMALL:
            group += _SMALL[word]
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word in _SCALES:
            total, group = total + max(group, 1) * _SCALES[word], 0
    value = Fraction(total + group)
    return -value if run["minus"] else value
