"""Which waiting requests to answer in one batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from .shared_prefix import Tokens, common_length

#: What a pass over the weights costs, in tokens read: decoding one token for a whole batch takes about as long as
#: reading this many more.
_PASS = 64


class Request(Protocol):
    """What batching needs to know: the tokens to read, the most decoding steps after them, and how many of the last
    positions need logits."""

    @property
    def tokens(self) -> Tokens: ...
    @property
    def steps(self) -> int: ...
    @property
    def last(self) -> int: ...


R = TypeVar("R", bound=Request)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most one batch may hold: tokens in the key-value cache, and positions with logits."""

    tokens: int
    logits: int


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a batch would have to compute."""

    prefix: Tokens
    rows: int
    longest: int
    steps: int
    last: int

    @property
    def own(self) -> int:
        """Tokens that every row has to itself, padding included."""
        return self.longest - len(self.prefix)

    @property
    def cost(self) -> int:
        return _PASS * (1 + self.steps) + len(self.prefix) + self.rows * self.own

    def fits(self, budget: Budget) -> bool:
        tokens = len(self.prefix) + self.rows * (self.own + self.steps)
        return tokens <= budget.tokens and self.rows * self.last <= budget.logits

    def joined(self, other: "_Shape") -> "_Shape":
        return _Shape(
            self.prefix[: common_length(self.prefix, other.prefix)],
            self.rows + other.rows,
            max(self.longest, other.longest),
            max(self.steps, other.steps),
            max(self.last, other.last),
        )


def plan(requests: Sequence[R], budget: Budget) -> list[list[R]]:
    """Return the requests in batches that fit the budget; one alone always fits.

    Neighbours of like length waste little padding, neighbours with a common beginning share it: both orders are
    tried, and the one with less to compute wins. A request joins the batch before it when that is cheaper than
    starting another.
    """
    orders = (
        sorted(requests, key=lambda request: len(request.tokens)),
        sorted(requests, key=lambda request: request.tokens),
    )
    return min((_packed(order, budget) for order in orders), key=lambda packed: packed[0])[1]


def _packed(requests: Sequence[R], budget: Budget) -> tuple[int, list[list[R]]]:
    batches: list[list[R]] = []
    shapes: list[_Shape] = []
    for request in requests:
        alone = _shape(request)
        together = shapes[-1].joined(alone) if shapes else alone
        if shapes and together.fits(budget) and together.cost < shapes[-1].cost + alone.cost:
            batches[-1].append(request)
            shapes[-1] = together
        else:
            batches.append([request])
            shapes.append(alone)
    return sum(shape.cost for shape in shapes), batches


def _shape(request: Request) -> _Shape:
    size = len(request.tokens)
    return _Shape(request.tokens[: size - request.last], 1, size, request.steps, request.last)
