"""XQuAD, English: questions about paragraphs of Wikipedia whose answers stand in them. SQuAD's format (`core.squad`).

Its 240 paragraphs are the collection that open-domain methods search. An exemplar keeps all gold answers, the title
and the paragraph under `meta`. On the hub each question carries its paragraph, and the answers are lists.
"""

from collections.abc import Iterator
from pathlib import Path

from ..exemplars import Exemplar
from ..rows import Row
from ..squad import SHAPE, read_squad
from .base import Dataset, Fields, Hub, RowError, text


def read(path: Path) -> Iterator[Row]:
    """Yield one row a question, with the paragraph it is about. Raises UsageError."""
    number = 0
    for paragraph in read_squad(path):
        for place, qa in enumerate(paragraph.qas, start=1):
            number += 1
            fields = {**qa, "title": paragraph.title, "context": paragraph.text}
            yield Row(number, f"{paragraph.where}, question {place}", fields)


def parse(fields: Fields, id: str) -> Exemplar:
    answers = fields.get("answers")
    if isinstance(answers, dict):  # the hub's rows
        found = answers.get("text")
    elif isinstance(answers, list):
        found = [answer.get("text") if isinstance(answer, dict) else None for answer in answers]
    else:
        found = None
    if not isinstance(found, list) or not found or not all(isinstance(a, str) and a.strip() for a in found):
        raise RowError("the field 'answers' should be a list of objects with a text")
    meta = {"id": fields.get("id"), "answers": list(dict.fromkeys(found)), "context": text(fields, "context")}
    if fields.get("title"):
        meta["title"] = text(fields, "title")
    return Exemplar(id, text(fields, "question"), "", found[0], (), meta)


XQUAD = Dataset(
    name="xquad",
    kind="span",
    description="Questions answered by paragraphs of Wikipedia, which come with it",
    source="https://github.com/google-deepmind/xquad",
    licence="CC BY-SA 4.0",
    shape=SHAPE,
    files={"test": "xquad.en.json"},
    counts={"test": 1190},
    parse=parse,
    hf=Hub("google/xquad", "xquad.en", {"test": "validation"}),
    read=read,
    brings_passages=True,
)
