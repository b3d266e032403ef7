"""GSM8K: grade-school word problems. A row, in the published shape:

{"question": "A tram has 30 seats and 4 tables. How many legs do 5 trams' seats have at 4 legs each?",
 "answer": "5 trams have 5*30 = <<5*30=150>>150 seats.\\nThey have 150*4 = <<150*4=600>>600 legs.\\n#### 600"}

The line after `####` is the gold answer; the marks between << and >> are input for a calculator.
"""

from ..exemplars import Exemplar
from .base import Dataset, Fields, Hub, RowError, text


def parse(fields: Fields, id: str) -> Exemplar:
    rationale, mark, answer = text(fields, "answer").rpartition("####")
    if not mark:
        raise RowError("the field 'answer' has no line '#### 72' with the gold answer")
    return Exemplar(id, text(fields, "question"), rationale.strip(), answer.strip())


GSM8K = Dataset(
    name="gsm8k",
    kind="number",
    description="Grade-school word problems with worked solutions",
    source="https://github.com/openai/grade-school-math",
    licence="MIT",
    shape='{"question": "...", "answer": "... #### 72"}',
    files={"train": "train.jsonl", "test": "test.jsonl"},
    counts={"train": 7473, "test": 1319},
    parse=parse,
    hf=Hub("openai/gsm8k", "main"),
)
