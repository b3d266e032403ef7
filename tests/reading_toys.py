"""A collection about birds, and models that answer as told."""

import asyncio
from collections.abc import Callable

from dqlore.core import Parts, load_settings
from dqlore.core.events import Event, Query
from dqlore.core.passages import Collection, Passage
from dqlore.core.pipeline import DualQuery
from dqlore.core.prompts import Prompt
from toys import ScriptedLM, ToyEncoder

COLLECTION = Collection(
    (
        Passage("heron", "Herons", "The heron waded into the pond at dawn. It caught three silver fish."),
        Passage("owl", "Owls", "The owl hunted over the meadow at night. It caught two mice."),
        Passage("swift", "Swifts", "A swift sleeps in the air and lands only to nest."),
        Passage("crane", "Cranes", "The crane danced in the marsh at dawn."),
    ),
    "birds",
)
QUESTION = "What caught three silver fish at dawn?"


def step(prompt: Prompt) -> str:
    """Return which of sure's questions a prompt asks."""
    asked = prompt.question
    if "different answers" in asked or "likeliest answer" in asked:
        return "candidates"
    if "sum up" in asked:
        return "summary"
    if "yes or no" in asked:
        return "validity"
    return "comparison" if "1 or 2" in asked else "answer"


def judge(
    candidates: str = "(a) the heron, (b) the owl",
    valid: Callable[[Prompt], str] = lambda _: "yes",
    preferred: Callable[[Prompt], str] = lambda _: "1",
    answer: str = "the swift",
    window: int | None = None,
) -> ScriptedLM:
    """Return a model with these replies; a summary begins with the candidate that it is for."""

    def reply(prompt: Prompt) -> str:
        match step(prompt):
            case "candidates":
                return candidates
            case "summary":
                line = next((x for x in prompt.question.split("\n") if x.startswith("One proposed answer is: ")), "")
                return f"{line.partition(': ')[2] or 'A bird'} caught fish at dawn."
            case "validity":
                return valid(prompt)
            case "comparison":
                return preferred(prompt)
        return answer

    return ScriptedLM(reply, window)


def pipeline(
    model: ScriptedLM, method: str = "sure", collection: Collection | None = COLLECTION, **flags: object
) -> DualQuery:
    parts = Parts(load_settings(flags), encoder=ToyEncoder(), lm=model)
    if collection is not None:
        parts.__dict__["passages"] = collection
    return DualQuery(parts, method)


def events_of(made: DualQuery, query: Query | str = QUESTION) -> list[Event]:
    asked = Query(query) if isinstance(query, str) else query

    async def run() -> list[Event]:
        return [event async for event in made.run(asked)]

    return asyncio.run(run())


def last(events: list[Event], kind: type) -> object:
    return next(event for event in reversed(events) if isinstance(event, kind))
