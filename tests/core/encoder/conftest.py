from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from tiny_encoder import write_encoder


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Tiny products gain nothing from threads, and lose much on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a tiny model folder; see `tiny_encoder.write_encoder`."""

    def write(name: str = "tiny", **options: Any) -> Path:
        return write_encoder(tmp_path / name, **options)

    return write
