"""A language model that answers from a file of recorded completions: for runs without any model, and for tests."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from ..errors import LMError, UsageError
from ..exemplars import question_key
from ..files import file_sha256
from ..prompts import Prompt
from ..rows import read_jsonl
from .base import Completion, LogLikelihood, Sampling
from .pieces import word_pieces

_HEADING = re.compile(r"\s*(?:answer )?(?:options|choices)\s*:\s*(?=\(?a\))")
_FIRST_OPTION = re.compile(r"\s*\(a\)")


class ReplayLM:
    """Serves the JSONL rows {question, completion} of `path`; other fields are ignored.

    A question is found by its text without regard to case, white space and a heading such as "Answer Choices:"; a
    question with options also by the part before them, where only one row has it. Of several rows with one question
    the first counts; `notices` says so where they differ. Raises UsageError for a bad row.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = f"replay:{path}"
        self.context_window: int | None = None
        self.notices: list[str] = []
        rows = _read_rows(path)
        self.identity = f"replay {file_sha256(path)}"
        self._by_question: dict[str, str] = {}
        self._by_stem: dict[str, str | None] = {}
        differing = 0
        for question, completion in rows:
            key = _key(question)
            if key in self._by_question:
                differing += self._by_question[key] != completion
                continue
            self._by_question[key] = completion
            stem = _stem(key)
            if stem != key:
                self._by_stem[stem] = None if stem in self._by_stem else completion
        if differing:
            self.notices.append(
                f"{path}: {differing} rows repeat a question with another completion; the first counts"
            )

    def count_tokens(self, prompt: Prompt) -> int | None:
        """Return None: nothing reads the prompt."""
        return None

    async def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        """Yield the recorded completion word by word, then whole. Raises LMError for an unknown question."""
        completion = self._answer(prompt, sampling)
        for piece in word_pieces(completion.text):
            yield piece
            await asyncio.sleep(0)
        yield completion

    async def complete(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        """Return the recorded completion `sampling.n` times. Raises LMError for an unknown question."""
        return [self._answer(prompt, sampling)] * sampling.n

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        """Raise LMError: a recording holds no probabilities."""
        raise self._no_probabilities()

    async def aclose(self) -> None:
        """Do nothing: the file is closed."""

    def _answer(self, prompt: Prompt, sampling: Sampling) -> Completion:
        if sampling.logprobs:
            raise self._no_probabilities()
        key = _key(prompt.question)
        text = self._by_question.get(key)
        if text is None:
            text = self._by_stem.get(_stem(key))
        if text is None:
            shown = " ".join(prompt.question.split())
            raise LMError(
                f"{self.path} holds no completion for this question: {shown[:120]!r}; "
                "add a row for it or use another model"
            )
        return Completion(text)

    def _no_probabilities(self) -> LMError:
        return LMError(
            f"{self.name} gives no log-probabilities, it only replays texts; use a local model "
            "(--lm local:smollm2-135m)"
        )


def _key(question: str) -> str:
    return _HEADING.sub(" ", question_key(question), count=1)


def _stem(key: str) -> str:
    return _FIRST_OPTION.split(key, maxsplit=1)[0]


def _read_rows(path: Path) -> list[tuple[str, str]]:
    rows = []
    for number, row in read_jsonl(path):
        for field in ("question", "completion"):
            if not isinstance(row.get(field), str) or (field == "question" and not row[field].strip()):
                state = "is missing" if field not in row else "is not a text"
                raise UsageError(f"{path}, line {number}: {field!r} {state}; each row needs question and completion")
        rows.append((row["question"], row["completion"]))
    if not rows:
        raise UsageError(f"{path} holds no rows; write one JSON object with question and completion a line")
    return rows
