"""Every prompt by which an answer is found in passages. All are zero-shot.

The passages come first and what is wanted last, so that the prompts of one question begin alike and a local model
reads the passages once for several of them.
"""

from collections.abc import Sequence
from string import ascii_lowercase

from ..events import Query
from ..passages import Passage
from ..prompts import Prompt, question_text

INSTRUCTION = "You find short answers to questions and stay with what you are given to read."


def answer(query: Query, passages: Sequence[Passage]) -> Prompt:
    """Ask for the answer, from the passages where there are any."""
    source = "Use the passages above. " if passages else ""
    return _prompt(
        query,
        _passages(passages),
        f"{source}Reply with the answer alone: a name, a number or a few words, no sentence.",
    )


def answer_from(query: Query, summary: str) -> Prompt:
    """Ask for the answer that a summary of the passages gives."""
    return _prompt(
        query,
        f"Summary of what is known:\n{summary}",
        "Use the summary above. Reply with the answer alone: a name, a number or a few words, no sentence.",
    )


def summary(query: Query, passages: Sequence[Passage], candidate: str | None = None) -> Prompt:
    """Ask for a summary of the passages that argues for `candidate`, or that argues for no answer in particular."""
    if candidate is None:
        wanted = "In two or three sentences, sum up what the passages above say that helps to answer the question."
    else:
        wanted = (
            f"One proposed answer is: {candidate}\n"
            "In two or three sentences, sum up what the passages above say in favour of this answer."
        )
    return _prompt(query, _passages(passages), wanted)


def candidates(query: Query, passages: Sequence[Passage], k: int) -> Prompt:
    """Ask for k different answers, the likeliest first."""
    form = ", ".join(f"({letter}) ..." for letter in ascii_lowercase[:k])
    many = "the likeliest answer" if k == 1 else f"{k} different answers that could be right, the likeliest first"
    each = "It is" if k == 1 else "Each is"
    return _prompt(
        query,
        _passages(passages),
        f"From the passages above, name {many}. {each} a name, a number or a few words. "
        f"Reply in this form and add nothing: {form}",
    )


def validity(query: Query, candidate: str, summary: str) -> Prompt:
    """Ask whether a summary bears out the candidate it was written for."""
    return _prompt(
        query,
        f"Summary:\n{summary}",
        f"One proposed answer is: {candidate}\n"
        "Does the summary above show that this answer is right? Reply with one word, yes or no.",
    )


def comparison(query: Query, first: str, second: str) -> Prompt:
    """Ask which of two summaries tells more towards an answer."""
    return _prompt(
        query,
        f"Summary 1:\n{first}\n\nSummary 2:\n{second}",
        "Which of the two summaries above tells more that answers the question? Reply with one number, 1 or 2.",
    )


def _prompt(query: Query, context: str, wanted: str) -> Prompt:
    question = question_text(query.question, query.options)
    return Prompt(f"{question}\n\n{wanted}", INSTRUCTION, context=context)


def _passages(passages: Sequence[Passage]) -> str:
    shown = [
        f"Passage {i}" + (f" ({p.title})" if p.title else "") + f":\n{p.text}"
        for i, p in enumerate(passages, start=1)
    ]
    return "\n\n".join(shown)
