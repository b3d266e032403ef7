"""StrategyQA: yes-or-no questions whose steps are left unsaid, as the BIG-bench task. One file, one object:

{"name": "strategyqa", "examples": [
  {"input": "Could a heron stand in a bathtub?", "target_scores": {"Yes": 1, "No": 0},
   "target": "Yes. A heron is about a metre tall. Bathtubs are open at the top."}]}

`target` is the answer and then the facts, which are the rationale. The task has no training split.
"""

from collections.abc import Iterator
from pathlib import Path

from ..errors import UsageError
from ..exemplars import Exemplar
from ..rows import Row
from ..rows.whole import json_list
from .base import Dataset, Fields, Hub, RowError, text


def read(path: Path) -> Iterator[Row]:
    """Yield the examples of the task file. Raises UsageError if it is not one JSON object with a list of them."""
    for number, example in enumerate(json_list(path, "examples", STRATEGYQA.shape), start=1):
        where = f"{path}, example {number}"
        if not isinstance(example, dict):
            raise UsageError(f"{where}: expected an object with named fields, as in {STRATEGYQA.shape}")
        yield Row(number, where, example)


def parse(fields: Fields, id: str) -> Exemplar:
    if isinstance(fields.get("answer"), bool):  # the hub's rows
        answer = "yes" if fields["answer"] else "no"
        return Exemplar(id, text(fields, "question"), str(fields.get("facts") or "").strip(), answer)
    scores = fields.get("target_scores")
    if not isinstance(scores, dict) or sorted(scores) != ["No", "Yes"] or len(set(scores.values())) != 2:
        raise RowError('the field \'target_scores\' should tell yes from no, as in {"Yes": 1, "No": 0}')
    answer = max(scores, key=lambda word: scores[word])
    facts = text(fields, "target").removeprefix(f"{answer}.").strip()
    return Exemplar(id, text(fields, "input"), facts, answer)


STRATEGYQA = Dataset(
    name="strategyqa",
    kind="yes_no",
    description="Yes-or-no questions with implicit steps, as the BIG-bench task",
    source="https://github.com/google/BIG-bench/tree/main/bigbench/benchmark_tasks/strategyqa",
    licence="Apache-2.0",
    shape='{"examples": [{"input": "...", "target_scores": {"Yes": 1, "No": 0}, "target": "Yes. ..."}]}',
    files={"test": "task.json"},
    counts={"test": 2290},
    parse=parse,
    hf=Hub("ChilleD/StrategyQA", splits={"test": "train+test"}),
    read=read,
)
