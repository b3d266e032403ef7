"""AQuA-RAT: algebra with five options. A row, in the published shape:

{"question": "A pump fills 3 tanks in 2 hours. How many does it fill in 8 hours?",
 "options": ["A)9", "B)10", "C)12", "D)14", "E)16"],
 "rationale": "8 hours are 4 times 2 hours, so it fills 4*3 = 12 tanks.\\nAnswer: C", "correct": "C"}

Options may also be one text, "(A)9 (B)10 (C)12 (D)14 (E)16".
"""

import re

from ..exemplars import Exemplar
from ..options import split_options
from .base import Dataset, Fields, Hub, RowError, text

_WORDS_OF_CLOSING = r"(?:(?:the|so|hence|thus|therefore|correct|right|answer|ans|option|choice|is)\b[\W_]*)*"


def parse(fields: Fields, id: str) -> Exemplar:
    raw = fields.get("options")
    if not isinstance(raw, str) and not (isinstance(raw, list) and all(isinstance(option, str) for option in raw)):
        raise RowError("the field 'options' should be a list of texts or one text")
    try:
        options = tuple(option.strip() for option in split_options(raw))
    except ValueError as error:
        raise RowError(f"the field 'options': {error}") from None
    letter = text(fields, "correct").upper()
    return Exemplar(id, text(fields, "question"), _steps(text(fields, "rationale"), letter), letter, options)


def _steps(rationale: str, letter: str) -> str:
    """Return the rationale without a last line that only names the letter; a prompt states the answer itself."""
    steps, line_end, last = rationale.rpartition("\n")
    closing = re.fullmatch(rf"[\W_]*{_WORDS_OF_CLOSING}[\W_]*{re.escape(letter)}[\W_]*", last, re.IGNORECASE)
    return steps.rstrip() if line_end and closing else rationale


AQUA = Dataset(
    name="aqua",
    kind="choice",
    description="Algebra word problems with five options",
    source="https://github.com/google-deepmind/AQuA",
    licence="Apache-2.0",
    shape='{"question": "...", "options": ["A)21", ...], "rationale": "...", "correct": "A"}',
    files={"train": "train.json", "test": "test.json"},
    counts={"test": 254},  # of the 97,467 training rows a sample is usual
    parse=parse,
    hf=Hub("deepmind/aqua_rat", "raw"),
)
