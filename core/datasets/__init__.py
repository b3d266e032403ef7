"""The public datasets: `DATASETS` says what there is, `load_dataset` gives a split as a pool."""

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from ..dialogue.ontology import Ontology
from ..errors import UsageError
from ..exemplars import Exemplar, Pool
from ..rows import Row
from ..tasks import normalize_answer
from .aqua import AQUA
from .base import Dataset, Hub, RowError
from .commonsenseqa import COMMONSENSEQA, QASC
from .gsm8k import GSM8K
from .hub import hub_rows, hub_source
from .multiwoz import MULTIWOZ
from .schema_guided import MULTIWOZ22, SGD
from .strategyqa import STRATEGYQA
from .svamp import SVAMP
from .word_problems import ADDSUB, MULTIARITH, SINGLEEQ
from .woz import WOZ
from .xquad import XQUAD

__all__ = [
    "DATASETS",
    "Dataset",
    "Hub",
    "find_dataset",
    "load_dataset",
    "missing_rows",
    "ontology_named",
    "pool_named",
    "splits_here",
]

#: Every dataset by its name.
DATASETS: Mapping[str, Dataset] = MappingProxyType(
    {
        d.name: d
        for d in (
            *(GSM8K, SVAMP, AQUA, MULTIARITH, SINGLEEQ, ADDSUB, STRATEGYQA, COMMONSENSEQA, QASC, XQUAD),
            *(WOZ, SGD, MULTIWOZ22, MULTIWOZ),
        )
    }
)

_CALCULATOR_MARK = re.compile(r"<<[^<>\n]*=[^<>\n]*>>")


def find_dataset(name: str) -> Dataset:
    """Return the dataset called `name`. Raises UsageError that lists the names."""
    if name in DATASETS:
        return DATASETS[name]
    raise UsageError(f"there is no dataset '{name}'{_hint(name.lower(), DATASETS)}; there are: {', '.join(DATASETS)}")


def load_dataset(
    name: str,
    split: str,
    *,
    data_dir: Path | None = None,
    limit: int | None = None,
    calculator_marks: bool = False,
) -> Pool:
    """Return a split as a pool, at most its first `limit` rows; ids are "gsm8k-train-17", counted from 1.

    Files are looked for in `data_dir`, else in the folder that DQLORE_DATA names (one folder per dataset in it, with
    the published file names); without either the Hugging Face hub is asked. Gold answers are normalised. Rationales
    lose marks such as <<48/2=24>> unless `calculator_marks`. Raises UsageError, with file and line where it applies.
    """
    dataset = find_dataset(name)
    if split not in dataset.files:
        hint = _hint(split.lower(), dataset.files)
        raise UsageError(f"{name} has no split '{split}'{hint}; there are: {', '.join(dataset.files)}")
    folder = data_dir or os.environ.get("DQLORE_DATA")
    if folder:
        path = _file(dataset, split, Path(folder).expanduser())
        source, rows = str(path), dataset.read(path)
        if dataset.in_split is not None:
            own = dataset.in_split(path, split)
            rows = (row for row in rows if own(row.fields))
    else:
        rows = hub_rows(dataset, split)
        source = hub_source(dataset, split) if dataset.hf else ""
    exemplars = tuple(islice(_exemplars(dataset, split, rows, calculator_marks), limit))
    if not exemplars and limit != 0:
        raise UsageError(f"{source} has no rows; expected rows such as {dataset.shape}")
    return Pool(exemplars, source)


def pool_named(name: str, data_dir: Path | None = None) -> Pool | None:
    """Return the split that "gsm8k" (its first one) or "gsm8k:test" names; None for a file and for any other name."""
    dataset, _, split = name.partition(":")
    if dataset not in DATASETS or Path(name).exists():
        return None
    return load_dataset(dataset, split or DATASETS[dataset].splits[0], data_dir=data_dir)


def ontology_named(name: str, data_dir: Path | None = None) -> Ontology | None:
    """Return the slots of the dialogues that "woz" or "woz:test" names, None for any other name."""
    found, _, split = name.partition(":")
    dataset = DATASETS.get(found)
    folder = data_dir or os.environ.get("DQLORE_DATA")
    if dataset is None or dataset.ontology is None or not folder or Path(name).exists():
        return None
    return dataset.ontology(_file(dataset, split or dataset.splits[0], Path(folder).expanduser()))


def missing_rows(name: str, split: str, pool: Pool) -> str | None:
    """Return a warning if a whole split has fewer rows than it is published with: it may be cut off, or a sample."""
    expected = find_dataset(name).counts.get(split, 0)
    if len(pool) >= expected:
        return None
    return f"{pool.source} has {len(pool):,} of the {expected:,} rows that {name} {split} is published with"


def splits_here(dataset: Dataset, data_dir: Path | None) -> list[str]:
    """Return the splits whose file lies in `data_dir`, else in the folder that DQLORE_DATA names."""
    folder = data_dir or os.environ.get("DQLORE_DATA")
    found = []
    for split in dataset.splits if folder else ():
        with suppress(UsageError):
            _file(dataset, split, Path(folder or "").expanduser())
            found.append(split)
    return found


def _file(dataset: Dataset, split: str, folder: Path) -> Path:
    """Return where the split's file is; `folder` holds a folder per dataset, or is the dataset's own."""
    expected = folder / dataset.name / dataset.files[split]
    if expected.is_file():
        return expected
    own = folder / dataset.files[split]
    if folder.name == dataset.name and own.is_file():
        return own
    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {folder}; --data or DQLORE_DATA names one with a folder per dataset in it"
        )
    raise UsageError(f"there is no file {expected}; get {dataset.files[split]} from {dataset.source}")


def _exemplars(dataset: Dataset, split: str, rows: Iterable[Row], calculator_marks: bool) -> Iterator[Exemplar]:
    for row in rows:
        try:
            exemplar = dataset.parse(row.fields, f"{dataset.name}-{split}-{row.number}")
            answer = normalize_answer(dataset.kind, exemplar.answer)
            if answer is None or (exemplar.options and ord(answer) - ord("A") >= len(exemplar.options)):
                raise RowError(f"the gold answer '{exemplar.answer}' is no {dataset.kind.replace('_', ' or ')}")
        except RowError as error:
            raise UsageError(f"{row.where}: {error}; a row of {dataset.name} is {dataset.shape}") from None
        rationale = exemplar.rationale if calculator_marks else _CALCULATOR_MARK.sub("", exemplar.rationale)
        yield replace(exemplar, answer=answer, rationale=rationale)


def _hint(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean '{close[0]}'?)" if close else ""
