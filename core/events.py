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

    from .passages import Passage
    from .rerank import Ranking


@dataclass(frozen=True, slots=True)
class Query:
    """One question to answer. A known `cot` (also an empty one) takes the place of the first query.

    Exemplars of the same `dialogue` are never offered: their states would tell the answer.
    Given `passages` take the place of those that would be retrieved.
    """

    question: str
    options: tuple[str, ...] = ()
    cot: str | None = None
    id: str | None = None
    dialogue: str | None = None
    passages: "tuple[Passage, ...]" = ()


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
class FoundPassage:
    """A passage to read; rank from 1, score of the retriever (None where it was given with the question)."""

    passage: "Passage"
    rank: int
    score: float | None


@dataclass(frozen=True, slots=True)
class PassagesFound:
    """The top N passages, best first; none for a method that reads none."""

    passages: tuple[FoundPassage, ...]
    encode_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True)
class AnswersProposed:
    """The distinct answer candidates of sure, in the order in which the model named them; none where it refused."""

    answers: tuple[str, ...]
    completion: Completion
    seconds: float


@dataclass(frozen=True, slots=True)
class Summarized:
    """A summary of the passages for each answer candidate, or a single one for none in particular."""

    answers: tuple[str, ...]
    summaries: tuple[Completion, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two answer candidates by position, in the order in which their summaries were shown.

    `preferred` is None where the reply names neither or both.
    """

    first: int
    second: int
    preferred: int | None


@dataclass(frozen=True, slots=True)
class Judged:
    """What the model thinks of the summaries. `valid` is None where the reply says neither yes nor no.

    `ranking` holds r(s_k); `chosen` is the position of the answer. `replies` are those to the validity questions and
    to the comparisons, in their order.
    """

    valid: tuple[bool | None, ...]
    comparisons: tuple[Comparison, ...]
    ranking: tuple[float, ...]
    chosen: int
    replies: tuple[Completion, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class PromptBuilt:
    """The final prompt. `dropped` exemplars or passages did not fit; `tokens` is None if only a server can count."""

    prompt: Prompt
    dropped: int
    tokens: int | None


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """A piece of the final reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The final reply and the answer read from it, None where it states none.

    Where several replies led to the answer, `steps` holds all of them, and `completion` is the one to show.
    """

    completion: Completion
    answer: str | None
    seconds: float
    steps: tuple[Completion, ...] = ()

    @property
    def replies(self) -> tuple[Completion, ...]:
        """Everything the model was asked for, from the retrieval to the answer."""
        return self.steps or (self.completion,)


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
    | PassagesFound
    | AnswersProposed
    | Summarized
    | Judged
    | PromptBuilt
    | AnswerToken
    | Answered
    | Rescored
)
