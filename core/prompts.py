"""The prompt: an instruction, the exemplars as solved turns, a context, the question. Data is never a template."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .exemplars import Exemplar

Order = Literal["best-last", "best-first"]

QUESTION = "Question: "
ANSWER = "Answer: "

#: Where a completion model would start to invent the next exemplar. A whole line start, so that the word inside a
#: sentence does not stop the reply.
STOP = ("\nQuestion:",)


@dataclass(frozen=True, slots=True)
class Shot:
    """One exemplar as the model sees it."""

    question: str
    reply: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent to a model. `ranked` holds the shots best first; `order` says how they are laid out.

    `context` is what the question is about, such as passages; it stands before the question, in the same turn.
    """

    question: str
    instruction: str = ""
    ranked: tuple[Shot, ...] = ()
    order: Order = "best-last"
    context: str = ""

    @property
    def shots(self) -> tuple[Shot, ...]:
        """The shots in the order the model reads them."""
        return self.ranked[::-1] if self.order == "best-last" else self.ranked

    def without_lowest(self, dropped: int = 1) -> "Prompt":
        """Return the prompt without its `dropped` lowest-ranked shots."""
        return replace(self, ranked=self.ranked[: max(0, len(self.ranked) - dropped)])

    def text(self) -> str:
        """Return the prompt as one text for models without a chat format; the reply continues it."""
        return self.shared_prefix() + f"{QUESTION}{self.question}\n{ANSWER.rstrip()}"

    def shared_prefix(self) -> str:
        """Return the part of `text` that does not depend on the question."""
        head = f"{self.instruction}\n\n" if self.instruction else ""
        shots = "".join(f"{QUESTION}{s.question}\n{ANSWER}{s.reply}\n\n" for s in self.shots)
        return head + shots + (f"{self.context}\n\n" if self.context else "")

    def messages(self, *, system: bool = True) -> list[dict[str, str]]:
        """Return the prompt as chat turns: system, then user and assistant by exemplar, then the question.

        For models without a system role (`system` is False) the instruction heads the first user turn.
        """
        turns: list[dict[str, str]] = []
        for shot in self.shots:
            turns += [
                {"role": "user", "content": shot.question},
                {"role": "assistant", "content": shot.reply},
            ]
        asked = f"{self.context}\n\n{QUESTION}{self.question}" if self.context else self.question
        turns.append({"role": "user", "content": asked})
        if self.instruction and system:
            return [{"role": "system", "content": self.instruction}, *turns]
        if self.instruction:
            turns[0]["content"] = f"{self.instruction}\n\n{turns[0]['content']}"
        return turns


@dataclass(frozen=True, slots=True)
class InvertedPrompt(Prompt):
    """The exemplars with each reply before its question, and then room for a reply to no question at all.

    How likely a reply is here is how likely it is whatever is asked (f' of RefPyDST, section 3.3).
    """

    @classmethod
    def of(cls, prompt: Prompt) -> "InvertedPrompt":
        """Return the inversion of a prompt, with the same exemplars in the same order."""
        return cls("", prompt.instruction, prompt.ranked, prompt.order)

    def text(self) -> str:
        """Return the prompt as one text; a reply continues it."""
        return self.shared_prefix() + ANSWER.rstrip()

    def shared_prefix(self) -> str:
        """Return the instruction and the inverted exemplars."""
        head = f"{self.instruction}\n\n" if self.instruction else ""
        return head + self._exemplars()

    def messages(self, *, system: bool = True) -> list[dict[str, str]]:
        """Return the inverted exemplars as one user turn, for a reply of the assistant."""
        content = self._exemplars() + ANSWER.rstrip()
        if self.instruction and system:
            return [{"role": "system", "content": self.instruction}, {"role": "user", "content": content}]
        return [{"role": "user", "content": f"{self.instruction}\n\n{content}" if self.instruction else content}]

    def _exemplars(self) -> str:
        return "".join(f"{ANSWER}{s.reply}\n{QUESTION}{s.question}\n\n" for s in self.shots)


def question_text(question: str, options: Sequence[str] = ()) -> str:
    """Return the question followed by its options, lettered from A."""
    if not options:
        return question
    return "\n".join([question, *(f"({chr(ord('A') + i)}) {option}" for i, option in enumerate(options))])


def shot(exemplar: Exemplar, closing: str = "The answer is {}.") -> Shot:
    """Return the exemplar as a question and the reply we want a model to imitate; {} in `closing` is its answer."""
    stated = closing.replace("{}", exemplar.answer)
    rationale = exemplar.rationale.rstrip()
    reply = f"{rationale}\n{stated}" if rationale else stated
    return Shot(question_text(exemplar.question, exemplar.options), reply)


def build_prompt(
    question: str,
    exemplars: Sequence[Exemplar],
    *,
    instruction: str = "",
    options: Sequence[str] = (),
    order: Order = "best-last",
    closing: str = "The answer is {}.",
) -> Prompt:
    """Return the prompt for `question` with `exemplars`, best first."""
    shots = tuple(shot(exemplar, closing) for exemplar in exemplars)
    return Prompt(question_text(question, options), instruction, shots, order)
