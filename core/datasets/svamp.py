"""SVAMP: word problems varied so that shallow patterns fail. A row, in the published shape:

{"ID": "chal-0", "Body": "A baker lays 12 rolls on each of 3 trays.", "Question": "How many rolls are there?",
 "Equation": "( 12.0 * 3.0 )", "Answer": 36.0, "Type": "Multiplication",
 "complex_cot": "A: Let's think step by step\\n3 trays of 12 rolls are 3*12 = <<3*12=36>>36.\\nThe answer is 36."}

`complex_cot` is a generated rationale; the test file has a placeholder there, and the hub has no such field. Body and
question are joined by a space, as the published collections and the models' recordings of them do.
"""

import re

from ..exemplars import Exemplar
from .base import Dataset, Fields, Hub, number, text


def parse(fields: Fields, id: str) -> Exemplar:
    question = f"{text(fields, 'Body')} {text(fields, 'Question')}"
    cot = str(fields.get("complex_cot", "complexcot"))
    rationale = "" if cot == "complexcot" else _rationale(cot)
    meta = {name.lower(): fields[name] for name in ("ID", "Type") if name in fields}
    return Exemplar(id, question, rationale, number(fields, "Answer"), meta=meta)


def _rationale(cot: str) -> str:
    """Return the steps alone: without the cue in front and the stated answer behind, which a prompt adds itself."""
    lines = cot.replace("\\n", "\n")  # some rows have it escaped twice
    steps = re.sub(r"\A(?:\s*(?:A:|Let's think step by step[.:]*))*", "", lines)
    return re.sub(r"\s*The answer is[^\n]*\s*\Z", "", steps).strip()


SVAMP = Dataset(
    name="svamp",
    kind="number",
    description="One-step word problems that punish shallow patterns",
    source="https://github.com/arkilpatel/SVAMP",
    licence="MIT",
    shape='{"Body": "...", "Question": "...", "Answer": 8.0}',
    files={"train": "train_cot.json", "test": "test.json"},
    counts={"train": 664, "test": 300},
    parse=parse,
    hf=Hub("ChilleD/SVAMP"),
)
