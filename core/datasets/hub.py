"""Rows from the Hugging Face hub, through its `datasets` library if that is installed."""

from collections.abc import Iterator
from importlib.util import find_spec

from ..errors import UsageError
from ..rows import Row
from .base import Dataset


def hub_source(dataset: Dataset, split: str) -> str:
    """Return what to call a split of the hub in messages."""
    hub = dataset.hf
    assert hub is not None
    return f"{'/'.join(filter(None, (hub.id, hub.config)))} ({hub.splits.get(split, split)}) on the Hugging Face hub"


def hub_rows(dataset: Dataset, split: str) -> Iterator[Row]:
    """Yield the rows of a split. No code of the hub's repositories is run. Raises UsageError."""
    by_folder = (
        f"give the folder that holds {dataset.name}/{dataset.files[split]} with --data FOLDER or DQLORE_DATA "
        f"(the files are at {dataset.source})"
    )
    if dataset.hf is None:
        raise UsageError(f"{dataset.name} is on no hub in a form that can be loaded: {by_folder}")
    if find_spec("datasets") is None:
        raise UsageError(
            f"there are no files for {dataset.name}: {by_folder}, or fetch it from the Hugging Face hub "
            "with `pip install datasets` and a network connection"
        )
    import datasets

    where = hub_source(dataset, split)
    try:
        rows = datasets.load_dataset(dataset.hf.id, dataset.hf.config, split=dataset.hf.splits.get(split, split))
    except Exception as error:  # the library lets through the errors of its network stack, of every kind
        reason = f"{type(error).__name__}: {error}".split("\n", 1)[0][:300]
        raise UsageError(
            f"{where} cannot be loaded ({reason}): check the network and `pip install -U datasets`, or {by_folder}"
        ) from None
    for number, fields in enumerate(rows, start=1):
        yield Row(number, f"{where}, row {number}", dict(fields))
