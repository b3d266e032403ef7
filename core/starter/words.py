"""Numbers as people write them: money, decimals, counted nouns, times of day."""

from fractions import Fraction

Number = int | Fraction


def num(number: Number, divisor: int = 1) -> str:
    """Return number / divisor exactly, with thousands separators: 1,250 or 4.5. Raises ValueError if it runs on."""
    value = Fraction(number) / divisor
    scaled = value * 10**6
    if scaled.denominator != 1:
        raise ValueError(f"{value} has no short decimal")
    whole, rest = divmod(abs(scaled.numerator), 10**6)
    decimals = f"{rest:06d}".rstrip("0")
    return ("-" if value < 0 else "") + f"{whole:,}" + (f".{decimals}" if decimals else "")


def usd(cents: Number, sign: str = "$") -> str:
    """Return an amount given in cents: $12, $4.50, $1,250. Raises ValueError for a part of a cent."""
    cents = Fraction(cents)
    if cents.denominator != 1:
        raise ValueError(f"{cents} cents is no whole amount")
    units, rest = divmod(cents.numerator, 100)
    return f"{sign}{units:,}" + (f".{rest:02d}" if rest else "")


def eur(cents: Number) -> str:
    """Return an amount of euros given in cents."""
    return usd(cents, "€")


def gbp(pence: Number) -> str:
    """Return an amount of pounds given in pence."""
    return usd(pence, "£")


def count(n: Number, noun: str, plural: str = "") -> str:
    """Return a counted noun: 1 apple, 3 apples, 2 boxes (with `plural`)."""
    return f"{num(n)} {noun if n == 1 else plural or noun + 's'}"


def clock(minutes: int) -> str:
    """Return the time of day so many minutes after midnight: 9:45 a.m."""
    hour, minute = divmod(minutes % 1440, 60)
    return f"{(hour - 1) % 12 + 1}:{minute:02d} {'a.m.' if hour < 12 else 'p.m.'}"


def ordinal(n: int) -> str:
    """Return 1st, 2nd, 3rd, 11th, 24th."""
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def an(n: Number) -> str:
    """Return a number with its article: an 8, a 12, an 80."""
    text = num(n)
    return f"{'an' if text.startswith('8') or text in ('11', '18') else 'a'} {text}"
