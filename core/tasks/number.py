"""Numbers: `$1,250.00`, `-5 degrees`, `3/4`, `1 1/2`, `1.5e3`, `\\frac{3}{4}`, `35 cm^2`, "two hundred four".

A number is normalised to plain digits ("1250", "-5", "0.75", "1.5", "1500"); one without a finite decimal form stays
a reduced fraction ("2/3"). Signs of currency, percent signs, units and words of scale ("4 million" is 4, as data sets
write it) are dropped. Times, ratios, version numbers, exponents, and digits stuck to letters that are no
unit ("42abc") are not numbers. Decimal commas are not read.
"""

import decimal
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from .number_words import spelled_number
from .reply import Statement, denied, left_open, own_part, statements

INSTRUCTION = (
    "Work through the problem one step at a time, then finish with a line that reads "
    '"The answer is X." where X is a single number.'
)

_MOST_DIGITS = 100  # longer runs are no answer, and would make exact arithmetic slow

_UNITS = (
    "mm cm dm m km in ft yd mi mg g kg t oz lb lbs ml cl dl l ms s sec secs min mins h hr hrs am pm c f k kw kwh "
    "hz khz mhz ghz kb mb gb tb mph kmh kph p usd eur gbp"
)
_ORDINALS = ("st", "nd", "rd", "th")

