"""The opened models and the pool, shared by all questions of a session; the only place that opens them."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dqlore.core.methods import find_method
from dqlore.core.progress import Progress
from dqlore.core.settings import Settings

from .setup import Setup

if TYPE_CHECKING:
    from dqlore.core.events import Candidates, PromptBuilt, Query
    from dqlore.core.exemplars import Exemplar
    from dqlore.core.parts import Parts
    from dqlore.core.pipeline import DualQuery

OpenParts = Callable[[Settings, Progress], "Parts"]


class Session:
    """Opens parts in the background and makes a pipeline for each setup. Core is imported when it is first needed."""

    def __init__(self, settings: Settings, progress: Progress, open_parts: OpenParts | None = None) -> None:
        self.settings = settings
        self._progress = progress
        self._open_parts = open_parts
        self._parts: Parts | None = None

    @property
    def parts(self) -> "Parts":
        """What is open so far. Raises UsageError for settings that name no backend."""
        if self._parts is None:
            if self._open_parts is None:
                from dqlore.core.parts import Parts

                self._open_parts = Parts
            self._parts = self._open_parts(self.settings, self._progress)
        return self._parts

    def load(self, setup: Setup) -> None:
        """Open the pool, then the index and the models that `setup` needs. Blocks, for seconds on the first start."""
        size = len(self.parts.pool)
        self._progress("pool", size, size)
        self.pipeline(setup).open()

    async def aclose(self) -> None:
        """Let go of the models."""
        if self._parts is not None:
            await self._parts.aclose()

    def pipeline(self, setup: Setup) -> "DualQuery":
        """Return the pipeline for `setup`; what it opens stays open for the next one."""
        from dqlore.core.pipeline import DualQuery

        self._parts = self.parts.with_settings(setup.applied_to(self.settings))
        return DualQuery(self._parts)

    def rerank_params(self, setup: Setup) -> Mapping[str, Any]:
        """Return what the setup's re-ranker is given."""
        return self.pipeline(setup).rerank_params

    def more_candidates(self, query: "Query", cot: str, found: "Candidates", setup: Setup) -> "Candidates":
        """Return as many candidates as `setup` wants, by the vector that is known already."""
        from dqlore.core.select.candidates import search_again

        parts = self.pipeline(setup).parts
        return search_again(parts, find_method(setup.method), query, cot, found, setup.m)

    def prompt(self, setup: Setup, query: "Query", exemplars: "Sequence[Exemplar]") -> "PromptBuilt":
        """Return the final prompt for these exemplars, best first, as it would be sent."""
        from dqlore.core.budget import fit_prompt

        pipeline = self.pipeline(setup)
        chosen = pipeline.parts.settings
        whole = pipeline.prompt(query, exemplars)
        return fit_prompt(whole, pipeline.parts.lm, chosen.lm.max_tokens, chosen.select.max_prompt_tokens)

    def search(self, text: str, most: int) -> "list[Exemplar]":
        """Return the exemplars that share words with `text`, the best first."""
        hits = self.parts.bm25.search([text], most)
        found = zip(hits.positions[0], hits.scores[0], strict=True)
        return [self.parts.pool[int(position)] for position, score in found if score > 0]

    def describe(self, setup: Setup) -> str:
        """Return what `load` opened for `setup` on one line: device, models, pool, index."""
        parts, settings = self.parts, self.settings
        words = []
        if "torch" in sys.modules:
            from dqlore.core.device import pick_device

            words.append(pick_device(settings.device.name, settings.device.dtype).description)
        first = settings.first_query.lm
        words.append(_short(settings.lm.name) + (f" (first query {_short(first)})" if first else ""))
        words.append(f"{_short(parts.pool.source)}: {len(parts.pool)} exemplars")
        if "passages" in parts.__dict__:
            words.append(f"{_short(parts.passages.source)}: {len(parts.passages)} passages")
        if find_method(setup.method).encodes:
            words.append(f"{_short(parts.encoder.name)}, index {settings.index.path or 'cached'}")
        return " | ".join(words)


def _short(name: str) -> str:
    """Return a name without the folders before it."""
    backend, colon, rest = name.rpartition(":")
    return backend + colon + rest.rstrip("/").rpartition("/")[2]
