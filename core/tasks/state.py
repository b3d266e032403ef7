"""A change of a dialogue's state, written as function calls (`dialogue.update`)."""

from ..dialogue.update import parse, render
from ..dialogue.values import normal

INSTRUCTION = (
    "Follow what the user of a dialogue wants. Reply with the calls that bring the state up to date after the user's "
    "last turn, such as domain(slot='value'); write other_domain.slot for a value that another slot holds, None for "
    "a value taken back, and pass if nothing changes."
)


def extract(text: str, options: tuple[str, ...] = (), stated_only: bool = False) -> str | None:
    """Return the update that a reply holds, written in the one way `render` writes it, or None if it holds none.

    Of a reply that was cut off (`stated_only`) the whole arguments count; it has no update where none is whole.
    """
    parsed = parse(text)
    if not parsed.read or (stated_only and not parsed.change):
        return None
    return render(parsed.change)


def normalize(answer: str) -> str | None:
    """Return the update if the answer is nothing but one, else None."""
    parsed = parse(answer)
    return render(parsed.change) if parsed.read and not parsed.notes else None


def same(predicted: str, gold: str) -> bool:
    """Compare two updates slot by slot, values in their normal spelling."""
    a, b = (
        {slot: normal(value) if isinstance(value, str) else value for slot, value in parse(text).change.items()}
        for text in (predicted, gold)
    )
    return a == b
