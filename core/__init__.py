"""Exemplar selection for in-context learning. Start with `pipeline`, then follow the data:

pool (`exemplars`, `pool_io`) ─► `select` (initial exemplars, candidates) ─► `lm` (first query) ─► `encoder`, `index`
─► `rerank` ─► `prompts`, `budget` ─► `lm` (final query) ─► `tasks` (answers)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .exemplars import Exemplar, Pool

if TYPE_CHECKING:
    from .parts import Parts
    from .pipeline import DualQuery
    from .settings import Settings, load_settings

__all__ = ["DualQuery", "Exemplar", "Parts", "Pool", "Settings", "load_settings"]

_LAZY = {"DualQuery": "pipeline", "Parts": "parts", "Settings": "settings", "load_settings": "settings"}


def __getattr__(name: str) -> object:
    """Import what costs time when it is first asked for."""
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
