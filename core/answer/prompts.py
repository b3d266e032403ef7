"""Every prompt by which an answer is found in passages. All are zero-shot.

The passages come first and what is wanted last, so that the prompts of one question begin alike and a local model
reads the passages once for several of them.
"""

from collections.abc import Sequence

from ..events import Query
from ..passages import Passage
from ..prompts import Prompt, question_text

INSTRUCTION = "You find short answers to questions and stay with what you are given to read."


def answer(query: Query, passages: Sequence[Passage]) -> Prompt:
    """Ask for the answer, from the passages where there are any."""
    source = " from the passages above" if passages else ""
    return _prompt(query, _passages(passages), f"Reply with a short phrase{source} and nothing else.")


def answer_from(query: Query, summary: str) -> Prompt:
    """Ask for the answer that a summary of the passages gives."""
    return _prompt(
        query,
        f"Summary of what is known:\n{summary}",
        "Reply with a short phrase from the summary above and nothing else.",
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
    if k == 1:
        wanted = (
            "Give the likeliest answer that the passages above suggest. Use only a few words and write nothing else."
        )
    else:
        wanted = (
            f"List {k} different answers that the passages above suggest, the likeliest first, one on each line. "
            "Use only a few words for each and write nothing else."
        )
    return _prompt(query, _passages(passages), wanted)


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
