"""CommonsenseQA and QASC: questions with five or eight options. A row, in the published shape:

{"id": "a1", "answerKey": "B", "question": {"stem": "Where would you hang a wet towel?", "choices": [
  {"label": "A", "text": "oven"}, {"label": "B", "text": "clothes line"}, {"label": "C", "text": "drawer"}]}}

QASC adds the two facts that answer the question and what follows from both: "fact1", "fact2", "combinedfact". They
are its rationale; CommonsenseQA has none. On the hub the stem is the question, and choices are two lists.
"""

from ..exemplars import Exemplar
from .base import Dataset, Fields, Hub, RowError, text


def parse(fields: Fields, id: str) -> Exemplar:
    question = fields.get("question")
    if isinstance(question, dict):
        stem, choices = text(question, "stem"), question.get("choices")
    else:
        stem, choices = text(fields, "question"), fields.get("choices")
    labels, texts = _choices(choices)
    key = text(fields, "answerKey")
    if key not in labels:
        raise RowError(f"the field 'answerKey' is '{key}', which is none of {', '.join(labels)}")
    facts = [text(fields, name) for name in ("fact1", "fact2", "combinedfact") if fields.get(name)]
    rationale = " ".join(fact if fact.endswith((".", "!", "?")) else f"{fact}." for fact in facts)
    meta = {"id": fields["id"]} if "id" in fields else {}
    return Exemplar(id, stem, rationale, chr(ord("A") + labels.index(key)), tuple(texts), meta)


def _choices(choices: object) -> tuple[list[str], list[str]]:
    """Return labels and texts, from a list of objects or from an object of two lists."""
    if isinstance(choices, dict):
        choices = [
            {"label": label, "text": words}
            for label, words in zip(choices.get("label") or (), choices.get("text") or (), strict=False)
        ]
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
        raise RowError("the question's 'choices' should be a list of objects with a label and a text")
    return [text(choice, "label") for choice in choices], [text(choice, "text") for choice in choices]


COMMONSENSEQA = Dataset(
    name="commonsenseqa",
    kind="choice",
    description="Everyday knowledge, five options",
    source="https://www.tau-nlp.sites.tau.ac.il/commonsenseqa",
    licence="MIT",
    shape='{"question": {"stem": "...", "choices": [{"label": "A", "text": "..."}]}, "answerKey": "A"}',
    files={"train": "train_rand_split.jsonl", "dev": "dev_rand_split.jsonl"},
    counts={"train": 9741, "dev": 1221},
    parse=parse,
    hf=Hub("tau/commonsense_qa", splits={"dev": "validation"}),
)

QASC = Dataset(
    name="qasc",
    kind="choice",
    description="School science, eight options, answered by joining two facts",
    source="https://allenai.org/data/qasc",
    licence="CC BY 4.0",
    shape='{"question": {"stem": "...", "choices": [...]}, "answerKey": "A", "fact1": "...", "fact2": "...", ...}',
    files={"train": "train.jsonl", "dev": "dev.jsonl"},
    counts={"train": 8134, "dev": 926},
    parse=parse,
    hf=Hub("allenai/qasc", splits={"dev": "validation"}),
)
