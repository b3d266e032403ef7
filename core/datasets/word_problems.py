"""MultiArith, SingleEq and AddSub: arithmetic word problems without rationales. A row, in the published shape:

{"iIndex": 0, "sQuestion": "Ana has 4 kites and makes 3 more. How many kites has she now?",
 "lEquations": ["X=4+3"], "lSolutions": [7.0]}
"""

from ..exemplars import Exemplar
from .base import Dataset, Fields, Hub, number, text

_SHAPE = '{"sQuestion": "...", "lSolutions": [7.0]}'


def parse(fields: Fields, id: str) -> Exemplar:
    hub_row = "sQuestion" not in fields and "final_ans" in fields
    answer = number(fields, "final_ans" if hub_row else "lSolutions")
    return Exemplar(id, text(fields, "question" if hub_row else "sQuestion"), "", answer)


MULTIARITH = Dataset(
    name="multiarith",
    kind="number",
    description="Arithmetic word problems of several steps",
    source="https://aclanthology.org/D15-1202",
    licence="not stated",
    shape=_SHAPE,
    files={"test": "MultiArith.json"},
    counts={"test": 600},
    parse=parse,
    hf=Hub("ChilleD/MultiArith", splits={"test": "train+test"}),
)

SINGLEEQ = Dataset(
    name="singleeq",
    kind="number",
    description="Word problems of one equation",
    source="https://aclanthology.org/Q15-1042",
    licence="not stated",
    shape=_SHAPE,
    files={"test": "questions.json"},
    counts={"test": 508},
    parse=parse,
)

ADDSUB = Dataset(
    name="addsub",
    kind="number",
    description="Addition and subtraction word problems",
    source="https://aclanthology.org/D14-1058",
    licence="not stated",
    shape=_SHAPE,
    files={"test": "AddSub.json"},
    counts={"test": 395},
    parse=parse,
)
