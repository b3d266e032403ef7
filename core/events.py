"""What the pipeline tells as it runs. `ask` prints these, the TUI draws them, `eval` folds them into a record.

Events come in the order of the classes below; `seconds` is the time of the stage that an event closes.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .exemplars import Exemplar
from .lm.base import Completion
from .prompts import Prompt

if TYPE_CHECKING:  # whoever makes these events has NumPy; whoever waits for the first one need not
    import numpy as np

    from .rerank import Ranking


@dataclass(frozen=True, slots=True)
class Query:
    """One question to answer. A known `cot` (also an empty one) takes the place of the first query.

    Exemplars of the same `dialogue` are never offered: their states would tell the answer.
    """

    question: str
    options: tuple[str, ...] = ()
    cot: str | None = None
    id: str | None = None
    dialogue: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An exemplar that retrieval brought; rank from 1, score of the retriever (higher is better)."""

    exemplar: Exemplar
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Pick:
    """An exemplar for the final prompt; rank from 1 (best), score of the re-ranker, and where retrieval had it."""

    exemplar: Exemplar
    rank: int
    score: float | None
    candidate_rank: int | None
    candidate_score: float | None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know; nothing failed."""

    text: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A question of a batch that a model could not work on; the others go on."""

    text: str


@dataclass(frozen=True, slots=True)
class InitialExemplars:
    """The exemplars of the first query."""

    exemplars: tuple[Exemplar, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class CotToken:
    """A piece of the first query's chain of thought."""

    text: str


@dataclass(frozen=True, slots=True)
class CotDone:
    """The whole chain of thought. `completion` is None where it was given instead of asked for."""

    text: str
    completion: Completion | None
    seconds: float


@dataclass(frozen=True)
class Candidates:
    """The top M. `query` (d,) and `vectors` (M, d) let re-ranking run again without any model.

    Both are empty where the retriever has no vectors and nothing needs them.
    """

    candidates: tuple[Candidate, ...]
    query: "np.ndarray" = field(repr=False)
    vectors: "np.ndarray" = field(repr=False)
    encode_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Reranked:
    """The top n, best first, and the whole ranking of the candidates (None where nothing was retrieved)."""

    exemplars: tuple[Pick, ...]
    ranking: "Ranking | None"
    seconds: float


@dataclass(frozen=True, slots=True)
class PromptBuilt:
    """The final prompt. `dropped` exemplars did not fit; `tokens` is None where only the server can count."""

    prompt: Prompt
    dropped: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """A piece of the final reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The final reply and the answer read from it, None where it states none."""

    completion: Completion
    answer: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class RescoredAnswer:
    """A distinct answer: natural logs of its probability after the prompt and after the inverted one, its score."""

    answer: str
    log_p: float
    log_prior: float
    score: float


@dataclass(frozen=True, slots=True)
class Rescored:
    """The choice among several replies by PMI^β, and its candidates, the best first."""

    chosen: Answered
    candidates: tuple[RescoredAnswer, ...]
    seconds: float


Event = (
    Notice
    | Failed
    | InitialExemplars
    | CotToken
    | CotDone
    | Candidates
    | Reranked
    | PromptBuilt
    | AnswerToken
    | Answered
    | Rescored
)
