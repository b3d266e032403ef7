"""What is asked: a split of a dataset or an own file of questions, and the pool that goes with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..datasets import DATASETS, find_dataset, load_dataset, missing_rows
from ..errors import UsageError
from ..events import Query
from ..exemplars import Exemplar, Pool
from ..methods import find_method
from ..parts import STARTER
from ..passages import Passage, given_passages
from ..settings import Settings
from ..tasks import STATE, infer_kind

#: The project's own held-out questions, under the name of the pool that goes with them.
HELD_OUT = "held-out"


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions with their gold answers, of one `kind` of answer. `limit` is None where all of them are meant."""

    dataset: str
    split: str
    kind: str
    rows: Pool
    limit: int | None = None
    warnings: tuple[str, ...] = ()


def dataset_questions(
    name: str, split: str | None = None, *, data_dir: Path | None = None, limit: int | None = None
) -> Questions:
    """Return the questions of a dataset's split (its last one unless named, usually the test split).

    "starter" is the project's own held-out questions. Raises UsageError.
    """
    if name == STARTER:
        from ..starter import heldout

        if split not in (None, HELD_OUT):
            raise UsageError(f"{STARTER} has no split '{split}'; there is only {HELD_OUT}")
        rows = heldout()
        return Questions(name, HELD_OUT, "number", Pool(rows[:limit], rows.source), limit)
    dataset = find_dataset(name)
    chosen = split or dataset.splits[-1]
    rows = load_dataset(name, chosen, data_dir=data_dir, limit=limit)
    warning = missing_rows(name, chosen, rows) if limit is None else None
    return Questions(name, chosen, dataset.kind, rows, limit, (warning,) if warning else ())


def development_split(name: str) -> str | None:
    """Return the split to choose settings on: never the one that a result is reported for, where there is another."""
    if name == STARTER:
        return None
    splits = find_dataset(name).splits
    return "dev" if "dev" in splits and "test" in splits else splits[0]


def file_questions(path: Path, kind: str = "auto", *, limit: int | None = None) -> Questions:
    """Return the questions of an own file, which has the fields of a pool. Raises UsageError."""
    from ..pool_io import load_pool

    rows = load_pool(path).pool
    for row in rows:
        own_passages(row, f"{path}, question '{row.id}'")
    without = next((row for row in rows if not row.answer.strip()), None)
    if without is not None:
        raise UsageError(f"{path}: the question '{without.id}' has no gold answer; fill its field answer")
    found = infer_kind([(row.answer, row.options) for row in rows]) if kind == "auto" else kind
    return Questions(path.stem, "file", found, Pool(rows[:limit], rows.source), limit)


def own_passages(question: Exemplar, where: str = "") -> tuple[Passage, ...]:
    """Return the passages that a row of a file brings in its field `passages`. Raises UsageError."""
    return given_passages(question.meta.get("passages"), where)


def query_of(question: Exemplar, kind: str) -> Query:
    """Return a question as it stands; a turn of a dialogue (`kind` "state") on its gold previous state."""
    named = question.meta.get("dialogue")
    dialogue = named if kind == STATE and isinstance(named, str) else None
    passages = own_passages(question)
    return Query(question.question, question.options, id=question.id, dialogue=dialogue, passages=passages)


def settings_for(settings: Settings, questions: Questions, methods: Sequence[str] = ()) -> Settings:
    """Return the settings with the kind of answer of the questions, and with pool and passages that go with them.

    A pool that the user named stays. Otherwise a dataset brings its training split; one that has none brings its own
    rows if they have rationales (a question is never its own exemplar), or else the starter pool for word problems.
    `methods` that all read need no pool; a dataset with a collection of passages brings that. Raises UsageError where
    nothing fits.
    """
    if settings.task.kind == "auto":
        settings = _with(settings, "task", {"kind": questions.kind})
    if settings.task.ontology is None and questions.kind == STATE and questions.split != "file":
        settings = _with(settings, "task", {"ontology": f"{questions.dataset}:{questions.split}"})
    if settings.passages.path is None and questions.split != "file" and _brings_passages(questions.dataset):
        settings = _with(settings, "passages", {"path": f"{questions.dataset}:{questions.split}"})
    named = "path" in settings.pool.model_fields_set or settings.index.path is not None
    if named or (methods and all(find_method(method).reads is not None for method in methods)):
        return settings
    return _with(settings, "pool", {"path": _pool_for(questions)})


def _brings_passages(name: str) -> bool:
    return name in DATASETS and DATASETS[name].brings_passages


def _pool_for(questions: Questions) -> str:
    if questions.dataset != STARTER and questions.split != "file":
        dataset = find_dataset(questions.dataset)
        train = dataset.splits[0]
        if train != questions.split:
            return f"{dataset.name}:{train}"
        if any(row.rationale for row in questions.rows) or questions.kind == STATE:
            return f"{dataset.name}:{questions.split}"
    if questions.kind == "number":
        return STARTER
    raise UsageError(
        f"{questions.dataset} has no training split with rationales, and the starter pool has only word problems: "
        "name a pool with --pool"
    )


def _with(settings: Settings, section: str, values: Mapping[str, Any]) -> Settings:
    changed = getattr(settings, section).model_copy(update=dict(values))
    return settings.model_copy(update={section: changed})