_NUMERAL = re.compile(
    r"""
    (?P<minus> (?<![\w)\]}%^]) [-−–] )?
    (?: \\?[$€£¥₹] \ ? (?P<late_minus>[-−])? )?
    (?<![\w^]) (?<!\^[{-]) (?<![0-9]\.)
    (?: (?P<whole> [0-9]{1,3}(?:,[0-9]{3})++(?![0-9]) | [0-9]++ ) (?P<decimals> \.[0-9]++ )?
      | (?<!\.) (?P<bare> \.[0-9]++ ) )
    (?: \ (?P<mixed> [0-9]{1,6}/[0-9]{1,6} ) (?![0-9./]) )?
    (?: \ ?/\ ? (?P<over> [0-9]++(?:\.[0-9]++)? )
      | \ ?(?:[x×*·]|\\times|\\cdot)\ ?10\ ?\^\ ?\{?(?P<power> [-−]?[0-9]{1,3} ) \}?
      | [eE](?P<exponent> [+-]?[0-9]{1,3} )(?!\w) )?
    (?P<tail> (?:[.:/][0-9]++)*+ )
    (?P<letters> [^\W\d_]*+ )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Numeral:
    value: Fraction
    ordinal: bool


def extract(text: str, options: tuple[str, ...] = (), stated_only: bool = False) -> str | None:
    """Return the number a reply ends up with, normalised, or None.

    Without a statement it is the last number, or the bold one of the last line that has any.
    """
    reply = own_part(text)
    stated = statements(reply)
    for statement in reversed(stated):
        value = _stated(statement)
        if value is not None:
            return canonical(value)
        if left_open(statement):
            return None
    if stated_only or any(statement.form == "after" for statement in stated):
        return None  # it said "the answer is unknown": a number from the reasoning would be our guess, not its answer
    for line in reversed(reply.split("\n")):
        bold = [n for part in re.findall(r"\*\*([^*]{1,80})\*\*", _plain(line)) for n in _numerals(part)]
        for numeral in reversed(bold or list(_numerals(_plain(line)))):
            if not numeral.ordinal:
                return canonical(numeral.value)
    return None


def normalize(answer: str) -> str | None:
    """Return an answer that is nothing but a number (with currency, percent or unit) in its plain form, else None."""
    value = parse(answer)
    return None if value is None else canonical(value)


def parse(answer: str) -> Fraction | None:
    """Return the exact value of a text that is nothing but a number, else None."""
    plain = _plain(answer).strip().rstrip(".")
    match = _NUMERAL.search(plain)
    if match is None or not re.fullmatch(r"[\s(\[*\"'$]*", plain[: match.start()]):
        return None
    if not re.fullmatch(
        r"(?:\s?(?:°|\\?%|[$€£¥₹]|[a-zA-Z]{1,4}\b))?(?:\^?[23²³])?[\s)\]*\"'$.!]*",
        plain[match.end() :],
    ):
        return None
    numeral = _read(match, plain)
    return None if numeral is None or numeral.ordinal else numeral.value


def same(predicted: str, gold: str) -> bool:
    """Compare two normalised numbers by value; the tolerance only covers how floats are written down."""
    a, b = parse(predicted), parse(gold)
    return a is not None and b is not None and abs(a - b) <= Fraction(1, 10**9) * max(abs(a), abs(b))


def canonical(value: Fraction) -> str:
    """Return the shortest exact plain notation: "72", "0.75", "2/3"."""
    if value.denominator == 1:
        return str(value.numerator)
    with decimal.localcontext(prec=3 * _MOST_DIGITS) as context:
        context.traps[decimal.Inexact] = True
        try:
            return f"{decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator):f}"
        except decimal.Inexact:
            return f"{value.numerator}/{value.denominator}"


def _stated(statement: Statement) -> Fraction | None:
    text = _plain(statement.text)
    if statement.form == "before":
        values = [numeral.value for numeral in _numerals(text)]
        return values[-1] if values else None
    if denied(text):
        return None
    if statement.form == "hash" and re.match(r"[\W_]*[^\W\d_]", text):
        return None  # a heading, such as "#### Step 3"
    lines = [line for line in text.split("\n") if line.strip()]
    for position, line in enumerate(lines):
        if next(_numerals(line), None):
            return _result(lines[position:])
        spelled = spelled_number(line)
        if spelled is not None:
            return spelled
    return None


def _result(lines: list[str]) -> Fraction | None:
    """Return what a statement comes to: "16 - 3 = 13 eggs" is 13, also where the chain goes on over lines."""
    line = _claim(lines[0])
    for following in lines[1:]:
        if "=" not in line or not ("=" in following or line.rstrip().endswith("=")):
            break
        line = f"{line} {following}" if line.rstrip().endswith("=") else _claim(following)
    for part in (line.rpartition("=")[2], line, lines[0]):
        for numeral in _numerals(part):
            return numeral.value
    return None


def _claim(line: str) -> str:
    """Return the part of a line before its reasons begin, if that part has a number."""
    claim = re.split(r"[.!?](?=\s|$)|;|,\s|\s\((?=[a-z])|\b(?:because|since|as|so|where)\b", line, maxsplit=1)[0]
    return claim if next(_numerals(claim), None) else line


def _plain(text: str) -> str:
    """Undo the notations that break a number apart: `1{,}250`, `\\frac{3}{4}`, `1½`."""
    text = re.sub(r"(?<=[0-9])(?:\{,\}|,\\!|\\,|[\u202f\u2009])(?=[0-9]{3})", ",", text)
    text = re.sub(
        r"(?<![0-9])([0-9]*)\s?\\[dt]?frac\s?(?:\{\s?([0-9]{1,40})\s?\}\s?\{\s?([0-9]{1,40})\s?\}|([0-9])([0-9]))",
        lambda m: f"{m[1]}{' ' if m[1] else ''}{m[2] or m[4]}/{m[3] or m[5]}",
        text,
    )
    return re.sub(
        r"([0-9]?)([¼½¾⅐-⅞])",
        lambda m: f"{m[1]}{' ' if m[1] else ''}{_vulgar(m[2])}",
        text,
    )


def _vulgar(character: str) -> str:
    return unicodedata.normalize("NFKC", character).replace("⁄", "/")


def _numerals(text: str) -> Iterator[_Numeral]:
    for match in _NUMERAL.finditer(text):
        numeral = _read(match, text)
        if numeral is not None:
            yield numeral


def _read(match: re.Match[str], text: str) -> _Numeral | None:
    letters = match["letters"].lower()
    if sum(map(str.isdigit, match[0][: 2 * _MOST_DIGITS])) > _MOST_DIGITS or match["tail"] not in ("", ":00"):
        return None
    if letters.isascii() and letters not in ("", *_UNITS.split(), *_ORDINALS):
        return None
    if text[match.end() : match.end() + 1] == "_" or (not letters and text[match.end() : match.end() + 1].isdigit()):
        return None
    value = Fraction((match["whole"] or "0").replace(",", "") + (match["decimals"] or match["bare"] or ""))
    if match["mixed"]:
        over, under = map(int, match["mixed"].split("/"))
        if under == 0:
            return None
        value += Fraction(over, under)
    if match["over"]:
        divisor = Fraction(match["over"])
        if divisor == 0:
            return None
        value /= divisor
    power = int((match["power"] or match["exponent"] or "0").replace("−", "-"))
    if abs(power) > _MOST_DIGITS:
        return None
    value *= Fraction(10) ** power
    negative = match["minus"] or match["late_minus"]
    return _Numeral(-value if negative else value, letters in _ORDINALS)
