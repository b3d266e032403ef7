"""When two spellings are one value: 7pm is 19:00, center is centre, the 3rd of March is march 3.

The rule for values that are none: "none", "not mentioned" and an empty text mean that the slot is not filled, so they
are as good as no value. "dontcare" is a value of its own: whoever leaves it out has lost what the user said.
"""

import re
import unicodedata

DONT_CARE = "dontcare"

_NONE = frozenset({"", "none", "not mentioned", "not given", "null", "n/a"})
_DONT_CARE = frozenset(
    {
        *(f"{words} {verb}" for words in ("dont", "don't", "do n't", "do not") for verb in ("care", "mind")),
        *(f"{words} {verb}" for words in ("doesnt", "doesn't", "does not") for verb in ("care", "matter")),
        *("dontcare", "any", "anything", "no preference"),
    }
)
_SPELLINGS = {
    "center": "centre",
    "theater": "theatre",
    "harbor": "harbour",
    "jewelry": "jewellery",
    "color": "colour",
    "barbecue": "barbeque",
}
_NUMBERS = [
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
]
_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]

_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s?(?P<half>[ap])\.?\s?m\.?")
_DAY_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::00)?")
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS)
_DATES = (
    re.compile(rf"(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?"),
    re.compile(rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})(?:,? (?P<year>\d{{4}}))?"),
    re.compile(r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})"),
)


def folded(value: str) -> str:
    """Return the value in lower case, on one line, with plain apostrophes and no full stop at its end."""
    plain = unicodedata.normalize("NFKC", value).replace("’", "'").casefold()
    return " ".join(plain.split()).strip("\"' ").removesuffix(".")


def loose(value: str) -> str:
    """Return the letters and digits of a value: "Guest-House" is as good as "guesthouse"."""
    return re.sub(r"[\W_]", "", folded(value).removeprefix("the "))


def normal(value: str) -> str | None:
    """Return the normal spelling of a value, `dontcare` for every way to say it, None where it means no value."""
    text = folded(value)
    if text in _NONE:
        return None
    if text in _DONT_CARE:
        return DONT_CARE
    if text in _NUMBERS:
        return str(_NUMBERS.index(text))
    found = _time(text) or _date(text)
    return found or " ".join(_SPELLINGS.get(word, word) for word in text.split())


def _time(text: str) -> str | None:
    if text in ("noon", "midnight"):
        return "12:00" if text == "noon" else "00:00"
    said = _CLOCK.fullmatch(text)
    if said:
        hour = int(said["hour"])
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (said["half"] == "p")
        return f"{hour:02}:{said['minute'] or '00'}"
    said = _DAY_CLOCK.fullmatch(text)
    return f"{int(said['hour']):02}:{said['minute']}" if said else None


def _date(text: str) -> str | None:
    for pattern in _DATES:
        if said := pattern.fullmatch(text):
            parts = said.groupdict()
            if "number" in parts:
                if not 1 <= int(parts["number"]) <= 12:
                    return None
                month = _MONTHS[int(parts["number"]) - 1]
            else:
                month = next(name for name in _MONTHS if name.startswith(parts["month"][:3]))
            return " ".join(filter(None, (month, str(int(parts["day"])), parts["year"])))
    return None
