"""The settings that can be tried out on a question: method, re-ranker, M, n and the re-ranker's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from dqlore.core.errors import UsageError
from dqlore.core.methods import find_method
from dqlore.core.settings import Settings

#: The re-rankers with the defaults of what can be tried out. Core says the same, but the first frame does not wait
#: for core's arrays; a test holds the two together.
RERANKERS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "none": {},
        "pca": {"dim": None},
        "gaussian": {"sigma": 1.0},
        "kernel-pca": {"dim": None, "sigma": 1.0},
        "ica": {"dim": 16},
        "mgs": {},
        "mmr": {"alpha": 0.3},
        "dpp": {"lam": 0.1},
    }
)

#: What the controls step through; a value between two rungs moves to the next one.
LADDERS: Mapping[str, Sequence[float]] = MappingProxyType(
    {
        "m": (4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024),
        "n": tuple(range(33)),
        "dim": (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
        "sigma": (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 5.0, 10.0),
        "alpha": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0),
        "lam": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0),
    }
)
PARAMS = ("dim", "sigma", "alpha", "lam")


@dataclass(frozen=True)
class Setup:
    """One choice of everything that decides the exemplars. `params` holds what the user set, for any re-ranker."""

    method: str = "dq-lore"
    reranker: str = "pca"
    m: int = 64
    n: int = 8
    params: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: Settings) -> "Setup":
        """Return the setup that the settings describe. Raises UsageError for an unknown method or re-ranker."""
        given = settings.rerank.model_dump(exclude_none=True, exclude={"name"})
        reranker = settings.rerank.name or find_method(settings.select.method).reranker
        if reranker not in RERANKERS:
            raise UsageError(f"there is no re-ranker {reranker!r}; known: {', '.join(RERANKERS)}")
        return cls(settings.select.method, reranker, settings.select.m, settings.select.n, given)

    def with_method(self, method: str) -> "Setup":
        """Return the setup with another method and the re-ranker that belongs to it."""
        return replace(self, method=method, reranker=find_method(method).reranker)

    @property
    def retrieves(self) -> bool:
        """Whether the method brings candidates; without them nothing can be re-ranked."""
        return find_method(self.method).retriever is not None

    @property
    def reads(self) -> bool:
        """Whether the method answers from passages instead of exemplars."""
        return find_method(self.method).reads is not None

    def takes(self, name: str) -> bool:
        """Return whether the setting called `name` has an effect here."""
        if name == "method":
            return True
        if name == "n":
            return not self.reads
        if name not in PARAMS:
            return self.retrieves
        return self.retrieves and name in RERANKERS[self.reranker]

    def value(self, name: str) -> object:
        """Return a setting, given or default. A `dim` of None keeps all directions."""
        if name not in PARAMS:
            return getattr(self, name)
        return self.params.get(name, RERANKERS[self.reranker].get(name))

    def shown(self, name: str) -> str:
        """Return a setting as a control shows it."""
        value = self.value(name)
        return "all" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    def stepped(self, name: str, step: int) -> "Setup":
        """Return the setup with one setting moved up (1) or down (-1); at the end of its range it stays."""
        if name == "reranker":
            names = list(RERANKERS)
            return replace(self, reranker=names[(names.index(self.reranker) + step) % len(names)])
        value = _next_rung(LADDERS[name], self.value(name), step, open_end=name == "dim" and self.reranker != "ica")
        if name in PARAMS:
            return replace(self, params={**self.params, name: value})
        count = int(value or 0)
        return replace(self, m=count) if name == "m" else replace(self, n=count)

    def applied_to(self, settings: Settings) -> Settings:
        """Return the settings with this setup in them; parameters that the re-ranker does not take are left out."""
        takes = {*RERANKERS[self.reranker], *(("fit",) if self.reranker == "pca" else ())}
        params = {name: value for name, value in self.params.items() if name in takes}
        select = settings.select.model_copy(update={"method": self.method, "m": self.m, "n": self.n})
        rerank = type(settings.rerank)(name=self.reranker, **params)
        return settings.model_copy(update={"select": select, "rerank": rerank})


def _next_rung(ladder: Sequence[float], value: object, step: int, *, open_end: bool) -> float | None:
    """Return the next value; with an open end, None stands above the last rung."""
    if value is None:
        return ladder[-1] if step < 0 else None
    assert isinstance(value, int | float)
    if step > 0:
        above = [rung for rung in ladder if rung > value]
        return above[0] if above else None if open_end else value
    below = [rung for rung in ladder if rung < value]
    return below[-1] if below else value
