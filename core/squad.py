"""Files in the format of SQuAD: articles, their paragraphs, and questions with answers.

{"data": [{"title": "Herons", "paragraphs": [{"context": "Herons are birds that wade.",
  "qas": [{"id": "h1", "question": "What are herons?", "answers": [{"text": "birds", "answer_start": 11}]}]}]}]}
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .errors import UsageError
from .rows.source import opened
from .rows.whole import json_list

SHAPE = '{"data": [{"title": "...", "paragraphs": [{"context": "...", "qas": [...]}]}]}'


class Paragraph(NamedTuple):
    """A paragraph: `where` names file, article and paragraph, from 1; `qas` are its questions as they stand."""

    where: str
    title: str
    text: str
    qas: list[Mapping[str, Any]]


def is_squad(path: Path) -> bool:
    """Return whether a file looks like one object with the field "data", as SQuAD's files do."""
    with opened(path) as file:
        beginning = file.read(200).decode("utf-8-sig", "replace").split()
    return "".join(beginning).startswith(('{"data":', '{"version":'))


def read_squad(path: Path) -> Iterator[Paragraph]:
    """Yield the paragraphs of a file. Raises UsageError that says where the file is not in SQuAD's format."""
    for number, article in enumerate(json_list(path, "data", SHAPE), start=1):
        where = f"{path}, article {number}"
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            raise UsageError(f"{where}: no list 'paragraphs'; expected {SHAPE}")
        title = str(article.get("title") or "").replace("_", " ").strip()
        for place, paragraph in enumerate(paragraphs, start=1):
            here = f"{where}, paragraph {place}"
            text = paragraph.get("context") if isinstance(paragraph, dict) else None
            if not isinstance(text, str) or not text.strip():
                raise UsageError(f"{here}: the field 'context' should be a text and is missing or empty")
            qas = paragraph.get("qas") or []
            if not isinstance(qas, list) or not all(isinstance(qa, dict) for qa in qas):
                raise UsageError(f"{here}: the field 'qas' should be a list of objects with named fields")
            yield Paragraph(here, title, text.strip(), qas)
